/* Rows of a command's table for machines, held: what the charts of a page are made of. */
#ifndef PTOOL_CLI_REPORT_ROWS_H
#define PTOOL_CLI_REPORT_ROWS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/memtable.h"
#include "cli/reading.h"

struct report_rows {
	struct memtable *rows;  /* owned; NULL: there are none */
	struct arena arena;     /* of the columns */
	struct column *columns; /* in the arena */
};

/*
 * Of a command line, "steps --format json"; no rows where the recording lacks them.  0, or
 * -1 with err set; report_rows_release() in both cases.
 */
int report_rows_load(struct report_rows *r, const char *line,
		     const struct reading *reading, struct err *err);
/* Pulls all of the table, which stays the caller's.  The same. */
int report_rows_take(struct report_rows *r, struct table *t, struct err *err);
/* Accepts a zeroed one. */
void report_rows_release(struct report_rows *r);

size_t report_rows_count(const struct report_rows *r);
/* Null where there is no such column. */
struct cell report_cell(const struct report_rows *r, size_t row, const char *column);
/* 0 where it is none. */
int64_t report_int(const struct report_rows *r, size_t row, const char *column);
/* Empty where it is none; numbers are digits, in the arena. */
struct str report_text(struct report_rows *r, size_t row, const char *column);

#endif
