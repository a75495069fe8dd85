/*
 * Sums of input numbers that stay within int64 whatever the input says: they
 * stick at the ends of the range instead of wrapping round.  The lower end is
 * -INT64_MAX, as INT64_MIN says that there is no number.
 */
#ifndef PTOOL_BASE_SUM_H
#define PTOOL_BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* The end of the range that a number below 0, or none below 0, has left. */
static inline int64_t sum_end(bool is_negative)
{
	return is_negative ? -INT64_MAX : INT64_MAX;
}

static inline int64_t sum_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum == INT64_MIN
		       ? sum_end(a < 0 || b < 0)
		       : sum;
}

static inline int64_t sum_sub(int64_t a, int64_t b)
{
	int64_t difference;

	return __builtin_sub_overflow(a, b, &difference) || difference == INT64_MIN
		       ? sum_end(a < 0)
		       : difference;
}

static inline int64_t sum_times(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) || product == INT64_MIN
		       ? sum_end((a < 0) != (b < 0))
		       : product;
}

/* Without what is behind the point; sticks at the ends of the range, and is 0 for no number. */
static inline int64_t sum_of_double(double value)
{
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value > -0x1p63)
		return (int64_t)value;
	return value < 0 ? -INT64_MAX : 0;
}

/* It says no more than "at least": nothing can be divided by it, nor it by anything. */
static inline bool sum_is_stuck(int64_t sum)
{
	return sum == INT64_MAX || sum <= -INT64_MAX;
}

/* 100 part / whole; 0 where there is no whole. */
static inline double percent_of(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

#endif
