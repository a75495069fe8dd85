/*
 * Counters of a timeline: those of the recording, and allocated memory; each keeps the
 * first, the last and the extremes of the parts of the recording.
 */
#include <math.h>
#include <sqlite3.h>

#include "base/array.h"
#include "query/memory/memory_events.h"
#include "query/query.h"
#include "query/timeline/timeline_load.h"
#include "query/timeline/timeline_made.h"

ASSET(asset_query_views_timeline_counters_sql);

#define COUNTER_PARTS INT64_C(4096)

/* Columns of views/timeline_counters.sql. */
enum {
	COUNTER_TRACK,
	COUNTER_NAME,
	COUNTER_PROCESS,
	COUNTER_PID,
	COUNTER_TS,
	COUNTER_VALUE
};

/* What is kept of a part of the recording, whose samples come by time. */
enum { FIRST, LEAST, MOST, LAST, NKEPT };

struct counter_part {
	int64_t number;
	struct timeline_sample kept[NKEPT];
	size_t places[NKEPT]; /* of these among the part's samples */
	size_t n;
};

static void keep(struct counter_part *part, int which, struct timeline_sample s)
{
	part->kept[which] = s;
	part->places[which] = part->n;
}

/* In the order of time, each once. */
static void put_part(struct timeline_made *m, const struct counter_part *part)
{
	bool least_first = part->places[LEAST] < part->places[MOST];
	const int order[NKEPT] = { FIRST, least_first ? LEAST : MOST,
				   least_first ? MOST : LEAST, LAST };

	for (int i = 0; part->n > 0 && i < NKEPT; i++)
		if (i == 0 || part->places[order[i]] != part->places[order[i - 1]])
			*ARRAY_PUSH(m->samples, m->nsamples, m->samples_cap) =
				part->kept[order[i]];
}

static void add_sample(struct timeline_made *m, struct counter_part *part,
		       struct timeline_sample s, int64_t part_ns)
{
	if (part->n > 0 && part->number != s.ts_ns / part_ns) {
		put_part(m, part);
		part->n = 0;
	}
	part->number = s.ts_ns / part_ns;
	if (part->n == 0)
		keep(part, FIRST, s);
	if (part->n == 0 || s.value < part->kept[LEAST].value)
		keep(part, LEAST, s);
	if (part->n == 0 || s.value > part->kept[MOST].value)
		keep(part, MOST, s);
	keep(part, LAST, s);
	part->n++;
}

static void name_counter(struct timeline_reader *r, struct sqlite3_stmt *stmt,
			 struct timeline_track *track)
{
	struct arena *arena = &r->shared->arena;
	struct cell name = timeline_kept(arena, query_cell(stmt, COUNTER_NAME));
	struct cell process = timeline_kept(arena, query_cell(stmt, COUNTER_PROCESS));

	if (name.type == CELL_TEXT)
		track->name = name.as.text;
	if (process.type == CELL_TEXT)
		track->process = process.as.text;
	track->pid = timeline_kept(arena, query_cell(stmt, COUNTER_PID));
}

static int load_counters(struct timeline_reader *r, struct timeline_made *m,
			 struct err *err)
{
	const struct counter_span *span =
		counter_spans_find(&r->shared->counters, r->profile->id);
	if (!span)
		return 0;
	struct query q =
		query_of_range(r->shared->store, asset_query_views_timeline_counters_sql,
			       span->first, span->last, err);
	query_bind_int(q.stmt, ":profile", r->profile->id);
	int64_t part_ns = r->profile->dur_ns / COUNTER_PARTS + 1;
	struct timeline_made_track *track = NULL;
	struct counter_part part = { .n = 0 };
	int64_t id = 0;

	while (query_next(&q, err)) {
		struct timeline_sample s = {
			.ts_ns = sqlite3_column_int64(q.stmt, COUNTER_TS),
			.value = sqlite3_column_double(q.stmt, COUNTER_VALUE)
		};
		if (!track || id != sqlite3_column_int64(q.stmt, COUNTER_TRACK)) {
			put_part(m, &part);
			part.n = 0;
			if (track)
				track->n = m->nsamples - track->first;
			track = timeline_made_add(m, r, TIMELINE_COUNTER);
			id = sqlite3_column_int64(q.stmt, COUNTER_TRACK);
			name_counter(r, q.stmt, &track->track);
		}
		if (isfinite(s.value) && s.ts_ns >= 0)
			add_sample(m, &part, s, part_ns);
	}
	put_part(m, &part);
	if (track)
		track->n = m->nsamples - track->first;
	return query_end(&q);
}

/* Of each device that allocations tell of. */
static void add_memory(struct timeline_reader *r, const struct memory_events *events,
		       struct timeline_made *m)
{
	int64_t part_ns = r->profile->dur_ns / COUNTER_PARTS + 1;

	for (size_t d = 0; d < events->ndevices; d++) {
		const struct memory_device *device = &events->devices[d];
		struct counter_part part = { .n = 0 };
		struct timeline_made_track *track =
			timeline_made_add(m, r, TIMELINE_COUNTER);
		track->track.name = str_of(
			arena_printf(&r->shared->arena, "allocated, %s", device->name));
		track->track.values = UNIT_BYTES;
		for (size_t i = 0; i < device->n; i++) {
			const struct memory_event *e = &events->items[device->first + i];
			struct timeline_sample s = { e->ts_ns, (double)e->level_bytes };
			if (e->ts_ns >= 0 && !e->is_out_of_memory)
				add_sample(m, &part, s, part_ns);
		}
		put_part(m, &part);
		track->n = m->nsamples - track->first;
	}
}

int timeline_counters_load(struct timeline_reader *r, struct timeline_made *m,
			   struct err *err)
{
	struct memory_events events = { .n = 0 };
	int rc = load_counters(r, m, err);

	if (rc == 0 && r->profile->has_memory) {
		rc = memory_events_load(r->shared->store, r->profile, &events, err);
		if (rc == 0)
			add_memory(r, &events, m);
		memory_events_release(&events);
	}
	return rc;
}
