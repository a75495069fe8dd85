/*
 * The rows of pstats' tables, and the functions that rows name.  Columns that are too
 * narrow for their numbers push the others on, so rows are read by words; names come last
 * and may hold anything.
 */
#ifndef PTOOL_INGEST_PSTATS_ROW_H
#define PTOOL_INGEST_PSTATS_ROW_H

#include "base/buf.h"
#include "ingest/sink.h"

/* A function and what stands before it; texts lie within the row. */
struct text_row {
	struct call_sums sums;
	struct str name; /* as it is shown: text_function() takes it apart */
};

/* What a table's rows are like. */
enum row_kind {
	ROW_LISTING, /* "   12/3    0.001    0.000    0.002    0.001 a.py:1(f)" */
	ROW_SAMPLES, /* "   12/15    0.2    0.012    0.3    0.015  a.py:1(f)" */
	ROW_CALL /* "   12/3    0.001    0.002  a.py:1(f)", "a.py:1(f)(12)    0.002" */
};

/* units_s: of self and total time of ROW_SAMPLES.  False: it is no such row. */
bool text_row(struct str text, enum row_kind kind, const double *units_s,
	      struct text_row *row);

/* The parts of a name, in buffers of their own. */
struct text_function {
	struct buf file, name;
	int64_t line;
};

void text_function_init(struct text_function *f);
void text_function_release(struct text_function *f);
/*
 * What pstats made it of: "{x}" is <x> of file ~.  The address of a code object is
 * left out, as in dumps.
 */
void text_function(struct text_function *f, struct str shown);
/* The name as strip_dirs() leaves it, in f->file. */
struct str text_stripped(struct text_function *f, struct str shown);
/* Is it certain that the name ends here?  It may be "{...}" or "...:12(...)". */
bool text_name_is_whole(struct str name);

#endif
