/* The queues of streams: see launch_queue.h. */
#include "query/devices/launch_queue.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

static void add_item(struct launch_queue *q, const struct work_item *item)
{
	if (q->launched == 0 || item->launch_start_ns < q->from_ns)
		q->from_ns = item->launch_start_ns;
	if (q->launched == 0 || item->start_ns > q->to_ns)
		q->to_ns = item->start_ns;
	q->launched++;
	if (item->launch_start_ns >= item->start_ns)
		return;
	q->put[q->n] = item->launch_start_ns;
	q->taken[q->n++] = item->start_ns;
}

struct launch_queue *launch_queues(const struct device_work *work)
{
	struct launch_queue *queues = xcalloc(work->nstreams + 1, sizeof(*queues));

	for (size_t i = 0; i < work->nstreams; i++) {
		size_t n = work->streams[i].nitems + 1;
		queues[i].put = xrealloc_array(NULL, n, sizeof(*queues[i].put));
		queues[i].taken = xrealloc_array(NULL, n, sizeof(*queues[i].taken));
	}
	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].launch_id)
			add_item(&queues[work->items[i].stream], &work->items[i]);
	for (size_t i = 0; i < work->nstreams; i++) {
		sort_by_field(queues[i].put, queues[i].n, sizeof(*queues[i].put), 0);
		sort_by_field(queues[i].taken, queues[i].n, sizeof(*queues[i].taken), 0);
	}
	return queues;
}

void launch_queues_free(struct launch_queue *queues, size_t n)
{
	for (size_t i = 0; queues && i < n; i++) {
		free(queues[i].put);
		free(queues[i].taken);
	}
	free(queues);
}

/* The next moment at which the length changes; to_ns when it is not before that. */
static int64_t next_change(const struct queue_walk *w, int64_t to_ns)
{
	const struct launch_queue *q = w->queue;
	int64_t at_ns = to_ns;

	if (w->put < q->n && q->put[w->put] < at_ns)
		at_ns = q->put[w->put];
	if (w->taken < q->n && q->taken[w->taken] < at_ns)
		at_ns = q->taken[w->taken];
	return at_ns;
}

/* The length after all that happens until then, that moment too. */
static int64_t length_at(struct queue_walk *w, int64_t ns)
{
	const struct launch_queue *q = w->queue;

	while (w->put < q->n && q->put[w->put] <= ns)
		w->put++;
	while (w->taken < q->n && q->taken[w->taken] <= ns)
		w->taken++;
	return (int64_t)(w->put - w->taken);
}

struct queue_part queue_walk_to(struct queue_walk *walk, int64_t from_ns, int64_t to_ns)
{
	struct queue_part part = { 0, 0 };

	while (from_ns < to_ns) {
		int64_t length = length_at(walk, from_ns);
		int64_t until_ns = next_change(walk, to_ns);
		if (length > part.max)
			part.max = length;
		part.waiting_ns = sum_add(part.waiting_ns,
					  sum_times(length, sum_sub(until_ns, from_ns)));
		from_ns = until_ns;
	}
	return part;
}
