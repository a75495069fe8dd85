/* The time that is shown: see cell_span.h. */
#include "query/timeline/cell_span.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/query.h"
#include "query/steps/step_numbers.h"
#include "query/steps/step_windows.h"
#include "query/text_pool.h"

ASSET(asset_query_views_step_ranges_sql);

#define RANGE_SLICE 4 /* column of step_ranges.sql */

/* A store may hold anything. */
static int64_t length_of(const struct step_number *step)
{
	return step->start_ns < step->end_ns && step->window_ns > 0 ? step->window_ns : 0;
}

/* Of steps with one number, which are shown together, the longest. */
struct longest {
	int64_t number, ns;
};

/* Of each number once, in their order; the caller frees. */
static struct longest *find_longest(const struct step_numbers *steps, size_t *n)
{
	struct longest *all = xrealloc_array(NULL, steps->n, sizeof(*all));

	for (size_t i = 0; i < steps->n; i++)
		all[i] = (struct longest){ steps->items[i].number,
					   length_of(&steps->items[i]) };
	SORT_BY(all, steps->n, number);
	*n = 0;
	for (size_t i = 0; i < steps->n; i++)
		if (!*n || all[*n - 1].number != all[i].number)
			all[(*n)++] = all[i];
		else if (all[i].ns > all[*n - 1].ns)
			all[*n - 1].ns = all[i].ns;
	return all;
}

static int64_t median_of(const struct longest *all, size_t n)
{
	int64_t *lengths = xrealloc_array(NULL, n, sizeof(*lengths));

	for (size_t i = 0; i < n; i++)
		lengths[i] = all[i].ns;
	qsort(lengths, n, sizeof(*lengths), sort_compare_int64);
	int64_t low = lengths[(n - 1) / 2], high = lengths[n / 2];
	free(lengths);
	return low + (high - low) / 2;
}

/* The step nearest to the median; of equally near ones the first.  False: none has a length. */
static bool find_nearest(const struct step_numbers *steps, struct cell_spans *out)
{
	size_t n;
	struct longest *all = find_longest(steps, &n);
	int64_t nearest_ns = INT64_MAX;
	bool is_found = false;

	out->nsteps = (int64_t)n;
	out->median_ns = median_of(all, n);
	for (size_t i = 0; i < n; i++) {
		int64_t ns = all[i].ns - out->median_ns;
		ns = ns < 0 ? -ns : ns;
		if (ns >= nearest_ns || all[i].ns <= 0)
			continue;
		nearest_ns = ns;
		out->first_step = out->last_step = all[i].number;
		is_found = true;
	}
	free(all);
	return is_found;
}

static void widen(struct cell_span *span, int64_t from_ns, int64_t to_ns)
{
	if (span->from_ns == span->to_ns) {
		*span = (struct cell_span){ from_ns, to_ns };
		return;
	}
	span->from_ns = from_ns < span->from_ns ? from_ns : span->from_ns;
	span->to_ns = to_ns > span->to_ns ? to_ns : span->to_ns;
}

/* Those of the phase that was asked for; in place. */
static void keep_phase(struct step_numbers *steps, const struct filter *filter)
{
	const struct step_number *items = steps->items;
	size_t n = 0;

	for (size_t i = 0; i < steps->n; i++)
		if (filter_has_step(filter, items[i].profile_id, items[i].number, true))
			steps->items[n++] = items[i];
	steps->n = n;
}

static bool is_wanted(const struct cell_spans *s, const struct step_number *step)
{
	return step->number >= s->first_step && step->number <= s->last_step &&
	       step->start_ns < step->end_ns;
}

/* From the first to the last of the steps that are wanted; those are what there is. */
static void span_steps(const struct step_numbers *steps, const struct scope *scope,
		       struct cell_spans *out)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < steps->n; i++) {
		const struct step_number *step = &steps->items[i];
		const struct scope_profile *p = scope_find(scope, step->profile_id);
		if (!p || !is_wanted(out, step))
			continue;
		widen(&out->items[p - scope->profiles], step->start_ns, step->end_ns);
		if (length_of(step) > out->longest_ns)
			out->longest_ns = length_of(step);
		first = step->number < first ? step->number : first;
		last = step->number > last ? step->number : last;
	}
	if (first <= last) {
		out->first_step = first;
		out->last_step = last;
	}
}

/* As `ptool steps` has its one step then, or all that there is. */
static int span_whole(struct store *store, const struct scope_profile *profile,
		      struct cell_span *out, struct err *err)
{
	struct text_pool texts = { .stmt = NULL };
	struct device_work work = { .n = 0 };
	struct step_windows windows = { .n = 0 };
	int rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = device_work_load(store, &texts, profile, false, &work, err);
	if (rc == 0)
		rc = step_windows_load(store, profile, &work, &windows, err);
	*out = (struct cell_span){ 0, profile->dur_ns };
	if (rc == 0 && windows.n && windows.items[0].start_ns < windows.items[0].end_ns)
		*out = (struct cell_span){ windows.items[0].start_ns,
					   windows.items[0].end_ns };
	step_windows_release(&windows);
	device_work_release(&work);
	text_pool_close(&texts);
	return rc;
}

static void drop_impossible(struct cell_span *span)
{
	int64_t length_ns;

	if (span->from_ns >= span->to_ns ||
	    __builtin_sub_overflow(span->to_ns, span->from_ns, &length_ns))
		*span = (struct cell_span){ 0, 0 };
}

static void cut_times(const struct filter *filter, struct cell_span *span)
{
	if (span->from_ns < filter->from_ns)
		span->from_ns = filter->from_ns;
	if (span->to_ns > filter->to_ns)
		span->to_ns = filter->to_ns;
	drop_impossible(span);
}

/* One step of that phase says how all are. */
static bool is_nearest_asked(const struct filter *filter)
{
	return filter_is_phase_alone(filter) && !filter->has_times;
}

/* Which steps are shown, if any. */
static void choose_steps(const struct step_numbers *steps, const struct filter *filter,
			 struct cell_spans *out)
{
	out->nsteps = (int64_t)steps->n;
	if (filter->has_steps && !is_nearest_asked(filter)) {
		out->has_steps = true;
		out->first_step = filter->first_step;
		out->last_step = filter->last_step;
	} else if (!filter->has_times && steps->n) {
		out->has_steps = out->is_nearest = find_nearest(steps, out);
	}
}

static int load_step_slices(struct store *store, const struct scope_profile *profile,
			    struct cell_spans *out, struct err *err)
{
	struct query q =
		query_of_profile(store, asset_query_views_step_ranges_sql, profile, err);

	while (query_next(&q, err))
		*ARRAY_PUSH(out->step_slices, out->nstep_slices, out->step_slices_cap) =
			sqlite3_column_int64(q.stmt, RANGE_SLICE);
	return query_end(&q);
}

static bool are_aligned(const struct cell_spans *s, size_t n)
{
	const struct cell_span *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct cell_span *span = &s->items[i];
		if (span->from_ns == span->to_ns)
			continue;
		if (first && first->from_ns != span->from_ns)
			return false;
		first = span;
	}
	return true;
}

static int check(const struct cell_spans *s, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (s->items[i].from_ns < s->items[i].to_ns)
			return 0;
	return err_set(err, ERR_EMPTY, "nothing was recorded in that time");
}

int cell_spans_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct cell_spans *out, struct err *err)
{
	struct step_numbers steps = { .n = 0 };
	int rc = step_numbers_load(store, scope, &steps, err);

	*out = (struct cell_spans){ .items = xcalloc(scope->n, sizeof(*out->items)) };
	out->has_times = filter->has_times;
	if (rc == 0 && filter->phase) {
		keep_phase(&steps, filter);
		out->phase = filter->phase->name;
	}
	if (rc == 0)
		choose_steps(&steps, filter, out);
	if (rc == 0 && out->has_steps)
		span_steps(&steps, scope, out);
	for (size_t i = 0; rc == 0 && out->nsteps && i < scope->n; i++)
		rc = load_step_slices(store, &scope->profiles[i], out, err);
	if (out->nstep_slices)
		qsort(out->step_slices, out->nstep_slices, sizeof(*out->step_slices),
		      sort_compare_int64);
	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		const struct scope_profile *p = &scope->profiles[i];
		if (!out->has_steps && filter->has_times)
			out->items[i] = (struct cell_span){ 0, p->dur_ns };
		else if (!out->has_steps)
			rc = span_whole(store, p, &out->items[i], err);
		if (filter->has_times)
			cut_times(filter, &out->items[i]);
		else
			drop_impossible(&out->items[i]);
	}
	step_numbers_release(&steps);
	out->is_aligned = are_aligned(out, scope->n);
	return rc == 0 ? check(out, scope->n, err) : -1;
}

bool cell_spans_has_step(const struct cell_spans *s, int64_t slice_id)
{
	return s->nstep_slices && bsearch(&slice_id, s->step_slices, s->nstep_slices,
					  sizeof(*s->step_slices), sort_compare_int64);
}

void cell_spans_release(struct cell_spans *s)
{
	free(s->items);
	free(s->step_slices);
	*s = (struct cell_spans){ .items = NULL };
}
