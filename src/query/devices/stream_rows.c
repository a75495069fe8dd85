/* The rows of streams: see stream_rows.h. */
#include "query/devices/stream_rows.h"

#include <stdlib.h>

#include "base/sum.h"
#include "query/devices/launch_queue.h"
#include "query/devices/work_filter.h"
#include "query/devices/work_profiles.h"
#include "query/devices/work_times.h"

static void put_times(const struct work_times *t, struct cell *cells)
{
	cells[STREAM_EVENTS] = cell_int(t->events);
	cells[STREAM_KERNELS] = cell_int(t->kernels);
	cells[STREAM_COPIES] = cell_int(t->events - t->kernels);
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
	cells[STREAM_BUSY_SHARE] =
		t->span_ns > 0
			? cell_real(100.0 * (double)t->busy_ns / (double)t->span_ns)
			: cell_null();
}

/* Of a queue in the times that are asked for; nothing of one that is not recorded. */
static int put_queue(const struct launch_queue *q, const struct filter *filter,
		     struct cell *cells, struct err *err)
{
	struct queue_walk walk = { .queue = q };
	int64_t from_ns = q->from_ns, to_ns = q->to_ns, length_ns = 0;

	cells[STREAM_LAUNCHED] = cell_int(q->launched);
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
	if (length_ns > 0 && !sum_is_stuck(part.waiting_ns))
		cells[STREAM_QUEUE_MEAN] =
			cell_real((double)part.waiting_ns / (double)length_ns);
	return 0;
}

static int add_rows(struct memtable *rows, const struct work_profile *p,
		    const struct work_times *times, const struct launch_queue *queues,
		    struct err *err)
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
		put_times(&times[i], cells);
		if (put_queue(&queues[i], p->filter, cells, err) < 0)
			return -1;
		memtable_add_row(rows, cells);
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
	if (times)
		rc = add_rows(to, p, times, queues, err);
	free(times);
	launch_queues_free(queues, p->work.nstreams);
	return rc;
}

int stream_rows(struct store *store, const struct scope *scope,
		const struct filter *filter, struct memtable *out, struct err *err)
{
	const struct work_visitor visitor = { .visit = visit, .to = out };

	return work_profiles_visit(store, scope, filter, &visitor, err);
}
