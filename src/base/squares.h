/*
 * Sums of squares of int64, exact below 2^128, where they stick.  Kept as four limbs
 * of 32 bits in columns of int64, so that SQL adds up to 2^31 of them without a carry.
 */
#ifndef PTOOL_BASE_SQUARES_H
#define PTOOL_BASE_SQUARES_H

#include <stdint.h>

#define SQUARES_LIMBS 4

__extension__ typedef unsigned __int128 squares_wide;

struct squares {
	uint64_t low, high;
};

static inline struct squares squares_add(struct squares a, struct squares b)
{
	struct squares sum;
	uint64_t carry;

	carry = __builtin_add_overflow(a.low, b.low, &sum.low);
	if (__builtin_add_overflow(a.high, b.high, &sum.high) ||
	    __builtin_add_overflow(sum.high, carry, &sum.high))
		return (struct squares){ UINT64_MAX, UINT64_MAX };
	return sum;
}

/* `times` squares of the same value. */
static inline struct squares squares_of(int64_t value, int64_t times)
{
	uint64_t n = value < 0 ? -(uint64_t)value : (uint64_t)value;
	squares_wide square = (squares_wide)n * n, all;

	if (times <= 0)
		return (struct squares){ 0, 0 };
	if (__builtin_mul_overflow(square, (squares_wide)times, &all))
		return (struct squares){ UINT64_MAX, UINT64_MAX };
	return (struct squares){ (uint64_t)all, (uint64_t)(all >> 64) };
}

/* Bits 32 * limb to 32 * limb + 31, limb 0 to SQUARES_LIMBS - 1. */
static inline int64_t squares_limb(struct squares s, unsigned limb)
{
	uint64_t half = limb < 2 ? s.low : s.high;

	return (int64_t)(limb % 2 ? half >> 32 : half & UINT32_MAX);
}

#endif
