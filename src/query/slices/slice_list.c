/* Single slices as a table: see slice_list.h. */
#include "query/slices/slice_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/field.h"
#include "query/pick.h"
#include "query/slices/slice_merge.h"
#include "query/slices/slice_rank.h"
#include "trace/fact.h"

#define PLACE_MAX ((size_t)1 << 20)

enum {
	PROFILE,
	RANK,
	ID,
	START,
	DUR,
	SELF,
	NAME,
	CLASS,
	CATEGORY,
	PLACE,
	TRACK,
	PID,
	THREAD,
	THREAD_NAME,
	DEVICE,
	STREAM,
	DEPTH,
	PARENT,
	STEP,
	CORRELATION,
	UNFINISHED,
	SET_APART,
	NCOLUMNS
};

static const struct column columns[NCOLUMNS] = {
	[PROFILE] = { "profile", "Profile", UNIT_ID },
	[RANK] = { "rank", "Rank", UNIT_ID },
	[ID] = { "id", "ID", UNIT_ID },
	[START] = { "start_ns", "Start", UNIT_TIME },
	[DUR] = { "dur_ns", "Duration", UNIT_NS },
	[SELF] = { "self_ns", "Self", UNIT_NS },
	[NAME] = { "name", "Name", UNIT_TEXT },
	[CLASS] = { "class", "Class", UNIT_TEXT },
	[CATEGORY] = { "category", "Category", UNIT_TEXT },
	[PLACE] = { "place", "Where", UNIT_TEXT },
	[TRACK] = { "track", "Track", UNIT_TEXT },
	[PID] = { "pid", "Process", UNIT_TEXT },
	[THREAD] = { "thread", "Thread", UNIT_TEXT },
	[THREAD_NAME] = { "thread_name", "Thread name", UNIT_TEXT },
	[DEVICE] = { "device", "Device", UNIT_ID },
	[STREAM] = { "stream", "Stream", UNIT_ID },
	[DEPTH] = { "depth", "Depth", UNIT_COUNT },
	[PARENT] = { "parent_id", "Parent", UNIT_ID },
	[STEP] = { "step", "Step", UNIT_ID },
	[CORRELATION] = { "correlation", "Correlation", UNIT_ID },
	[UNFINISHED] = { "is_unfinished", "Unfinished", UNIT_BOOL },
	[SET_APART] = { "is_set_apart", "Set apart", UNIT_BOOL },
};

/* What leaves a narrow line, the largest first; names are cut last. */
static const struct field stays = { .leaves = 0 }, place = { .least = 14 },
			  class = { .leaves = 1 }, self = { .leaves = 2 };
static const struct field *const list_fields[NCOLUMNS] = {
	[PROFILE] = &stays,   [RANK] = &stays,        [ID] = &stays,
	[START] = &stays,     [DUR] = &stays,         [SELF] = &self,
	[NAME] = &stays,      [CLASS] = &class,       [CATEGORY] = &stays,
	[PLACE] = &place,     [TRACK] = &stays,       [PID] = &stays,
	[THREAD] = &stays,    [THREAD_NAME] = &stays, [DEVICE] = &stays,
	[STREAM] = &stays,    [DEPTH] = &stays,       [PARENT] = &stays,
	[STEP] = &stays,      [CORRELATION] = &stays, [UNFINISHED] = &stays,
	[SET_APART] = &stays,
};

static const enum shown list_shown[NCOLUMNS] = {
	[PROFILE] = SHOWN_IF_PROFILES,     [RANK] = SHOWN_IF_RANKS,
	[ID] = SHOWN_TO_MACHINES,          [CATEGORY] = SHOWN_TO_MACHINES,
	[PLACE] = SHOWN_TO_PEOPLE,         [TRACK] = SHOWN_TO_MACHINES,
	[PID] = SHOWN_TO_MACHINES,         [THREAD] = SHOWN_TO_MACHINES,
	[THREAD_NAME] = SHOWN_TO_MACHINES, [DEVICE] = SHOWN_TO_MACHINES,
	[STREAM] = SHOWN_TO_MACHINES,      [DEPTH] = SHOWN_TO_MACHINES,
	[PARENT] = SHOWN_TO_MACHINES,      [CORRELATION] = SHOWN_TO_MACHINES,
	[UNFINISHED] = SHOWN_TO_MACHINES,  [SET_APART] = SHOWN_TO_MACHINES,
};

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
	cells[RANK] = p->has_rank ? cell_int(p->rank) : cell_null();
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
	static const enum slice_key keys[] = {
		[LIST_BY_DUR] = SLICE_BY_DUR,
		[LIST_BY_SELF] = SLICE_BY_SELF,
		[LIST_BY_NAME] = SLICE_BY_NAME,
	};

	if (request->order == LIST_BY_START) {
		l->merge = slice_merge_new(l->slices);
		/* with a filter only the end would tell */
		l->table.total_rows = l->slices->is_filtered ? -1 : l->slices->total;
		return 0;
	}
	if (slice_rank_open(store, l->slices, keys[request->order], l->limit, &l->rank,
			    err) < 0)
		return -1;
	l->table.total_rows = slice_rank_total(l->rank);
	return 0;
}

int slice_list_open(struct store *store, const struct scope *scope,
		    const struct slice_list_request *request, struct table **out,
		    struct err *err)
{
	struct slice_list *l = xcalloc(1, sizeof(*l));

	*out = NULL;
	l->table = (struct table){ .columns = columns,
				   .fields = list_fields,
				   .ncolumns = NCOLUMNS,
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
	*out = table_pick(&l->table, list_shown, scope, request->for_people);
	return 0;
}
