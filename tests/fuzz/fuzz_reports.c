/*
 * Texts of reports on any bytes: parts that follow or are each other within the text, and of
 * each no crash, nothing that sink.h forbids, errors within it, the same facts each time;
 * what strict mode accepts, tolerant mode does too.  One in 4.  timeout: 600 s
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/recording_sink.h"

#include "ingest/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* 0 or -1; the facts in *r, which the caller releases. */
static int read_text(struct recording *r, const struct reader *reader, struct str text,
		     bool strict)
{
	struct read_options options = { .strict = strict };
	struct err err = ERR_INIT;

	recording_init(r);
	int rc = recording_read_as(r, reader, text, &options, &err);
	must((rc == 0) == (err.kind == ERR_NONE));
	must(rc == 0 || err.text[0] != '\0');
	must(!r->is_ill);
	return rc;
}

static void try_report(const struct reader *reader, struct str text)
{
	struct recording tolerant, again;
	int rc = read_text(&tolerant, reader, text, false);

	must(read_text(&again, reader, text, false) == rc);
	must(str_equal(buf_str(&tolerant.lines), buf_str(&again.lines)));
	recording_release(&again);
	must(read_text(&again, reader, text, true) < 0 || rc == 0);
	recording_release(&again);
	recording_release(&tolerant);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct parts parts;
	size_t from = 0, end = 0;

	parts_find((struct bytes){ data, size }, NULL, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		const struct part *part = &parts.items[i];
		/* of several readers, perhaps, but of no reader twice */
		must(part->at >= end || (part->at == from && part->at + part->n == end));
		must(part->n <= size - part->at && part->name.n > 0);
		from = part->at;
		end = part->at + part->n;
		try_report(part->reader, (struct str){ text.p + part->at, part->n });
	}
	for (size_t i = 0; readers[i]; i++)
		if (readers[i]->begins)
			try_report(readers[i], text);
	parts_release(&parts);
	return 0;
}
