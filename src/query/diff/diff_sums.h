/*
 * What one side of a comparison measured: of each row (an operator, a kernel, ...) in
 * each replicate (a run, or a step of the one run) the calls and the amount.
 */
#ifndef PTOOL_QUERY_DIFF_SUMS_H
#define PTOOL_QUERY_DIFF_SUMS_H

#include <stddef.h>
#include <stdint.h>

struct diff_sum {
	uint32_t row, replicate;
	int64_t calls;
	int64_t amount; /* ns, bytes or calls; bytes may be negative */
};

struct diff_sums {
	struct diff_sum
		*items; /* owned; by (row, replicate) once merged, each pair once */
	size_t n, cap;
};

void diff_sums_add(struct diff_sums *s, struct diff_sum sum);
/* Sums stay within int64: they stick at its ends. */
void diff_sums_merge(struct diff_sums *s);
void diff_sums_release(struct diff_sums *s);

/* Of a merged one: the place of the row's first item, or of that behind it. */
size_t diff_sums_first(const struct diff_sums *s, uint32_t row);

#endif
