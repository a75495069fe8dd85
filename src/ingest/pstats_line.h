/*
 * The lines of a text that a terminal or a file got: without what colours them, without
 * carriage returns, as UTF-8.
 */
#ifndef PTOOL_INGEST_PSTATS_LINE_H
#define PTOOL_INGEST_PSTATS_LINE_H

#include "base/buf.h"
#include "base/str.h"

#define LINE_NONE SIZE_MAX

struct lines {
	struct bytes text; /* borrowed */
	size_t at;         /* where the next line begins; may be set back */
	size_t start;      /* where this one does */
	struct str line;   /* without its end; borrowed until the next */
	bool is_cut;       /* the last one, and no newline ends it */
	size_t bad_utf8;   /* the first byte so far that is no UTF-8, or LINE_NONE */
	struct buf clean;
};

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

#endif
