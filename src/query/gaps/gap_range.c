/* Parts of idle time: see gap_range.h. */
#include "query/gaps/gap_range.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/query.h"

ASSET(asset_query_views_gap_steps_sql);

enum { STEP_NUMBER, STEP_TS, STEP_DUR, STEP_SLICE };

/* Rows come by start: a step ends where the next begins. */
static int add_step(struct gap_range *r, struct sqlite3_stmt *stmt, struct err *err)
{
	int64_t ts_ns = sqlite3_column_int64(stmt, STEP_TS);
	int64_t dur_ns = sqlite3_column_int64(stmt, STEP_DUR);
	int64_t mark = sqlite3_column_int64(stmt, STEP_SLICE);

	if (dur_ns < 0 || ts_ns > INT64_MAX - dur_ns)
		return query_damaged("steps do", err);
	if (r->nsteps && r->steps[r->nsteps - 1].end_ns > ts_ns)
		r->steps[r->nsteps - 1].end_ns = ts_ns;
	r->steps = xgrow(r->steps, &r->steps_cap, r->nsteps + 1, sizeof(*r->steps));
	r->steps[r->nsteps++] =
		(struct gap_step){ sqlite3_column_int64(stmt, STEP_NUMBER), ts_ns,
				   ts_ns + dur_ns };
	if (mark) {
		r->marks =
			xgrow(r->marks, &r->marks_cap, r->nmarks + 1, sizeof(*r->marks));
		r->marks[r->nmarks++] = mark;
	}
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int load_steps(struct store *store, const struct scope_profile *profile,
		      struct gap_range *r, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(store, asset_query_views_gap_steps_sql, &stmt, err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", profile->id);
	while ((rc = sql_step(stmt, err)) > 0)
		if (add_step(r, stmt, err) < 0) {
			rc = -1;
			break;
		}
	sqlite3_finalize(stmt);
	if (r->nmarks)
		qsort(r->marks, r->nmarks, sizeof(*r->marks), by_id);
	return rc;
}

static void choose(struct gap_range *r, const struct filter *filter)
{
	struct intervals time = { .n = 0 }, steps = { .n = 0 };

	r->is_all = !filter || (!filter->has_times && !filter->has_steps);
	bool has_times = filter && filter->has_times;
	intervals_add(&time, has_times ? filter->from_ns : INT64_MIN,
		      has_times ? filter->to_ns : INT64_MAX);
	if (!filter || !filter->has_steps) {
		r->wanted = time;
		return;
	}
	for (size_t i = 0; i < r->nsteps; i++)
		if (filter_has_step(filter, r->steps[i].number, true))
			intervals_add(&steps, r->steps[i].start_ns, r->steps[i].end_ns);
	intervals_unite(&steps);
	intervals_intersect(&time, &steps, &r->wanted);
	intervals_release(&time);
	intervals_release(&steps);
}

int gap_range_load(struct store *store, const struct scope_profile *profile,
		   const struct filter *filter, struct gap_range *out, struct err *err)
{
	*out = (struct gap_range){ .nsteps = 0 };
	if (load_steps(store, profile, out, err) < 0)
		return -1;
	choose(out, filter);
	return 0;
}

void gap_range_release(struct gap_range *r)
{
	free(r->steps);
	free(r->marks);
	intervals_release(&r->wanted);
	*r = (struct gap_range){ .nsteps = 0 };
}

/* The first step that begins behind the moment. */
static size_t step_behind(const struct gap_range *r, int64_t ns)
{
	size_t low = 0, high = r->nsteps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r->steps[middle].start_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t gap_range_step(const struct gap_range *r, int64_t ns)
{
	size_t behind = step_behind(r, ns);

	return behind && r->steps[behind - 1].end_ns > ns ? behind - 1 : GAP_NO_STEP;
}

bool gap_range_is_mark(const struct gap_range *r, int64_t slice_id)
{
	return r->nmarks &&
	       bsearch(&slice_id, r->marks, r->nmarks, sizeof(*r->marks), by_id);
}

bool gap_range_next(const struct gap_range *r, int64_t *from_ns, int64_t to_ns,
		    struct gap_part *part)
{
	size_t at = intervals_after(&r->wanted, *from_ns);

	if (*from_ns >= to_ns || at >= r->wanted.n ||
	    r->wanted.items[at].start_ns >= to_ns)
		return false;
	const struct interval *wanted = &r->wanted.items[at];
	int64_t start_ns = wanted->start_ns > *from_ns ? wanted->start_ns : *from_ns;
	int64_t end_ns = wanted->end_ns < to_ns ? wanted->end_ns : to_ns;
	size_t behind = step_behind(r, start_ns);
	size_t step = gap_range_step(r, start_ns);

	if (step != GAP_NO_STEP && r->steps[step].end_ns < end_ns)
		end_ns = r->steps[step].end_ns;
	if (behind < r->nsteps && r->steps[behind].start_ns < end_ns)
		end_ns = r->steps[behind].start_ns;
	*part = (struct gap_part){ start_ns, end_ns, step };
	*from_ns = end_ns;
	return true;
}
