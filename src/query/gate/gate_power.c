/*
 * What a gate can see: its trials again and again with made values, which are those of the
 * baseline drawn with replacement, blurred a little, so that few values have few ties.
 * Both sides are drawn from one program; what is found then is a false alarm.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/gate/gate.h"
#include "query/stats/middle.h"

#define GATES    2000 /* of one program */
#define CHANGES  500  /* of a program that got slower, for each trial */
#define HALVINGS 14
#define MOST     2.0 /* the largest change that is tried: three times as long; or to 0 */

/* SplitMix64 (Steele, Lea, Flood 2014): the same numbers everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Values to draw from, around their mean. */
struct urn {
	double *values; /* owned */
	size_t n;
	double mean, blur, shrink;
};

static void urn_make(struct urn *u, const double *values, const double *less, size_t n)
{
	double variance = 0;

	*u = (struct urn){ .values = xcalloc(n, sizeof(*u->values)), .n = n };
	for (size_t i = 0; i < n; i++)
		u->values[i] = values[i] - (less ? less[i] : 0);
	u->mean = middle_mean(u->values, n);
	for (size_t i = 0; i < n; i++) {
		u->values[i] -= u->mean;
		variance += u->values[i] * u->values[i] / (double)n;
	}
	/* Silverman's rule; then the values vary as a sample says that its population does */
	double h = 0.9 * pow((double)n, -0.2);
	u->blur = h * sqrt(variance);
	u->shrink = n > 1 ? sqrt((double)n / (double)(n - 1) / (1 + h * h)) : 0;
}

static double draw(const struct urn *u, uint64_t *state)
{
	double value = u->values[next_random(state) % u->n];

	return (value + u->blur * normal_quantile_above(uniform(state))) * u->shrink;
}

/* A trial with room for made values. */
struct made {
	struct gate_trial trial;
	struct urn base, difference;
	double *values[2], *unchanged; /* owned */
	struct u_distribution exact;
};

static void made_init(struct made *m, const struct gate_trial *t, size_t nnew)
{
	size_t nbase = t->base.n;

	*m = (struct made){ .trial = *t };
	if (t->is_paired)
		nnew = nbase;
	urn_make(&m->base, t->base.values, NULL, nbase);
	if (t->is_paired)
		urn_make(&m->difference, t->new_side.values, t->base.values, nbase);
	m->values[0] = xcalloc(nbase, sizeof(double));
	m->values[1] = xcalloc(nnew, sizeof(double));
	m->unchanged = xcalloc(nnew, sizeof(double));
	m->trial.base = (struct gate_side){ m->values[0], nbase };
	m->trial.new_side = (struct gate_side){ m->values[1], nnew };
	m->trial.exact = &m->exact;
}

static void made_release(struct made *m)
{
	free(m->base.values);
	free(m->difference.values);
	free(m->values[0]);
	free(m->values[1]);
	free(m->unchanged);
	u_distribution_release(&m->exact);
}

/* Both sides of one program; trials that begin with one seed have the same runs. */
static void made_draw(struct made *m, uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < m->trial.base.n; i++)
		m->values[0][i] = m->base.mean + draw(&m->base, &state);
	for (size_t i = 0; i < m->trial.new_side.n; i++)
		m->unchanged[i] = m->difference.n > 0
					  ? m->values[0][i] + draw(&m->difference, &state)
					  : m->base.mean + draw(&m->base, &state);
}

/* The new side so much worse: `by` is a part of base. */
static void made_change(struct made *m, double by)
{
	double factor = m->trial.higher_is_better ? 1 - by : 1 + by;

	for (size_t i = 0; i < m->trial.new_side.n; i++)
		m->values[1][i] = m->unchanged[i] * factor;
}

static bool fails(struct made *m, double by, double alpha)
{
	struct gate_result r;

	made_change(m, by);
	gate_judge(&m->trial, alpha, &r);
	gate_decide(&r, 1, alpha);
	return r.verdict == GATE_FAIL;
}

/* The smallest change that fails, as these values were drawn; NaN: none does. */
static double least_change(struct made *m, double alpha)
{
	double low = 0, high = m->trial.higher_is_better ? 1 : MOST;

	if (!fails(m, high, alpha))
		return (double)INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;
		if (fails(m, middle, alpha))
			high = middle;
		else
			low = middle;
	}
	return high;
}

static void find_least(struct made *m, double alpha, double *of_80, double *of_90)
{
	double least[CHANGES];

	for (size_t i = 0; i < CHANGES; i++) {
		made_draw(m, i);
		least[i] = least_change(m, alpha);
	}
	qsort(least, CHANGES, sizeof(*least), sort_compare_double);
	double at_80 = 100 * least[CHANGES * 80 / 100 - 1];
	double at_90 = 100 * least[CHANGES * 90 / 100 - 1];
	*of_80 = isfinite(at_80) ? at_80 : (double)NAN;
	*of_90 = isfinite(at_90) ? at_90 : (double)NAN;
}

/* Of gates of one program, how many fail, and how many cannot decide. */
static void find_alarms(struct made *made, size_t n, double alpha, struct gate_power *out)
{
	struct gate_result *results = xcalloc(n, sizeof(*results));
	size_t failed = 0, inconclusive = 0;

	for (size_t i = 0; i < GATES; i++) {
		bool has_failed = false, is_open = false;
		for (size_t k = 0; k < n; k++) {
			made_draw(&made[k], i);
			made_change(&made[k], 0);
			gate_judge(&made[k].trial, alpha, &results[k]);
		}
		gate_decide(results, n, alpha);
		for (size_t k = 0; k < n; k++) {
			has_failed |= results[k].verdict == GATE_FAIL;
			is_open |= results[k].is_row
					   ? gate_row_is_open(&results[k])
					   : results[k].verdict == GATE_INCONCLUSIVE;
		}
		failed += has_failed;
		inconclusive += is_open && !has_failed;
	}
	out->aa_pct = 100.0 * (double)failed / GATES;
	out->aa_inconclusive_pct = 100.0 * (double)inconclusive / GATES;
	free(results);
}

void gate_power_make(const struct gate_trial *trials, size_t n, size_t nnew, double alpha,
		     struct gate_power *out)
{
	struct made *made = xcalloc(n, sizeof(*made));

	*out = (struct gate_power){ .least_80 = xcalloc(n, sizeof(double)),
				    .least_90 = xcalloc(n, sizeof(double)) };
	for (size_t i = 0; i < n; i++)
		made_init(&made[i], &trials[i], nnew ? nnew : trials[i].base.n);
	find_alarms(made, n, alpha, out);
	for (size_t i = 0; i < n; i++)
		find_least(&made[i], alpha, &out->least_80[i], &out->least_90[i]);
	for (size_t i = 0; i < n; i++)
		made_release(&made[i]);
	free(made);
}

void gate_power_release(struct gate_power *p)
{
	free(p->least_80);
	free(p->least_90);
	*p = (struct gate_power){ .least_80 = NULL };
}
