/* The noise of one side: see diff_noise.h. */
#include "query/diff/diff_noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/units.h"
#include "query/diff/diff_match.h"
#include "query/diff/diff_rows.h"
#include "query/stats/normal.h"

/* Of all shifts so many of 100 are within the floor. */
#define WITHIN_PCT 95

/* How many ways there are to take half of DIFF_HALVED_MAX, and more. */
#define HALVES_MAX 1024

enum { NAME, CALLS, MEAN, DEVIATION, DEVIATION_PCT, FLOOR, FLOOR_PCT, NCOLUMNS };

#define COLUMNS(unit, suffix)                                                  \
	{                                                                      \
		[NAME] = { "name", "Name", UNIT_TEXT },                        \
		[CALLS] = { "base_calls", "Calls", UNIT_COUNT },               \
		[MEAN] = { "base_" suffix, "Base", unit },                     \
		[DEVIATION] = { "deviation_" suffix, "Deviation", unit },      \
		[DEVIATION_PCT] = { "deviation_pct", "Dev. %", UNIT_PERCENT }, \
		[FLOOR] = { "noise_" suffix, "Noise", unit },                  \
		[FLOOR_PCT] = { "noise_pct", "Noise %", UNIT_PERCENT },        \
	}

static const struct column ns_columns[NCOLUMNS] = COLUMNS(UNIT_NS, "ns");
static const struct column bytes_columns[NCOLUMNS] = COLUMNS(UNIT_BYTES, "bytes");
static const struct column count_columns[NCOLUMNS] = COLUMNS(UNIT_COUNT, "count");

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

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
	double in[DIFF_HALVED_MAX], out[DIFF_HALVED_MAX];
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
	qsort(shifts, count, sizeof(*shifts), compare);
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
	double sorted[DIFF_HALVED_MAX] = { 0 };

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n + zeros, sizeof(*sorted), compare);
	return floor_of_halves(sorted, n + zeros);
}

void diff_noise_of(const double *values, size_t n, size_t zeros, struct diff_noise *out)
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
		out->floor = all <= DIFF_HALVED_MAX
				     ? floor_of_few(values, n, zeros)
				     : floor_of_normal(out->deviation, all);
}

static void add_row(const struct diff *d, struct memtable *m, uint32_t row,
		    double *values)
{
	const struct diff_side *side = &d->sides[DIFF_BASE];
	struct diff_measure of = diff_rows_measure(side, row);
	struct diff_noise noise;
	struct cell cells[NCOLUMNS];

	size_t n = diff_rows_samples(side, row, values);
	diff_noise_of(values, n, side->nreplicates - n, &noise);
	double whole = fabs(noise.mean) / 100;
	cells[NAME] = cell_text(intern_str(&d->names, row));
	cells[CALLS] = of.calls % side->units == 0
			       ? cell_int(of.calls / side->units)
			       : cell_real((double)of.calls / (double)side->units);
	cells[MEAN] = cell_int(of.mean);
	cells[DEVIATION] = diff_amount_cell(noise.deviation);
	cells[DEVIATION_PCT] = diff_real_cell(noise.deviation / whole);
	cells[FLOOR] = diff_amount_cell(noise.floor);
	cells[FLOOR_PCT] = diff_real_cell(noise.floor / whole);
	memtable_add_row(m, cells);
}

struct ordering {
	const struct diff *d;
	int64_t *means; /* by row */
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct ordering *o = context;

	if (o->means[a] != o->means[b])
		return o->means[a] > o->means[b];
	return str_compare(intern_str(&o->d->names, a), intern_str(&o->d->names, b)) < 0;
}

/* The largest rows first. */
static void add_rows(const struct diff *d, struct memtable *m, int64_t limit)
{
	const struct diff_side *side = &d->sides[DIFF_BASE];
	size_t n = d->names.n;
	uint32_t *at = xrealloc_array(NULL, n * 2, sizeof(*at));
	struct ordering o = { d, xrealloc_array(NULL, n, sizeof(int64_t)) };
	double *values = xrealloc_array(NULL, side->nreplicates, sizeof(*values));

	for (uint32_t i = 0; i < n; i++) {
		at[i] = i;
		o.means[i] = diff_rows_measure(side, i).mean;
	}
	sort_indexes(at, n, at + n, is_before, &o);
	for (size_t i = 0; i < n && (limit == 0 || (int64_t)i < limit); i++)
		add_row(d, m, at[i], values);
	m->table.total_rows = (int64_t)n;
	free(values);
	free(o.means);
	free(at);
}

/* In percent, or as it is where there is nothing to take a percentage of. */
static const char *floor_text(const struct diff *d, const struct diff_noise *noise,
			      struct arena *arena)
{
	char text[UNITS_TEXT_MAX];

	if (noise->mean != 0)
		return arena_printf(arena, "%.1f%%",
				    100 * noise->floor / fabs(noise->mean));
	struct str s =
		units_text(diff_subject_unit(d), diff_amount_cell(noise->floor), text);
	return arena_copy(arena, s).p;
}

int diff_noise_table(const struct diff *d, const struct diff_style *style,
		     struct table **out, struct err *err)
{
	const struct diff_side *side = &d->sides[DIFF_BASE];
	char mean[UNITS_TEXT_MAX];
	struct diff_noise noise;

	if (side->nsamples < 2)
		return err_set(err, ERR_EMPTY,
			       "--aa wants several runs of one program, or one run with "
			       "several steps");
	struct memtable *m = memtable_new(
		diff_columns_of(d->unit, ns_columns, bytes_columns, count_columns),
		NCOLUMNS);
	diff_noise_of(side->samples, side->nsamples, 0, &noise);
	const char *name = diff_subject_name(d);
	struct str text = units_text(diff_subject_unit(d), cell_int(side->subject), mean);
	const char *headline =
		arena_printf(&m->arena,
			     "noise floor %s: smaller changes are noise (%s " STR_FMT
			     ", %zu %s, %zu v %zu)",
			     floor_text(d, &noise, &m->arena), name, STR_ARG(text),
			     side->nsamples, diff_subject_replicates(d),
			     side->nsamples / 2, side->nsamples - side->nsamples / 2);
	add_rows(d, m, style->limit);
	if (style->people)
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
