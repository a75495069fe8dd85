/* Slices whose times cannot be: see apart.h. */
#include "store/apart.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "ingest/kineto.h"

/* From the body to an event that still belongs to it, and the width of a body. */
#define REACH_NS SLICE_DUR_MAX_NS

/* Times that are looked at to find the body. */
#define SAMPLE_MAX 8192

#define NTRACK_KINDS (TRACK_ASYNC + 1)

enum finding apart_finding(enum apart apart)
{
	static const enum finding findings[] = {
		[APART_NEGATIVE] = FINDING_NEGATIVE_DURATION,
		[APART_LONG] = FINDING_IMPOSSIBLE_DURATION,
		[APART_FAR] = FINDING_IMPOSSIBLE_TIME,
	};

	return findings[apart];
}

/*
 * The time of an event; false when it is to be passed over.  0 is what a stamp that
 * was never set says, however many there are; where it is none, others are near.
 */
static bool event_time(const struct model *m, size_t i, bool all, int64_t *ts_ns)
{
	bool possible = true;

	if (m->nslices) {
		*ts_ns = m->slices[i].ts_ns;
		possible = dur_is_possible(m->slices[i].dur_ns);
	} else {
		*ts_ns = m->counters[i].ts_ns;
	}
	return all || (possible && *ts_ns != 0);
}

/*
 * Times of events spread over the file, one of each stretch at a place that a hash
 * chooses: traces repeat themselves, and a fixed stride may meet one kind alone.
 */
static size_t sample_times(const struct model *m, bool all, int64_t *times)
{
	size_t events = m->nslices ? m->nslices : m->ncounters;
	size_t stride = events / SAMPLE_MAX + 1, n = 0;

	for (size_t i = 0; i < events; i += stride) {
		uint64_t hash = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
		size_t at = i + (size_t)(hash >> 32) % stride;
		if (event_time(m, at < events ? at : i, all, &times[n]))
			n++;
	}
	return n;
}

/* The middle of the 7 days with the most of the times, the last ones of equal many. */
static int64_t densest(int64_t *times, size_t n)
{
	size_t low = 0, best = 0, most = 0;

	qsort(times, n, sizeof(*times), sort_compare_int64);
	for (size_t high = 0; high < n; high++) {
		while (sum_sub(times[high], times[low]) > REACH_NS)
			low++;
		if (high - low + 1 < most)
			continue;
		best = low;
		most = high - low + 1;
	}
	return times[best + (most - 1) / 2];
}

static int64_t find_body(const struct model *m)
{
	int64_t *times = xrealloc_array(NULL, SAMPLE_MAX, sizeof(*times));
	size_t n = sample_times(m, false, times);

	if (n == 0)
		n = sample_times(m, true, times);
	int64_t body_ns = n ? densest(times, n) : 0;
	free(times);
	return body_ns;
}

bool apart_is_far(const struct model *m, int64_t ts_ns)
{
	if (!m->is_odd)
		return false;
	int64_t distance_ns = sum_sub(ts_ns, m->body_ns);
	return distance_ns > REACH_NS || distance_ns < -REACH_NS;
}

/* Start and end by the events that are not set apart. */
static void frame(struct model *m)
{
	m->has_time = false;
	m->start_ns = m->end_ns = m->body_ns;
	for (size_t i = 0; i < m->nslices; i++) {
		const struct slice_rec *s = &m->slices[i];
		if (!s->apart && !apart_is_far(m, s->ts_ns))
			model_note_time(m, s->ts_ns, slice_end(s));
	}
	for (size_t i = 0; i < m->ncounters; i++)
		if (!apart_is_far(m, m->counters[i].ts_ns))
			model_note_time(m, m->counters[i].ts_ns, m->counters[i].ts_ns);
}

static void tell_far(struct model *m, uint64_t offset, struct str excerpt)
{
	model_finding(m, FINDING_IMPOSSIBLE_TIME, offset, STR_LIT(""), excerpt);
}

/* The reader has told of durations already. */
static void judge_complete(struct model *m, struct slice_rec *s)
{
	if (!dur_is_possible(s->dur_ns)) {
		s->apart = s->dur_ns < 0 ? APART_NEGATIVE : APART_LONG;
	} else if (apart_is_far(m, s->ts_ns)) {
		s->apart = APART_FAR;
		tell_far(m, s->offset, intern_str(m->texts, s->name));
	}
}

/* Samples have no mark: their time shows that they lie outside. */
static void judge_counters(struct model *m)
{
	for (size_t i = 0; i < m->ncounters; i++)
		if (apart_is_far(m, m->counters[i].ts_ns))
			model_finding(m, FINDING_IMPOSSIBLE_TIME, m->counters[i].offset,
				      STR_LIT("counter"),
				      intern_str(m->texts, m->counters[i].name));
}

/* What the reader took from the last events of their kinds, from the last sound ones. */
static void find_moments(struct model *m)
{
	struct profile_fact *p = &m->profile;
	uint32_t window_end = intern_add(m->texts, STR_LIT(KINETO_WINDOW_END));
	int64_t window_end_ns = NUMBER_NONE, span_end_ns = NUMBER_NONE;

	for (size_t i = 0; i < m->nslices; i++) {
		const struct slice_rec *s = &m->slices[i];
		if (s->apart)
			continue;
		if (s->class == CLASS_SPAN && s->phase == PHASE_COMPLETE)
			span_end_ns = slice_end(s);
		else if (s->phase == PHASE_INSTANT && s->name == window_end)
			window_end_ns = s->ts_ns;
	}
	if (p->window_end_ns != NUMBER_NONE)
		p->window_end_ns = window_end_ns;
	if (p->span_end_ns != NUMBER_NONE)
		p->span_end_ns = span_end_ns;
}

void apart_find(struct model *m)
{
	if (!m->has_odd_dur &&
	    (!m->has_time || sum_sub(m->end_ns, m->start_ns) <= REACH_NS))
		return;
	m->body_ns = find_body(m);
	m->is_odd = true;
	for (size_t i = 0; i < m->nslices; i++) {
		struct slice_rec *s = &m->slices[i];
		if (s->phase == PHASE_COMPLETE || s->phase == PHASE_INSTANT)
			judge_complete(m, s);
	}
	judge_counters(m);
	frame(m);
	find_moments(m);
}

static void judge_pair(struct model *m, struct slice_rec *s)
{
	struct str name = intern_str(m->texts, s->name);

	if (apart_is_far(m, s->ts_ns)) {
		s->apart = APART_FAR;
		tell_far(m, s->offset, name);
	} else if (!dur_is_possible(s->dur_ns)) {
		s->apart = s->dur_ns < 0 ? APART_NEGATIVE : APART_LONG;
		model_finding(m, apart_finding((enum apart)s->apart), s->offset,
			      STR_LIT(""), name);
	}
}

void apart_pairs(struct model *m)
{
	if (!m->is_odd)
		return;
	for (size_t i = 0; i < m->nslices; i++) {
		struct slice_rec *s = &m->slices[i];
		if (s->phase != PHASE_END && !s->apart && m->tracks[s->track].has_pairs)
			judge_pair(m, s);
	}
	frame(m);
}

bool apart_begins_at(const struct model *m, uint32_t track, int64_t ts_ns)
{
	size_t at, end = m->nrows + m->napart;
	const struct slice_rec *s;

	SEARCH(at, m->nrows, end,
	       (s = model_slice(m, (uint32_t)at))->track != track ? s->track < track
								  : s->ts_ns < ts_ns);
	if (at == end)
		return false;
	s = model_slice(m, (uint32_t)at);
	return s->track == track && s->ts_ns == ts_ns;
}

/* What slices with one finding say they lasted, and on which kinds of tracks. */
struct claim {
	int64_t time_ns;
	bool kinds[NTRACK_KINDS];
};

/* The time of what does not lie within another slice, by kind of track. */
static void sound_times(const struct model *m, int64_t *times_ns)
{
	for (size_t t = 0; t < m->ntracks; t++) {
		const struct track *track = &m->tracks[t];
		int64_t *sum_ns = &times_ns[track->kind];
		for (size_t i = 0; i < track->n; i++) {
			uint32_t row = (uint32_t)(track->first + i);
			if (m->parent[row] == ROW_NONE)
				*sum_ns = sum_add(*sum_ns, model_slice(m, row)->dur_ns);
		}
	}
}

static void tell_claim(const struct claim *claim, const int64_t *sound_ns,
		       struct finding_rec *finding)
{
	double claimed = (double)claim->time_ns, all = claimed;

	for (int kind = 0; kind < NTRACK_KINDS; kind++)
		if (claim->kinds[kind])
			all += (double)sound_ns[kind];
	finding->time_ns = claim->time_ns;
	finding->share_pct = all > 0 ? 100 * claimed / all : 0;
}

void apart_tell(struct model *m)
{
	struct claim claims[APART_FAR + 1] = { 0 };
	int64_t sound_ns[NTRACK_KINDS] = { 0 };

	if (m->napart == 0)
		return;
	sound_times(m, sound_ns);
	for (size_t row = m->nrows; row < m->nrows + m->napart; row++) {
		const struct slice_rec *s = model_slice(m, (uint32_t)row);
		struct claim *claim = &claims[s->apart];
		int64_t dur_ns = s->dur_ns < 0 ? sum_sub(0, s->dur_ns) : s->dur_ns;
		claim->time_ns = sum_add(claim->time_ns, dur_ns);
		claim->kinds[m->tracks[s->track].kind] = true;
	}
	for (int apart = APART_NEGATIVE; apart <= APART_FAR; apart++) {
		struct finding_rec *finding =
			model_told(m, apart_finding((enum apart)apart));
		if (finding)
			tell_claim(&claims[apart], sound_ns, finding);
	}
}
