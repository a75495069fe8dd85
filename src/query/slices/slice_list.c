/* Single slices as a table: see slice_list.h. */
#include "query/slices/slice_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "query/slices/slice_merge.h"
#include "query/slices/slice_rank.h"
#include "trace/fact.h"

#define PLACE_MAX ((size_t)1 << 20)

/* clang-format off */
enum { PROFILE, RANK, ID, START, DUR, SELF, NAME, CLASS, CATEGORY, PLACE, TRACK, PID, THREAD,
       THREAD_NAME, DEVICE, STREAM, DEPTH, PARENT, STEP, CORRELATION, UNFINISHED, SET_APART,
       NCOLUMNS };

#define CELL(place) .get = view_cell, .arg = (place)
#define NO_SORT     .flags = FIELD_NO_SORT

static const struct field fields[] = {
	{ "profile", "Profile", NULL, NULL, UNIT_ID, CELL(PROFILE),
	  .flags = FIELD_PROFILE | FIELD_NO_SORT },
	{ "rank", "Rank", NULL, NULL, UNIT_ID, CELL(RANK), NO_SORT },
	{ "id", "ID", NULL, NULL, UNIT_ID, CELL(ID), NO_SORT },
	{ "start_ns", "Start", "start, the earliest first", NULL, UNIT_TIME, CELL(START) },
	{ "dur_ns", "Duration", "duration, the longest first", NULL, UNIT_NS, CELL(DUR) },
	{ "self_ns", "Self", "self time, the most first", NULL, UNIT_NS, CELL(SELF), .leaves = 2 },
	{ "name", "Name", "name, A to Z", NULL, UNIT_TEXT, CELL(NAME) },
	{ "class", "Class", NULL, NULL, UNIT_TEXT, CELL(CLASS), NO_SORT, .leaves = 1 },
	{ "category", "Category", NULL, NULL, UNIT_TEXT, CELL(CATEGORY), NO_SORT },
	{ "place", "Where", NULL, NULL, UNIT_TEXT, CELL(PLACE), .flags = FIELD_PEOPLE, .least = 14 },
	{ "track", "Track", NULL, NULL, UNIT_TEXT, CELL(TRACK), NO_SORT },
	{ "pid", "Process", NULL, NULL, UNIT_TEXT, CELL(PID), NO_SORT },
	{ "thread", "Thread", NULL, NULL, UNIT_TEXT, CELL(THREAD), NO_SORT },
	{ "thread_name", "Thread name", NULL, NULL, UNIT_TEXT, CELL(THREAD_NAME), NO_SORT },
	{ "device", "Device", NULL, NULL, UNIT_ID, CELL(DEVICE), NO_SORT },
	{ "stream", "Stream", NULL, NULL, UNIT_ID, CELL(STREAM), NO_SORT },
	{ "depth", "Depth", NULL, NULL, UNIT_COUNT, CELL(DEPTH), NO_SORT },
	{ "parent_id", "Parent", NULL, NULL, UNIT_ID, CELL(PARENT), NO_SORT },
	{ "step", "Step", NULL, NULL, UNIT_ID, CELL(STEP), NO_SORT },
	{ "correlation", "Correlation", NULL, NULL, UNIT_ID, CELL(CORRELATION), NO_SORT },
	{ "is_unfinished", "Unfinished", NULL, NULL, UNIT_BOOL, CELL(UNFINISHED), NO_SORT },
	{ "is_set_apart", "Set apart", NULL, NULL, UNIT_BOOL, CELL(SET_APART), NO_SORT },
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
	int by = request->sort ? request->sort->arg : START;

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
	const struct view_request show = { .for_people = request->for_people };
	struct slice_list *l = xcalloc(1, sizeof(*l));

	*out = NULL;
	l->table = (struct table){ .ncolumns = NCOLUMNS,
				   .next = list_next,
				   .free = list_free,
				   .total_rows = -1 };
	l->limit = request->limit;
	l->for_people = request->for_people;
	buf_init(&l->place, PLACE_MAX);
	if (slices_open(store, scope, request->filter, &l->slices, err) < 0 ||
	    begin(l, store, request, err) < 0) {
		list_free(&l->table);
		return -1;
	}
	*out = view_stream(&slice_list_view, &l->table, scope, &show);
	return 0;
}
