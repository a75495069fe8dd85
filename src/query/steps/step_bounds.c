/* Bounds of steps: see step_bounds.h. */
#include "query/steps/step_bounds.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/query.h"

ASSET(asset_query_views_step_extent_sql);
ASSET(asset_query_views_step_ranges_sql);

/* A last step with less than this share of the work of the one before is dropped. */
#define KEPT_TENTHS 8

/* A start and a duration, or a start and an end, that the store gives. */
static int add_bound(struct step_bounds *b, struct step_bound bound, int64_t dur_ns,
		     struct err *err)
{
	if (dur_ns < 0 || bound.host_start_ns > INT64_MAX - dur_ns)
		return query_damaged("steps do", err);
	bound.host_end_ns = bound.host_start_ns + dur_ns;
	b->items = xgrow(b->items, &b->cap, b->n + 1, sizeof(*b->items));
	b->items[b->n++] = bound;
	return 0;
}

static int load_ranges(struct store *store, const struct scope_profile *profile,
		       struct step_bounds *out, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(store, asset_query_views_step_ranges_sql, &stmt, err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", profile->id);
	while ((rc = sql_step(stmt, err)) > 0) {
		const struct step_bound bound = {
			.step_id = sqlite3_column_int64(stmt, 0),
			.number = sqlite3_column_int64(stmt, 1),
			.host_start_ns = sqlite3_column_int64(stmt, 2),
			.slice_id = sqlite3_column_int64(stmt, 4),
		};
		if (add_bound(out, bound, sqlite3_column_int64(stmt, 3), err) < 0) {
			rc = -1;
			break;
		}
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* The host's operators from first to last; nothing is added when there are none. */
static int load_extent(struct store *store, const struct scope_profile *profile,
		       struct step_bounds *out, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (query_prepare(store, asset_query_views_step_extent_sql, &stmt, err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", profile->id);
	int rc = sql_step(stmt, err);
	if (rc > 0 && sqlite3_column_type(stmt, 0) != SQLITE_NULL) {
		const struct step_bound all = { .host_start_ns =
							sqlite3_column_int64(stmt, 0) };
		int64_t end_ns = sqlite3_column_int64(stmt, 1), dur_ns;
		if (__builtin_sub_overflow(end_ns, all.host_start_ns, &dur_ns))
			dur_ns = -1;
		rc = add_bound(out, all, dur_ns, err);
	}
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static int add_extent_of_work(const struct device_work *work, struct step_bounds *out,
			      struct err *err)
{
	if (work->n == 0)
		return 0;
	int64_t start_ns = work->items[0].start_ns, end_ns = work->items[0].end_ns,
		dur_ns;
	for (size_t i = 1; i < work->n; i++) {
		if (work->items[i].start_ns < start_ns)
			start_ns = work->items[i].start_ns;
		if (work->items[i].end_ns > end_ns)
			end_ns = work->items[i].end_ns;
	}
	if (__builtin_sub_overflow(end_ns, start_ns, &dur_ns))
		return query_damaged("steps do", err);
	return add_bound(out, (struct step_bound){ .host_start_ns = start_ns }, dur_ns,
			 err);
}

int step_bounds_load(struct store *store, const struct scope_profile *profile,
		     const struct device_work *work, struct step_bounds *out,
		     struct err *err)
{
	*out = (struct step_bounds){ .n = 0 };
	if (load_ranges(store, profile, out, err) < 0)
		return -1;
	if (out->n == 0) {
		out->is_single = true;
		if (load_extent(store, profile, out, err) < 0 ||
		    (out->n == 0 && add_extent_of_work(work, out, err) < 0))
			return -1;
	}
	step_bounds_move(out, work);
	return 0;
}

void step_bounds_release(struct step_bounds *b)
{
	free(b->items);
	*b = (struct step_bounds){ .n = 0 };
}

static int by_launch(const void *a, const void *b)
{
	const struct work_item *x = *(const struct work_item *const *)a;
	const struct work_item *y = *(const struct work_item *const *)b;

	return (x->launch_start_ns > y->launch_start_ns) -
	       (x->launch_start_ns < y->launch_start_ns);
}

static void count_work(struct step_bound *step, const struct work_item *item)
{
	if (step->nwork == 0 || item->start_ns < step->first_work_ns)
		step->first_work_ns = item->start_ns;
	if (step->nwork == 0 || item->end_ns > step->last_work_ns)
		step->last_work_ns = item->end_ns;
	step->nwork++;
}

/*
 * The plugin walks over all calls of the runtime by their starts.  Those that launched
 * nothing change nothing in that walk, so it is over the work by the starts of its
 * calls; how equal starts stand does not matter, since each is judged against one step.
 */
static void match_work(struct step_bounds *b, const struct work_item **launched, size_t n,
		       bool *is_matched, const struct work_item *first)
{
	size_t step = 0;

	for (size_t i = 0; i < n && step < b->n;) {
		const struct work_item *item = launched[i];
		struct step_bound *in = &b->items[step];
		if (item->launch_start_ns >= in->host_start_ns &&
		    item->launch_end_ns <= in->host_end_ns) {
			count_work(in, item);
			is_matched[item - first] = true;
			b->is_moved = true;
		} else if (item->launch_start_ns >= in->host_end_ns) {
			step++;
			continue;
		}
		i++;
	}
}

/* The end of the last work of no step before the first step's own; or its host's start. */
static int64_t end_before_first(const struct step_bounds *b,
				const struct device_work *work, const bool *is_matched)
{
	const struct step_bound *first = &b->items[0];
	int64_t end_ns = first->host_start_ns;

	if (first->nwork == 0)
		return end_ns;
	for (size_t i = 0; i < work->n; i++) {
		int64_t work_end_ns = work->items[i].end_ns;
		if (!is_matched[i] && work_end_ns < first->first_work_ns &&
		    work_end_ns > end_ns)
			end_ns = work_end_ns;
	}
	return end_ns;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void move_bounds(struct step_bounds *b, int64_t previous_ns)
{
	for (size_t i = 0; i < b->n; i++) {
		struct step_bound *step = &b->items[i];
		step->start_ns = later(previous_ns, step->host_start_ns);
		step->end_ns = later(step->host_end_ns, step->start_ns);
		if (step->nwork)
			step->end_ns = later(step->end_ns, step->last_work_ns);
		previous_ns = step->end_ns;
	}
}

static void drop_tail(struct step_bounds *b)
{
	size_t last = b->n;

	while (last > 0 && b->items[last - 1].nwork == 0)
		last--;
	if (last == 0)
		return;
	/* n is at most the pieces of work in memory: ten times that is no overflow */
	const struct step_bound *end = &b->items[last - 1];
	size_t kept = last;
	if (last > 1 && end[-1].nwork * KEPT_TENTHS > end->nwork * 10)
		kept--;
	for (size_t i = kept; i < b->n; i++)
		b->items[i].is_dropped = true;
}

void step_bounds_move(struct step_bounds *b, const struct device_work *work)
{
	const struct work_item **launched =
		xrealloc_array(NULL, work->n, sizeof(const struct work_item *));
	bool *is_matched = xcalloc(work->n, sizeof(*is_matched));
	size_t n = 0;

	b->is_moved = false;
	for (size_t i = 0; i < b->n; i++) {
		struct step_bound *step = &b->items[i];
		step->start_ns = step->host_start_ns;
		step->end_ns = step->host_end_ns;
		step->nwork = 0;
		step->is_dropped = false;
	}
	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].launch_id)
			launched[n++] = &work->items[i];
	if (n)
		qsort(launched, n, sizeof(const struct work_item *), by_launch);
	match_work(b, launched, n, is_matched, work->items);
	if (b->is_moved) {
		move_bounds(b, end_before_first(b, work, is_matched));
		if (b->n > 1)
			drop_tail(b);
	}
	free(is_matched);
	free(launched);
}
