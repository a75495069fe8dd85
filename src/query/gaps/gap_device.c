/* What the device waited for: see gap_device.h. */
#include "query/gaps/gap_device.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_gap_waits_sql);

#define NOT_SAID  INT64_C(-1) /* in gap_waits.sql */
#define WAITS_MAX 64 /* that are looked at for one gap: no stream waits for so many */
#define NO_ITEM   UINT32_MAX

enum { WAIT_DEVICE, WAIT_STREAM, WAIT_TS, WAIT_OTHER, WAIT_ID, WAIT_DUR };

struct stream_wait {
	int64_t device, stream;
	int64_t ts_ns, dur_ns;
	int64_t other; /* the stream whose event is waited for, or NOT_SAID */
	int64_t slice_id;
};

/* What a stream ran last. */
struct stream_past {
	uint32_t item; /* NO_ITEM: nothing yet */
	int64_t end_ns;
};

struct judging {
	const struct gap_blame_request *request;
	struct gap_blame *blame;
	struct stream_wait *waits; /* owned; by (device, stream, ts) */
	size_t nwaits, waits_cap;
	struct stream_past *past; /* owned; by stream, of the items before `after` */
};

static int load_waits(struct judging *j, struct err *err)
{
	const struct scope_profile *profile = j->request->profile;
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(j->request->store, asset_query_views_gap_waits_sql, &stmt,
			  err) < 0)
		return -1;
	query_bind_int(stmt, ":first", profile->first_slice_id);
	query_bind_int(stmt, ":last",
		       sum_sub(sum_add(profile->first_slice_id, profile->slices), 1));
	while ((rc = sql_step(stmt, err)) > 0) {
		struct stream_wait wait = {
			.device = sqlite3_column_int64(stmt, WAIT_DEVICE),
			.stream = sqlite3_column_int64(stmt, WAIT_STREAM),
			.ts_ns = sqlite3_column_int64(stmt, WAIT_TS),
			.dur_ns = sqlite3_column_int64(stmt, WAIT_DUR),
			.other = sqlite3_column_int64(stmt, WAIT_OTHER),
			.slice_id = sqlite3_column_int64(stmt, WAIT_ID),
		};
		if (wait.dur_ns < 0 || wait.ts_ns > INT64_MAX - wait.dur_ns) {
			query_damaged("waits do", err);
			rc = -1;
			break;
		}
		j->waits =
			xgrow(j->waits, &j->waits_cap, j->nwaits + 1, sizeof(*j->waits));
		j->waits[j->nwaits++] = wait;
	}
	sqlite3_finalize(stmt);
	return rc;
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

/* The first wait of that stream, or of a later one, asked for behind the moment. */
static size_t wait_behind(const struct judging *j, int64_t device, int64_t stream,
			  int64_t ts_ns)
{
	size_t low = 0, high = j->nwaits;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (is_behind(&j->waits[middle], device, stream, ts_ns))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static const struct work_stream *stream_of(const struct judging *j, uint32_t item)
{
	return &j->request->work->streams[j->request->work->items[item].stream];
}

/* When the stream of that number ended its last work; INT64_MIN: it is not known here. */
static int64_t end_of_stream(const struct judging *j, const struct gap *g, int64_t number)
{
	const struct work_device *d = &j->request->work->devices[g->device];

	size_t low = d->first_stream, high = d->first_stream + d->nstreams;

	while (low < high) { /* they are in the order of their numbers */
		size_t middle = low + (high - low) / 2;
		if (j->request->work->streams[middle].stream < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->first_stream + d->nstreams &&
			       j->request->work->streams[low].stream == number
		       ? j->past[low].end_ns
		       : INT64_MIN;
}

/*
 * A wait for what had ended before the gap began was over; unless the stream itself
 * was free then too, and nothing else tells what it waited for.
 */
static bool may_be_waiting(const struct judging *j, const struct gap *g,
			   const struct stream_wait *wait, bool was_free)
{
	if (wait->other == NOT_SAID || wait->other == wait->stream)
		return true;
	int64_t end_ns = end_of_stream(j, g, wait->other);
	return end_ns == INT64_MIN || end_ns >= g->start_ns || was_free;
}

/* As a device's own clock would show it: the wait is most of the gap. */
static bool fills(const struct stream_wait *wait, const struct gap *g)
{
	int64_t from_ns = wait->ts_ns > g->start_ns ? wait->ts_ns : g->start_ns;
	int64_t to_ns = wait->ts_ns + wait->dur_ns;

	to_ns = to_ns < g->end_ns ? to_ns : g->end_ns;
	return from_ns < to_ns && to_ns - from_ns >= (g->end_ns - g->start_ns + 1) / 2;
}

/* The wait that held the work back; NULL when none did. */
static const struct stream_wait *find_wait(const struct judging *j, const struct gap *g,
					   const struct stream_past *past)
{
	const struct work_item *after = &j->request->work->items[g->after];
	const struct work_item *before =
		past->item == NO_ITEM ? NULL : &j->request->work->items[past->item];
	int64_t device = j->request->work->devices[g->device].device;
	int64_t stream = stream_of(j, g->after)->stream;
	bool was_free = !before || past->end_ns < g->start_ns;
	size_t end = wait_behind(j, device, stream, after->launch_start_ns);

	if (!j->waits)
		return NULL;
	for (size_t n = 0; n < WAITS_MAX && end > n; n++) {
		const struct stream_wait *w = &j->waits[end - 1 - n];
		if (w->device != device || w->stream != stream ||
		    (before && before->launch_id && w->ts_ns <= before->launch_start_ns))
			break;
		if (may_be_waiting(j, g, w, was_free))
			return w;
	}
	end = wait_behind(j, device, stream, g->end_ns - 1);
	if (end && j->waits[end - 1].device == device &&
	    j->waits[end - 1].stream == stream && fills(&j->waits[end - 1], g))
		return &j->waits[end - 1];
	return NULL;
}

static uint32_t stream_text(const struct judging *j, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "stream %" PRId64, number);
	return intern_add(&j->request->texts->intern, str_of(text));
}

/* The launch was made before the gap began. */
static void judge_queued(const struct judging *j, const struct gap *g,
			 struct gap_piece *piece)
{
	const struct work_item *items = j->request->work->items;
	const struct work_item *after = &items[g->after];
	const struct stream_past *past = &j->past[after->stream];
	const struct stream_wait *wait = find_wait(j, g, past);

	piece->slice_id = after->launch_id;
	piece->blamed = after->launch_name;
	piece->cause = GAP_LATENCY;
	if (wait || (!j->nwaits && j->blame->waited[g->after])) {
		piece->cause = GAP_EVENT;
		piece->slice_id = wait ? wait->slice_id : after->slice_id;
		piece->blamed = after->name;
		if (wait && wait->other != NOT_SAID)
			piece->blamed = stream_text(j, wait->other);
	} else if (after->launch_end_ns > g->start_ns) {
		return; /* it was on its way */
	} else if (after->class == CLASS_MEMCPY) {
		piece->cause = GAP_ENGINE;
		piece->slice_id = after->slice_id;
		piece->blamed = after->name;
	} else if (past->item != NO_ITEM && past->end_ns == g->start_ns) {
		piece->cause = GAP_ORDER;
		piece->slice_id = items[past->item].slice_id;
		piece->blamed = items[past->item].name;
	}
}

static void judge(const struct judging *j, uint32_t gap)
{
	const struct gap *g = &j->blame->gaps.items[gap];
	const struct work_item *after = &j->request->work->items[g->after];
	struct gap_piece piece = { .start_ns = g->start_ns,
				   .end_ns = g->end_ns,
				   .slice_id = after->slice_id,
				   .gap = gap,
				   .blamed = after->name,
				   .op = TEXT_NONE,
				   .frame = TEXT_NONE,
				   .annotation = TEXT_NONE,
				   .cause = GAP_UNKNOWN };

	if (after->launch_id)
		judge_queued(j, g, &piece);
	gap_blame_add(j->blame, &piece);
}

/* Gaps and items in one walk: what each stream ran before the work that ends a gap. */
static void judge_all(struct judging *j)
{
	const struct device_work *work = j->request->work;
	const struct gaps *gaps = &j->blame->gaps;
	uint32_t item = 0;

	for (size_t i = 0; i < work->nstreams; i++)
		j->past[i] = (struct stream_past){ NO_ITEM, INT64_MIN };
	for (uint32_t gap = 0; gap < gaps->n; gap++) {
		const struct gap *g = &gaps->items[gap];
		for (; item < g->after; item++) {
			struct stream_past *past = &j->past[work->items[item].stream];
			past->item = item;
			if (work->items[item].end_ns > past->end_ns)
				past->end_ns = work->items[item].end_ns;
		}
		if (g->host_end_ns == g->start_ns)
			judge(j, gap);
	}
}

int gap_device_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		     struct err *err)
{
	struct judging j = { .request = request, .blame = blame };
	int rc = load_waits(&j, err);

	if (rc == 0) {
		j.past = xrealloc_array(NULL, request->work->nstreams + 1,
					sizeof(*j.past));
		judge_all(&j);
	}
	free(j.waits);
	free(j.past);
	return rc;
}
