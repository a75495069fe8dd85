/*
 * What steps have in common: their mean, and which of them took much longer than the
 * others.  See steps.h.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/steps/step_outliers.h"
#include "query/steps/steps.h"

/* Rows of one mean: of one group, and of the same device of its profiles. */
struct company {
	struct step_row **rows; /* in their order */
	size_t n;
	int64_t *ns; /* room for a value of each */
};

struct typical {
	struct step_usual total;
	int64_t category_ns[NSTEP_CATEGORIES];
};

static bool is_together(const struct step_row *a, const struct step_row *b)
{
	return a->group == b->group && a->place == b->place &&
	       a->has_device == b->has_device;
}

static int by_company(const void *left, const void *right)
{
	const struct step_row *a = *(struct step_row *const *)left;
	const struct step_row *b = *(struct step_row *const *)right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->has_device != b->has_device)
		return a->has_device ? 1 : -1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a > b) - (a < b);
}

/* A value of each that is not dropped: how many. */
static size_t collect(const struct company *c, int value)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!c->rows[i]->is_dropped)
			c->ns[n++] = c->rows[i]->values[value];
	return n;
}

/* False when there are too few. */
static bool find_typical(const struct company *c, struct typical *out)
{
	size_t n = collect(c, VALUE_HOST);

	if (!step_usual_of(c->ns, n, &out->total))
		return false;
	for (int i = 0; i < NSTEP_CATEGORIES; i++) {
		n = collect(c, VALUE_CATEGORY + i);
		out->category_ns[i] = step_median(c->ns, n);
	}
	return true;
}

static void mark(struct step_row *row, const struct typical *typical)
{
	if (row->is_dropped || row->values[VALUE_HOST] <= typical->total.limit_ns)
		return;
	row->is_long = true;
	row->above_ns = sum_sub(row->values[VALUE_HOST], typical->total.median_ns);
	for (int i = 0; i < NSTEP_CATEGORIES; i++) {
		int64_t grew_ns =
			sum_sub(row->values[VALUE_CATEGORY + i], typical->category_ns[i]);
		if (i == 0 || grew_ns > row->grew_ns) {
			row->grew_ns = grew_ns;
			row->grew = (enum step_category)i;
		}
	}
}

/* A sum divided by n, which no sum of n numbers can be too large for: n * mean + rest. */
struct mean_sum {
	int64_t mean_ns, rest_ns;
};

static void add_to_mean(struct mean_sum *s, int64_t mean_ns, int64_t rest_ns, int64_t n)
{
	s->mean_ns += mean_ns + (s->rest_ns + rest_ns) / n;
	s->rest_ns = (s->rest_ns + rest_ns) % n;
}

/*
 * Means of values that add up to something: each is the difference of two means of
 * sums, rounded down.  So they add up to the mean of their sum, and none is 1 ns off.
 */
static void add_means(const struct mean_sum *sums, int first, int count, int64_t n,
		      struct step_row *mean)
{
	struct mean_sum all = { 0, 0 };

	for (int i = first; i < first + count; i++) {
		int64_t before_ns = all.mean_ns;
		add_to_mean(&all, sums[i].mean_ns, sums[i].rest_ns, n);
		mean->values[i] = all.mean_ns - before_ns;
	}
}

static bool counts(const struct step_row *row)
{
	return !row->is_dropped && !row->is_hidden;
}

/* How many rows it is the mean of. */
static int64_t mean_of(const struct company *c, struct step_row *mean)
{
	struct mean_sum sums[NSTEP_VALUES] = { { 0, 0 } };
	int64_t n = 0, nwork = 0;

	for (size_t i = 0; i < c->n; i++)
		n += counts(c->rows[i]);
	for (size_t i = 0; i < c->n; i++) {
		const struct step_row *row = c->rows[i];
		if (!counts(row))
			continue;
		for (int v = 0; v < NSTEP_VALUES; v++)
			add_to_mean(&sums[v], row->values[v] / n, row->values[v] % n, n);
		nwork = sum_add(nwork, row->nwork);
	}
	*mean = *c->rows[0];
	mean->is_mean = true;
	mean->is_hidden = mean->is_long = mean->is_dropped = false;
	mean->nmean = n;
	if (mean->is_file && c->n > 1)
		mean->profile = NULL;
	if (n == 0)
		return 0;
	mean->nwork = nwork / n;
	add_means(sums, VALUE_TOTAL, 1, n, mean);
	add_means(sums, VALUE_HOST, 1, n, mean);
	add_means(sums, VALUE_CATEGORY, NSTEP_CATEGORIES, n, mean);
	add_means(sums, VALUE_DEVICE_VIEW, NDEVICE_VIEWS + 1, n, mean);
	add_means(sums, VALUE_PHASE, NSTEP_PHASES, n, mean);
	for (int v = VALUE_DEVICE_PHASE; v < NSTEP_VALUES; v++)
		add_means(sums, v, 1, n, mean);
	return n;
}

/* A row and the place of its mean: behind the last row of its company. */
static void sum_up(const struct company *c, const struct step_row *rows,
		   struct step_row *means, bool *has_mean)
{
	struct typical typical;
	size_t last = (size_t)(c->rows[c->n - 1] - rows);

	if (find_typical(c, &typical))
		for (size_t i = 0; i < c->n; i++)
			mark(c->rows[i], &typical);
	has_mean[last] = mean_of(c, &means[last]) > 0;
}

/* Means stand behind the rows of their device, those over several files behind all rows. */
static void insert_means(struct steps *s, const struct step_row *means,
			 const bool *has_mean)
{
	struct step_row *all = xrealloc_array(NULL, 2 * s->n, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		all[n++] = s->rows[i];
		if (has_mean[i] && means[i].profile)
			all[n++] = means[i];
	}
	for (size_t i = 0; i < s->n; i++)
		if (has_mean[i] && !means[i].profile)
			all[n++] = means[i];
	free(s->rows);
	s->rows = all;
	s->n = s->cap = n;
}

void steps_sum_up(struct steps *s)
{
	struct step_row **rows = xrealloc_array(NULL, s->n, sizeof(struct step_row *));
	struct step_row *means = xrealloc_array(NULL, s->n, sizeof(*means));
	bool *has_mean = xcalloc(s->n, sizeof(*has_mean));
	int64_t *ns = xrealloc_array(NULL, s->n, sizeof(*ns));

	for (size_t i = 0; i < s->n; i++)
		rows[i] = &s->rows[i];
	if (s->n)
		qsort(rows, s->n, sizeof(struct step_row *), by_company);
	for (size_t i = 0, n; i < s->n; i += n) {
		for (n = 1; i + n < s->n && is_together(rows[i], rows[i + n]);)
			n++;
		sum_up(&(struct company){ rows + i, n, ns }, s->rows, means, has_mean);
	}
	if (s->n)
		insert_means(s, means, has_mean);
	free(ns);
	free(has_mean);
	free(means);
	free(rows);
}
