/* Changes in a series: see change_points.h. */
#include "query/stats/change_points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define PERMUTATIONS 999 /* p of 0.001 at least */
#define FEWEST       199 /* of long series, so that ... */
#define STEPS_MOST   2e8 /* ... one test takes so many steps */
#define SEED         UINT64_C(0x9E3779B97F4A7C15)

struct cut {
	size_t at; /* 0: none can be */
	double q;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Sum of |values[k] - x| of some. */
static double distance(const double *values, size_t n, double x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(values[i] - x);
	return sum;
}

/*
 * The cut into n and m values, for which nm / (n + m) times the energy distance is largest:
 * twice the mean distance between the sides less the mean distances within them.
 */
static struct cut best_cut(const double *values, size_t n)
{
	struct cut best = { 0, 0 };
	double left = 0, right = 0, across = 0;

	for (size_t i = 0; i < n; i++)
		right += distance(values, i, values[i]);
	for (size_t at = 1; at < n; at++) {
		/* values[at - 1] goes over to the left side */
		double to_left = distance(values, at - 1, values[at - 1]);
		double to_right = distance(values + at, n - at, values[at - 1]);
		left += to_left;
		right -= to_right;
		across += to_right - to_left;
		if (at < CHANGE_LEAST || n - at < CHANGE_LEAST)
			continue;
		double a = (double)at, b = (double)(n - at);
		double q = a * b / (a + b) *
			   (2 * across / (a * b) - 2 * left / (a * (a - 1)) -
			    2 * right / (b * (b - 1)));
		if (best.at == 0 || q > best.q)
			best = (struct cut){ at, q };
	}
	return best;
}

static void shuffle(double *values, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)(next_random(state) % i);
		double value = values[k];
		values[k] = values[i - 1];
		values[i - 1] = value;
	}
}

/* How likely is such a cut of values in any order? */
static double probability(const double *values, size_t n, double q, double *spare)
{
	uint64_t state = SEED;
	double room = STEPS_MOST / ((double)n * (double)n);
	size_t orders = room >= PERMUTATIONS ? PERMUTATIONS
			: room <= FEWEST     ? FEWEST
					     : (size_t)room;
	size_t as_large = 0;

	memcpy(spare, values, n * sizeof(*values));
	for (size_t i = 0; i < orders; i++) {
		shuffle(spare, n, &state);
		/* sums in another order may differ in the last digits */
		as_large += best_cut(spare, n).q >= q - fabs(q) * 1e-9;
	}
	return (double)(as_large + 1) / (double)(orders + 1);
}

struct finding {
	const double *values;
	double *spare;
	struct change_point *out;
	size_t n;
};

/*
 * Of [first, end), then of both sides; the shorter side first, and the longer one in the
 * same loop, so that the calls are few within each other.
 */
static void find(struct finding *f, size_t first, size_t end) // NOLINT(misc-no-recursion)
{
	while (end - first >= 2 * (size_t)CHANGE_LEAST) {
		struct cut cut = best_cut(f->values + first, end - first);
		if (cut.at == 0 || cut.q <= 0)
			return;
		double p = probability(f->values + first, end - first, cut.q, f->spare);
		if (p > CHANGE_P)
			return;
		size_t at = first + cut.at;
		f->out[f->n++] = (struct change_point){ at, p };
		if (at - first < end - at) {
			find(f, first, at);
			first = at;
		} else {
			find(f, at, end);
			end = at;
		}
	}
}

static int by_place(const void *a, const void *b)
{
	const struct change_point *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

size_t change_points_find(const double *values, size_t n, struct change_point *out)
{
	struct finding f = { .values = values, .out = out };

	f.spare = xcalloc(n + 1, sizeof(*f.spare));
	find(&f, n > CHANGE_MOST ? n - CHANGE_MOST : 0, n);
	free(f.spare);
	if (f.n)
		qsort(out, f.n, sizeof(*out), by_place);
	return f.n;
}
