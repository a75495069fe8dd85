/* A timeline in cells: see cell_rows.h. */
#include "query/timeline/cell_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "query/timeline/cell_causes.h"

#define ROW_LINES   2
#define OTHER_LINES 12 /* besides rows and causes */
#define ROWS_LEAST  3

struct cell_row *cell_rows_add(struct cell_rows *r, enum row_kind kind, size_t profile,
			       const struct slices_track *track, int64_t device)
{
	struct cell_row *row = ARRAY_PUSH(r->items, r->n, r->cap);

	*row = (struct cell_row){
		.kind = kind,
		.profile = profile,
		.track = track,
		.device = device,
		.label = cell_row_label(r, kind, profile, track, device),
		.cells = xcalloc(r->ncells, sizeof(*row->cells)),
	};
	return row;
}

/* Devices before threads, the busiest first, idle time behind the streams of its device. */
static int compare_rows(const void *a, const void *b)
{
	const struct cell_row *x = a, *y = b;
	const int64_t keys[][2] = {
		{ (int64_t)x->profile, (int64_t)y->profile },
		{ x->kind == ROW_THREAD, y->kind == ROW_THREAD },
		{ x->kind == ROW_THREAD ? 0 : x->device,
		  y->kind == ROW_THREAD ? 0 : y->device },
		{ x->kind, y->kind },
		{ y->work_ns, x->work_ns },
		{ y->busy_ns, x->busy_ns },
		{ x->track ? x->track->first_id : 0, y->track ? y->track->first_id : 0 },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static bool is_same_group(const struct cell_row *a, const struct cell_row *b)
{
	bool is_thread = a->kind == ROW_THREAD;

	return a->profile == b->profile && is_thread == (b->kind == ROW_THREAD) &&
	       (is_thread || a->device == b->device);
}

/* Idle time is the second of its device. */
static size_t rank_of(enum row_kind kind, size_t place)
{
	if (kind == ROW_IDLE)
		return place > 0;
	return kind == ROW_STREAM && place > 0 ? place + 1 : place;
}

static void rank_rows(struct cell_rows *r)
{
	for (size_t i = 0, first = 0; i < r->n; i++) {
		if (!is_same_group(&r->items[first], &r->items[i]))
			first = i;
		r->items[i].rank = rank_of(r->items[i].kind, i - first);
	}
}

/* Tracks of one device each had a row for its idle time. */
static void drop_repeated(struct cell_rows *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->items[i].kind == ROW_IDLE && n &&
		    r->items[n - 1].kind == ROW_IDLE &&
		    is_same_group(&r->items[n - 1], &r->items[i]))
			free(r->items[i].cells);
		else
			r->items[n++] = r->items[i];
	}
	r->n = n;
}

/* As many as fit the terminal with what is above and below them; 0: all. */
static int64_t rows_fitting(const struct cell_rows *r,
			    const struct cells_request *request)
{
	int64_t room = request->lines - OTHER_LINES;

	if (request->limit >= 0 || !request->for_people)
		return request->limit > 0 ? request->limit : 0;
	for (size_t i = 0; i < r->n; i++) {
		if (r->items[i].kind != ROW_IDLE)
			continue;
		room -= (int64_t)cell_causes_most(request->lines);
		break;
	}
	return room / ROW_LINES > ROWS_LEAST ? room / ROW_LINES : ROWS_LEAST;
}

struct ranked {
	size_t rank, place;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* The first of each device and of threads, then the second, until the limit. */
static void choose_rows(struct cell_rows *r, int64_t limit)
{
	struct ranked *by_rank = xrealloc_array(NULL, r->n + 1, sizeof(*by_rank));

	for (size_t i = 0; i < r->n; i++)
		by_rank[i] = (struct ranked){ r->items[i].rank, i };
	qsort(by_rank, r->n, sizeof(*by_rank), compare_ranks);
	r->nshown = limit && (uint64_t)limit < r->n ? (size_t)limit : r->n;
	for (size_t i = 0; i < r->nshown; i++)
		r->items[by_rank[i].place].is_shown = true;
	free(by_rank);
}

bool cell_rows_have_idle(const struct cells_request *request)
{
	return request->filter->threads.n == 0 && request->filter->streams.n == 0;
}

struct cell_row *cell_rows_find_idle(struct cell_rows *r, size_t profile, int64_t device)
{
	struct cell_row wanted = { .kind = ROW_IDLE,
				   .profile = profile,
				   .device = device };
	size_t at;

	wanted.work_ns = wanted.busy_ns = INT64_MAX; /* before all such rows */
	SEARCH(at, 0, r->n, compare_rows(&r->items[at], &wanted) < 0);
	return at < r->n && r->items[at].kind == ROW_IDLE &&
			       is_same_group(&r->items[at], &wanted)
		       ? &r->items[at]
		       : NULL;
}

/* What is asked for is the time of slices, not where they begin. */
static struct filter filter_without_time(const struct filter *filter)
{
	struct filter f = *filter;

	f.has_steps = f.has_times = false;
	return f;
}

int cell_rows_load(struct store *store, const struct scope *scope,
		   const struct cells_request *request, struct cell_rows *out,
		   struct err *err)
{
	*out = (struct cell_rows){ .scope = scope };
	out->filter = filter_without_time(request->filter);
	if (cell_spans_load(store, scope, request->filter, &out->spans, err) < 0 ||
	    slices_open(store, scope, &out->filter, &out->slices, err) < 0)
		return -1;
	if (cell_rows_read(store, request, out, err) < 0)
		return -1;
	if (out->n == 0)
		return err_set(err, ERR_EMPTY, "nothing matches");
	qsort(out->items, out->n, sizeof(*out->items), compare_rows);
	drop_repeated(out);
	rank_rows(out);
	choose_rows(out, rows_fitting(out, request));
	return cell_idle_load(store, request, out, err);
}

void cell_rows_release(struct cell_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].cells);
	free(r->items);
	free(r->causes);
	free(r->devices);
	free(r->axes);
	free(r->covers);
	cell_spans_release(&r->spans);
	slices_close(r->slices);
	arena_release(&r->arena);
	*r = (struct cell_rows){ .n = 0 };
}
