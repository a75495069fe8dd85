/* Streams part by part of the time: see stream_rows.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/devices/launch_queue.h"
#include "query/devices/stream_rows.h"
#include "query/devices/work_filter.h"
#include "query/devices/work_profiles.h"
#include "query/query.h"

/* That are held in memory, of 300 bytes each. */
#define ROWS_MAX 4000000

struct parting {
	struct memtable *rows;
	int64_t nparts;
};

/* All streams of a profile share these parts. */
struct parts {
	int64_t from_ns, length_ns, n;
};

/* Where the first i parts end: no two differ by more than a nanosecond. */
static int64_t part_end(const struct parts *parts, int64_t i)
{
	int64_t rest = parts->length_ns % parts->n;

	return parts->from_ns + parts->length_ns / parts->n * i + (i < rest ? i : rest);
}

static void widen(struct interval *to, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < to->start_ns)
		to->start_ns = start_ns;
	if (end_ns > to->end_ns)
		to->end_ns = end_ns;
}

static int make_parts(const struct work_profile *p, const struct launch_queue *queues,
		      int64_t n, struct parts *out, struct err *err)
{
	struct interval all = { INT64_MAX, INT64_MIN };
	const struct filter *f = p->filter;

	for (size_t i = 0; i < p->work.n; i++)
		widen(&all, p->work.items[i].start_ns, p->work.items[i].end_ns);
	for (size_t i = 0; i < p->work.nstreams; i++)
		if (queues[i].launched && p->work.streams[i].nitems)
			widen(&all, queues[i].from_ns, queues[i].to_ns);
	if (f->has_times && f->from_ns > all.start_ns)
		all.start_ns = f->from_ns;
	if (f->has_times && f->to_ns < all.end_ns)
		all.end_ns = f->to_ns;
	*out = (struct parts){ .from_ns = all.start_ns, .n = n };
	if (__builtin_sub_overflow(all.end_ns, all.start_ns, &out->length_ns))
		return err_set(err, ERR_INPUT,
			       "the store's times of launches and device work do "
			       "not fit together");
	if (out->n > out->length_ns)
		out->n = out->length_ns ? out->length_ns : 1;
	return 0;
}

static void put_part(int64_t start_ns, int64_t dur_ns, int64_t busy_ns,
		     struct cell *cells)
{
	cells[PART_START] = cell_int(start_ns);
	cells[PART_DUR] = cell_int(dur_ns);
	cells[PART_BUSY] = cell_int(busy_ns);
	cells[PART_BUSY_SHARE] = share_cell(busy_ns, dur_ns);
}

static void put_queue(const struct launch_queue *q, struct queue_part part,
		      int64_t dur_ns, struct cell *cells)
{
	cells[PART_QUEUE_MEAN] = cells[PART_QUEUE_MAX] = cells[PART_QUEUE_WAIT] =
		cell_null();
	if (q->launched == 0)
		return;
	if (dur_ns > 0 && !sum_is_stuck(part.waiting_ns))
		cells[PART_QUEUE_MEAN] =
			cell_real((double)part.waiting_ns / (double)dur_ns);
	cells[PART_QUEUE_MAX] = cell_int(part.max);
	cells[PART_QUEUE_WAIT] = cell_int(part.waiting_ns);
}

/* The rows of one stream, which ran in `busy`. */
static void add_stream(struct memtable *rows, const struct parts *parts,
		       const struct intervals *busy, const struct launch_queue *queue,
		       struct cell *cells)
{
	struct queue_walk walk = { .queue = queue };

	for (int64_t i = 0; i < parts->n; i++) {
		int64_t from_ns = part_end(parts, i), to_ns = part_end(parts, i + 1);
		put_part(from_ns, to_ns - from_ns,
			 intervals_length_within(busy, from_ns, to_ns), cells);
		put_queue(queue, queue_walk_to(&walk, from_ns, to_ns), to_ns - from_ns,
			  cells);
		memtable_add_row(rows, cells);
	}
}

static struct intervals *unite_streams(const struct device_work *work)
{
	struct intervals *busy = xcalloc(work->nstreams + 1, sizeof(*busy));

	for (size_t i = 0; i < work->n; i++)
		intervals_add(&busy[work->items[i].stream], work->items[i].start_ns,
			      work->items[i].end_ns);
	for (size_t i = 0; i < work->nstreams; i++)
		intervals_unite(&busy[i]);
	return busy;
}

static void add_rows(struct memtable *rows, const struct work_profile *p,
		     const struct parts *parts, const struct launch_queue *queues)
{
	struct intervals *busy = unite_streams(&p->work);

	for (size_t i = 0; i < p->work.nstreams; i++) {
		const struct work_stream *stream = &p->work.streams[i];
		struct cell cells[NPART_COLUMNS] = {
			[PART_PROFILE] = cell_int(p->profile->id),
			[PART_RANK] = scope_rank_cell(p->profile),
			[PART_DEVICE] =
				work_device_cell(&p->work.devices[stream->device]),
			[PART_STREAM] = work_stream_cell(stream),
		};
		if (stream->nitems)
			add_stream(rows, parts, &busy[i], &queues[i], cells);
		intervals_release(&busy[i]);
	}
	free(busy);
}

static int check_rows(const struct memtable *rows, const struct work_profile *p,
		      const struct parts *parts, struct err *err)
{
	uint64_t streams = 0;

	for (size_t i = 0; i < p->work.nstreams; i++)
		streams += p->work.streams[i].nitems > 0;
	if (rows->nrows + streams * (uint64_t)parts->n <= ROWS_MAX)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--by-time: the parts of all streams are more than %d rows: "
		       "choose streams with --stream, or fewer parts",
		       ROWS_MAX);
}

static int visit(void *to, struct work_profile *p, struct err *err)
{
	const struct parting *parting = to;
	struct launch_queue *queues = launch_queues(&p->work);
	struct parts parts = { .n = 0 };
	int rc = 0;

	work_filter_times(&p->work, p->filter);
	if (p->work.n)
		rc = make_parts(p, queues, parting->nparts, &parts, err);
	if (rc == 0)
		rc = check_rows(parting->rows, p, &parts, err);
	if (rc == 0 && parts.n > 0) {
		add_rows(parting->rows, p, &parts, queues);
		rc = 1;
	}
	launch_queues_free(queues, p->work.nstreams);
	return rc;
}

int stream_part_rows(struct store *store, const struct scope *scope,
		     const struct filter *filter, int64_t nparts, struct memtable *out,
		     struct err *err)
{
	struct parting parting = { .rows = out, .nparts = nparts };
	const struct work_visitor visitor = { .visit = visit, .to = &parting };

	return work_profiles_visit(store, scope, filter, &visitor, err);
}
