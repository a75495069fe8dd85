/* The steps that a comparison looks at: see diff_steps.h. */
#include "query/diff/diff_steps.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_diff_steps_sql);

/* Columns of views/diff_steps.sql. */
enum { COLUMN_PROFILE, COLUMN_NUMBER, COLUMN_TS, COLUMN_DUR, COLUMN_PHASE };

static int add_step(struct diff_steps *s, const struct diff_range *step, struct err *err)
{
	struct diff_step *last = s->n ? &s->items[s->n - 1] : NULL;

	if (!query_is_time(step->start_ns, step->dur_ns))
		return query_damaged("steps", err);
	*ARRAY_PUSH(s->ranges, s->nranges, s->ranges_cap) = *step;
	if (last && last->profile_id == step->profile_id &&
	    last->number == step->number) {
		last->dur_ns = sum_add(last->dur_ns, step->dur_ns);
		last->count++;
		return 0;
	}
	*ARRAY_PUSH(s->items, s->n, s->cap) =
		(struct diff_step){ step->profile_id, step->number, step->start_ns,
				    step->dur_ns, .count = 1 };
	return 0;
}

static void note_phase(struct diff_steps *s, struct sqlite3_stmt *stmt)
{
	const char *text = (const char *)sqlite3_column_text(stmt, COLUMN_PHASE);
	enum engine_phase phase = text ? engine_phase_of(str_of(text)) : ENGINE_UNTOLD;

	if (s->n == 0)
		s->phase = phase;
	s->is_mixed |= phase != s->phase;
}

static int read_steps(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct diff_steps *out,
		      struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_diff_steps_sql, scope->ids, err);

	while (query_next(&q, err)) {
		const struct diff_range step = {
			.profile_id = sqlite3_column_int64(q.stmt, COLUMN_PROFILE),
			.number = sqlite3_column_int64(q.stmt, COLUMN_NUMBER),
			.start_ns = sqlite3_column_int64(q.stmt, COLUMN_TS),
			.dur_ns = sqlite3_column_int64(q.stmt, COLUMN_DUR),
		};
		out->recorded++;
		if (!filter_has_step(filter, step.profile_id, step.number, true) ||
		    !filter_has_time(filter, step.start_ns))
			continue;
		note_phase(out, q.stmt);
		q.rc = add_step(out, &step, err);
	}
	return query_end(&q);
}

/* They stand profile by profile: of each range the place of its first start. */
static void keep_first(struct diff_steps *s)
{
	size_t kept = 0;

	for (size_t from = 0, to; from < s->n; from = to) {
		const int64_t profile_id = s->items[from].profile_id;
		size_t first = from;
		for (to = from; to < s->n && s->items[to].profile_id == profile_id; to++)
			if (s->items[to].start_ns < s->items[first].start_ns)
				first = to;
		s->items[kept++] = s->items[first];
	}
	s->n = kept;
	kept = 0;
	for (size_t i = 0; i < s->nranges; i++)
		if (diff_steps_find(s, s->ranges[i].profile_id, s->ranges[i].number) !=
		    DIFF_NO_STEP)
			s->ranges[kept++] = s->ranges[i];
	s->nranges = kept;
}

static bool has_lower_number(const void *context, uint32_t a, uint32_t b)
{
	const struct diff_steps *s = context;

	return s->items[a].number < s->items[b].number;
}

static void number_replicates(struct diff_steps *s)
{
	uint32_t *at = sorted_places(s->n, has_lower_number, s);

	for (size_t i = 0; i < s->n; i++) {
		struct diff_step *step = &s->items[at[i]];
		if (i == 0 || s->items[at[i - 1]].number != step->number)
			s->nreplicates++;
		step->replicate = (uint32_t)s->nreplicates - 1;
	}
	free(at);
}

int diff_steps_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, bool first_only, struct diff_steps *out,
		    struct err *err)
{
	*out = (struct diff_steps){ .n = 0 };
	if (read_steps(store, scope, filter, out, err) < 0)
		return -1;
	if (first_only)
		keep_first(out);
	if (out->n > UINT32_MAX / 2)
		return query_damaged("steps", err);
	number_replicates(out);
	return 0;
}

void diff_steps_release(struct diff_steps *s)
{
	free(s->items);
	free(s->ranges);
	*s = (struct diff_steps){ .n = 0 };
}

/* The place of the first at or behind (profile_id, number). */
static size_t lower_bound(const struct diff_steps *s, int64_t profile_id, int64_t number)
{
	const struct diff_step *step = s->items;
	size_t at;

	SEARCH(at, 0, s->n,
	       step[at].profile_id < profile_id ||
		       (step[at].profile_id == profile_id && step[at].number < number));
	return at;
}

size_t diff_steps_find(const struct diff_steps *s, int64_t profile_id, int64_t number)
{
	size_t at = lower_bound(s, profile_id, number);

	return at < s->n && s->items[at].profile_id == profile_id &&
			       s->items[at].number == number
		       ? at
		       : DIFF_NO_STEP;
}

const struct diff_step *diff_steps_of_profile(const struct diff_steps *s,
					      int64_t profile_id)
{
	size_t at = lower_bound(s, profile_id, INT64_MIN);

	return at < s->n && s->items[at].profile_id == profile_id ? &s->items[at] : NULL;
}

int64_t diff_steps_total(const struct diff_steps *s)
{
	int64_t total = 0;

	for (size_t i = 0; i < s->n; i++)
		total = sum_add(total, s->items[i].dur_ns);
	return total;
}
