/*
 * 64-bit numbers in 32 bits: most are small and stand in the code itself, the
 * others in an array beside.  Ids, sizes and times of which there are millions
 * take half the room so.
 *
 * Two codes of one large number need not be equal: compare the numbers.
 */
#ifndef PTOOL_STORE_WIDE_H
#define PTOOL_STORE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/fact.h"

struct spill;

#define WIDE_NONE UINT32_MAX /* the code of NUMBER_NONE */
/* Large numbers that there may be: who adds more than one a slice asks first. */
#define WIDE_MAX ((size_t)INT32_MAX - 1)

/* Codes below are numbers themselves, from -WIDE_HALF on; those above are places. */
#define WIDE_HALF  (INT64_C(1) << 30)
#define WIDE_LARGE (UINT32_C(1) << 31)

/* Zeroed but for `spill` is empty. */
struct wides {
	int64_t *large; /* owned */
	size_t nlarge, large_cap;
	struct spill *spill; /* borrowed, or NULL: where they lie */
};

void wides_release(struct wides *w);
/* The code of a number that does not fit into one. */
uint32_t wide_add_large(struct wides *w, int64_t number);

static inline bool wide_is_small(int64_t number)
{
	return number >= -WIDE_HALF && number < WIDE_HALF;
}

/* The code of a small number, which needs no array. */
static inline uint32_t wide_small(int64_t number)
{
	return (uint32_t)(number + WIDE_HALF);
}

static inline uint32_t wide_add(struct wides *w, int64_t number)
{
	if (wide_is_small(number))
		return wide_small(number);
	return number == NUMBER_NONE ? WIDE_NONE : wide_add_large(w, number);
}

static inline int64_t wide_get(const struct wides *w, uint32_t code)
{
	if (code < WIDE_LARGE)
		return (int64_t)code - WIDE_HALF;
	return code == WIDE_NONE ? NUMBER_NONE : w->large[code - WIDE_LARGE];
}

#endif
