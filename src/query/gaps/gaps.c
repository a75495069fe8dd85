/* The gaps of devices: see gaps.h. */
#include "query/gaps/gaps.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "query/query.h"

/* Where a walk over a device's items has come to. */
struct walk {
	const struct device_work *work;
	struct gaps *out;
	uint32_t device;
	int64_t reached_ns; /* nothing runs before that is still to come */
	uint32_t last; /* item that ended then, of several the first; or GAP_NO_WORK */
};

static void add_gap(struct walk *w, struct gap gap)
{
	struct gaps *out = w->out;

	gap.device = w->device;
	gap.host_end_ns = gap.start_ns;
	if (gap.after == GAP_NO_WORK) {
		gap.host_end_ns = gap.end_ns;
	} else {
		const struct work_item *item = &w->work->items[gap.after];
		if (item->launch_id && item->launch_start_ns > gap.start_ns)
			gap.host_end_ns = item->launch_start_ns < gap.end_ns
						  ? item->launch_start_ns
						  : gap.end_ns;
	}
	*ARRAY_PUSH(out->items, out->n, out->cap) = gap;
}

/* The edge before the first work is from the start of the extent. */
static void add_between(struct walk *w, uint32_t after)
{
	add_gap(w, (struct gap){ .start_ns = w->reached_ns,
				 .end_ns = w->work->items[after].start_ns,
				 .before = w->last,
				 .after = after });
}

static void end_extent(struct walk *w, const struct interval *extent)
{
	if (extent && extent->end_ns > w->reached_ns)
		add_gap(w, (struct gap){ .start_ns = w->reached_ns,
					 .end_ns = extent->end_ns,
					 .before = w->last,
					 .after = GAP_NO_WORK });
}

/* What has no length ends a gap when nothing with a length follows. */
static void end_span(struct walk *w, const struct work_device *device)
{
	uint32_t end = (uint32_t)(device->first + device->n - 1);
	const struct work_item *items = w->work->items;

	if (items[end].start_ns <= w->reached_ns)
		return;
	while (end > device->first && items[end - 1].start_ns == items[end].start_ns)
		end--;
	add_between(w, end);
	w->reached_ns = items[end].start_ns;
}

static int walk_device(struct walk *w, const struct interval *extent, struct err *err)
{
	const struct work_item *items = w->work->items;
	const struct work_device *device = &w->work->devices[w->device];
	size_t first = device->first, end = first + device->n;

	w->last = (uint32_t)first;
	w->reached_ns = items[first].start_ns;
	if (extent && extent->start_ns < w->reached_ns) {
		w->last = GAP_NO_WORK;
		w->reached_ns = extent->start_ns;
	}
	for (size_t i = first; i < end; i++) {
		const struct work_item *item = &items[i];
		int64_t length;
		if ((i > first && item->start_ns < items[i - 1].start_ns) ||
		    __builtin_sub_overflow(item->end_ns, items[first].start_ns, &length))
			return query_damaged("pieces of device work", err);
		if (item->end_ns == item->start_ns)
			continue;
		if (item->start_ns > w->reached_ns)
			add_between(w, (uint32_t)i);
		if (item->end_ns > w->reached_ns) {
			w->last = (uint32_t)i;
			w->reached_ns = item->end_ns;
		}
	}
	end_span(w, device);
	w->out->span_ns[w->device] = w->reached_ns - items[first].start_ns;
	end_extent(w, extent);
	return 0;
}

int gaps_find(const struct device_work *work, const struct interval *extent,
	      struct gaps *out, struct err *err)
{
	*out = (struct gaps){ .ndevices = work->ndevices };
	if (work->n >= UINT32_MAX || work->ndevices >= UINT32_MAX)
		return query_damaged("pieces of device work", err);
	out->span_ns = xcalloc(work->ndevices + 1, sizeof(*out->span_ns));
	for (uint32_t i = 0; i < work->ndevices; i++) {
		struct walk w = { .work = work, .out = out, .device = i };
		if (walk_device(&w, extent, err) < 0)
			return -1;
	}
	return 0;
}

void gaps_release(struct gaps *gaps)
{
	free(gaps->items);
	free(gaps->span_ns);
	*gaps = (struct gaps){ .n = 0 };
}

ASSET(asset_query_views_gap_track_sql);

/* Windows come by start: a step ends where the next begins.  One of no length has no moment. */
static void add_step(struct gap_range *r, const struct step_window *w)
{
	if (w->slice_id)
		*ARRAY_PUSH(r->marks, r->nmarks, r->marks_cap) = w->slice_id;
	if (w->end_ns <= w->start_ns)
		return;
	if (r->nsteps && r->steps[r->nsteps - 1].end_ns > w->start_ns)
		r->steps[r->nsteps - 1].end_ns = w->start_ns;
	*ARRAY_PUSH(r->steps, r->nsteps, r->steps_cap) =
		(struct gap_step){ w->number, w->start_ns, w->end_ns };
}

/* The thread that the first step with an annotation of its own was recorded on. */
static int find_track(struct store *store, struct gap_range *r, struct err *err)
{
	if (!r->nmarks)
		return 0;
	struct query q = query_open(store, asset_query_views_gap_track_sql, err);

	query_bind_int(q.stmt, ":id", r->marks[0]);
	while (query_next(&q, err))
		r->track_id = sqlite3_column_int64(q.stmt, 0);
	return query_end(&q);
}

/* Between the steps of an engine it schedules the next, and the device waits for that. */
static void fill_between(struct gap_range *r, const struct step_windows *windows)
{
	bool is_moved = false;

	for (size_t i = 0; i < windows->n && !is_moved; i++) {
		const struct step_window *w = &windows->items[i];
		is_moved = w->start_ns != w->host.start_ns || w->end_ns != w->host.end_ns;
	}
	if (!is_moved)
		return;
	int64_t start_ns = r->windows.items[0].start_ns;
	int64_t end_ns = r->windows.items[r->windows.n - 1].end_ns;
	intervals_release(&r->windows);
	intervals_add(&r->windows, start_ns, end_ns);
}

static int load_windows(struct gap_range *r, const struct gap_range_request *q,
			struct err *err)
{
	struct step_windows windows;
	int rc = step_windows_load(q->store, q->profile, q->work, &windows, err);

	if (rc == 0)
		step_windows_union(&windows, &r->windows);
	if (r->windows.n)
		fill_between(r, &windows);
	for (size_t i = 0; rc == 0 && !windows.is_single && i < windows.n; i++)
		add_step(r, &windows.items[i]);
	step_windows_release(&windows);
	if (rc == 0)
		rc = find_track(q->store, r, err);
	if (r->nmarks)
		qsort(r->marks, r->nmarks, sizeof(*r->marks), sort_compare_int64);
	if (r->windows.n)
		r->extent = (struct interval){
			r->windows.items[0].start_ns,
			r->windows.items[r->windows.n - 1].end_ns,
		};
	return rc;
}

/* What of `wanted` the filter wants. */
static void choose(struct gap_range *r, int64_t profile_id, const struct filter *filter)
{
	struct intervals all = r->wanted, chosen = { .n = 0 };

	r->is_all = !filter || (!filter->has_times && !filter->has_steps);
	if (filter && filter->has_times) {
		intervals_within(&all, filter->from_ns, filter->to_ns, &r->wanted);
		intervals_release(&all);
		all = r->wanted;
	}
	if (!filter || !filter->has_steps)
		return;
	for (size_t i = 0; i < r->nsteps; i++)
		if (filter_has_step(filter, profile_id, r->steps[i].number, true))
			intervals_add(&chosen, r->steps[i].start_ns, r->steps[i].end_ns);
	intervals_unite(&chosen);
	intervals_intersect(&all, &chosen, &r->wanted);
	intervals_release(&all);
	intervals_release(&chosen);
}

bool gap_range_is_too_much(size_t nsteps, const struct device_work *work)
{
	return work->ndevices && nsteps > GAP_STEPS_MOST / work->ndevices;
}

/* Steps of which nothing counts: the others are gone through for each device. */
static void forget_unwanted(struct gap_range *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nsteps; i++)
		if (intervals_length_within(&r->wanted, r->steps[i].start_ns,
					    r->steps[i].end_ns) > 0)
			r->steps[n++] = r->steps[i];
	r->nsteps = n;
}

/* What counts is one part, from the first to the last of them, of no step. */
static void merge(struct gap_range *r)
{
	struct intervals *wanted = &r->wanted;
	int64_t start_ns = wanted->items[0].start_ns;
	int64_t end_ns = wanted->items[wanted->n - 1].end_ns;

	intervals_release(wanted);
	intervals_add(wanted, start_ns, end_ns);
	if (!r->is_inner) {
		intervals_release(&r->windows);
		intervals_add(&r->windows, r->extent.start_ns, r->extent.end_ns);
	}
	r->nsteps = 0;
	r->is_merged = true;
}

int gap_range_load(const struct gap_range_request *request, struct gap_range *out,
		   struct err *err)
{
	*out = (struct gap_range){ .is_inner = request->is_inner };
	if (load_windows(out, request, err) < 0)
		return -1;
	if (out->is_inner)
		intervals_add(&out->wanted, INT64_MIN, INT64_MAX);
	for (size_t i = 0; !out->is_inner && i < out->windows.n; i++)
		intervals_add(&out->wanted, out->windows.items[i].start_ns,
			      out->windows.items[i].end_ns);
	choose(out, request->profile->id, request->filter);
	forget_unwanted(out);
	if (gap_range_is_too_much(out->nsteps, request->work))
		merge(out);
	return 0;
}

void gap_range_release(struct gap_range *r)
{
	free(r->steps);
	free(r->marks);
	intervals_release(&r->wanted);
	intervals_release(&r->windows);
	*r = (struct gap_range){ .nsteps = 0 };
}

/* The first step that begins behind the moment. */
static size_t step_behind(const struct gap_range *r, int64_t ns)
{
	size_t at;

	SEARCH(at, 0, r->nsteps, r->steps[at].start_ns <= ns);
	return at;
}

size_t gap_range_step(const struct gap_range *r, int64_t ns)
{
	size_t behind = step_behind(r, ns);

	return behind && r->steps[behind - 1].end_ns > ns ? behind - 1 : GAP_NO_STEP;
}

bool gap_range_is_mark(const struct gap_range *r, int64_t slice_id)
{
	return r->nmarks && bsearch(&slice_id, r->marks, r->nmarks, sizeof(*r->marks),
				    sort_compare_int64);
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
