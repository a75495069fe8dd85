/* The rows of streams: see stream_rows.h. */
#include "query/devices/stream_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bars.h"
#include "base/buf.h"
#include "base/sum.h"
#include "query/devices/launch_queue.h"
#include "query/devices/work_filter.h"
#include "query/devices/work_profiles.h"
#include "query/devices/work_times.h"
#include "query/query.h"
#include "query/summary/part_cells.h"
#include "store/columns.h"

#define CURVE_CELLS 16

static void put_times(const struct work_times *t, struct cell *cells)
{
	cells[STREAM_EVENTS] = cell_int(t->events);
	cells[STREAM_KERNELS] = cell_int(t->kernels);
	cells[STREAM_SPAN] = cell_int(t->span_ns);
	cells[STREAM_BUSY] = cell_int(t->busy_ns);
	cells[STREAM_IDLE] = cell_int(t->idle_ns);
	cells[STREAM_COMPUTE] = cell_int(t->compute_ns);
	cells[STREAM_COMMUNICATION] = cell_int(t->communication_ns);
	cells[STREAM_MEMORY] = cell_int(t->memory_ns);
	cells[STREAM_OVERLAP] = cell_int(t->overlap_ns);
	cells[STREAM_EXPOSED_COMM] = cell_int(t->exposed_comm_ns);
	cells[STREAM_EXPOSED_COPY] = cell_int(t->exposed_copy_ns);
	cells[STREAM_SUM] = cell_int(t->sum_ns);
	cells[STREAM_START] = cell_int(t->start_ns);
	cells[STREAM_LAUNCHED] = cell_int(t->launched);
}

/* What is no fact of its own. */
static void put_shares(struct cell *cells)
{
	int64_t span_ns = cells[STREAM_SPAN].as.integer;
	int64_t busy_ns = cells[STREAM_BUSY].as.integer;
	struct cell waited = cells[STREAM_QUEUE_WAIT], queue = cells[STREAM_QUEUE];

	cells[STREAM_COPIES] = cell_int(sum_sub(cells[STREAM_EVENTS].as.integer,
						cells[STREAM_KERNELS].as.integer));
	cells[STREAM_BUSY_SHARE] = share_cell(busy_ns, span_ns);
	cells[STREAM_QUEUE_MEAN] = cell_null();
	if (queue.type == CELL_INT && queue.as.integer > 0 &&
	    !sum_is_stuck(waited.as.integer))
		cells[STREAM_QUEUE_MEAN] =
			cell_real((double)waited.as.integer / (double)queue.as.integer);
}

/* Of a queue in the times that are asked for; nothing of one that is not recorded. */
static int put_queue(const struct launch_queue *q, const struct filter *filter,
		     struct cell *cells, struct err *err)
{
	struct queue_walk walk = { .queue = q };
	int64_t from_ns = q->from_ns, to_ns = q->to_ns, length_ns = 0;

	for (int i = STREAM_QUEUE_MAX; i <= STREAM_QUEUE; i++)
		cells[i] = cell_null();
	if (q->launched == 0)
		return 0;
	if (filter->has_times && filter->from_ns > from_ns)
		from_ns = filter->from_ns;
	if (filter->has_times && filter->to_ns < to_ns)
		to_ns = filter->to_ns;
	if (from_ns < to_ns && __builtin_sub_overflow(to_ns, from_ns, &length_ns))
		return err_set(err, ERR_INPUT,
			       "the store's times of launches and device work do "
			       "not fit together");
	struct queue_part part = queue_walk_to(&walk, from_ns, to_ns);
	cells[STREAM_QUEUE_MAX] = cell_int(part.max);
	cells[STREAM_QUEUE_WAIT] = cell_int(part.waiting_ns);
	cells[STREAM_QUEUE] = cell_int(length_ns);
	return 0;
}

/* Of each cell of time how much of it a stream was busy: 0 to 1. */
struct stream_curve {
	double shares[CURVE_CELLS];
	int64_t until_ns; /* all before it is added */
};

/* In cells from the start of the first work to the end of the last. */
static double cell_at(int64_t ns, const struct interval *all)
{
	return (double)(ns - all->start_ns) / (double)(all->end_ns - all->start_ns) *
	       CURVE_CELLS;
}

static void add_busy(struct stream_curve *c, double from, double to)
{
	for (size_t i = (size_t)from; i < CURVE_CELLS && (double)i < to; i++) {
		double start = from > (double)i ? from : (double)i;
		double end = to < (double)i + 1 ? to : (double)i + 1;
		c->shares[i] += end - start;
	}
}

/* One for each stream, which free() frees; all have the same time. */
static struct stream_curve *stream_curves(const struct device_work *work)
{
	struct stream_curve *curves = xcalloc(work->nstreams + 1, sizeof(*curves));
	struct interval all = { INT64_MAX, INT64_MIN };
	int64_t length_ns;

	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *w = &work->items[i];
		all.start_ns = w->start_ns < all.start_ns ? w->start_ns : all.start_ns;
		all.end_ns = w->end_ns > all.end_ns ? w->end_ns : all.end_ns;
	}
	if (all.start_ns >= all.end_ns ||
	    __builtin_sub_overflow(all.end_ns, all.start_ns, &length_ns))
		return curves;
	for (size_t i = 0; i < work->nstreams; i++)
		curves[i].until_ns = all.start_ns;
	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *w = &work->items[i];
		struct stream_curve *c = &curves[w->stream];
		int64_t from_ns = w->start_ns > c->until_ns ? w->start_ns : c->until_ns;
		if (w->end_ns <= from_ns)
			continue;
		add_busy(c, cell_at(from_ns, &all), cell_at(w->end_ns, &all));
		c->until_ns = w->end_ns;
	}
	return curves;
}

/* As stream_part has it: eighths of each cell. */
#define CURVE_BITS 4

static int64_t curve_number(const struct stream_curve *c)
{
	uint64_t number = 0;

	for (size_t i = CURVE_CELLS; i-- > 0;)
		number = number << CURVE_BITS | (uint64_t)bars_cover(c->shares[i]);
	return (int64_t)number;
}

static struct cell curve_cell(int64_t curve, struct buf *text)
{
	buf_clear(text);
	for (uint64_t left = (uint64_t)curve; left; left >>= CURVE_BITS)
		bars_add_eighths(text, (int)(left & ((1U << CURVE_BITS) - 1)));
	return cell_text(buf_str(text));
}

/* Rows of a table, or of the summary. */
struct making {
	struct memtable *rows; /* or NULL, and */
	struct buf text;
	struct part_rows *parts;
};

/* The columns of stream_part but the numbers of device and stream, and the curve. */
static const struct part_cell part_cells[] = {
	{ STREAM_EVENTS, COL_STREAM_PART_EVENTS, PART_CELL_INT },
	{ STREAM_KERNELS, COL_STREAM_PART_KERNELS, PART_CELL_INT },
	{ STREAM_SPAN, COL_STREAM_PART_SPAN_NS, PART_CELL_INT },
	{ STREAM_BUSY, COL_STREAM_PART_BUSY_NS, PART_CELL_INT },
	{ STREAM_IDLE, COL_STREAM_PART_IDLE_NS, PART_CELL_INT },
	{ STREAM_COMPUTE, COL_STREAM_PART_COMPUTE_NS, PART_CELL_INT },
	{ STREAM_COMMUNICATION, COL_STREAM_PART_COMMUNICATION_NS, PART_CELL_INT },
	{ STREAM_MEMORY, COL_STREAM_PART_MEMORY_NS, PART_CELL_INT },
	{ STREAM_OVERLAP, COL_STREAM_PART_OVERLAP_NS, PART_CELL_INT },
	{ STREAM_EXPOSED_COMM, COL_STREAM_PART_EXPOSED_COMM_NS, PART_CELL_INT },
	{ STREAM_EXPOSED_COPY, COL_STREAM_PART_EXPOSED_COPY_NS, PART_CELL_INT },
	{ STREAM_SUM, COL_STREAM_PART_SUM_NS, PART_CELL_INT },
	{ STREAM_START, COL_STREAM_PART_START_NS, PART_CELL_INT },
	{ STREAM_LAUNCHED, COL_STREAM_PART_LAUNCHED, PART_CELL_INT },
	{ STREAM_QUEUE_MAX, COL_STREAM_PART_QUEUE_MAX, PART_CELL_INT_OR_NULL },
	{ STREAM_QUEUE_WAIT, COL_STREAM_PART_QUEUE_WAIT_NS, PART_CELL_INT_OR_NULL },
	{ STREAM_QUEUE, COL_STREAM_PART_QUEUE_NS, PART_CELL_INT_OR_NULL },
};

#define NPART_CELLS (sizeof(part_cells) / sizeof(*part_cells))

static void add_row(struct making *m, struct cell *cells, int64_t curve)
{
	if (m->rows) {
		cells[STREAM_CURVE] = curve_cell(curve, &m->text);
		memtable_add_row(m->rows, cells);
		return;
	}
	struct cell *c = part_rows_add(m->parts);
	if (!c)
		return;
	part_cells_put(part_cells, NPART_CELLS, cells, m->parts, c);
	part_name_put(cells[STREAM_DEVICE], COL_STREAM_PART_DEVICE, m->parts, c);
	part_name_put(cells[STREAM_NUMBER], COL_STREAM_PART_STREAM, m->parts, c);
	c[COL_STREAM_PART_CURVE] = cell_int(curve);
}

struct stream_facts {
	const struct work_times *times;
	const struct launch_queue *queues;
	const struct stream_curve *curves;
};

static int add_rows(struct making *m, const struct work_profile *p,
		    const struct stream_facts *of, struct err *err)
{
	int added = 0;

	for (size_t i = 0; i < p->work.nstreams; i++) {
		const struct work_stream *stream = &p->work.streams[i];
		struct cell cells[NSTREAM_COLUMNS];
		if (stream->nitems == 0)
			continue;
		cells[STREAM_PROFILE] = cell_int(p->profile->id);
		cells[STREAM_RANK] = scope_rank_cell(p->profile);
		cells[STREAM_DEVICE] = work_device_cell(&p->work.devices[stream->device]);
		cells[STREAM_NUMBER] = work_stream_cell(stream);
		put_times(&of->times[i], cells);
		if (put_queue(&of->queues[i], p->filter, cells, err) < 0)
			return -1;
		put_shares(cells);
		add_row(m, cells, curve_number(&of->curves[i]));
		added = 1;
	}
	return added;
}

static int visit(void *to, struct work_profile *p, struct err *err)
{
	struct launch_queue *queues = launch_queues(&p->work);
	int rc = -1;

	work_filter_times(&p->work, p->filter);
	struct work_times *times = work_times_of_streams(&p->work, err);
	struct stream_curve *curves = stream_curves(&p->work);
	const struct stream_facts facts = { times, queues, curves };
	if (times)
		rc = add_rows(to, p, &facts, err);
	free(curves);
	free(times);
	launch_queues_free(queues, p->work.nstreams);
	return rc;
}

static int make_parts(struct summary_source *from, struct part_rows *out, struct err *err)
{
	struct making m = { .parts = out };
	struct work_profile p;
	int rc = work_profile_of_summary(from, &p, err);

	if (rc == 0 && p.work.n)
		rc = visit(&m, &p, err) < 0 ? -1 : 0;
	work_profile_release_summary(&p);
	return rc;
}

const struct summary summary_streams = { PART_TABLE(STREAM_PART, stream_part),
					 make_parts };

static int visit_rows(void *to, const struct scope_profile *profile,
		      const struct part_rows *rows, struct err *err)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct cell *c = part_rows_at(rows, i);
		struct cell cells[NSTREAM_COLUMNS];
		if (!part_cells_get(part_cells, NPART_CELLS, c, cells))
			return summary_damaged(&summary_streams, err);
		cells[STREAM_PROFILE] = cell_int(profile->id);
		cells[STREAM_RANK] = scope_rank_cell(profile);
		cells[STREAM_DEVICE] = part_name_get(COL_STREAM_PART_DEVICE, c);
		cells[STREAM_NUMBER] = part_name_get(COL_STREAM_PART_STREAM, c);
		put_shares(cells);
		add_row(to, cells, part_int(c[COL_STREAM_PART_CURVE], 0));
	}
	return 1;
}

/* `out` has room for these cells.  -1, with ERR_EMPTY when there is no row. */
static int stream_rows(struct store *store, const struct scope *scope,
		       const struct filter *filter, struct memtable *out, struct err *err)
{
	struct making m = { .rows = out };
	const struct work_visitor visitor = { .visit = visit,
					      .to = &m,
					      .summary = &summary_streams,
					      .visit_rows = visit_rows };

	buf_init(&m.text, (size_t)CURVE_CELLS * BARS_BYTES);
	int rc = work_profiles_visit(store, scope, filter, &visitor, err);
	buf_release(&m.text);
	return rc;
}

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(STREAM_PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank, null where it has none", NULL, UNIT_ID, CELL(STREAM_RANK), .flags = FIELD_KEY },
	{ "device", "Device", "device, as in ptool devices", NULL, UNIT_ID, CELL(STREAM_DEVICE), .flags = FIELD_KEY },
	{ "stream", "Stream", "number of the stream, also where the trace writes 'stream 7'; other texts as they are", NULL, UNIT_ID, CELL(STREAM_NUMBER), .flags = FIELD_KEY },
	{ "events", "Events", "number of kernels, copies and sets", NULL, UNIT_COUNT, CELL(STREAM_EVENTS) },
	{ "kernels", "Kernels", "number of kernels", NULL, UNIT_COUNT, CELL(STREAM_KERNELS) },
	{ "copies", "Copies", "the others", NULL, UNIT_COUNT, CELL(STREAM_COPIES) },
	{ "span_ns", "Span", "time from the first to the last work", NULL, UNIT_NS, CELL(STREAM_SPAN), .leaves = 2 },
	{ "busy_ns", "Busy", "time with any work", NULL, UNIT_NS, CELL(STREAM_BUSY) },
	{ "idle_ns", "Idle", "time of the span without work", NULL, UNIT_NS, CELL(STREAM_IDLE) },
	{ "compute_ns", "Compute", "time with computation", NULL, UNIT_NS, CELL(STREAM_COMPUTE) },
	{ "communication_ns", "Comm", "time with communication", "comm", UNIT_NS, CELL(STREAM_COMMUNICATION) },
	{ "memory_ns", "Copy", "time with copies and sets", "copy", UNIT_NS, CELL(STREAM_MEMORY) },
	{ "overlap_ns", "Overlap", "time with communication and computation", NULL, UNIT_NS, CELL(STREAM_OVERLAP) },
	{ "exposed_comm_ns", "Exp. comm", "communication without computation", NULL, UNIT_NS, CELL(STREAM_EXPOSED_COMM) },
	{ "exposed_copy_ns", "Exp. copy", "copies without computation or communication", NULL, UNIT_NS, CELL(STREAM_EXPOSED_COPY) },
	{ "sum_ns", "Sum", "sum of all durations; more than busy_ns where work of the stream overlaps", NULL, UNIT_NS, CELL(STREAM_SUM) },
	{ "start_ns", "Start", "start of the span, from the profile's first event", "start", UNIT_TIME, CELL(STREAM_START) },
	{ "launched", "Launched", "number of those whose launch is in the recording", NULL, UNIT_COUNT, CELL(STREAM_LAUNCHED) },
	{ "queue_max", "Queue max", "longest queue; null where no launch is known", NULL, UNIT_COUNT, CELL(STREAM_QUEUE_MAX) },
	{ "queue_mean", "Queue mean", "mean length of the queue over queue_ns; likewise", "queue", UNIT_RATIO, CELL(STREAM_QUEUE_MEAN), .leaves = 1 },
	{ "queue_wait_ns", "Waited", "time that all kernels, copies and sets waited, added up", NULL, UNIT_NS, CELL(STREAM_QUEUE_WAIT) },
	{ "queue_ns", "Queue time", "from the first launch to the last start of work", NULL, UNIT_NS, CELL(STREAM_QUEUE) },
	{ "curve", "Busy over time", NULL, NULL, UNIT_TEXT, CELL(STREAM_CURVE), .flags = FIELD_PEOPLE, .least = CURVE_CELLS },
	{ .name = NULL },
};

static const struct field part_fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PART_PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank", NULL, UNIT_ID, CELL(PART_RANK), .flags = FIELD_KEY },
	{ "device", "Device", "device", NULL, UNIT_ID, CELL(PART_DEVICE), .flags = FIELD_KEY },
	{ "stream", "Stream", "stream", NULL, UNIT_ID, CELL(PART_STREAM), .flags = FIELD_KEY },
	{ "start_ns", "Start", "start of the part, from the profile's first event", "start", UNIT_TIME, CELL(PART_START) },
	{ "dur_ns", "Duration", "length of the part", "dur", UNIT_NS, CELL(PART_DUR) },
	{ "busy_ns", "Busy", "time with any work", NULL, UNIT_NS, CELL(PART_BUSY) },
	{ "queue_mean", "Queue mean", "mean length of the queue", "queue", UNIT_RATIO, CELL(PART_QUEUE_MEAN) },
	{ "queue_max", "Queue max", "longest queue", NULL, UNIT_COUNT, CELL(PART_QUEUE_MAX) },
	{ "queue_wait_ns", "Waited", "time that work waited for earlier work", NULL, UNIT_NS, CELL(PART_QUEUE_WAIT) },
	{ "busy_pct", "Busy", NULL, NULL, UNIT_PERCENT, CELL(PART_BUSY_SHARE), .flags = FIELD_PEOPLE },
	{ .name = NULL },
};
/* clang-format on */

static const struct view_part parts[] = {
	{ NULL, "profile rank? device! stream! events span_ns busy_ns queue_max! "
		"queue_mean! curve" },
	{ "Work per stream (Copies includes memsets)",
	  "profile rank? device! stream! kernels copies compute_ns communication_ns "
	  "memory_ns" },
	{ .fields = NULL },
};

const struct view streams_view = {
	.name = "streams",
	.fields = fields,
	.people = parts,
	.is_form = true,
};

const struct view stream_parts_view = {
	.name = "streams --by-time",
	.fields = part_fields,
	.people = VIEW_PART("profile rank? device! stream! start_ns queue_mean! "
			    "queue_max! busy_pct!"),
};

const struct view *streams_view_of(int64_t nparts)
{
	return nparts ? &stream_parts_view : &streams_view;
}

/* Work that never waits, because no launch of it was recorded. */
static void note_unlaunched(struct memtable *m, const struct memtable *rows)
{
	int64_t unlaunched = 0;

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *row = memtable_row(rows, i);
		unlaunched =
			sum_add(unlaunched, sum_sub(row[STREAM_EVENTS].as.integer,
						    row[STREAM_LAUNCHED].as.integer));
	}
	if (unlaunched > 0)
		memtable_add_note(
			m,
			"%lld kernels or copies have no recorded launch; they are left out of the queue",
			(long long)unlaunched);
}

int streams_open(struct store *store, const struct scope *scope,
		 const struct streams_request *request, struct table **out,
		 struct err *err)
{
	int64_t nparts = request->nparts;
	struct memtable *rows =
		memtable_new(NULL, nparts ? (size_t)NPART_COLUMNS : NSTREAM_COLUMNS);
	int rc = nparts ? stream_part_rows(store, scope, request->filter, nparts, rows,
					   err)
			: stream_rows(store, scope, request->filter, rows, err);

	if (rc == 0) {
		struct memtable *m = view_of_cells(streams_view_of(nparts), rows, scope,
						   &request->show);
		if (request->show.for_people && !nparts)
			note_unlaunched(m, rows);
		*out = &m->table;
	}
	table_free(&rows->table);
	return rc;
}
