/* Hodges and Lehmann's estimate: see hodges_lehmann.h. */
#include "query/stats/hodges_lehmann.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "query/stats/normal.h"

#define SIGN_BIT (UINT64_C(1) << 63)

/* Doubles as integers of the same order, and back: between two of them lies a middle. */
static uint64_t ordered(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 is 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static double of_ordered(uint64_t order)
{
	uint64_t bits = order & SIGN_BIT ? order & ~SIGN_BIT : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* How many differences are at most `limit`: a larger value wants larger ones taken away. */
static uint64_t count_at_most(struct sample base, struct sample new_side, double limit)
{
	uint64_t count = 0;
	size_t first = 0;

	for (size_t i = 0; i < new_side.n; i++) {
		while (first < base.n && new_side.values[i] - base.values[first] > limit)
			first++;
		count += base.n - first;
	}
	return count;
}

/* The k-th smallest difference, from 1. */
static double kth_difference(struct sample base, struct sample new_side, uint64_t k)
{
	uint64_t low = ordered(new_side.values[0] - base.values[base.n - 1]);
	uint64_t high = ordered(new_side.values[new_side.n - 1] - base.values[0]);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (count_at_most(base, new_side, of_ordered(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return of_ordered(low) + 0.0; /* counted, -0 is as good as 0 */
}

/* R's qwilcox(alpha / 2, m, n), at least 1. */
static uint64_t lower_place(double m, double n, const struct u_distribution *exact,
			    double alpha)
{
	double place;

	if (exact) {
		place = (double)u_distribution_quantile(exact, alpha / 2);
	} else {
		double deviation = sqrt(m * n * (m + n + 1) / 12);
		place = ceil(m * n / 2 - 0.5 -
			     normal_quantile_above(alpha / 2) * deviation);
	}
	return place < 1 ? 1 : (uint64_t)place;
}

struct hodges_lehmann hodges_lehmann(struct sample base, struct sample new_side,
				     const struct u_distribution *exact, double alpha)
{
	uint64_t all = (uint64_t)base.n * (uint64_t)new_side.n;
	uint64_t place = lower_place((double)new_side.n, (double)base.n, exact, alpha);
	double middle = kth_difference(base, new_side, (all + 1) / 2);
	struct hodges_lehmann h = { .shift = middle };

	if (all % 2 == 0)
		h.shift = (middle + kth_difference(base, new_side, all / 2 + 1)) / 2;
	h.low = kth_difference(base, new_side, place);
	h.high = kth_difference(base, new_side, all - place + 1);
	return h;
}
