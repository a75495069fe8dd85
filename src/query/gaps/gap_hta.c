/*
 * The causes of HTA's get_idle_time_breakdown(), stream by stream, in nanoseconds: a
 * gap lies between the start of work and the latest end of all work before it on its
 * stream (HTA takes the end of the one before, which makes gaps beside overlapping work
 * negative).  host_wait: the launch began after that end; else kernel_wait when the
 * gap is shorter than the threshold; else other.  Work without a launch is never a
 * host_wait.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "base/sum.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_profile.h"
#include "query/query.h"
#include "query/view.h"

enum { PROFILE, RANK, DEVICE, STREAM, CAUSE, IDLE, GAPS, SHARE, NCOLUMNS };

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank", NULL, UNIT_ID, CELL(RANK) },
	{ "device", "Device", "device", NULL, UNIT_ID, CELL(DEVICE) },
	{ "stream", "Stream", "stream", NULL, UNIT_ID, CELL(STREAM) },
	{ "cause", "Cause", "host_wait, kernel_wait or other", NULL, UNIT_TEXT, CELL(CAUSE) },
	{ "idle_ns", "Idle", "idle time", "idle", UNIT_NS, CELL(IDLE) },
	{ "gaps", "Gaps", "number of gaps", "count", UNIT_COUNT, CELL(GAPS) },
	{ "share_pct", "Of the stream's idle", "share of the stream's idle time", "share", UNIT_PERCENT, CELL(SHARE) },
	{ .name = NULL },
};
/* clang-format on */

const struct view gaps_hta_view = {
	.name = "gaps --causes hta",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? device! stream! cause idle_ns! gaps! share_pct!"),
};

enum { HOST_WAIT, KERNEL_WAIT, OTHER, NCAUSES };
static const char *const causes[NCAUSES] = { "host_wait", "kernel_wait", "other" };

struct stream_idle {
	int64_t end_ns; /* the latest yet, when has_work */
	int64_t idle_ns[NCAUSES], gaps[NCAUSES];
	bool has_work;
};

struct summing {
	const struct gap_table_request *request;
	struct memtable *out;
	const struct scope_profile *profile;
	struct device_work work;
	struct gap_range range;
	struct stream_idle *streams; /* owned */
	bool has_work;
};

static void add_item(struct summing *s, const struct work_item *item)
{
	struct stream_idle *stream = &s->streams[item->stream];
	struct gap_part part;
	int64_t idle_ns = 0, from_ns = stream->end_ns;

	if (!stream->has_work) {
		stream->has_work = true;
		stream->end_ns = item->end_ns;
		return;
	}
	if (item->start_ns > stream->end_ns) {
		int cause = OTHER;
		if (item->launch_id && item->launch_start_ns > stream->end_ns)
			cause = HOST_WAIT;
		else if (item->start_ns - stream->end_ns < s->request->threshold_ns)
			cause = KERNEL_WAIT;
		while (gap_range_next(&s->range, &from_ns, item->start_ns, &part))
			idle_ns = sum_add(idle_ns, sum_sub(part.end_ns, part.start_ns));
		stream->idle_ns[cause] = sum_add(stream->idle_ns[cause], idle_ns);
		stream->gaps[cause] += idle_ns > 0 || s->range.is_all;
	}
	if (item->end_ns > stream->end_ns)
		stream->end_ns = item->end_ns;
}

static void add_rows(struct summing *s, size_t stream)
{
	const struct work_stream *w = &s->work.streams[stream];
	const struct stream_idle *idle = &s->streams[stream];
	int64_t all_ns = 0;

	for (int i = 0; i < NCAUSES; i++)
		all_ns = sum_add(all_ns, idle->idle_ns[i]);
	for (int i = 0; i < NCAUSES; i++) {
		if (!idle->gaps[i])
			continue;
		double share = percent_of(idle->idle_ns[i], all_ns);
		const struct cell cells[NCOLUMNS] = {
			[PROFILE] = cell_int(s->profile->id),
			[RANK] = scope_rank_cell(s->profile),
			[DEVICE] = work_device_cell(&s->work.devices[w->device]),
			[STREAM] = number_cell(w->stream),
			[CAUSE] = cell_text(str_of(causes[i])),
			[IDLE] = cell_int(idle->idle_ns[i]),
			[GAPS] = cell_int(idle->gaps[i]),
			[SHARE] = cell_real(share),
		};
		memtable_add_row(s->out, cells);
	}
}

static bool is_wanted(const struct summing *s, size_t stream)
{
	const struct work_stream *w = &s->work.streams[stream];
	const struct filter *f = s->request->filter;

	return !f || (filter_has_number(&f->streams, w->stream) &&
		      filter_has_number(&f->devices, s->work.devices[w->device].device));
}

/* Of no other use here: that the work is in order and its sums stay within int64. */
static int check_work(const struct device_work *work, struct err *err)
{
	struct gaps gaps;
	int rc = gaps_find(work, NULL, &gaps, err);

	gaps_release(&gaps);
	return rc;
}

static int sum_profile(struct summing *s, struct store *store, struct text_pool *texts,
		       struct err *err)
{
	int rc = -1;

	const struct gap_range_request range = { .store = store,
						 .profile = s->profile,
						 .work = &s->work,
						 .filter = s->request->filter,
						 .is_inner = true };
	if (device_work_load(store, texts, s->profile, true, &s->work, err) == 0)
		rc = gap_range_load(&range, &s->range, err);
	s->streams = xcalloc(s->work.nstreams + 1, sizeof(*s->streams));
	if (rc == 0)
		rc = check_work(&s->work, err);
	for (size_t i = 0; rc == 0 && i < s->work.n; i++)
		add_item(s, &s->work.items[i]);
	for (size_t i = 0; rc == 0 && i < s->work.nstreams; i++)
		if (is_wanted(s, i))
			add_rows(s, i);
	s->has_work |= s->work.n > 0;
	free(s->streams);
	gap_range_release(&s->range);
	device_work_release(&s->work);
	return rc;
}

int gap_hta_open(struct store *store, const struct scope *scope,
		 const struct gap_table_request *request, struct table **out,
		 struct err *err)
{
	const struct view_request show = { .for_people = request->for_people };
	struct summing s = { .request = request };
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	*out = NULL;
	s.out = memtable_new(NULL, NCOLUMNS);
	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		s.profile = &scope->profiles[i];
		rc = sum_profile(&s, store, &texts, err);
	}
	text_pool_close(&texts);
	if (rc == 0 && (!s.has_work || (s.out->nrows == 0 && request->filter)))
		rc = gap_nothing(store, scope, s.has_work, err);
	if (rc == 0)
		*out = &view_of_cells(&gaps_hta_view, s.out, scope, &show)->table;
	table_free(&s.out->table);
	return rc;
}
