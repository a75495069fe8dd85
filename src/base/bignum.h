/*
 * A whole number of any size, as Python counts: an int64 and, beyond its range,
 * the decimal digits.  Sums of what fits cost an addition.
 */
#ifndef PTOOL_BASE_BIGNUM_H
#define PTOOL_BASE_BIGNUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* Decimal digits that one which is read may have: 64 digits of 15 bits have as many. */
#define BIGNUM_DIGITS_MAX ((size_t)289)

struct bignum {
	int64_t n; /* the nearest end of the range for what lies beyond it */
	/* '-' or none, then digits, the first not 0; NULL: `n` is the number.  Borrowed. */
	const char *digits;
};

static inline struct bignum bignum_of(int64_t n)
{
	return (struct bignum){ .n = n };
}

/* Are there too many digits, with or without '-', to add and print them row by row? */
static inline bool bignum_is_too_long(struct str digits)
{
	return digits.n > BIGNUM_DIGITS_MAX + (digits.n && digits.p[0] == '-');
}
/*
 * Of digits with or without '-', which are copied to the arena; an end of the
 * int64 range when they are none, or bignum_is_too_long().
 */
struct bignum bignum_parse(struct arena *arena, struct str digits);
/* Digits of a sum that needs them are put into the arena. */
struct bignum bignum_add(struct arena *arena, struct bignum a, struct bignum b);
/* -1, 0, 1. */
int bignum_compare(struct bignum a, struct bignum b);
/* The nearest double, which may be infinite. */
double bignum_real(struct bignum t);
void bignum_print(struct bignum t, struct buf *out);

#endif
