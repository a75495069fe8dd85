/*
 * Reports as programs print them, in a file, a log or a pasted text: what their readers
 * share.  Numbers in them are rounded, which is told; texts are held in memory, 1 GiB at
 * most.
 */
#ifndef PTOOL_INGEST_PRINTED_H
#define PTOOL_INGEST_PRINTED_H

#include "base/buf.h"
#include "ingest/pstats_title.h"
#include "ingest/reader.h"

struct printed {
	struct lines lines;
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	size_t ticked, nrows;
	uint32_t nfunctions; /* the highest number so far, and 1 */
	bool has_cut_text;
};

/*
 * All of the input, and what is wrong with its encoding.  0, or -1 with err set;
 * printed_close() in both cases.
 */
int printed_open(struct printed *p, struct input *in, const struct read_options *options,
		 struct sink *sink, struct err *err);
void printed_close(struct printed *p);
/* The next line: 1; 0: there is none; -1 with err set: the user stopped it. */
int printed_next(struct printed *p, struct err *err);
/* Offset of the line in the whole text; the input may be only a part of that text. */
static inline size_t printed_at(const struct printed *p)
{
	return p->options->report.from + p->lines.start;
}
/* Tells the progress now and then; -1 with err set: the user stopped it. */
int printed_tick(struct printed *p, struct err *err);
/* A finding; -1 with err set: it is strict. */
int printed_tell(struct printed *p, enum finding what, size_t at, struct str excerpt,
		 struct err *err);
/* A line that is no row though it stands among them. */
int printed_bad_row(struct printed *p, struct err *err);
/* The number of a text, which is cut where names may be no longer. */
uint32_t printed_text(struct printed *p, struct str text);
/* A text among the metadata, unless it is empty. */
void printed_metadata(struct printed *p, const char *key, struct str text);
/* What a row says of a thing that has a name alone; times in seconds, NaN: not told. */
int printed_function(struct printed *p, struct str name, const struct call_sums *sums,
		     struct err *err);
/* The same of a function; one that has a row already is told as such. */
int printed_function_fact(struct printed *p, const struct function_fact *function,
			  const struct call_sums *sums, struct err *err);
/* Behind all rows: what is to be said of the text, and that its numbers are rounded. */
int printed_end(struct printed *p, const struct profile_fact *profile, struct err *err);
/* A profile_fact of functions, of that dialect (static). */
struct profile_fact printed_profile(const char *dialect);

/* A probe: does a line begin a report (reader.h), within the first bytes? */
enum probe printed_probe(struct bytes head,
			 bool (*begins)(struct str line, struct str *name));
/* A number and nothing else; blanks around it do not matter. */
bool printed_number(struct str text, double *number);
/* Of a count without decimals; false: it is none, or beyond int64. */
bool printed_count(struct str text, int64_t *count);

#endif
