/* All that ptool diff prints: headline, accounting, rows, notes. */
#ifndef PTOOL_QUERY_DIFF_REPORT_H
#define PTOOL_QUERY_DIFF_REPORT_H

#include "query/diff/diff_table.h"

/*
 * For people the accounting with the headline above it, and the rows below; for machines
 * one of the three, with the headline as its first note.  Without a new side: what noise
 * base has (diff_noise.h).  0, or -1 with err set: ERR_EMPTY when there is no accounting.
 * *out is the caller's in both cases; NULL when nothing was made.
 */
int diff_report(const struct diff *d, const struct diff_style *style, struct table **out,
		struct err *err);

#endif
