/* What is asked of the host: see gap_question.h. */
#include "query/gaps/gap_question.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

static int compare_questions(const void *a, const void *b)
{
	const struct gap_question *x = a, *y = b;

	if (x->track_id != y->track_id)
		return x->track_id < y->track_id ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->gap > y->gap) - (x->gap < y->gap);
}

/* The thread that launched most of the device's work, of equal ones the first; or 0. */
static int64_t busiest_thread(const struct device_work *work, uint32_t device)
{
	const struct work_device *d = &work->devices[device];
	int64_t *tracks = xrealloc_array(NULL, d->n + 1, sizeof(*tracks));
	int64_t busiest = 0;
	size_t n = 0, most = 0;

	for (size_t i = d->first; i < d->first + d->n; i++)
		if (work->items[i].launch_id)
			tracks[n++] = work->items[i].launch_track_id;
	qsort(tracks, n, sizeof(*tracks), sort_compare_int64);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && tracks[end] == tracks[i]; end++)
			;
		if (end - i > most) {
			most = end - i;
			busiest = tracks[i];
		}
	}
	free(tracks);
	return busiest;
}

/* Nothing was launched any more: what the thread that marks the steps did instead. */
static struct gap_question ask_last(const struct gap_blame_request *request,
				    const struct gap *g)
{
	struct gap_question q = { .track_id = request->range->track_id };

	if (!q.track_id)
		q.track_id = busiest_thread(request->work, g->device);
	q.until_ns = g->end_ns;
	return q;
}

static struct gap_question ask_launch(const struct device_work *work, const struct gap *g)
{
	const struct work_item *after = &work->items[g->after];
	struct gap_question q = { .track_id = after->launch_track_id };

	q.until_ns = sum_add(after->launch_start_ns, 1);
	if (q.until_ns < g->host_end_ns)
		q.until_ns = g->host_end_ns;
	return q;
}

void gap_questions_find(const struct gap_blame_request *request, const struct gaps *gaps,
			struct gap_questions *out)
{
	const struct device_work *work = request->work;

	*out = (struct gap_questions){ .n = 0 };
	out->items = xrealloc_array(NULL, gaps->n + 1, sizeof(*out->items));
	out->gap_of = xrealloc_array(NULL, work->n + 1, sizeof(*out->gap_of));
	for (size_t i = 0; i < work->n; i++)
		out->gap_of[i] = GAP_NONE_ENDED;
	for (size_t i = 0; i < gaps->n; i++) {
		const struct gap *g = &gaps->items[i];
		bool is_last = g->after == GAP_NO_WORK;
		if (!is_last && !work->items[g->after].launch_id)
			continue;
		struct gap_question q =
			is_last ? ask_last(request, g) : ask_launch(work, g);
		q.from_ns = g->start_ns;
		q.to_ns = g->host_end_ns;
		q.gap = (uint32_t)i;
		if (!is_last)
			out->gap_of[g->after] = q.gap;
		out->items[out->n++] = q;
	}
	qsort(out->items, out->n, sizeof(*out->items), compare_questions);
}

void gap_questions_release(struct gap_questions *q)
{
	free(q->items);
	free(q->gap_of);
	*q = (struct gap_questions){ .n = 0 };
}
