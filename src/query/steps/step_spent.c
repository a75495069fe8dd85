/* What the host spent steps on: see step_spent.h. */
#include "query/steps/step_spent.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/steps/host_names.h"

ASSET(asset_query_views_host_tracks_sql);

static void make_room(struct step_spent *g, uint32_t name)
{
	size_t old = g->names_cap;

	if (name < old)
		return;
	g->now = xgrow(g->now, &g->names_cap, (size_t)name + 1, sizeof(*g->now));
	g->usual = xrealloc_array(g->usual, g->names_cap, 2 * sizeof(*g->usual));
	memset(g->now + old, 0, (g->names_cap - old) * sizeof(*g->now));
	memset(g->usual + 2 * old, 0, (g->names_cap - old) * 2 * sizeof(*g->usual));
}

/* Has the thread that is read the step's own slice? */
static bool is_own(const struct step_spent *g, const struct spent_window *w)
{
	return w->slice_id == 0 ||
	       (w->slice_id >= g->walk.first_id && w->slice_id < g->walk.next_id);
}

/* What was counted of a window goes to its step, or to what is usual. */
static void leave_window(struct step_spent *g)
{
	const struct spent_window *w = &g->windows[g->at];
	bool is_long = g->steps->marks[w->mark].is_long, is_of_own = is_own(g, w);

	for (size_t i = 0; i < g->nused; i++) {
		uint32_t name = g->used[i];
		int64_t *usual = &g->usual[2 * (size_t)name + is_of_own];
		if (is_long) {
			*ARRAY_PUSH(g->spent, g->nspent, g->spent_cap) =
				(struct spent){ w->mark, name, is_of_own, g->now[name] };
		} else {
			*usual = sum_add(*usual, g->now[name]);
		}
		g->now[name] = 0;
	}
	g->nused = 0;
}

/* Leaves the window, when it has ended by then, for the first that has not. */
static void go_to(struct step_spent *g, int64_t ns)
{
	size_t low = g->at, high = g->nwindows;

	if (low == high || g->windows[low].end_ns > ns)
		return;
	leave_window(g);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (g->windows[middle].end_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	g->at = low;
}

/* The name ran from where the thread has got to until then, in whatever steps. */
static void count(struct step_spent *g, uint32_t name, int64_t to_ns)
{
	int64_t from_ns = g->reached_ns;

	if (to_ns > g->reached_ns)
		g->reached_ns = to_ns;
	while (from_ns < to_ns) {
		go_to(g, from_ns);
		if (g->at == g->nwindows || g->windows[g->at].start_ns >= to_ns)
			return;
		if (++g->ncounted > SPENT_MOST) {
			g->is_too_much = true;
			return;
		}
		const struct spent_window *w = &g->windows[g->at];
		int64_t start_ns = from_ns > w->start_ns ? from_ns : w->start_ns;
		int64_t end_ns = to_ns < w->end_ns ? to_ns : w->end_ns;
		if (g->now[name] == 0)
			*ARRAY_PUSH(g->used, g->nused, g->used_cap) = name;
		g->now[name] = sum_add(g->now[name], sum_sub(end_ns, start_ns));
		from_ns = end_ns;
	}
}

/* Ends the slices that end by then. */
static void close_until(struct step_spent *g, int64_t ns)
{
	while (g->nopen && g->open[g->nopen - 1].end_ns <= ns) {
		const struct open_slice *last = &g->open[--g->nopen];
		count(g, last->name, last->end_ns);
	}
}

/* Is it a step's own slice, by what it is or by its name? */
static bool is_step(const struct step_spent *g, const struct packed_slice *s,
		    uint32_t name)
{
	if (bsearch(&s->id, g->slices, g->nwindows, sizeof(s->id), sort_compare_int64))
		return true;
	return s->class != CLASS_PYTHON && name != TEXT_NONE &&
	       host_name_bits(text_pool_str(g->texts, name)) & HOST_STEP;
}

static int add_slice(struct step_spent *g, struct err *err)
{
	const struct packed_slice *s = &g->walk.slices.slice;
	struct open_slice slice = { .end_ns = s->end_ns };
	uint32_t number;

	if (s->end_ns <= s->start_ns || s->class == CLASS_SPAN ||
	    s->class == CLASS_MEMORY)
		return 0;
	if (text_pool_number(g->texts, s->name_id, &number, err) < 0)
		return -1;
	close_until(g, s->start_ns);
	slice.name = number == TEXT_NONE || is_step(g, s, number) ? SPENT_IN_NO_SLICE
								  : number + 1;
	make_room(g, slice.name);
	if (g->nopen) {
		const struct open_slice *around = &g->open[g->nopen - 1];
		count(g, around->name, s->start_ns);
		if (slice.end_ns > around->end_ns)
			slice.end_ns = around->end_ns;
	}
	if (s->start_ns > g->reached_ns)
		g->reached_ns = s->start_ns;
	*ARRAY_PUSH(g->open, g->nopen, g->open_cap) = slice;
	return 0;
}

static int read_track(struct step_spent *g, struct err *err)
{
	int rc = 0;

	g->at = 0;
	g->nopen = 0;
	g->reached_ns = INT64_MIN;
	while (!g->is_too_much && (rc = slice_pack_next(&g->walk.slices, err)) > 0)
		if ((rc = add_slice(g, err)) < 0)
			break;
	if (rc < 0)
		return -1;
	close_until(g, INT64_MAX);
	if (g->at < g->nwindows)
		leave_window(g);
	return 0;
}

static int read_profile(struct step_spent *g, struct store *store, int64_t profile_id,
			struct err *err)
{
	make_room(g, SPENT_IN_NO_SLICE);
	int rc = slice_walk_open(store, asset_query_views_host_tracks_sql, profile_id,
				 PACKED_NAME | PACKED_CLASS, &g->walk, err);
	while (rc == 0 && !g->is_too_much && (rc = slice_walk_track(&g->walk, err)) > 0)
		rc = read_track(g, err);
	slice_walk_close(&g->walk);
	return rc;
}

/* Each step once, whatever devices there are. */
static void collect_windows(struct step_spent *g, const struct steps_profile *p)
{
	size_t cap = g->windows_cap;

	g->nwindows = 0;
	g->windows = xgrow(g->windows, &g->windows_cap, p->bounds.n, sizeof(*g->windows));
	if (g->windows_cap != cap || !g->slices)
		g->slices = xrealloc_array(g->slices, g->windows_cap, sizeof(*g->slices));
	for (size_t i = 0; i < p->bounds.n; i++) {
		const struct step_bound *bound = &p->bounds.items[i];
		if (bound->is_dropped)
			continue;
		if (g->nwindows &&
		    g->windows[g->nwindows - 1].end_ns > bound->host_start_ns)
			g->windows[g->nwindows - 1].end_ns = bound->host_start_ns;
		g->slices[g->nwindows] = bound->slice_id;
		g->windows[g->nwindows++] = (struct spent_window){
			.mark = p->first_mark + i,
			.start_ns = bound->host_start_ns,
			.end_ns = bound->host_end_ns,
			.slice_id = bound->slice_id,
		};
		g->nusual += !g->steps->marks[p->first_mark + i].is_long;
	}
	if (g->nwindows)
		qsort(g->slices, g->nwindows, sizeof(*g->slices), sort_compare_int64);
}

int step_spent_add(struct step_spent *g, struct store *store,
		   const struct steps_profile *p, struct err *err)
{
	collect_windows(g, p);
	return read_profile(g, store, p->profile->id, err);
}

void step_spent_release(struct step_spent *g)
{
	free(g->windows);
	free(g->slices);
	free(g->now);
	free(g->usual);
	free(g->used);
	free(g->open);
	free(g->spent);
}
