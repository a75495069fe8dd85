/* What grew in long steps: see step_growth.h. */
#include "query/steps/step_growth.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"
#include "query/steps/host_names.h"

ASSET(asset_query_views_host_tracks_sql);

/* Columns of host_tracks.sql. */
enum { TRACK_ID, TRACK_FIRST, TRACK_SLICES };

/* Names are counted from 1 here: 0 is time of a step that is in no slice. */
#define IN_NO_SLICE 0U

struct open_slice {
	uint32_t name;
	int64_t end_ns;
};

/* A step as long as nothing else counts for it: until the next one begins. */
struct growth_window {
	size_t row; /* in steps.rows */
	int64_t start_ns, end_ns;
	bool is_own; /* the thread that is read has the step's own slice */
};

/* Self time of a name in a long step, on one thread. */
struct spent {
	size_t row;
	uint32_t name;
	bool is_own;
	int64_t ns;
};

struct growth {
	struct text_pool *texts;
	struct steps *steps;
	struct slice_pack slices;
	struct growth_window *windows; /* of the profile that is read, by start */
	size_t nwindows, windows_cap;
	size_t at;      /* the window that `now` is of */
	int64_t *now;   /* by name: self time in the window, on the thread */
	int64_t *usual; /* by 2 * name + is_own: in all steps that are not long */
	uint32_t *used; /* names that `now` has time of */
	size_t nused, used_cap, names_cap;
	struct open_slice *open; /* those around the moment, outermost first */
	size_t nopen, open_cap;
	int64_t reached_ns; /* of the thread all before it is counted */
	struct spent *spent;
	size_t nspent, spent_cap;
	int64_t nusual; /* steps that are not long */
};

static void make_room(struct growth *g, uint32_t name)
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
static void leave_window(struct growth *g)
{
	const struct growth_window *w = &g->windows[g->at];
	bool is_long = g->steps->rows[w->row].is_long;

	for (size_t i = 0; i < g->nused; i++) {
		uint32_t name = g->used[i];
		int64_t *usual = &g->usual[2 * (size_t)name + w->is_own];
		if (is_long) {
			g->spent = xgrow(g->spent, &g->spent_cap, g->nspent + 1,
					 sizeof(*g->spent));
			g->spent[g->nspent++] =
				(struct spent){ w->row, name, w->is_own, g->now[name] };
		} else {
			*usual = sum_add(*usual, g->now[name]);
		}
		g->now[name] = 0;
	}
	g->nused = 0;
}

/* The name ran from where the thread has got to until then, in whatever steps. */
static void count(struct growth *g, uint32_t name, int64_t to_ns)
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
		const struct growth_window *w = &g->windows[g->at];
		int64_t start_ns = from_ns > w->start_ns ? from_ns : w->start_ns;
		int64_t end_ns = to_ns < w->end_ns ? to_ns : w->end_ns;
		if (g->now[name] == 0) {
			g->used = xgrow(g->used, &g->used_cap, g->nused + 1,
					sizeof(*g->used));
			g->used[g->nused++] = name;
		}
		g->now[name] += end_ns - start_ns;
		from_ns = end_ns;
	}
}

/* Ends the slices that end by then. */
static void close_until(struct growth *g, int64_t ns)
{
	while (g->nopen && g->open[g->nopen - 1].end_ns <= ns) {
		const struct open_slice *last = &g->open[--g->nopen];
		count(g, last->name, last->end_ns);
	}
}

/* Is it a step's own slice, by what it is or by its name? */
static bool is_step(const struct growth *g, const struct packed_slice *s, uint32_t name)
{
	for (size_t i = g->at; i < g->nwindows && g->windows[i].start_ns <= s->start_ns;
	     i++)
		if (g->steps->rows[g->windows[i].row].slice_id == s->id)
			return true;
	return s->class != CLASS_PYTHON && name != TEXT_NONE &&
	       host_name_bits(text_pool_str(g->texts, name)) & HOST_STEP;
}

static int add_slice(struct growth *g, struct err *err)
{
	const struct packed_slice *s = &g->slices.slice;
	struct open_slice slice = { .end_ns = s->end_ns };
	uint32_t number;

	if (s->end_ns <= s->start_ns || s->class == CLASS_SPAN ||
	    s->class == CLASS_MEMORY)
		return 0;
	if (text_pool_number(g->texts, s->name_id, &number, err) < 0)
		return -1;
	close_until(g, s->start_ns);
	slice.name =
		number == TEXT_NONE || is_step(g, s, number) ? IN_NO_SLICE : number + 1;
	make_room(g, slice.name);
	if (g->nopen) {
		const struct open_slice *around = &g->open[g->nopen - 1];
		count(g, around->name, s->start_ns);
		if (slice.end_ns > around->end_ns)
			slice.end_ns = around->end_ns;
	}
	if (s->start_ns > g->reached_ns)
		g->reached_ns = s->start_ns;
	g->open = xgrow(g->open, &g->open_cap, g->nopen + 1, sizeof(*g->open));
	g->open[g->nopen++] = slice;
	return 0;
}

static int read_track(struct growth *g, struct sqlite3_stmt *track, struct err *err)
{
	int64_t first = sqlite3_column_int64(track, TRACK_FIRST);
	int64_t n = sqlite3_column_int64(track, TRACK_SLICES);
	int rc = slice_pack_seek(&g->slices, first, n, err);

	for (size_t i = 0; i < g->nwindows; i++) {
		int64_t id = g->steps->rows[g->windows[i].row].slice_id;
		g->windows[i].is_own = id == 0 || (id >= first && id - first < n);
	}
	g->at = 0;
	g->nopen = 0;
	g->reached_ns = INT64_MIN;
	while (rc == 0 && (rc = slice_pack_next(&g->slices, err)) > 0)
		rc = add_slice(g, err);
	if (rc < 0)
		return -1;
	close_until(g, INT64_MAX);
	if (g->at < g->nwindows)
		leave_window(g);
	return 0;
}

static int read_profile(struct growth *g, struct store *store, int64_t profile_id,
			struct err *err)
{
	struct sqlite3_stmt *tracks = NULL;
	int rc = -1;

	make_room(g, IN_NO_SLICE);
	if (slice_pack_open(store, PACKED_NAME | PACKED_CLASS, &g->slices, err) == 0 &&
	    query_prepare(store, asset_query_views_host_tracks_sql, &tracks, err) == 0) {
		query_bind_int(tracks, ":profile", profile_id);
		while ((rc = sql_step(tracks, err)) > 0 &&
		       (rc = read_track(g, tracks, err)) == 0)
			;
	}
	sqlite3_finalize(tracks);
	slice_pack_close(&g->slices);
	return rc;
}

/* The rows of a profile from `first` on, each step once: where the next profile's begin. */
static size_t collect_windows(struct growth *g, size_t first)
{
	const struct steps *s = g->steps;
	size_t i = first;

	g->nwindows = 0;
	for (; i < s->n && s->rows[i].profile == s->rows[first].profile; i++) {
		const struct step_row *row = &s->rows[i];
		if (row->is_mean || !row->is_first || row->is_dropped)
			continue;
		struct growth_window *last =
			g->nwindows ? &g->windows[g->nwindows - 1] : NULL;
		if (last && last->end_ns > row->host_start_ns)
			last->end_ns = row->host_start_ns;
		g->windows = xgrow(g->windows, &g->windows_cap, g->nwindows + 1,
				   sizeof(*g->windows));
		g->windows[g->nwindows++] = (struct growth_window){
			.row = i,
			.start_ns = row->host_start_ns,
			.end_ns = row->host_end_ns,
		};
		g->nusual += !row->is_long;
	}
	return i;
}

static int64_t grew_ns(const struct growth *g, const struct spent *spent)
{
	int64_t usual_ns = g->usual[2 * (size_t)spent->name + spent->is_own];

	return sum_sub(spent->ns, g->nusual ? usual_ns / g->nusual : 0);
}

static void name_slice(struct growth *g, struct step_row *row, const struct spent *spent)
{
	row->grew_slice_ns = grew_ns(g, spent);
	row->grew_slice =
		arena_copy(&g->steps->arena, text_pool_str(g->texts, spent->name - 1)).p;
}

/* The name that grew most on a row's own thread, or on the others. */
static const struct spent *most_grown(const struct growth *g, size_t from, size_t to,
				      bool is_own)
{
	const struct spent *most = NULL;

	for (size_t i = from; i < to; i++) {
		const struct spent *spent = &g->spent[i];
		if (spent->is_own == is_own && spent->name != IN_NO_SLICE &&
		    grew_ns(g, spent) > (most ? grew_ns(g, most) : 0))
			most = spent;
	}
	return most;
}

/* Growth of the time of the own thread that is in no slice. */
static int64_t unrecorded_ns(const struct growth *g, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (g->spent[i].is_own && g->spent[i].name == IN_NO_SLICE)
			return grew_ns(g, &g->spent[i]);
	return 0;
}

static int by_place(const void *left, const void *right)
{
	const struct spent *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->is_own != b->is_own)
		return a->is_own ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

/* One for each row and name: those of several threads are added up. */
static void add_up(struct growth *g)
{
	size_t kept = 0;

	if (g->nspent)
		qsort(g->spent, g->nspent, sizeof(*g->spent), by_place);
	for (size_t i = 0; i < g->nspent; i++) {
		if (kept && by_place(&g->spent[kept - 1], &g->spent[i]) == 0)
			g->spent[kept - 1].ns += g->spent[i].ns;
		else
			g->spent[kept++] = g->spent[i];
	}
	g->nspent = kept;
}

static void name_all(struct growth *g)
{
	add_up(g);
	for (size_t from = 0, to; from < g->nspent; from = to) {
		struct step_row *row = &g->steps->rows[g->spent[from].row];
		for (to = from + 1;
		     to < g->nspent && g->spent[to].row == g->spent[from].row;)
			to++;
		const struct spent *own = most_grown(g, from, to, true);
		const struct spent *other = most_grown(g, from, to, false);
		int64_t own_ns = own ? grew_ns(g, own) : 0;
		row->grew_unrecorded_ns = unrecorded_ns(g, from, to);
		if (other && row->grew_unrecorded_ns > own_ns &&
		    grew_ns(g, other) > own_ns)
			own = other;
		if (own)
			name_slice(g, row, own);
	}
}

static void release(struct growth *g)
{
	free(g->windows);
	free(g->now);
	free(g->usual);
	free(g->used);
	free(g->open);
	free(g->spent);
}

/* All profiles of the group: files of a step each are read one after the other. */
static int find_in_group(struct store *store, struct text_pool *texts, struct steps *s,
			 size_t group, struct err *err)
{
	struct growth g = { .texts = texts, .steps = s };
	int rc = 0;

	for (size_t i = 0, next; i < s->n && rc == 0; i = next) {
		next = i + 1;
		if (s->rows[i].group != group || s->rows[i].is_mean)
			continue;
		next = collect_windows(&g, i);
		rc = read_profile(&g, store, s->rows[i].profile->id, err);
	}
	if (rc == 0)
		name_all(&g);
	release(&g);
	return rc;
}

/* Rows of a profile's other devices have what the first one's have. */
static void tell_other_devices(struct steps *s)
{
	for (size_t i = 0, first = 0; i < s->n; i++) {
		struct step_row *row = &s->rows[i];
		if (i && row->profile != s->rows[i - 1].profile)
			first = i;
		if (!row->is_long || row->is_first)
			continue;
		size_t k = first;
		while (k < i && (s->rows[k].is_mean ||
				 s->rows[k].host_start_ns != row->host_start_ns ||
				 s->rows[k].slice_id != row->slice_id))
			k++;
		row->grew_slice = s->rows[k].grew_slice;
		row->grew_slice_ns = s->rows[k].grew_slice_ns;
		row->grew_unrecorded_ns = s->rows[k].grew_unrecorded_ns;
	}
}

int step_growth_find(struct store *store, struct text_pool *texts, struct steps *s,
		     struct err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct step_row *row = &s->rows[i];
		bool is_told = row->is_long && row->is_first && !row->is_mean;
		for (size_t k = 0; is_told && k < i; k++)
			is_told = !(s->rows[k].group == row->group && s->rows[k].is_long);
		if (is_told && find_in_group(store, texts, s, row->group, err) < 0)
			return -1;
	}
	tell_other_devices(s);
	return 0;
}
