/* The rows of a comparison: see diff_rows.h. */
#include "query/diff/diff_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/diff/diff_match.h"
#include "query/stats/rank_tests.h"

int64_t diff_divide(int64_t sum, int64_t units)
{
	int64_t quotient = sum / units, rest = sum % units;
	uint64_t twice = (uint64_t)(rest < 0 ? -rest : rest) * 2;

	if (twice < (uint64_t)units)
		return quotient;
	return quotient + (sum < 0 ? -1 : 1);
}

__extension__ typedef __int128 wide; /* products of two int64 */

static int bits_of(wide value)
{
	int n = 0;

	for (value = value < 0 ? -value : value; value; value >>= 1)
		n++;
	return n;
}

/* a * b / (c * d), rounded half away from 0, as far as int64 goes; c * d > 0, even. */
static int64_t divide_products(wide a, wide b, wide c, wide d)
{
	if (bits_of(a) + bits_of(b) > 125 || bits_of(c) + bits_of(d) > 125) {
		double about = round((double)a * (double)b / ((double)c * (double)d));
		return fabs(about) < 0x1p63 ? (int64_t)about
		       : about < 0          ? -INT64_MAX
					    : INT64_MAX;
	}
	assert(c > 0 && d > 0);
	wide parts = c * d, half = a * b < 0 ? -parts / 2 : parts / 2;
	wide all = (a * b + half) / parts;
	return all > INT64_MAX ? INT64_MAX : all < -INT64_MAX ? -INT64_MAX : (int64_t)all;
}

/*
 * round((n1 - n0) (t0 + t1) / 2), with n calls per unit of t each: as one fraction of
 * whole numbers, so that nothing is rounded before the end unless they are huge, and an
 * exact negative when the sides are swapped.
 */
int64_t diff_from_calls(const struct diff_measure of[NDIFF_SIDES],
			const int64_t units[NDIFF_SIDES])
{
	const struct diff_measure *base = &of[DIFF_BASE], *new_side = &of[DIFF_NEW];
	wide n0 = base->calls, n1 = new_side->calls;
	wide u0 = units[DIFF_BASE], u1 = units[DIFF_NEW];

	if (n0 <= 0 && n1 <= 0) /* not counted */
		return 0;
	if (n0 <= 0 || n1 <= 0)
		return sum_sub(new_side->mean, base->mean);
	return divide_products(n1 * u0 - n0 * u1,
			       base->amount * n1 + new_side->amount * n0, 2 * u0 * u1,
			       n0 * n1);
}

struct diff_measure diff_rows_measure(const struct diff_side *side, uint32_t row)
{
	struct diff_measure m = { .row = DIFF_NO_ROW };

	for (size_t i = diff_sums_first(&side->sums, row);
	     i < side->sums.n && side->sums.items[i].row == row; i++) {
		m.row = row;
		m.calls = sum_add(m.calls, side->sums.items[i].calls);
		m.amount = sum_add(m.amount, side->sums.items[i].amount);
	}
	m.mean = diff_divide(m.amount, side->units);
	return m;
}

static struct diff_row *add_row(struct diff *d, struct diff_measure base,
				struct diff_measure new_side)
{
	struct diff_row *row = &d->rows[d->nrows++];

	*row = (struct diff_row){ .of = { base, new_side } };
	return row;
}

/* Pairs what one side alone has; what is left over stays alone. */
static void add_singles(struct diff *d, const struct diff_single *singles, size_t n)
{
	static const struct diff_measure none = { .row = DIFF_NO_ROW };
	uint32_t *partner = xrealloc_array(NULL, n, sizeof(*partner));

	for (size_t i = 0; i < n; i++)
		partner[i] = DIFF_NO_PARTNER;
	if (d->relaxings)
		diff_match_renamed(&d->names, d->relaxings, singles, n, partner);
	for (size_t i = 0; i < n; i++) {
		bool is_new = singles[i].is_new, is_pair = partner[i] != DIFF_NO_PARTNER;
		struct diff_measure own =
			diff_rows_measure(&d->sides[is_new], singles[i].row);
		if (is_pair && is_new)
			continue; /* with its partner */
		if (is_pair)
			add_row(d, own,
				diff_rows_measure(&d->sides[DIFF_NEW],
						  singles[partner[i]].row))
				->status = DIFF_RENAMED;
		else if (is_new)
			add_row(d, none, own)->status = DIFF_ADDED;
		else
			add_row(d, own, none)->status = DIFF_REMOVED;
	}
	free(partner);
}

static enum diff_status status_of_pair(const struct diff *d,
				       const struct diff_measure *base,
				       const struct diff_measure *new_side)
{
	wide m = d->sides[DIFF_BASE].units, n = d->sides[DIFF_NEW].units;
	bool is_same = base->calls * n == new_side->calls * m &&
		       base->amount * n == new_side->amount * m;

	return is_same ? DIFF_EQUAL : DIFF_CHANGED;
}

static void match_rows(struct diff *d)
{
	size_t names = d->names.n, nsingles = 0;
	struct diff_single *singles = xrealloc_array(NULL, names, sizeof(*singles));

	d->rows = xrealloc_array(NULL, names, sizeof(*d->rows));
	for (uint32_t name = 0; name < names; name++) {
		struct diff_measure base = diff_rows_measure(&d->sides[DIFF_BASE], name);
		struct diff_measure new_side =
			diff_rows_measure(&d->sides[DIFF_NEW], name);
		bool in_base = base.row != DIFF_NO_ROW,
		     in_new = new_side.row != DIFF_NO_ROW;
		if (in_base && in_new)
			add_row(d, base, new_side)->status =
				status_of_pair(d, &base, &new_side);
		else if (in_base || in_new)
			singles[nsingles++] = (struct diff_single){
				in_new ? new_side.amount : base.amount, name, in_new
			};
	}
	add_singles(d, singles, nsingles);
	free(singles);
}

/* Of the amounts as they are shown; of calls before they are rounded: 5 to 5.4 is 8 %. */
static double percent_of_base(const struct diff *d, const struct diff_row *row)
{
	const struct diff_measure *of = row->of;
	double base = (double)of[DIFF_BASE].mean, delta = (double)row->delta;

	if (d->metric == DIFF_CALLS) {
		base = diff_row_calls(d, row, DIFF_BASE);
		delta = diff_row_calls(d, row, DIFF_NEW) - base;
	}
	return base != 0 ? 100 * delta / fabs(base) : (double)NAN;
}

static void split(const struct diff *d, struct diff_row *row)
{
	const int64_t units[NDIFF_SIDES] = { d->sides[DIFF_BASE].units,
					     d->sides[DIFF_NEW].units };
	int64_t base = row->of[DIFF_BASE].mean;
	bool is_pair = row->status != DIFF_ADDED && row->status != DIFF_REMOVED;

	row->delta = sum_sub(row->of[DIFF_NEW].mean, base);
	row->from_calls = is_pair ? diff_from_calls(row->of, units) : row->delta;
	row->from_duration = sum_sub(row->delta, row->from_calls);
	row->delta_pct = is_pair ? percent_of_base(d, row) : (double)NAN;
}

size_t diff_rows_samples(const struct diff_side *side, uint32_t row, double *values)
{
	size_t n = 0;

	if (row == DIFF_NO_ROW)
		return 0;
	for (size_t i = diff_sums_first(&side->sums, row);
	     i < side->sums.n && side->sums.items[i].row == row; i++) {
		const struct diff_sum *sum = &side->sums.items[i];
		values[n++] = (double)sum->amount /
			      (double)side->replicate_units[sum->replicate];
	}
	return n;
}

static double change_pct(const struct diff_row *row)
{
	if (row->status == DIFF_ADDED || row->status == DIFF_REMOVED)
		return (double)INFINITY;
	return isnan(row->delta_pct) ? (double)row->delta * (double)INFINITY
				     : row->delta_pct;
}

/*
 * Total times hold each other, so that their sum is no whole: the headline is.  What
 * is freed does not take away from what is allocated, or nothing would be left of both.
 */
static double whole_of_base(const struct diff *d)
{
	const struct diff_side *base = &d->sides[DIFF_BASE];
	double whole = 0;

	if (d->metric == DIFF_TOTAL && d->per_step == d->subject_per_step &&
	    base->subject > 0)
		return (double)base->subject;
	for (size_t i = 0; i < d->nrows; i++)
		whole += fabs((double)d->rows[i].of[DIFF_BASE].mean);
	return whole;
}

static void choose_tested(struct diff *d)
{
	double whole = whole_of_base(d);

	for (size_t i = 0; i < d->nrows; i++) {
		struct diff_row *row = &d->rows[i];
		double held = fabs((double)row->of[DIFF_BASE].mean);
		row->test = (struct diff_test){ .p = (double)NAN,
						.q = (double)NAN,
						.change_pct = change_pct(row) };
		row->test.is_tested = whole > 0 && held * 100 >= DIFF_TESTED_PCT * whole;
		d->ntested += row->test.is_tested;
	}
}

static void compute_p(struct diff *d)
{
	struct diff_tester tester;
	double *values[NDIFF_SIDES];

	diff_tester_init(&tester, d->sides[DIFF_BASE].nreplicates,
			 d->sides[DIFF_NEW].nreplicates);
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		values[i] = xrealloc_array(NULL, d->sides[i].nreplicates, sizeof(double));
	for (size_t i = 0; i < d->nrows; i++) {
		struct diff_row *row = &d->rows[i];
		size_t n[NDIFF_SIDES];
		for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
			n[which] = diff_rows_samples(&d->sides[which], row->of[which].row,
						     values[which]);
		row->test.p = diff_tester_p(&tester, values, n);
	}
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		free(values[i]);
	diff_tester_release(&tester);
}

static void test_rows(struct diff *d)
{
	const struct diff_limits limits = { d->request->alpha,
					    d->request->min_effect_pct };
	struct diff_test *tests = xrealloc_array(NULL, d->nrows, sizeof(*tests));
	size_t n = d->sides[DIFF_BASE].nreplicates, m = d->sides[DIFF_NEW].nreplicates;
	bool are_enough = rank_power_can_decide(n, m, limits.alpha);

	choose_tested(d);
	if ((n > 1 && m > 1) || are_enough)
		compute_p(d);
	for (size_t i = 0; i < d->nrows; i++)
		tests[i] = d->rows[i].test;
	diff_test_rows(tests, d->nrows, &limits);
	for (size_t i = 0; i < d->nrows; i++) {
		tests[i].is_significant &= d->may_decide && are_enough;
		d->rows[i].test = tests[i];
		d->has_significant_row |= tests[i].is_significant;
	}
	free(tests);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The largest delta first, then the largest row, then by name. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct diff *d = context;
	const struct diff_row *x = &d->rows[a], *y = &d->rows[b];
	uint64_t p = magnitude(x->delta), q = magnitude(y->delta);

	if (p == q) {
		p = magnitude(x->of[DIFF_BASE].mean) + magnitude(x->of[DIFF_NEW].mean);
		q = magnitude(y->of[DIFF_BASE].mean) + magnitude(y->of[DIFF_NEW].mean);
	}
	if (p != q)
		return p > q;
	return str_compare(diff_row_name(d, x, DIFF_BASE),
			   diff_row_name(d, y, DIFF_BASE)) < 0;
}

static void sort_rows(struct diff *d)
{
	uint32_t *order = sorted_places(d->nrows, is_before, d);
	struct diff_row *sorted = xrealloc_array(NULL, d->nrows, sizeof(*sorted));

	for (size_t i = 0; i < d->nrows; i++)
		sorted[i] = d->rows[order[i]];
	free(order);
	free(d->rows);
	d->rows = sorted;
}

void diff_rows_make(struct diff *d)
{
	match_rows(d);
	for (size_t i = 0; i < d->nrows; i++)
		split(d, &d->rows[i]);
	test_rows(d);
	sort_rows(d);
}
