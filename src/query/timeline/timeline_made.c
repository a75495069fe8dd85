/* Tracks that a timeline makes: see timeline_made.h. */
#include "query/timeline/timeline_made.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "query/gaps/gap_profile.h"
#include "query/query.h"
#include "query/timeline/timeline_load.h"

void timeline_made_release(struct timeline_made *m)
{
	free(m->tracks);
	free(m->slices);
	free(m->samples);
	*m = (struct timeline_made){ .ntracks = 0 };
}

struct timeline_made_track *timeline_made_add(struct timeline_made *m,
					      const struct timeline_reader *r,
					      enum timeline_kind kind)
{
	struct timeline_made_track *to = ARRAY_PUSH(m->tracks, m->ntracks, m->tracks_cap);

	*to = (struct timeline_made_track){
		.track = { .kind = kind,
			   .values = UNIT_COUNT,
			   .profile = r->place,
			   .name = { "", 0 },
			   .process = { "", 0 },
			   .pid = cell_null(),
			   .tid = cell_null(),
			   .device = cell_null() },
		.first = kind == TIMELINE_COUNTER ? m->nsamples : m->n,
	};
	return to;
}

/* Idle time. */

struct idle_time {
	struct timeline_reader *reader;
	struct timeline_made *to;
	struct gap_profile gaps;
	struct gap_reader blame;
	uint32_t causes[NGAP_CAUSES]; /* texts of their titles */
};

/* What the largest part of [from, to) of a gap is charged to. */
static struct gap_amount largest_of(struct idle_time *idle, const struct gap *gap,
				    struct interval part)
{
	struct gap_amount largest = { .ns = -1, .blamed = TEXT_NONE }, amount;

	gap_reader_seek(&idle->blame, gap, part.start_ns, part.end_ns);
	while (gap_reader_next(&idle->blame, &amount))
		if (amount.ns > largest.ns)
			largest = amount;
	return largest;
}

static void add_idle(struct idle_time *idle, const struct gap *gap, struct interval part)
{
	struct timeline_shared *shared = idle->reader->shared;
	struct gap_amount most = largest_of(idle, gap, part);
	struct timeline_saying what = { .n = 0 };

	timeline_say_text(&what, DETAIL_BLAMED, most.blamed);
	*ARRAY_PUSH(idle->to->slices, idle->to->n, idle->to->cap) =
		(struct timeline_slice){
			.start_ns = part.start_ns,
			.dur_ns = part.end_ns - part.start_ns,
			.name = timeline_name(&shared->names, &shared->texts,
					      idle->causes[most.cause],
					      TIMELINE_CLASS_CAUSE + most.cause),
			.detail = timeline_detail(&shared->details, &what),
		};
}

/* As far as it counts as idle. */
static void add_gap(struct idle_time *idle, const struct gap *gap)
{
	const struct intervals *wanted = &idle->gaps.range.wanted;

	for (size_t i = intervals_after(wanted, gap->start_ns);
	     i < wanted->n && wanted->items[i].start_ns < gap->end_ns; i++) {
		struct interval part = wanted->items[i];
		if (part.start_ns < gap->start_ns)
			part.start_ns = gap->start_ns;
		if (part.end_ns > gap->end_ns)
			part.end_ns = gap->end_ns;
		add_idle(idle, gap, part);
	}
}

static struct cell device_cell(struct timeline_shared *shared,
			       const struct work_device *device)
{
	return device->name
		       ? timeline_kept(&shared->arena, cell_text(str_of(device->name)))
		       : number_cell(device->device);
}

static void add_devices(struct idle_time *idle)
{
	const struct gap_profile *gaps = &idle->gaps;
	struct timeline_shared *shared = idle->reader->shared;
	size_t at = 0;

	for (int cause = 0; cause < NGAP_CAUSES; cause++)
		idle->causes[cause] = intern_add(
			&shared->texts.intern,
			str_of(gap_causes[cause].title ? gap_causes[cause].title : ""));
	for (size_t d = 0; d < gaps->work.ndevices; d++) {
		struct timeline_made_track *track =
			timeline_made_add(idle->to, idle->reader, TIMELINE_IDLE);
		track->track.device = device_cell(shared, &gaps->work.devices[d]);
		track->track.rows = 1;
		for (; at < gaps->blame.gaps.n && gaps->blame.gaps.items[at].device == d;
		     at++)
			add_gap(idle, &gaps->blame.gaps.items[at]);
		track->n = idle->to->n - track->first;
	}
}

static int load_idle(struct timeline_reader *r, struct gap_ranks *ranks,
		     struct timeline_made *m, struct err *err)
{
	const struct gap_table_request request = { .filter = NULL };
	struct idle_time idle = { .reader = r, .to = m };
	int rc = gap_profile_load(r->shared->store, r->profile, &request, ranks,
				  &idle.gaps, err);

	if (rc == 0 && idle.gaps.work.n > 0) {
		gap_profile_read(&idle.gaps, GAP_KEY_NONE, &idle.blame);
		add_devices(&idle);
		gap_reader_close(&idle.blame);
	}
	gap_profile_release(&idle.gaps);
	return rc;
}

/* Collectives. */

static bool starts_before(const void *context, uint32_t a, uint32_t b)
{
	const struct timeline_slice *slices = context;

	if (slices[a].start_ns != slices[b].start_ns)
		return slices[a].start_ns < slices[b].start_ns;
	return slices[a].dur_ns > slices[b].dur_ns;
}

/* Those of all streams together, in lanes. */
static void add_collectives(struct timeline_reader *r, struct timeline_made *m)
{
	const struct timeline_slice *from = r->collectives;

	if (r->ncollectives == 0)
		return;
	struct timeline_made_track *track = timeline_made_add(m, r, TIMELINE_COLLECTIVES);
	uint32_t *at = sorted_places(r->ncollectives, starts_before, from);
	timeline_rows_clear(&r->rows);
	for (size_t i = 0; i < r->ncollectives; i++) {
		struct timeline_slice slice = from[at[i]];
		slice.row = timeline_rows_lane(&r->rows, slice.start_ns,
					       slice.start_ns + slice.dur_ns);
		*ARRAY_PUSH(m->slices, m->n, m->cap) = slice;
	}
	track->track.rows = r->rows.rows;
	track->n = r->ncollectives;
	free(at);
}

int timeline_made_load(struct timeline_reader *reader, struct gap_ranks *ranks,
		       struct timeline_made *out, struct err *err)
{
	*out = (struct timeline_made){ .ntracks = 0 };
	if (reader->profile->slices > 0 && load_idle(reader, ranks, out, err) < 0)
		return -1;
	add_collectives(reader, out);
	return timeline_counters_load(reader, out, err);
}

bool timeline_made_next(struct timeline_made *m, struct timeline_shared *shared,
			struct timeline_track *out)
{
	while (m->next < m->ntracks) {
		const struct timeline_made_track *from = &m->tracks[m->next++];
		if (from->n == 0)
			continue;
		*out = from->track;
		out->base = shared->total;
		if (from->track.kind == TIMELINE_COUNTER) {
			out->samples = m->samples + from->first;
			out->nsamples = from->n;
			return true;
		}
		out->slices = m->slices + from->first;
		out->n = from->n;
		shared->total += (uint32_t)from->n;
		return true;
	}
	return false;
}
