/*
 * Products of doubles that round to the nearest integer alike on every machine.  long
 * double would not: it has 64 bits on x86 and 113 on ARM and s390x.  A product is kept
 * as the sum of two doubles, by fma() (T. J. Dekker 1971, "A floating-point technique for
 * extending the available precision").
 */
#ifndef PTOOL_BASE_PRODUCT_H
#define PTOOL_BASE_PRODUCT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* high + low; of all but product_of_int(), high is that sum, rounded to a double. */
struct product {
	double high, low;
};

/* Exact, if it is no infinity and not below 1e-290. */
static inline struct product product_of(double a, double b)
{
	double high = a * b;

	return (struct product){ high, isfinite(high) ? fma(a, b, -high) : 0 };
}

/* A whole number, also beyond 2^53. */
static inline struct product product_of_int(int64_t n)
{
	int64_t low = n % 2048;

	return (struct product){ (double)(n - low), (double)low };
}

/* To 100 bits and more. */
static inline struct product product_times(struct product p, double c)
{
	struct product q = product_of(p.high, c);
	double low = q.low + p.low * c, high = q.high + low;

	return (struct product){ high, isfinite(high) ? low - (high - q.high) : 0 };
}

/* What the low part adds to the whole number next to the high part: ties go to even. */
static inline int64_t product_carry(struct product p, int64_t whole)
{
	double over = p.high - (double)whole;

	if (over == 0 && fabs(p.low) == 0.5 && whole % 2 != 0)
		return p.low > 0 ? 1 : -1;
	if (over == 0)
		return (int64_t)rint(p.low);
	return over == 0.5 && p.low > 0 ? 1 : over == -0.5 && p.low < 0 ? -1 : 0;
}

/*
 * The nearest integer, of two the even one.  False: it is beyond 64 bits, or no number;
 * *out is then INT64_MAX or -INT64_MAX.
 */
static inline bool product_round(struct product p, int64_t *out)
{
	const double end = 9223372036854775808.0; /* 2^63 */
	double step = p.high > 0 ? 1024 : -1024;  /* from the double next to it */

	if (fabs(p.high) == end && p.low * step < 0)
		p = (struct product){ p.high - step, p.low + step };
	double whole = rint(p.high);

	if (fabs(whole) < end &&
	    !__builtin_add_overflow((int64_t)whole, product_carry(p, (int64_t)whole),
				    out))
		return true;
	*out = p.high < 0 ? -INT64_MAX : INT64_MAX;
	return false;
}

#endif
