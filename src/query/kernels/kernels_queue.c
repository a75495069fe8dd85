/*
 * When streams were at work: the union of their work, from which follows how much of a
 * launch delay a kernel waited behind other work, and how much for nothing.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "query/kernels/kernels_gather.h"

void kernels_queue_begin(struct gathering *g)
{
	g->nbusy = g->work.nstreams;
	g->busy = xcalloc(g->nbusy + 1, sizeof(*g->busy));
}

void kernels_queue_end(struct gathering *g)
{
	for (size_t i = 0; i < g->nbusy; i++)
		free(g->busy[i].items);
	free(g->busy);
	g->busy = NULL;
	g->nbusy = 0;
}

/* Lengths are unsigned: all stretches together can be as long as int64 has numbers. */
static uint64_t length(int64_t from_ns, int64_t to_ns)
{
	return (uint64_t)to_ns - (uint64_t)from_ns;
}

void kernels_queue_pass(struct gathering *g, const struct work_item *item)
{
	struct stream_busy *busy = &g->busy[item->stream];
	struct busy_stretch *last = busy->n ? &busy->items[busy->n - 1] : NULL;

	if (last && item->start_ns <= last->end_ns) {
		if (item->end_ns > last->end_ns)
			last->end_ns = item->end_ns;
		return;
	}
	uint64_t before_ns =
		last ? last->before_ns + length(last->start_ns, last->end_ns) : 0;
	*ARRAY_PUSH(busy->items, busy->n, busy->cap) =
		(struct busy_stretch){ item->start_ns, item->end_ns, before_ns };
}

int64_t kernels_busy_until(const struct stream_busy *busy)
{
	return busy->n ? busy->items[busy->n - 1].end_ns : INT64_MIN;
}

/* How long the stream was at work before that time. */
static uint64_t busy_before(const struct stream_busy *busy, int64_t ns)
{
	size_t at;

	SEARCH(at, 0, busy->n, busy->items[at].start_ns < ns);
	if (at == 0)
		return 0;
	const struct busy_stretch *s = &busy->items[at - 1];
	return s->before_ns + length(s->start_ns, ns < s->end_ns ? ns : s->end_ns);
}

int64_t kernels_busy_ns(const struct stream_busy *busy, int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= to_ns)
		return 0;
	uint64_t ns = busy_before(busy, to_ns) - busy_before(busy, from_ns);
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}
