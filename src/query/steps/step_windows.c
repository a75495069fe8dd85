/* The windows of steps: see step_windows.h. */
#include "query/steps/step_windows.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "query/query.h"

ASSET(asset_query_views_step_extent_sql);
ASSET(asset_query_views_step_ranges_sql);

/* Columns of step_ranges.sql. */
enum {
	RANGE_ID,
	RANGE_NUMBER,
	RANGE_TS,
	RANGE_DUR,
	RANGE_SLICE,
	RANGE_HOST_TS,
	RANGE_HOST_DUR,
	RANGE_PHASE,
	RANGE_REQUESTS,
	RANGE_TOKENS,
	RANGE_CONTEXT,
	RANGE_SOURCE
};

static void add_window(struct step_windows *w, struct step_window window)
{
	*ARRAY_PUSH(w->items, w->n, w->cap) = window;
}

static enum engine_phase told_phase(struct sqlite3_stmt *stmt)
{
	const char *text = (const char *)sqlite3_column_text(stmt, RANGE_PHASE);

	return text ? engine_phase_of(str_of(text)) : ENGINE_UNTOLD;
}

/* Stores of older releases do not say. */
static bool is_served(struct sqlite3_stmt *stmt)
{
	const char *source = (const char *)sqlite3_column_text(stmt, RANGE_SOURCE);

	return source && engine_serves(str_of(source));
}

static int64_t told_number(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NUMBER_NONE
		       : sqlite3_column_int64(stmt, column);
}

static int add_range(struct step_windows *w, struct sqlite3_stmt *stmt, struct err *err)
{
	int64_t dur_ns = sqlite3_column_int64(stmt, RANGE_DUR);
	int64_t host_ns = sqlite3_column_int64(stmt, RANGE_HOST_DUR);
	struct step_window window = {
		.step_id = sqlite3_column_int64(stmt, RANGE_ID),
		.number = sqlite3_column_int64(stmt, RANGE_NUMBER),
		.slice_id = sqlite3_column_int64(stmt, RANGE_SLICE),
		.start_ns = sqlite3_column_int64(stmt, RANGE_TS),
		.host.start_ns = sqlite3_column_int64(stmt, RANGE_HOST_TS),
		.told = { .phase = told_phase(stmt),
			  .requests = told_number(stmt, RANGE_REQUESTS),
			  .tokens = told_number(stmt, RANGE_TOKENS),
			  .context_tokens = told_number(stmt, RANGE_CONTEXT),
			  .is_served = is_served(stmt) },
	};

	if (!query_is_time(window.start_ns, dur_ns) ||
	    !query_is_time(window.host.start_ns, host_ns))
		return query_damaged("steps", err);
	window.host.end_ns = window.host.start_ns + host_ns;
	window.end_ns = window.start_ns + dur_ns;
	add_window(w, window);
	return 0;
}

int step_windows_recorded(struct store *store, const struct scope_profile *profile,
			  struct step_windows *out, struct err *err)
{
	*out = (struct step_windows){ .n = 0 };
	struct query q =
		query_of_profile(store, asset_query_views_step_ranges_sql, profile, err);

	while (query_next(&q, err))
		q.rc = add_range(out, q.stmt, err);
	return query_end(&q);
}

static int load_operators(struct store *store, const struct scope_profile *profile,
			  struct step_windows *out, struct err *err)
{
	if (query_check_tracks(store, profile, err) < 0)
		return -1;
	struct query q =
		query_of_profile(store, asset_query_views_step_extent_sql, profile, err);

	if (query_next(&q, err) && sqlite3_column_type(q.stmt, 0) != SQLITE_NULL) {
		out->has_operators = true;
		out->operators = (struct interval){ sqlite3_column_int64(q.stmt, 0),
						    sqlite3_column_int64(q.stmt, 1) };
		if (out->operators.end_ns < out->operators.start_ns)
			q.rc = query_damaged("operators", err);
	}
	return query_end(&q);
}

static void widen(struct step_window *window, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < window->start_ns)
		window->start_ns = start_ns;
	if (end_ns > window->end_ns)
		window->end_ns = end_ns;
}

void step_windows_whole(struct step_windows *w, const struct device_work *work)
{
	struct step_window all = { .start_ns = INT64_MAX, .end_ns = INT64_MIN };

	w->is_single = true;
	if (w->has_operators)
		widen(&all, w->operators.start_ns, w->operators.end_ns);
	for (size_t i = 0; i < work->n; i++)
		widen(&all, work->items[i].start_ns, work->items[i].end_ns);
	all.host = (struct interval){ all.start_ns, all.end_ns };
	all.told = step_told_nothing();
	if (w->has_operators || work->n)
		add_window(w, all);
}

int step_windows_load(struct store *store, const struct scope_profile *profile,
		      const struct device_work *work, struct step_windows *out,
		      struct err *err)
{
	int64_t length_ns;

	if (step_windows_recorded(store, profile, out, err) < 0)
		return -1;
	if (out->n)
		return 0;
	if (load_operators(store, profile, out, err) < 0)
		return -1;
	step_windows_whole(out, work);
	if (out->n && __builtin_sub_overflow(out->items[0].end_ns, out->items[0].start_ns,
					     &length_ns))
		return query_damaged("slices", err);
	return 0;
}

void step_windows_release(struct step_windows *w)
{
	free(w->items);
	*w = (struct step_windows){ .n = 0 };
}

void step_windows_union(const struct step_windows *w, struct intervals *out)
{
	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0; i < w->n; i++)
		intervals_add(out, w->items[i].start_ns, w->items[i].end_ns);
	intervals_unite(out);
}

void step_windows_wanted(const struct step_windows *w, int64_t profile_id,
			 const struct filter *filter, struct intervals *out)
{
	struct intervals all = { .n = 0 };

	for (size_t i = 0; i < w->n; i++)
		if (filter_has_step(filter, profile_id, w->items[i].number,
				    w->items[i].step_id != 0))
			intervals_add(&all, w->items[i].start_ns, w->items[i].end_ns);
	intervals_unite(&all);
	intervals_within(&all, filter->has_times ? filter->from_ns : INT64_MIN,
			 filter->has_times ? filter->to_ns : INT64_MAX, out);
	intervals_release(&all);
}
