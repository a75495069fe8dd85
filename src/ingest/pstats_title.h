/*
 * The lines around the tables of Python's pstats, which say what a table is: see
 * print_stats(), print_callers() and print_callees() of Lib/pstats.py.  They have not
 * changed since Python 1.5, but for "CPU seconds" (up to 2.6) and the table of
 * profiling.sampling (3.15).
 */
#ifndef PTOOL_INGEST_PSTATS_TITLE_H
#define PTOOL_INGEST_PSTATS_TITLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

#define LINE_NONE SIZE_MAX

/*
 * The lines of a text that a terminal or a file got: without what colours them, without
 * carriage returns, as UTF-8.
 */
struct lines {
	struct bytes text; /* borrowed */
	size_t at;         /* where the next line begins; may be set back */
	size_t start;      /* where this one does */
	struct str line;   /* without its end; borrowed until the next */
	bool is_cut;       /* the last one, and no newline ends it */
	size_t bad_utf8;   /* the first byte so far that is no UTF-8, or LINE_NONE */
	struct buf clean;
};

/* Bytes of the mark that Windows puts in front of a text. */
size_t lines_mark(struct bytes text);
/* Behind that. */
void lines_init(struct lines *l, struct bytes text);
void lines_release(struct lines *l);
/* The next line; false: there is none. */
bool lines_next(struct lines *l);

/* The line without sequences that colour it, in `out` where it has any and fits. */
struct str line_plain(struct str line, char *out, size_t size);
/* Blanks at its front. */
size_t line_indent(struct str line);
bool line_is_blank(struct str line);
/* Without blanks at both ends. */
struct str line_trimmed(struct str line);
/* The next word, which `rest` loses with the blanks before it; empty: no more. */
struct str line_word(struct str *rest);

enum title_kind {
	TITLE_NONE,
	TITLE_ACTION,      /* "Profile stats for: run_training_batch", of Lightning */
	TITLE_FILE,        /* "Tue Jan  2 03:04:05 2024    w.prof" */
	TITLE_TOTALS,      /* "12 function calls (9 primitive calls) in 0.003 seconds" */
	TITLE_ORDER,       /* "Ordered by: cumulative time" */
	TITLE_RESTRICTION, /* "List reduced from 200 to 20 due to restriction <0.1>" */
	TITLE_LISTING,     /* from here on a table follows */
	TITLE_SAMPLES,
	TITLE_CALLERS,
	TITLE_CALLEES
};

struct title {
	enum title_kind kind;
	struct str said;   /* without what stands before it; within the line */
	size_t indent;     /* of tables: blanks that the whole text is moved by */
	size_t name_width; /* of callers and callees: characters before the arrow */
	double units_s[2]; /* of samples: what self and total time are in */
};

/* What a line is. */
struct title title_of(struct str line);
static inline bool title_is_table(enum title_kind kind)
{
	return kind >= TITLE_LISTING;
}

#endif
