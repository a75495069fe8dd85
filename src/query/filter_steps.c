/* --step and --phase, the steps that count: see filter.h. */
#include <assert.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "query/filter.h"
#include "query/query.h"
#include "query/scope.h"
#include "trace/engine_step.h"

ASSET(asset_query_views_phase_steps_sql);

static int by_profile(const void *a, const void *b)
{
	const struct filter_step *x = a, *y = b;

	if (x->profile_id != y->profile_id)
		return x->profile_id < y->profile_id ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool has_phase(const struct filter_phase *phase, int64_t profile_id,
		      int64_t number)
{
	const struct filter_step key = { profile_id, number };

	assert(phase->is_found);
	return phase->n && bsearch(&key, phase->items, phase->n, sizeof(key), by_profile);
}

bool filter_has_step(const struct filter *f, int64_t profile_id, int64_t number,
		     bool is_in_step)
{
	return !f->has_steps ||
	       (is_in_step && number >= f->first_step && number <= f->last_step &&
		(!f->phase || has_phase(f->phase, profile_id, number)));
}

/* "decode (5), mixed (2)" */
static void list_phases(const int64_t counts[NENGINE_PHASES], struct buf *out)
{
	for (int i = 0; i < NENGINE_PHASES; i++)
		if (counts[i])
			buf_addf(out, "%s%s (%" PRId64 ")", out->n ? ", " : "",
				 engine_phase_name((enum engine_phase)i), counts[i]);
}

static int lacks_phase(const struct filter_phase *phase,
		       const int64_t counts[NENGINE_PHASES], struct err *err)
{
	struct buf there;

	buf_init(&there, ERR_TEXT_MAX);
	list_phases(counts, &there);
	if (there.n)
		err_set(err, ERR_EMPTY,
			"no step is of the phase '%s'; there are: " STR_FMT, phase->name,
			STR_ARG(buf_str(&there)));
	else
		err_set(err, ERR_EMPTY,
			"no step has a phase: there are no annotations of an inference "
			"engine, as in ptool-formats(5), STEPS");
	buf_release(&there);
	return -1;
}

int filter_find_steps(const struct filter *f, struct store *store,
		      const struct scope *scope, struct err *err)
{
	struct filter_phase *phase = f->phase;
	int64_t counts[NENGINE_PHASES] = { 0 };

	if (!phase)
		return 0;
	phase->n = 0;
	phase->is_found = true;
	struct query q =
		query_of_scope(store, asset_query_views_phase_steps_sql, scope->ids, err);
	while (query_next(&q, err)) {
		const char *name = (const char *)sqlite3_column_text(q.stmt, 2);
		counts[engine_phase_of(str_of(name))]++;
		if (strcmp(name, phase->name) == 0)
			*ARRAY_PUSH(phase->items, phase->n, phase->cap) =
				(struct filter_step){ sqlite3_column_int64(q.stmt, 0),
						      sqlite3_column_int64(q.stmt, 1) };
	}
	counts[ENGINE_UNTOLD] = 0; /* what no ptool writes */
	if (query_end(&q) < 0)
		return -1;
	return phase->n ? 0 : lacks_phase(phase, counts, err);
}
