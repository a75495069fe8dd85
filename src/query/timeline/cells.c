/* A timeline in cells for machines: see cells.h. */
#include "query/timeline/cells.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "query/query.h"

/* One cell of a row. */
struct cells_at {
	const struct cell_row *row;
	size_t number; /* of the row, from 1 */
	size_t cell;
};

static const char *const row_kinds[] = {
	[ROW_STREAM] = "stream",
	[ROW_IDLE] = "idle",
	[ROW_THREAD] = "thread",
};

/* By enum cover: words for machines. */
static const char *const covers[NCOVERS] = {
	[COVER_KERNEL] = "kernel", [COVER_COMMUNICATION] = "communication",
	[COVER_COPY] = "copy",     [COVER_SET] = "set",
	[COVER_OP] = "op",         [COVER_ANNOTATION] = "annotation",
	[COVER_PYTHON] = "python", [COVER_CALL] = "runtime",
	[COVER_OTHER] = "other",
};

enum {
	PROFILE,
	RANK,
	ROW,
	KIND,
	DEVICE,
	STREAM,
	THREAD,
	LABEL,
	START,
	END,
	BUSY,
	IDLE,
	COVER,
	NAME
};

static int64_t end_of(const struct cell_axis *axis, size_t cell)
{
	int64_t end_ns = cell_start(axis, cell + 1);

	return end_ns < axis->until_ns ? end_ns : axis->until_ns;
}

static struct cell get_number(const struct cell_rows *r, const struct cells_at *at,
			      int column)
{
	const struct slices_track *track = at->row->track;
	const struct cell_axis *axis = &r->axes[at->row->profile];
	int64_t ns = at->row->cells[at->cell].ns;
	bool is_idle = at->row->kind == ROW_IDLE;

	switch (column) {
	case PROFILE:
		return cell_int(r->scope->profiles[at->row->profile].id);
	case ROW:
		return cell_int((int64_t)at->number);
	case DEVICE:
		return at->row->kind == ROW_THREAD ? cell_null()
						   : number_cell(at->row->device);
	case STREAM:
		return at->row->kind == ROW_STREAM ? number_cell(track->stream)
						   : cell_null();
	case START:
		return cell_int(cell_start(axis, at->cell));
	case END:
		return cell_int(end_of(axis, at->cell));
	case BUSY:
		return is_idle ? cell_null() : cell_int(ns);
	default:
		return is_idle ? cell_int(ns) : cell_null();
	}
}

static struct cell get_column(const void *from, const void *row, int column)
{
	const struct cell_rows *r = from;
	const struct cells_at *at = row;
	const struct row_cell *cell = &at->row->cells[at->cell];
	const struct slices_track *track = at->row->track;

	switch (column) {
	case RANK:
		return scope_rank_cell(&r->scope->profiles[at->row->profile]);
	case KIND:
		return cell_text(str_of(row_kinds[at->row->kind]));
	case THREAD:
		return cell_text_or_null(at->row->kind == ROW_THREAD ? track->thread
								     : NULL);
	case LABEL:
		return cell_text(at->row->label);
	case COVER:
		if (cell->ns == 0)
			return cell_null();
		return cell_text(str_of(at->row->kind == ROW_IDLE
						? gap_causes[cell->kind].code
						: covers[cell->kind]));
	case NAME:
		return cell->name.n ? cell_text(cell->name) : cell_null();
	default:
		return get_number(r, at, column);
	}
}

#define CELL(place) .get = get_column, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PROFILE) },
	{ "rank", "Rank", "its rank, null where the recording does not say", NULL, UNIT_ID, CELL(RANK) },
	{ "row", "Row", "number of the row, from 1: rows of a device, then of threads, the busiest first", NULL, UNIT_ID, CELL(ROW) },
	{ "kind", "Kind", "'stream', 'idle' of a device, or 'thread'", NULL, UNIT_TEXT, CELL(KIND) },
	{ "device", "Device", "device of the stream or of the idle time", NULL, UNIT_ID, CELL(DEVICE) },
	{ "stream", "Stream", "number of the stream", NULL, UNIT_ID, CELL(STREAM) },
	{ "thread", "Thread", "number of the thread, or the text that the trace has instead", NULL, UNIT_TEXT, CELL(THREAD) },
	{ "label", "Label", "label of the row in the drawing", NULL, UNIT_TEXT, CELL(LABEL) },
	{ "start_ns", "Start", "where the cell begins, from the profile's first event", NULL, UNIT_TIME, CELL(START) },
	{ "end_ns", "End", "where it ends, and the next one begins", NULL, UNIT_TIME, CELL(END) },
	{ "busy_ns", "Busy", "time of the cell that slices cover; null of idle time", NULL, UNIT_NS, CELL(BUSY) },
	{ "idle_ns", "Idle", "idle time of the device in the cell; null of streams and threads", NULL, UNIT_NS, CELL(IDLE) },
	{ "class", "Class", "class of what covers most of it: kernel, communication, copy, set, op, annotation, python, runtime, other; of idle time the cause, as in ptool-gaps(1)", NULL, UNIT_TEXT, CELL(COVER) },
	{ "name", "Name", "name that covers most within that class; of idle time, what is charged most", NULL, UNIT_TEXT, CELL(NAME) },
	{ .name = NULL },
};
/* clang-format on */

const struct view cells_view = { .name = "timeline", .fields = fields };

/* The cells of one row after the other. */
struct cells_feed {
	struct view_feed feed;
	struct cell_rows rows; /* owned */
	struct cells_at at;
	size_t next; /* place of the row in rows.items */
};

/* Is the cell one of the row's own time?  That of others may be longer. */
static bool has_cell(const struct cell_rows *r, const struct cell_row *row, size_t cell)
{
	const struct cell_axis *axis = &r->axes[row->profile];

	return cell < axis->n && cell_start(axis, cell) < axis->until_ns;
}

static bool next_row(struct cells_feed *f)
{
	const struct cell_rows *r = &f->rows;

	while (f->next < r->n && !r->items[f->next].is_shown)
		f->next++;
	if (f->next == r->n)
		return false;
	f->at = (struct cells_at){ .row = &r->items[f->next++],
				   .number = f->at.number + 1 };
	return true;
}

static int feed_next(struct view_feed *feed, const void **row, struct err *err)
{
	struct cells_feed *f = (struct cells_feed *)feed;

	(void)err;
	if (f->at.row && has_cell(&f->rows, f->at.row, f->at.cell + 1))
		f->at.cell++;
	else if (!next_row(f))
		return 0;
	*row = &f->at;
	return 1;
}

static void feed_free(struct view_feed *feed)
{
	struct cells_feed *f = (struct cells_feed *)feed;

	cell_rows_release(&f->rows);
	free(f);
}

static int64_t count_cells(const struct cell_rows *r)
{
	int64_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		for (size_t cell = 0; r->items[i].is_shown && cell < r->ncells; cell++)
			n += has_cell(r, &r->items[i], cell);
	return n;
}

/* The rows are moved. */
static struct table *table_for_machines(struct cell_rows *rows)
{
	const struct view_request show = { .for_people = false };
	struct cells_feed *f = xcalloc(1, sizeof(*f));

	f->rows = *rows;
	f->feed = (struct view_feed){ .from = &f->rows,
				      .next = feed_next,
				      .free = feed_free };
	struct table *t = view_fed(&cells_view, &f->feed, &show);
	t->total_rows = count_cells(&f->rows);
	return t;
}

int cells_open(struct store *store, const struct scope *scope,
	       const struct cells_request *request, struct table **out, struct err *err)
{
	struct cell_rows rows = { .n = 0 };
	enum scope_kind kind;

	*out = NULL;
	if (scope_kind(scope, &kind, err) < 0)
		return -1;
	if (kind != SCOPE_TRACES)
		return err_set(err, ERR_EMPTY,
			       "a profile of functions does not say when they ran: "
			       "'ptool top' shows which take the time");
	if (cell_rows_load(store, scope, request, &rows, err) < 0) {
		cell_rows_release(&rows);
		return -1;
	}
	if (request->for_people)
		*out = cells_picture(&rows, request);
	else
		*out = table_for_machines(&rows);
	return 0;
}
