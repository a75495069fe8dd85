/*
 * Orders of numbers, and a stable natural merge sort of indexes: input arrives as a few
 * sorted runs, so that it mostly costs one pass.
 */
#ifndef PTOOL_BASE_SORT_H
#define PTOOL_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct spill;

/* Must a stand before b?  False for equal ones: they keep their order. */
typedef bool sort_before(const void *context, uint32_t a, uint32_t b);

/* -1, 0 or 1, as qsort() asks for it. */
static inline int sort_order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* The same for qsort() and bsearch() over an array of int64_t. */
static inline int sort_compare_int64(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return sort_order(*x, *y);
}

/* Compares doubles; none of them may be NaN. */
static inline int sort_compare_double(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * The first of n items that is not before `key`: items are `size` bytes each, in the order
 * of the int64_t at `offset`; n: there is none.
 */
size_t sort_first(const void *items, size_t n, size_t size, size_t offset, int64_t key);

/* `spare` has room for n. */
void sort_indexes(uint32_t *at, size_t n, uint32_t *spare, sort_before *before,
		  const void *context);
/* The same of what may lie in files of `spill`, which may be NULL. */
void sort_spilled(struct spill *spill, uint32_t *at, size_t n, uint32_t *spare,
		  sort_before *before, const void *context);
/* The same by this thread and `others` more, which are started: for very many. */
struct crew_sort {
	unsigned others;
	struct spill *spill;
	uint32_t *at, *spare;
	size_t n;
	sort_before *before;
	const void *context;
	/* private */
	size_t pieces;
	size_t width; /* of a sorted run that is merged with the next, in pieces */
};

void sort_by_crew(struct crew_sort s);

/* What an item is sorted by. */
typedef int64_t sort_number(const void *context, uint32_t item);
/* By their numbers, stable, in linear time: by their digits. */
void sort_numbered(struct spill *spill, uint32_t *at, size_t n, uint32_t *spare,
		   sort_number *number, const void *context);

/* Items of `size` bytes each by the int64_t at `offset`, stable; by its digits. */
void sort_by_field(void *items, size_t n, size_t size, size_t offset);

/* The same two of an array of structs, by a member that is an int64_t. */
#define SORT_BY(items, n, member) \
	sort_by_field((items), (n), sizeof(*(items)), SORT_MEMBER(items, member))
#define SORT_FIRST(items, n, member, key) \
	sort_first((items), (n), sizeof(*(items)), SORT_MEMBER(items, member), (key))
#define SORT_MEMBER(items, member)                                                      \
	(offsetof(__typeof__(*(items)), member) + 0 * _Generic((items)->member, int64_t \
							       : (size_t)1))

/* The order of 0 .. n - 1, for the caller to free(); n < UINT32_MAX. */
uint32_t *sorted_places(size_t n, sort_before *before, const void *context);

/* Places of items that are equal, in their order. */
struct sort_group {
	const uint32_t *at; /* borrowed */
	size_t n;
};

struct sort_groups {
	struct sort_group *items; /* owned */
	size_t n;
	uint32_t *at; /* owned: all of them */
};

/* The groups of 0 .. n - 1 that are equal by `before`, in its order. */
void sort_groups_make(struct sort_groups *g, size_t n, sort_before *before,
		      const void *context);
void sort_groups_release(struct sort_groups *g);

/*
 * The order in which people list names: numbers in them by their value, so that
 * step_10 follows step_9.
 */

/*
 * Negative, 0 or positive.  A total order: names that differ only in leading
 * zeros are ordered by their bytes, and 0 means equal bytes.
 */
int natural_compare(struct str a, struct str b);

#endif
