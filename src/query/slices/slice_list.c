/* Single slices as a table: see slice_list.h. */
#include "query/slices/slice_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/err.h"
#include "query/slices/slice_rank.h"
#include "query/slices/slices.h"
#include "trace/fact.h"

/*
 * Slices by start: the tracks of a profile, which are sorted each, merged;
 * profile after profile.  Nothing but a small block of rows waits for each
 * track, and the first slices are there at once.
 */
struct slice_merge;

/* The first block of a track is small, so that many tracks are opened quickly. */
#define FIRST_BLOCK 4
#define BLOCK       64

/* A track being merged: rows[at..n) are read and wait. */
struct source {
	const struct slices_track *track;
	struct slice_row *rows; /* owned; NULL: none was read yet, or no more */
	size_t at, n;
	int64_t next_id;
};

struct slice_merge {
	struct slices *slices;  /* borrowed */
	struct source *sources; /* owned; one for each track */
	struct source **heap;   /* owned; those of one profile with a row */
	size_t nheap;
	size_t next_track; /* the first of the next profile */
};

/* The slices are borrowed.  Never NULL. */
static struct slice_merge *slice_merge_new(struct slices *slices)
{
	struct slice_merge *m = xcalloc(1, sizeof(*m));

	m->slices = slices;
	m->sources = xcalloc(slices->ntracks + 1, sizeof(*m->sources));
	m->heap = xcalloc(slices->ntracks + 1, sizeof(struct source *));
	return m;
}

/* Accepts NULL. */
static void slice_merge_free(struct slice_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->slices->ntracks; i++)
		free(m->sources[i].rows);
	free(m->sources);
	free(m->heap);
	free(m);
}

static const struct slice_row *head(const struct source *s)
{
	return &s->rows[s->at];
}

static bool is_before(const struct source *a, const struct source *b)
{
	const struct slice_row *x = head(a), *y = head(b);

	if (a->track->is_apart != b->track->is_apart)
		return b->track->is_apart;
	return x->ts_ns != y->ts_ns ? x->ts_ns < y->ts_ns : x->id < y->id;
}

static void sift_down(struct slice_merge *m, size_t at)
{
	for (;;) {
		size_t least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < m->nheap && is_before(m->heap[child], m->heap[least]))
				least = child;
		if (least == at)
			return;
		struct source *moved = m->heap[at];
		m->heap[at] = m->heap[least];
		m->heap[least] = moved;
		at = least;
	}
}

/* The next block: 1, 0 at the track's end, or -1. */
static int refill(struct slice_merge *m, struct source *s, struct err *err)
{
	size_t all = (size_t)s->track->slices;
	size_t block = s->rows ? BLOCK : FIRST_BLOCK;

	if (!s->rows)
		s->rows = xcalloc(all < BLOCK ? all : BLOCK, sizeof(*s->rows));
	int n = slices_read(m->slices, s->track, s->next_id, s->rows,
			    all < block ? all : block, err);
	if (n <= 0)
		return n;
	s->next_id = s->rows[n - 1].id + 1;
	s->at = 0;
	s->n = (size_t)n;
	return 1;
}

/* To the next wanted row, perhaps the one it stands on: 1, 0 at the end, or -1. */
static int settle(struct slice_merge *m, struct source *s, struct err *err)
{
	for (;; s->at++) {
		if (s->at == s->n) {
			int rc = refill(m, s, err);
			if (rc <= 0)
				return rc;
		}
		if (head(s)->ts_ns >= s->track->to_ns)
			return 0;
		int rc = slices_is_wanted(m->slices, head(s), err);
		if (rc != 0)
			return rc;
	}
}

static void end_source(struct source *s)
{
	free(s->rows);
	s->rows = NULL;
}

/* Begins a track where the filter by time lets it; it joins the heap if a row is wanted. */
static int open_source(struct slice_merge *m, size_t at, struct err *err)
{
	struct source *s = &m->sources[at];

	s->track = &m->slices->tracks[at];
	s->next_id = s->track->first_id;
	if (!s->track->is_wanted)
		return 0;
	if (s->track->from_ns > 0 &&
	    slices_seek(m->slices, s->track, s->track->from_ns, &s->next_id, err) < 0)
		return -1;
	int rc = settle(m, s, err);
	if (rc > 0)
		m->heap[m->nheap++] = s;
	else
		end_source(s);
	return rc < 0 ? -1 : 0;
}

/* Fills the heap with the tracks of the next profile that has a wanted slice. */
static int open_profile(struct slice_merge *m, struct err *err)
{
	const struct slices *slices = m->slices;

	while (m->nheap == 0 && m->next_track < slices->ntracks) {
		const struct scope_profile *profile =
			slices->tracks[m->next_track].profile;
		for (; m->next_track < slices->ntracks &&
		       slices->tracks[m->next_track].profile == profile;
		     m->next_track++)
			if (open_source(m, m->next_track, err) < 0)
				return -1;
	}
	for (size_t i = m->nheap / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

/* 1: the next wanted slice, by (start, id), and its track; 0: end; -1: err is set. */
static int slice_merge_next(struct slice_merge *m, struct slice_row *row,
			    const struct slices_track **track, struct err *err)
{
	if (m->nheap == 0 && open_profile(m, err) < 0)
		return -1;
	if (m->nheap == 0)
		return 0;
	struct source *first = m->heap[0];
	*row = *head(first);
	*track = first->track;
	first->at++;
	int rc = settle(m, first, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		end_source(first);
		m->heap[0] = m->heap[--m->nheap];
	}
	sift_down(m, 0);
	return 1;
}

#define PLACE_MAX ((size_t)1 << 20)

/* clang-format off */
enum { PROFILE, RANK, ID, START, DUR, SELF, NAME, CLASS, CATEGORY, PLACE, TRACK, PID, THREAD,
       THREAD_NAME, DEVICE, STREAM, DEPTH, PARENT, STEP, CORRELATION, UNFINISHED, SET_APART,
       NCOLUMNS };

#define CELL(place) .get = view_cell, .arg = (place)
#define NO_SORT     .flags = FIELD_NO_SORT

static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PROFILE),
	  .flags = FIELD_PROFILE | FIELD_NO_SORT },
	{ "rank", "Rank", "its rank", NULL, UNIT_ID, CELL(RANK), NO_SORT },
	{ "id", "ID", "number of the slice in the store: slice.id", NULL, UNIT_ID, CELL(ID), NO_SORT },
	{ "start_ns", "Start", "start, from the profile's first event", NULL, UNIT_TIME, CELL(START) },
	{ "dur_ns", "Duration", "duration, to the end of the recording where is_unfinished", NULL, UNIT_NS, CELL(DUR) },
	{ "self_ns", "Self", "the duration less that of the slices directly within it", NULL, UNIT_NS, CELL(SELF), .leaves = 2 },
	{ "name", "Name", "name as it is in the file, A to Z", NULL, UNIT_TEXT, CELL(NAME) },
	{ "class", "Class", "class of the slice: slice_class in ptool-store(5)", NULL, UNIT_TEXT, CELL(CLASS), NO_SORT, .leaves = 1 },
	{ "category", "Category", "category, as in the file", NULL, UNIT_TEXT, CELL(CATEGORY), NO_SORT },
	{ "place", "Where", NULL, NULL, UNIT_TEXT, CELL(PLACE), .flags = FIELD_PEOPLE, .least = 14 },
	{ "track", "Track", "kind of its track: thread, stream, stream_notes or async", NULL, UNIT_TEXT, CELL(TRACK), NO_SORT },
	{ "pid", "Process", "process of a host slice", NULL, UNIT_TEXT, CELL(PID), NO_SORT },
	{ "thread", "Thread", "thread of a host slice, for --thread", NULL, UNIT_TEXT, CELL(THREAD), NO_SORT },
	{ "thread_name", "Thread name", "name of that thread, for --thread too", NULL, UNIT_TEXT, CELL(THREAD_NAME), NO_SORT },
	{ "device", "Device", "device of the work, or of notes about it", NULL, UNIT_ID, CELL(DEVICE), NO_SORT },
	{ "stream", "Stream", "stream of that device", NULL, UNIT_ID, CELL(STREAM), NO_SORT },
	{ "depth", "Depth", "depth among the slices of the track", NULL, UNIT_COUNT, CELL(DEPTH), NO_SORT },
	{ "parent_id", "Parent", "slice around it", NULL, UNIT_ID, CELL(PARENT), NO_SORT },
	{ "step", "Step", "number of its step", NULL, UNIT_ID, CELL(STEP), NO_SORT },
	{ "correlation", "Correlation", "id that a launch and its device work share", NULL, UNIT_ID, CELL(CORRELATION), NO_SORT },
	{ "is_unfinished", "Unfinished", "1: its end was not recorded", NULL, UNIT_BOOL, CELL(UNFINISHED), NO_SORT },
	{ "is_set_apart", "Set apart", "1: its times are impossible; dur_ns is 0, start_ns as recorded", NULL, UNIT_BOOL, CELL(SET_APART), NO_SORT },
	{ .name = NULL },
};

const struct view slice_list_view = {
	.name = "list",
	.fields = fields,
	.people = VIEW_PART("profile rank? start_ns dur_ns self_ns name class place step"),
	.sort = "start_ns",
};
/* clang-format on */

struct slice_list {
	struct table table;
	struct slices *slices;     /* owned */
	struct slice_merge *merge; /* owned; NULL: ranked */
	struct slice_rank *rank;   /* owned; NULL: merged */
	int64_t limit, given;
	struct buf place;
	bool for_people;
};

/* 0 is no id. */
static struct cell id_cell(int64_t id)
{
	return id ? cell_int(id) : cell_null();
}

/* "stream 7", of several devices "device 1 stream 7"; numbers as the filters take them. */
static void add_stream(struct slice_list *l, const struct slices_track *t)
{
	if (l->slices->has_devices && t->device != NUMBER_NONE)
		buf_addf(&l->place, "device %" PRId64 " ", t->device);
	buf_add_text(&l->place, "stream");
	if (t->stream != NUMBER_NONE)
		buf_addf(&l->place, " %" PRId64, t->stream);
}

static struct cell device_cell(const struct slices_track *t, int64_t number)
{
	return t->is_device && number != NUMBER_NONE ? cell_int(number) : cell_null();
}

/*
 * For people: a stream, else the thread's number, else its name;
 * and whether the slice is set apart.
 */
static struct cell place_cell(struct slice_list *l, const struct slices_track *t)
{
	const char *thread = t->thread ? t->thread : t->thread_name;

	if (!t->is_device && !t->is_apart)
		return cell_text_or_null(thread);
	buf_clear(&l->place);
	if (t->is_device)
		add_stream(l, t);
	else if (thread)
		buf_add_text(&l->place, thread);
	if (t->is_apart)
		buf_add_text(&l->place, l->place.n ? ", set apart" : "set apart");
	return cell_text(buf_str(&l->place));
}

/* Times that cannot be would choose the unit of the whole column. */
static struct cell time_cell(const struct slice_list *l, const struct slices_track *t,
			     int64_t ns)
{
	return t->is_apart && l->for_people ? cell_null() : cell_int(ns);
}

static void set_track(struct slice_list *l, const struct slices_track *t,
		      struct cell *cells)
{
	const struct scope_profile *p = t->profile;

	cells[PROFILE] = cell_int(p->id);
	cells[RANK] = scope_rank_cell(p);
	cells[PLACE] = place_cell(l, t);
	cells[TRACK] = cell_text_or_null(t->kind);
	cells[PID] = t->is_device ? cell_null() : cell_text_or_null(t->pid);
	cells[THREAD] = cell_text_or_null(t->thread);
	cells[THREAD_NAME] = cell_text_or_null(t->thread_name);
	cells[DEVICE] = device_cell(t, t->device);
	cells[STREAM] = device_cell(t, t->stream);
	cells[SET_APART] = cell_int(t->is_apart);
}

static int set_row(struct slice_list *l, const struct slices_track *t,
		   const struct slice_row *row, struct cell *cells, struct err *err)
{
	struct str name, category;
	int64_t step;

	if (slices_text(l->slices, row->name_id, &name, err) < 0 ||
	    slices_text(l->slices, row->category_id, &category, err) < 0)
		return -1;
	cells[ID] = cell_int(row->id);
	cells[START] = time_cell(l, t, row->ts_ns);
	cells[DUR] = time_cell(l, t, row->dur_ns);
	cells[SELF] = time_cell(l, t, row->self_ns);
	cells[NAME] = cell_text(name);
	cells[CLASS] = cell_text(str_of(slices_class(l->slices, row)));
	cells[CATEGORY] = row->category_id ? cell_text(category) : cell_null();
	cells[DEPTH] = cell_int(row->depth);
	cells[PARENT] = id_cell(row->parent_id);
	cells[STEP] = slices_step(l->slices, row, &step) ? cell_int(step) : cell_null();
	cells[CORRELATION] =
		row->has_correlation ? cell_int(row->correlation) : cell_null();
	cells[UNFINISHED] = cell_int(row->is_unfinished);
	return 0;
}

static int next_slice(struct slice_list *l, struct slice_row *row,
		      const struct slices_track **track, struct err *err)
{
	if (l->merge)
		return slice_merge_next(l->merge, row, track, err);
	return slice_rank_next(l->rank, row, track, err);
}

static int list_next(struct table *t, struct cell *cells, struct err *err)
{
	struct slice_list *l = (struct slice_list *)t;
	const struct slices_track *track;
	struct slice_row row;

	if (l->limit && l->given == l->limit)
		return 0;
	int rc = next_slice(l, &row, &track, err);
	if (rc == 0)
		t->total_rows = l->given;
	if (rc <= 0)
		return rc;
	l->given++;
	set_track(l, track, cells);
	return set_row(l, track, &row, cells, err) < 0 ? -1 : 1;
}

static void list_free(struct table *t)
{
	struct slice_list *l = (struct slice_list *)t;

	slice_merge_free(l->merge);
	slice_rank_free(l->rank);
	slices_close(l->slices);
	buf_release(&l->place);
	free(l);
}

static int begin(struct slice_list *l, struct store *store,
		 const struct slice_list_request *request, struct err *err)
{
	int by = request->show.sort ? request->show.sort->arg : START;

	if (by == START) {
		l->merge = slice_merge_new(l->slices);
		/* with a filter only the end would tell */
		l->table.total_rows = l->slices->is_filtered ? -1 : l->slices->total;
		return 0;
	}
	enum slice_key key = by == DUR    ? SLICE_BY_DUR
			     : by == SELF ? SLICE_BY_SELF
					  : SLICE_BY_NAME;
	if (slice_rank_open(store, l->slices, key, l->limit, &l->rank, err) < 0)
		return -1;
	l->table.total_rows = slice_rank_total(l->rank);
	return 0;
}

int slice_list_open(struct store *store, const struct scope *scope,
		    const struct slice_list_request *request, struct table **out,
		    struct err *err)
{
	const struct view_request show = { .for_people = request->show.for_people };
	struct slice_list *l = xcalloc(1, sizeof(*l));

	*out = NULL;
	l->table = (struct table){ .ncolumns = NCOLUMNS,
				   .next = list_next,
				   .free = list_free,
				   .total_rows = -1 };
	l->limit = request->show.limit;
	l->for_people = request->show.for_people;
	buf_init(&l->place, PLACE_MAX);
	if (slices_open(store, scope, request->filter, &l->slices, err) < 0 ||
	    begin(l, store, request, err) < 0) {
		list_free(&l->table);
		return -1;
	}
	*out = view_stream(&slice_list_view, &l->table, scope, &show);
	return 0;
}
