/*
 * Stable natural merge sort of indexes: input arrives as a few sorted runs, so
 * that it mostly costs one pass.
 */
#ifndef PTOOL_BASE_SORT_H
#define PTOOL_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Must a stand before b?  False for equal ones: they keep their order. */
typedef bool sort_before(const void *context, uint32_t a, uint32_t b);

/* -1, 0 or 1, as qsort() asks for it. */
static inline int sort_order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* `spare` has room for n. */
void sort_indexes(uint32_t *at, size_t n, uint32_t *spare, sort_before *before,
		  const void *context);

#endif
