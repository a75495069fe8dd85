/* Waits of streams for events: see gap_wait.h. */
#include "query/gaps/gap_wait.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "query/query.h"

ASSET(asset_query_views_gap_waits_sql);

#define WAITS_MAX 64 /* that are looked at for one gap: no stream waits for so many */

enum { WAIT_DEVICE, WAIT_STREAM, WAIT_TS, WAIT_OTHER, WAIT_ID, WAIT_DUR };

int stream_waits_load(const struct gap_blame_request *request, struct stream_waits *out,
		      struct err *err)
{
	const struct scope_profile *profile = request->profile;

	*out = (struct stream_waits){ .n = 0 };
	struct query q = query_of_profile(request->store, asset_query_views_gap_waits_sql,
					  profile, err);

	while (query_next(&q, err)) {
		struct stream_wait wait = {
			.device = sqlite3_column_int64(q.stmt, WAIT_DEVICE),
			.stream = sqlite3_column_int64(q.stmt, WAIT_STREAM),
			.ts_ns = sqlite3_column_int64(q.stmt, WAIT_TS),
			.dur_ns = sqlite3_column_int64(q.stmt, WAIT_DUR),
			.other = sqlite3_column_int64(q.stmt, WAIT_OTHER),
			.slice_id = sqlite3_column_int64(q.stmt, WAIT_ID),
		};
		if (!query_is_time(wait.ts_ns, wait.dur_ns)) {
			q.rc = query_damaged("waits", err);
			break;
		}
		*ARRAY_PUSH(out->items, out->n, out->cap) = wait;
	}
	return query_end(&q);
}

void stream_waits_release(struct stream_waits *w)
{
	free(w->items);
	*w = (struct stream_waits){ .n = 0 };
}

static bool is_behind(const struct stream_wait *w, int64_t device, int64_t stream,
		      int64_t ts_ns)
{
	if (w->device != device)
		return w->device > device;
	if (w->stream != stream)
		return w->stream > stream;
	return w->ts_ns > ts_ns;
}

/* The first wait of that stream, or of a later one, that was asked for after ts_ns. */
static size_t wait_behind(const struct stream_waits *w, int64_t device, int64_t stream,
			  int64_t ts_ns)
{
	size_t at;

	SEARCH(at, 0, w->n, !is_behind(&w->items[at], device, stream, ts_ns));
	return at;
}

/* The stream of the work that ends the gap. */
static size_t stream_of(const struct gap_view *v)
{
	return v->work->items[v->gap->after].stream;
}

static bool is_of_stream(const struct stream_wait *w, const struct gap_view *v)
{
	return w->device == v->work->devices[v->gap->device].device &&
	       w->stream == v->work->streams[stream_of(v)].stream;
}

/* Where the waits end that the stream was asked for by ts_ns. */
static size_t end_of(const struct stream_waits *w, const struct gap_view *v,
		     int64_t ts_ns)
{
	return wait_behind(w, v->work->devices[v->gap->device].device,
			   v->work->streams[stream_of(v)].stream, ts_ns);
}

/* Was it asked for since the launch of what the stream ran before? */
static bool is_since(const struct stream_wait *w, const struct gap_view *v)
{
	uint32_t item = v->past[stream_of(v)].item;
	const struct work_item *before =
		item == GAP_NO_WORK ? NULL : &v->work->items[item];

	return is_of_stream(w, v) &&
	       !(before && before->launch_id && w->ts_ns <= before->launch_start_ns);
}

const struct stream_wait *stream_waits_told(const struct stream_waits *w,
					    const struct gap_view *v)
{
	size_t end = end_of(w, v, v->work->items[v->gap->after].launch_start_ns);

	return end && is_since(&w->items[end - 1], v) ? &w->items[end - 1] : NULL;
}

/* When the stream of that number ended its last work; INT64_MIN: it is not known here. */
static int64_t end_of_stream(const struct gap_view *v, int64_t number)
{
	const struct work_device *d = &v->work->devices[v->gap->device];
	size_t at;

	/* they are in the order of their numbers */
	SEARCH(at, d->first_stream, d->first_stream + d->nstreams,
	       v->work->streams[at].stream < number);
	return at < d->first_stream + d->nstreams && v->work->streams[at].stream == number
		       ? v->past[at].end_ns
		       : INT64_MIN;
}

/*
 * A wait for what had ended before the gap began was over; unless the stream itself
 * was free then too, and nothing else tells what it waited for.
 */
static bool may_be_waiting(const struct stream_wait *wait, const struct gap_view *v)
{
	if (wait->other == GAP_NOT_SAID || wait->other == wait->stream)
		return true;
	int64_t end_ns = end_of_stream(v, wait->other);
	return end_ns == INT64_MIN || end_ns >= v->gap->start_ns ||
	       v->past[stream_of(v)].end_ns < v->gap->start_ns;
}

/* As a device's own clock would show it: the wait is most of the gap. */
static bool fills(const struct stream_wait *wait, const struct gap *g)
{
	int64_t from_ns = wait->ts_ns > g->start_ns ? wait->ts_ns : g->start_ns;
	int64_t to_ns = wait->ts_ns + wait->dur_ns;

	to_ns = to_ns < g->end_ns ? to_ns : g->end_ns;
	return from_ns < to_ns && to_ns - from_ns >= (g->end_ns - g->start_ns + 1) / 2;
}

const struct stream_wait *stream_waits_holding(const struct stream_waits *w,
					       const struct gap_view *v)
{
	size_t end = end_of(w, v, v->work->items[v->gap->after].launch_start_ns);

	for (size_t n = 0; n < WAITS_MAX && end > n; n++) {
		const struct stream_wait *wait = &w->items[end - 1 - n];
		if (!is_since(wait, v))
			break;
		if (may_be_waiting(wait, v))
			return wait;
	}
	end = end_of(w, v, v->gap->end_ns - 1);
	return end && is_of_stream(&w->items[end - 1], v) &&
			       fills(&w->items[end - 1], v->gap)
		       ? &w->items[end - 1]
		       : NULL;
}
