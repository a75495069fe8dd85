/*
 * The tables of Python's pstats (Lib/pstats.py), row by row.  A name that holds newlines
 * breaks its row; lines are joined as long as that may make a name whole.
 */
#ifndef PTOOL_INGEST_PSTATS_TABLE_H
#define PTOOL_INGEST_PSTATS_TABLE_H

#include "base/err.h"
#include "ingest/pstats_row.h"
#include "ingest/pstats_title.h"

/* Who is told; 0, or -1 with err set, which ends the reading. */
struct table_sink {
	/*
	 * A row of a listing, or of callers and callees: then `function` is the one on
	 * the left.  Texts are borrowed for the call; `at`: byte of the row.
	 */
	int (*row)(struct table_sink *s, struct str function, const struct text_row *row,
		   size_t at, struct err *err);
	/* A line that is none. */
	int (*bad)(struct table_sink *s, struct str line, size_t at, struct err *err);
};

/* Reads the table under that title, where the lines stand, and goes behind it. */
int table_read(struct lines *lines, const struct title *title, struct table_sink *sink,
	       struct err *err);

#endif
