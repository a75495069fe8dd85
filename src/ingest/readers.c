/* The table of input formats. */
#include "ingest/reader.h"

extern const struct reader chrome_reader;

const struct reader *const readers[] = {
	&chrome_reader,
	NULL,
};

const struct reader *reader_detect(struct bytes head)
{
	const struct reader *best = NULL;
	enum probe most = PROBE_NO;

	for (size_t i = 0; readers[i]; i++) {
		enum probe sure = readers[i]->probe(head);
		if (sure > most) {
			most = sure;
			best = readers[i];
		}
	}
	return best;
}

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; readers[i]; i++)
		if (strcmp(readers[i]->name, name) == 0)
			return readers[i];
	return NULL;
}
