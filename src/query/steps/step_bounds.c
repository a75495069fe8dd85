/* Bounds of steps: see step_bounds.h. */
#include "query/steps/step_bounds.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"

/* A last step with less than this share of the work of the one before is dropped. */
#define KEPT_TENTHS 8

static int by_host(const void *a, const void *b)
{
	const struct step_bound *x = a, *y = b;

	if (x->host_start_ns != y->host_start_ns)
		return x->host_start_ns < y->host_start_ns ? -1 : 1;
	return (x->step_id > y->step_id) - (x->step_id < y->step_id);
}

static void add_bounds(const struct step_windows *windows, struct step_bounds *out)
{
	for (size_t i = 0; i < windows->n; i++) {
		const struct step_window *w = &windows->items[i];
		*ARRAY_PUSH(out->items, out->n, out->cap) = (struct step_bound){
			.step_id = w->step_id,
			.number = w->number,
			.slice_id = w->slice_id,
			.host_start_ns = w->host.start_ns,
			.host_end_ns = w->host.end_ns,
			.start_ns = w->start_ns,
			.end_ns = w->end_ns,
			.told = w->told,
		};
	}
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_host);
}

/* How many of them, which are in order, are below. */
static size_t count_below(const int64_t *ns, size_t n, int64_t limit_ns)
{
	size_t at;

	SEARCH(at, 0, n, ns[at] < limit_ns);
	return at;
}

/* Work without a length runs at its start. */
static int64_t end_of(const struct work_item *item)
{
	return item->end_ns > item->start_ns ? item->end_ns : item->start_ns + 1;
}

/* What runs in a step: all that began before its end, less what ended by its start. */
static void count_running(struct step_bounds *b, const struct device_work *work)
{
	int64_t *starts = xrealloc_array(NULL, work->n + 1, sizeof(*starts));
	int64_t *ends = xrealloc_array(NULL, work->n + 1, sizeof(*ends));

	for (size_t i = 0; i < work->n; i++) {
		starts[i] = work->items[i].start_ns;
		ends[i] = end_of(&work->items[i]);
	}
	if (work->n) {
		sort_by_field(starts, work->n, sizeof(*starts), 0);
		sort_by_field(ends, work->n, sizeof(*ends), 0);
	}
	for (size_t i = 0; i < b->n; i++) {
		struct step_bound *step = &b->items[i];
		if (step->end_ns > step->start_ns)
			step->nwork = count_below(starts, work->n, step->end_ns) -
				      count_below(ends, work->n, step->start_ns + 1);
	}
	free(starts);
	free(ends);
}

void step_bounds_make(const struct step_windows *windows, const struct device_work *work,
		      enum step_bounds_by by, struct step_bounds *out)
{
	*out = (struct step_bounds){ .is_single = windows->is_single };
	add_bounds(windows, out);
	/* what ran is all there is to move to: without operators it is the bounds */
	bool is_host =
		by == BOUNDS_HOST || (windows->is_single && !windows->has_operators);
	if (is_host) {
		count_running(out, work);
		return;
	}
	if (windows->is_single && out->n) {
		out->items[0].host_start_ns = windows->operators.start_ns;
		out->items[0].host_end_ns = windows->operators.end_ns;
	}
	step_bounds_move(out, work);
	out->is_unmoved = work->n && !out->is_moved;
	if (out->is_unmoved)
		count_running(out, work);
}

int step_bounds_load(struct store *store, const struct scope_profile *profile,
		     const struct device_work *work, enum step_bounds_by by,
		     struct step_bounds *out, struct err *err)
{
	struct step_windows windows;
	int rc = step_windows_load(store, profile, work, &windows, err);

	*out = (struct step_bounds){ .n = 0 };
	if (rc == 0)
		step_bounds_make(&windows, work, by, out);
	step_windows_release(&windows);
	return rc;
}

int step_bounds_recorded(struct store *store, const struct scope_profile *profile,
			 struct step_bounds *out, struct err *err)
{
	struct step_windows windows;
	int rc = step_windows_recorded(store, profile, &windows, err);

	*out = (struct step_bounds){ .n = 0 };
	if (rc == 0)
		add_bounds(&windows, out);
	step_windows_release(&windows);
	return rc;
}

void step_bounds_release(struct step_bounds *b)
{
	free(b->items);
	*b = (struct step_bounds){ .n = 0 };
}

void step_bounds_set_host(struct step_bounds *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct step_bound *step = &b->items[i];
		b->was_windowed |= step->start_ns != step->host_start_ns ||
				   step->end_ns != step->host_end_ns;
		step->start_ns = step->host_start_ns;
		step->end_ns = step->host_end_ns;
	}
}

static bool is_launched_before(const void *work, uint32_t a, uint32_t b)
{
	const struct work_item *items = work;

	return items[a].launch_start_ns < items[b].launch_start_ns;
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
static void match_work(struct step_bounds *b, const struct device_work *work,
		       const uint32_t *launched, size_t n, bool *is_matched)
{
	size_t step = 0;

	for (size_t i = 0; i < n && step < b->n;) {
		const struct work_item *item = &work->items[launched[i]];
		struct step_bound *in = &b->items[step];
		if (item->launch_start_ns >= in->host_start_ns &&
		    item->launch_end_ns <= in->host_end_ns) {
			count_work(in, item);
			is_matched[launched[i]] = true;
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
	uint32_t *launched = xrealloc_array(NULL, (work->n * 2) + 1, sizeof(*launched));
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
			launched[n++] = (uint32_t)i;
	/* nearly in order: what a stream does, it does in the order of its launches */
	sort_indexes(launched, n, launched + n, is_launched_before, work->items);
	match_work(b, work, launched, n, is_matched);
	if (b->is_moved) {
		move_bounds(b, end_before_first(b, work, is_matched));
		if (b->n > 1)
			drop_tail(b);
	}
	free(is_matched);
	free(launched);
}
