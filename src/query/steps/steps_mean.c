/*
 * What steps have in common: their mean, and which of them took much longer than the
 * others.  See steps.h.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/steps/step_cover.h"
#include "query/steps/step_outliers.h"
#include "query/steps/steps.h"

/* Steps that are compared, and have a mean: all of a profile, or of files of a group. */
struct company {
	struct steps *steps;
	const struct member *members; /* in their order */
	size_t n;
};

struct member {
	const struct step_series *series;
	size_t step;
};

struct typical {
	struct step_usual total;
	int64_t category_ns[NSTEP_CATEGORIES];
};

struct sums {
	struct mean_sum values[NSTEP_VALUES];
	int64_t n; /* steps */
	int64_t nwork;
};

static const struct steps_profile *profile_of(const struct company *c, size_t i)
{
	return &c->steps->profiles[c->members[i].series->profile];
}

static const struct step_bound *bound_of(const struct company *c, size_t i)
{
	return &profile_of(c, i)->bounds.items[c->members[i].step];
}

static int64_t value_of(const struct company *c, size_t i, enum step_value value)
{
	return steps_value(profile_of(c, i), c->members[i].step, value);
}

static struct step_mark *mark_of(const struct company *c, size_t i)
{
	const struct member *m = &c->members[i];

	return &c->steps->marks[steps_mark(c->steps, m->series, m->step)];
}

/* Is it compared with the others of this phase?  A step with prompts is no long decode. */
static bool is_judged(const struct company *c, size_t i, enum engine_phase phase)
{
	const struct step_bound *bound = bound_of(c, i);

	return !bound->is_dropped && bound->told.phase == phase;
}

/* A value of each that is judged: how many. */
static size_t collect(const struct company *c, enum engine_phase phase,
		      enum step_value value, int64_t *ns)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (is_judged(c, i, phase))
			ns[n++] = value_of(c, i, value);
	return n;
}

/* What is judged: bounds that the plugin moves hide what the host did. */
static enum step_value length_of(const struct company *c)
{
	return c->steps->bounds == BOUNDS_HOST ? VALUE_TOTAL : VALUE_HOST;
}

/* False when there are too few. */
static bool find_typical(const struct company *c, enum engine_phase phase,
			 struct typical *out)
{
	int64_t *ns = xrealloc_array(NULL, c->n, sizeof(*ns));
	size_t n = collect(c, phase, length_of(c), ns);
	bool is_enough = step_usual_of(ns, n, &out->total);

	for (int i = 0; is_enough && i < NSTEP_CATEGORIES; i++) {
		n = collect(c, phase, (enum step_value)(VALUE_CATEGORY + i), ns);
		out->category_ns[i] = step_median(ns, n);
	}
	free(ns);
	return is_enough;
}

static void mark(const struct company *c, size_t at, const struct typical *typical)
{
	struct step_mark *m = mark_of(c, at);
	int64_t length_ns = value_of(c, at, length_of(c));

	if (length_ns <= typical->total.limit_ns)
		return;
	m->is_long = true;
	m->above_ns = sum_sub(length_ns, typical->total.median_ns);
	for (int i = 0; i < NSTEP_CATEGORIES; i++) {
		int64_t grew_ns =
			sum_sub(value_of(c, at, (enum step_value)(VALUE_CATEGORY + i)),
				typical->category_ns[i]);
		if (i == 0 || grew_ns > m->grew_ns) {
			m->grew_ns = grew_ns;
			m->grew = (enum step_category)i;
		}
	}
}

/*
 * Means of values that add up to something: each is the difference of two means of
 * sums, rounded down.  So they add up to the mean of their sum, and none is 1 ns off.
 */
static void add_means(const struct sums *sums, int first, int count,
		      struct step_row *mean)
{
	struct mean_sum all = { 0, 0 };

	for (int i = first; i < first + count; i++) {
		const struct mean_sum *of = &sums->values[i];
		int64_t before_ns = all.mean_ns;
		mean_sum_add(&all, of->mean_ns, of->rest_ns, sums->n);
		mean->values[i] = all.mean_ns - before_ns;
	}
}

static bool counts(const struct company *c, size_t i)
{
	return !bound_of(c, i)->is_dropped && !mark_of(c, i)->is_hidden;
}

static struct sums add_up(const struct company *c)
{
	struct sums sums = { .n = 0 };

	for (size_t i = 0; i < c->n; i++)
		sums.n += counts(c, i);
	if (sums.n == 0)
		return sums;
	for (size_t i = 0; i < c->n; i++) {
		struct step_row row;
		if (!counts(c, i))
			continue;
		steps_make_row(c->steps, c->members[i].series, c->members[i].step, &row);
		for (int v = 0; v < NSTEP_VALUES; v++)
			mean_sum_add(&sums.values[v], row.values[v] / sums.n,
				     row.values[v] % sums.n, sums.n);
		sums.nwork = sum_add(sums.nwork, row.nwork);
	}
	return sums;
}

/* Of the series' steps, and of steps before it that have the same mean: `first`. */
static void set_mean(struct steps *s, struct step_series *series,
		     const struct member *first, const struct sums *sums)
{
	struct step_row *mean = &series->mean;

	if (sums->n == 0)
		return;
	steps_make_row(s, first->series, first->step, mean);
	mean->is_mean = true;
	mean->is_dropped = false;
	mean->mark = (struct step_mark){ .is_long = false };
	mean->nmean = sums->n;
	mean->nwork = sums->nwork / sums->n;
	add_means(sums, VALUE_TOTAL, 1, mean);
	add_means(sums, VALUE_HOST, 1, mean);
	add_means(sums, VALUE_CATEGORY, NSTEP_CATEGORIES, mean);
	add_means(sums, VALUE_DEVICE_VIEW, NDEVICE_VIEWS + 1, mean);
	add_means(sums, VALUE_PHASE, NSTEP_PHASES, mean);
	for (int v = VALUE_DEVICE_PHASE; v < NSTEP_VALUES; v++)
		add_means(sums, v, 1, mean);
	series->has_mean = true;
}

static void mark_long(const struct company *c)
{
	for (int phase = 0; phase < NENGINE_PHASES; phase++) {
		struct typical typical;
		if (!find_typical(c, (enum engine_phase)phase, &typical))
			continue;
		for (size_t i = 0; i < c->n; i++)
			if (is_judged(c, i, (enum engine_phase)phase))
				mark(c, i, &typical);
	}
}

/* What another device did in the steps, without a look at each. */
static void add_device(const struct step_cover *cover, const struct device_parts *parts,
		       struct sums *sums)
{
	struct mean_sum idle = sums->values[VALUE_TOTAL];

	for (int i = 0; i < NDEVICE_VIEWS; i++) {
		struct mean_sum *of = &sums->values[VALUE_DEVICE_VIEW + i];
		*of = step_cover_of(cover, &parts->parts[i]);
		mean_sum_add(&idle, -of->mean_ns - 1, cover->n - of->rest_ns, cover->n);
	}
	sums->values[VALUE_IDLE] = idle;
}

/* All devices of a profile have the same steps. */
static void sum_up_others(const struct company *c, struct sums *sums)
{
	const struct steps_profile *p = profile_of(c, 0);
	struct steps *s = c->steps;
	struct step_cover cover;
	bool *counted = xcalloc(c->n, sizeof(*counted));

	for (size_t i = 0; i < c->n; i++)
		counted[i] = counts(c, i);
	step_cover_make(&p->bounds, counted, &cover);
	for (size_t i = p->first_series + 1;
	     i < s->nseries && s->series[i].profile == s->series[p->first_series].profile;
	     i++) {
		add_device(&cover, &s->series[i].parts, sums);
		set_mean(s, &s->series[i], &(struct member){ &s->series[i], 0 }, sums);
	}
	step_cover_release(&cover);
	free(counted);
}

/* What other devices did in each step is there. */
static void sum_up_stored(const struct company *c, struct member *members)
{
	const struct steps_profile *p = profile_of(c, 0);
	struct steps *s = c->steps;

	for (size_t i = p->first_series + 1;
	     i < s->nseries && s->series[i].profile == s->series[p->first_series].profile;
	     i++) {
		for (size_t step = 0; step < c->n; step++)
			members[step].series = &s->series[i];
		const struct sums sums = add_up(c);
		set_mean(s, &s->series[i], &members[0], &sums);
	}
}

static void sum_up_profile(struct steps *s, const struct steps_profile *p)
{
	struct member *members = xcalloc(p->bounds.n, sizeof(*members));
	const struct company c = { s, members, p->bounds.n };
	struct step_series *first = &s->series[p->first_series];

	for (size_t i = 0; i < c.n; i++)
		members[i] = (struct member){ first, i };
	mark_long(&c);
	struct sums sums = add_up(&c);
	set_mean(s, first, &members[0], &sums);
	if (sums.n && p->is_stored)
		sum_up_stored(&c, members);
	else if (sums.n)
		sum_up_others(&c, &sums);
	free(members);
}

/* A step that is a file: those of one group and place are a company. */
struct file_step {
	size_t group;
	struct step_series *series;
};

static int by_company(const void *left, const void *right)
{
	const struct file_step *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->series->has_device != b->series->has_device)
		return a->series->has_device ? 1 : -1;
	if (a->series->place != b->series->place)
		return a->series->place < b->series->place ? -1 : 1;
	return (a->series > b->series) - (a->series < b->series);
}

static bool is_together(const struct file_step *a, const struct file_step *b)
{
	return a->group == b->group && a->series->place == b->series->place &&
	       a->series->has_device == b->series->has_device;
}

/* Their mean is the last one's. */
static void sum_up_files(struct steps *s, const struct file_step *files, size_t n)
{
	struct member *members = xcalloc(n, sizeof(*members));
	const struct company c = { s, members, n };
	struct step_series *last = files[n - 1].series;

	for (size_t i = 0; i < n; i++)
		members[i] = (struct member){ files[i].series, 0 };
	mark_long(&c);
	const struct sums sums = add_up(&c);
	set_mean(s, last, &members[0], &sums);
	if (n > 1)
		last->mean.profile = NULL;
	free(members);
}

static void sum_up_companies(struct steps *s)
{
	struct file_step *files = xcalloc(s->nseries, sizeof(*files));
	size_t n = 0;

	for (size_t i = 0; i < s->nseries; i++) {
		const struct steps_profile *p = &s->profiles[s->series[i].profile];
		if (p->is_file)
			files[n++] = (struct file_step){ p->group, &s->series[i] };
	}
	if (n)
		qsort(files, n, sizeof(*files), by_company);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && is_together(&files[i], &files[end]);)
			end++;
		sum_up_files(s, files + i, end - i);
	}
	free(files);
}

void steps_sum_up(struct steps *s)
{
	for (size_t i = 0; i < s->nprofiles; i++)
		if (!s->profiles[i].is_file)
			sum_up_profile(s, &s->profiles[i]);
	sum_up_companies(s);
}
