/*
 * Lines of functions gathered, for the readers of line profilers: what they give is told
 * to the sink function by function, each with its lines in order.
 */
#ifndef PTOOL_INGEST_LINE_ROWS_H
#define PTOOL_INGEST_LINE_ROWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/intern.h"
#include "ingest/reader.h"

struct line_function {
	uint32_t file, name; /* texts of the sink */
	int64_t line;        /* of its definition */
	int64_t block;       /* its newest table, from 1 */
	int64_t timed;       /* its newest table of times, or 0 */
	double total_s;      /* that the report states; negative: the sum of its lines */
	size_t at;           /* byte in the input */
};

/* Numbers are NUMBER_NONE where the report has none. */
struct line_row {
	struct line_fact fact; /* its function: index into `functions` */
	bool is_loop;   /* its hits are the rounds of a loop, where that is known */
	bool is_timed;  /* of a table of times */
	bool is_beyond; /* a number of it is beyond 64 bits: the largest one was taken */
};

struct line_rows {
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	struct intern keys;                 /* of functions; numbers are indexes */
	struct line_function *functions;    /* owned */
	size_t nfunctions, functions_cap;
	struct line_row *rows; /* owned */
	size_t nrows, rows_cap;
	uint32_t newest; /* function */
	struct buf text;
	/*
	 * The newest table is of times: of several of a function the last counts, not all,
	 * and what did not run took no time, and was not called.
	 */
	bool is_timed;
};

void line_rows_init(struct line_rows *l, struct sink *sink,
		    const struct read_options *options);
void line_rows_release(struct line_rows *l);

/* Tells a finding; with --strict it is an error, unless it is only information. */
int line_rows_finding(const struct line_rows *l, enum finding what, size_t at,
		      struct str excerpt, struct err *err);
/* The sink's number of a text: what is no UTF-8 becomes U+FFFD, what is too long is cut. */
int line_rows_text(struct line_rows *l, struct str text, size_t at, uint32_t *number,
		   struct err *err);
/* Begins a table of the function. */
int line_rows_begin(struct line_rows *l, const struct line_function *function,
		    struct err *err);
/* Adds a line to the newest table. */
int line_rows_add(struct line_rows *l, const struct line_row *row, struct err *err);
/* Behind the last. */
int line_rows_tell(struct line_rows *l, struct err *err);

/* Nanoseconds of a timer's tick of so many seconds: a whole number where it is nearly one. */
double line_tick_ns(double unit_s);

#endif
