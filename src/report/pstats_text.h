/*
 * The listings of Python's pstats, byte for byte (Lib/pstats.py of 3.13, print_stats,
 * print_callers and print_callees).  No renderer of tables: they show seconds as
 * recorded, counts of any size, and more than rows.
 *
 * Write errors stay with the stream.
 */
#ifndef PTOOL_REPORT_PSTATS_TEXT_H
#define PTOOL_REPORT_PSTATS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/bignum.h"
#include "base/str.h"

/* Above the totals; all borrowed. */
struct pstats_head {
	const struct str *files; /* "Tue Jan  2 03:04:05 2024    x.prof" */
	size_t nfiles;
	const struct str *top_level; /* names of functions */
	size_t ntop_level;
	struct bignum calls, primitive;
	double self_s;
};

struct pstats_times {
	struct bignum calls, primitive;
	double self_s, total_s;
};

/* Of print_callers and print_callees: the function at the other end, and its calls. */
struct pstats_call {
	struct str name;
	struct pstats_times times;
	/*
	 * Calls alone were counted: the listing shows the total of the function at the
	 * other end, times.total_s, when there is one.
	 */
	bool has_no_times, has_no_total;
};

/* Characters, as Python's len() counts them. */
size_t pstats_text_width(struct str name);

void pstats_text_head(const struct pstats_head *head, FILE *out);
/* Above the rows: "ncalls  tottime ...". */
void pstats_text_title(FILE *out);
void pstats_text_row(struct str name, const struct pstats_times *times, FILE *out);
/* `what`: "was called by..." or "called..."; has_times: a line of titles below. */
void pstats_text_call_title(size_t width, const char *what, bool has_times, FILE *out);
/* `arrow`: "<-" or "->".  A name that is longer than `width` runs over. */
void pstats_text_calls(struct str name, size_t width, const char *arrow,
		       const struct pstats_call *calls, size_t n, FILE *out);

#endif
