/*
 * The noise of one side: what a comparison of runs of one and the same program shows.  A
 * change below it is none.
 */
#include "query/diff/diff_view.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/units.h"
#include "query/diff/diff_rows.h"
#include "query/stats/rank_tests.h"

/* Of all shifts so many of 100 are within the floor. */
#define WITHIN_PCT 95

/* How many ways there are to take half of HALVED_MAX, and more. */
#define HALVES_MAX 1024

#define HALVED_MAX 12

/* What a comparison of runs of one and the same program shows. */
struct noise {
	double mean, deviation, deviation_pct;
	/*
	 * Of the shifts between halves of the values (all ways to halve them, up to
	 * HALVED_MAX values; beyond, by the normal approximation) 95 of 100 are at most
	 * this; NaN with fewer than two values.
	 */
	double floor, floor_pct;
};

static size_t count_bits(unsigned bits)
{
	size_t n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

/* The shift between the values whose bits are set and the others; values are sorted. */
static double shift_of(const double *values, size_t n, unsigned bits)
{
	double in[HALVED_MAX], out[HALVED_MAX];
	struct sample a = { in, 0 }, b = { out, 0 };

	for (size_t i = 0; i < n; i++) {
		if (bits >> i & 1)
			in[a.n++] = values[i];
		else
			out[b.n++] = values[i];
	}
	return fabs(hodges_lehmann(a, b, NULL, 0.5).shift);
}

static double floor_of_halves(const double *sorted, size_t n)
{
	double shifts[HALVES_MAX] = { 0 };
	size_t count = 0;

	for (unsigned bits = 0; bits < 1U << n; bits++)
		if (count_bits(bits) == n / 2 && count < HALVES_MAX)
			shifts[count++] = shift_of(sorted, n, bits);
	qsort(shifts, count, sizeof(*shifts), sort_compare_double);
	return shifts[(count * WITHIN_PCT + 99) / 100 - 1];
}

/* The shift's error is that of a difference of means by the test's efficiency, 3 / pi. */
static double floor_of_normal(double deviation, size_t n)
{
	size_t half = n / 2;
	double sizes = 1 / (double)half + 1 / (double)(n - half);
	double error = deviation * sqrt(sizes * acos(-1.0) / 3);

	return error * normal_quantile_above((1 - WITHIN_PCT / 100.0) / 2);
}

static double floor_of_few(const double *values, size_t n, size_t zeros)
{
	double sorted[HALVED_MAX] = { 0 };

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n + zeros, sizeof(*sorted), sort_compare_double);
	return floor_of_halves(sorted, n + zeros);
}

/* Of `n` values in any order, and so many zeros that are not among them. */
static void find_noise(const double *values, size_t n, size_t zeros, struct noise *out)
{
	size_t all = n + zeros;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	out->mean = all ? sum / (double)all : 0;
	double squares = (double)zeros * out->mean * out->mean;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - out->mean) * (values[i] - out->mean);
	out->deviation = all > 1 ? sqrt(squares / (double)(all - 1)) : (double)NAN;
	out->floor = (double)NAN;
	if (all > 1)
		out->floor = all <= HALVED_MAX ? floor_of_few(values, n, zeros)
					       : floor_of_normal(out->deviation, all);
	out->deviation_pct = out->deviation / (fabs(out->mean) / 100);
	out->floor_pct = out->floor / (fabs(out->mean) / 100);
}

struct row {
	struct str name; /* borrowed */
	struct diff_measure of;
	struct noise noise;
};

static struct cell get_name(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct row *)row)->name);
}

static struct cell get_calls(const void *from, const void *row, int arg)
{
	const struct diff *d = from;

	(void)arg;
	return d->is_sampled ? cell_null() /* samples count no calls */
			     : diff_calls_cell(((const struct row *)row)->of.calls,
					       d->sides[DIFF_BASE].units);
}

#define AT(member) .arg = (int)offsetof(struct row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "name", "Name", "name", NULL, UNIT_TEXT, .get = get_name },
	{ "base_calls", "Calls", "calls per step or run", NULL, UNIT_COUNT, .get = get_calls, .leaves = 2 },
	{ "base", "Base", "mean amount", NULL, UNIT_NS, .get = view_int64, AT(of.mean), .flags = FIELD_AMOUNT },
	{ "deviation", "Deviation", "standard deviation", NULL, UNIT_NS, .get = diff_get_amount, AT(noise.deviation), .flags = FIELD_AMOUNT, .leaves = 1 },
	{ "deviation_pct", "Dev. %", "in percent of the mean", NULL, UNIT_PERCENT, .get = diff_get_real, AT(noise.deviation_pct) },
	{ "noise", "Noise", "shift that 95 % of the halves stay within", NULL, UNIT_NS, .get = diff_get_amount, AT(noise.floor), .flags = FIELD_AMOUNT },
	{ "noise_pct", "Noise %", "in percent of the mean", NULL, UNIT_PERCENT, .get = diff_get_real, AT(noise.floor_pct) },
	{ .name = NULL },
};

const struct view diff_noise_view = {
	.name = "diff --aa",
	.fields = fields,
	.people = VIEW_PART("name base_calls! base! deviation! deviation_pct! noise! noise_pct!"),
};
/* clang-format on */

/* The largest rows first. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct row *rows = context;

	if (rows[a].of.mean != rows[b].of.mean)
		return rows[a].of.mean > rows[b].of.mean;
	return str_compare(rows[a].name, rows[b].name) < 0;
}

/* Noise is found for those rows alone that are shown. */
static struct memtable *rows_table(const struct diff *d, const struct view_request *show)
{
	const struct diff_side *side = &d->sides[DIFF_BASE];
	size_t n = d->names.n, shown = n;
	struct row *all = xrealloc_array(NULL, n, sizeof(*all));
	struct row *rows = xrealloc_array(NULL, n, sizeof(*rows));
	double *values = xrealloc_array(NULL, side->nreplicates, sizeof(*values));
	struct view_request request = *show;

	if (show->limit && (uint64_t)show->limit < n)
		shown = (size_t)show->limit;
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct row){ .name = intern_str(&d->names, i),
				       .of = diff_rows_measure(side, i) };
	uint32_t *order = sorted_places(n, is_before, all);
	for (size_t i = 0; i < shown; i++) {
		rows[i] = all[order[i]];
		size_t given = diff_rows_samples(side, order[i], values);
		find_noise(values, given, side->nreplicates - given, &rows[i].noise);
	}
	request.amounts = d->unit;
	const struct view_rows view_rows = { d, rows, shown, sizeof(*rows) };
	struct memtable *m = view_table(&diff_noise_view, &view_rows, NULL, &request);
	m->table.total_rows = (int64_t)n;
	free(values);
	free(rows);
	free(all);
	free(order);
	return m;
}

/* In percent, or as it is where there is nothing to take a percentage of. */
static const char *floor_text(const struct diff *d, const struct noise *noise,
			      struct arena *arena)
{
	char text[UNITS_TEXT_MAX];

	if (noise->mean != 0)
		return arena_printf(arena, "%.1f%%", noise->floor_pct);
	struct str s =
		units_text(diff_subject_unit(d), diff_amount_cell(noise->floor), text);
	return arena_copy(arena, s).p;
}

int diff_noise_open(const struct diff *d, const struct view_request *show,
		    struct table **out, struct err *err)
{
	const struct diff_side *side = &d->sides[DIFF_BASE];
	char mean[UNITS_TEXT_MAX];
	struct noise noise;

	if (side->nsamples < 2)
		return err_set(err, ERR_EMPTY,
			       "--aa wants several runs of one program, or one run with "
			       "several steps");
	struct memtable *m = rows_table(d, show);
	find_noise(side->samples, side->nsamples, 0, &noise);
	const char *name = diff_subject_name(d);
	struct str text = units_text(diff_subject_unit(d), cell_int(side->subject), mean);
	const char *headline =
		arena_printf(&m->arena,
			     "noise floor %s: smaller changes are noise (%s " STR_FMT
			     ", %zu %s, %zu v %zu)",
			     floor_text(d, &noise, &m->arena), name, STR_ARG(text),
			     side->nsamples, diff_subject_replicates(d),
			     side->nsamples / 2, side->nsamples - side->nsamples / 2);
	if (show->for_people)
		m->table.caption = headline;
	else
		memtable_add_note(m, "%s", headline);
	if (d->subject_within_run)
		memtable_add_note(m,
				  "one run: its steps are compared, and run-to-run noise "
				  "is unknown; record 4+ runs");
	*out = &m->table;
	return 0;
}
