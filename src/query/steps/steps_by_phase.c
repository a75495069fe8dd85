/*
 * Steps by phase: see steps_by_phase.h.  Lengths and busy times of steps are those of
 * `ptool steps`; what kinds of kernels their device time went to is told by table op_stat,
 * which has the device work that each step launched, by name.
 */
#include "query/steps/steps_by_phase.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/idmap.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_step_work_sql);

#define HIDDEN NENGINE_PHASES /* a step that the filter does not want */

/* The steps of a profile. */
struct phased {
	struct by_phase *to;
	const struct steps *steps;
	const struct steps_profile *profile;
	struct phase_row rows[NENGINE_PHASES];
	uint8_t *phases;    /* owned; by step: enum engine_phase, or HIDDEN */
	struct idmap by_id; /* of steps, 0 where there is none: places */
	bool has_work;      /* the store tells what steps launched */
};

static void add_to(int64_t *sum, int64_t n)
{
	if (n != NUMBER_NONE)
		*sum = sum_add(*sum == NUMBER_NONE ? 0 : *sum, n);
}

static void add_step(struct phased *p, size_t step)
{
	const struct step_told *told = &p->profile->bounds.items[step].told;
	struct phase_row *row = &p->rows[told->phase];
	int64_t total_ns = steps_value(p->profile, step, VALUE_TOTAL);
	int64_t made = told->phase == ENGINE_DECODE ? told->requests : told->tokens;

	p->phases[step] = (uint8_t)told->phase;
	row->steps++;
	row->total_ns = sum_add(row->total_ns, total_ns);
	add_to(&row->requests, told->requests);
	row->request_steps += told->requests != NUMBER_NONE;
	add_to(&row->tokens, told->tokens);
	add_to(&row->made, made);
	if (made != NUMBER_NONE)
		row->made_ns = sum_add(row->made_ns, total_ns);
}

/* What devices did in the steps of the phase that are shown. */
static void add_devices(struct phased *p, enum engine_phase phase)
{
	struct phase_row *row = &p->rows[phase];
	size_t n = p->profile->bounds.n;
	bool *counts = xcalloc(n + 1, sizeof(*counts));

	for (size_t i = 0; i < n; i++)
		counts[i] = p->phases[i] == phase;
	const struct steps_times times = steps_add_devices(p->steps, p->profile, counts);
	if (times.n) {
		row->busy_ns = times.busy_ns;
		row->possible_ns = times.total_ns;
	}
	free(counts);
}

static void add_steps(struct phased *p)
{
	for (int i = 0; i < NENGINE_PHASES; i++)
		p->rows[i] = (struct phase_row){ .profile = p->profile->profile,
						 .phase = (enum engine_phase)i,
						 .requests = NUMBER_NONE,
						 .tokens = NUMBER_NONE,
						 .made = NUMBER_NONE,
						 .busy_ns = NUMBER_NONE };
	memset(p->phases, HIDDEN, p->profile->bounds.n);
	for (size_t i = 0; i < p->profile->nshown; i++)
		add_step(p, p->profile->shown[i]);
	for (int i = 0; i < NENGINE_PHASES; i++)
		if (p->rows[i].steps)
			add_devices(p, (enum engine_phase)i);
}

static enum kernel_family family_of(struct by_phase *b, uint32_t name)
{
	if (name == TEXT_NONE)
		return FAMILY_UNKNOWN;
	uint8_t *family = ARRAY_AT(b->families, b->families_cap, name);
	if (!*family) {
		struct str text = text_pool_str(&b->texts, name);
		enum work_kind kind = work_kind_of(CLASS_KERNEL, text);
		*family = (uint8_t)(1 + kernel_family_of(kind, text));
	}
	return (enum kernel_family)(*family - 1);
}

static int add_work(struct phased *p, struct sqlite3_stmt *stmt, struct err *err)
{
	size_t at = idmap_first(&p->by_id, sqlite3_column_int64(stmt, 0));
	uint32_t step = idmap_next(&p->by_id, &at), name;
	int64_t ns = sqlite3_column_int64(stmt, 2);

	p->has_work = true;
	if (step == UINT32_MAX || p->phases[step] == HIDDEN)
		return 0;
	if (ns < 0)
		return query_damaged("operators", err);
	if (text_pool_number(&p->to->texts, sqlite3_column_int64(stmt, 1), &name, err) <
	    0)
		return -1;
	struct phase_row *row = &p->rows[p->phases[step]];
	int64_t *family_ns = &row->family_ns[family_of(p->to, name)];
	row->work_ns = sum_add(row->work_ns, ns);
	*family_ns = sum_add(*family_ns, ns);
	return 0;
}

/* Where no step was recorded all work is that of the one step. */
static int map_ids(struct phased *p, struct store *store, struct err *err)
{
	const struct steps_profile *profile = p->profile;
	struct step_bounds recorded;
	int rc = step_bounds_recorded(store, profile->profile, &recorded, err);

	idmap_init(&p->by_id, recorded.n + 1);
	if (rc == 0 && profile->bounds.is_single)
		idmap_add(&p->by_id, 0, 0);
	for (size_t i = 0; rc == 0 && i < recorded.n && i < profile->bounds.n; i++)
		idmap_add(&p->by_id, recorded.items[i].step_id, (uint32_t)i);
	step_bounds_release(&recorded);
	return rc;
}

static void keep_rows(struct phased *p)
{
	struct by_phase *b = p->to;

	b->lacks_work |= p->profile->has_work && !p->has_work;
	/* those that tell nothing last */
	for (int i = 1; i <= NENGINE_PHASES; i++) {
		const struct phase_row *row = &p->rows[i % NENGINE_PHASES];
		if (row->steps)
			*ARRAY_PUSH(b->rows, b->nrows, b->rows_cap) = *row;
	}
}

static int add_profile(struct by_phase *b, struct store *store, const struct steps *steps,
		       const struct steps_profile *profile, struct err *err)
{
	struct phased p = { .to = b, .steps = steps, .profile = profile };

	p.phases = xcalloc(profile->bounds.n + 1, sizeof(*p.phases));
	add_steps(&p);
	int rc = map_ids(&p, store, err);
	if (rc == 0) {
		struct query q = query_of_profile(store, asset_query_views_step_work_sql,
						  profile->profile, err);
		while (query_next(&q, err))
			q.rc = add_work(&p, q.stmt, err);
		rc = query_end(&q);
	}
	if (rc == 0)
		keep_rows(&p);
	idmap_release(&p.by_id);
	free(p.phases);
	return rc;
}

int by_phase_load(struct store *store, const struct steps *steps, struct by_phase *b,
		  struct err *err)
{
	*b = (struct by_phase){ .nrows = 0 };
	int rc = text_pool_open(store, &b->texts, err);

	for (size_t i = 0; rc == 0 && i < steps->nprofiles; i++)
		if (steps->profiles[i].nshown)
			rc = add_profile(b, store, steps, &steps->profiles[i], err);
	return rc;
}

void by_phase_release(struct by_phase *b)
{
	text_pool_close(&b->texts);
	free(b->families);
	free(b->rows);
}
