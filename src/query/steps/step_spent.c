/* What the host spent steps on: see step_spent.h. */
#include "query/steps/step_spent.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
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

/* What was counted of a window goes to its step, or to what is usual. */
static void leave_window(struct step_spent *g)
{
	const struct spent_window *w = &g->windows[g->at];
	bool is_long = g->steps->rows[w->row].is_long;

	for (size_t i = 0; i < g->nused; i++) {
		uint32_t name = g->used[i];
		int64_t *usual = &g->usual[2 * (size_t)name + w->is_own];
		if (is_long) {
			*ARRAY_PUSH(g->spent, g->nspent, g->spent_cap) =
				(struct spent){ w->row, name, w->is_own, g->now[name] };
		} else {
			*usual = sum_add(*usual, g->now[name]);
		}
		g->now[name] = 0;
	}
	g->nused = 0;
}

/* The name ran from where the thread has got to until then, in whatever steps. */
static void count(struct step_spent *g, uint32_t name, int64_t to_ns)
{
	int64_t from_ns = g->reached_ns;

	if (to_ns > g->reached_ns)
		g->reached_ns = to_ns;
	while (from_ns < to_ns) {
		while (g->at < g->nwindows && g->windows[g->at].end_ns <= from_ns) {
			leave_window(g);
			g->at++;
		}
		if (g->at == g->nwindows || g->windows[g->at].start_ns >= to_ns)
			return;
		const struct spent_window *w = &g->windows[g->at];
		int64_t start_ns = from_ns > w->start_ns ? from_ns : w->start_ns;
		int64_t end_ns = to_ns < w->end_ns ? to_ns : w->end_ns;
		if (g->now[name] == 0)
			*ARRAY_PUSH(g->used, g->nused, g->used_cap) = name;
		g->now[name] += end_ns - start_ns;
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
	for (size_t i = g->at; i < g->nwindows && g->windows[i].start_ns <= s->start_ns;
	     i++)
		if (g->steps->rows[g->windows[i].row].slice_id == s->id)
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
	const struct slice_walk *walk = &g->walk;
	int rc;

	for (size_t i = 0; i < g->nwindows; i++) {
		int64_t id = g->steps->rows[g->windows[i].row].slice_id;
		g->windows[i].is_own =
			id == 0 || (id >= walk->first_id && id < walk->next_id);
	}
	g->at = 0;
	g->nopen = 0;
	g->reached_ns = INT64_MIN;
	while ((rc = slice_pack_next(&g->walk.slices, err)) > 0)
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
	while (rc == 0 && (rc = slice_walk_track(&g->walk, err)) > 0)
		rc = read_track(g, err);
	slice_walk_close(&g->walk);
	return rc;
}

/* The rows of a profile from `first` on, each step once: where the next profile's begin. */
static size_t collect_windows(struct step_spent *g, size_t first)
{
	const struct steps *s = g->steps;
	size_t i = first;

	g->nwindows = 0;
	for (; i < s->n && s->rows[i].profile == s->rows[first].profile; i++) {
		const struct step_row *row = &s->rows[i];
		if (row->is_mean || !row->is_first || row->is_dropped)
			continue;
		struct spent_window *last =
			g->nwindows ? &g->windows[g->nwindows - 1] : NULL;
		if (last && last->end_ns > row->host_start_ns)
			last->end_ns = row->host_start_ns;
		*ARRAY_PUSH(g->windows, g->nwindows, g->windows_cap) =
			(struct spent_window){
				.row = i,
				.start_ns = row->host_start_ns,
				.end_ns = row->host_end_ns,
			};
		g->nusual += !row->is_long;
	}
	return i;
}

int step_spent_add(struct step_spent *g, struct store *store, size_t first, size_t *next,
		   struct err *err)
{
	*next = collect_windows(g, first);
	return read_profile(g, store, g->steps->rows[first].profile->id, err);
}

void step_spent_release(struct step_spent *g)
{
	free(g->windows);
	free(g->now);
	free(g->usual);
	free(g->used);
	free(g->open);
	free(g->spent);
}
