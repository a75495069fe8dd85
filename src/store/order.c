/* The order of rows: see order.h. */
#include "store/order.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/sort.h"
#include "store/apart.h"
#include "store/pair.h"

/* The order of rows.  Ties keep the file's order: the sort is stable. */
static bool row_before(const void *context, uint32_t a, uint32_t b)
{
	const struct slice_rec *slices = context, *x = &slices[a], *y = &slices[b];

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns;
	return x->dur_ns > y->dur_ns;
}

/* The order of rows that are set apart, which no time can be trusted for. */
static bool apart_before(const void *context, uint32_t a, uint32_t b)
{
	const struct slice_rec *slices = context, *x = &slices[a], *y = &slices[b];

	return x->track != y->track ? x->track < y->track : x->ts_ns < y->ts_ns;
}

/* The order in which begins and ends are paired. */
static bool time_before(const void *context, uint32_t a, uint32_t b)
{
	const struct slice_rec *slices = context;

	return slices[a].ts_ns < slices[b].ts_ns;
}

/* Slices of the file by track, in parts of the file. */
struct scattering {
	struct model *m;
	size_t parts;
	uint32_t *places; /* by part and track: how many, then where the next one goes */
};

static void count_part(void *to, size_t part)
{
	const struct scattering *s = to;
	const struct model *m = s->m;
	uint32_t *counts = s->places + part * m->ntracks;
	size_t end = crew_cut(m->nslices, s->parts, part + 1);

	for (size_t i = crew_cut(m->nslices, s->parts, part); i < end; i++) {
		model_tick(m, i);
		counts[m->slices[i].track]++;
	}
}

static void scatter_part(void *to, size_t part)
{
	const struct scattering *s = to;
	const struct model *m = s->m;
	uint32_t *places = s->places + part * m->ntracks;
	size_t end = crew_cut(m->nslices, s->parts, part + 1);

	for (size_t i = crew_cut(m->nslices, s->parts, part); i < end; i++) {
		model_tick(m, i);
		m->order[places[m->slices[i].track]++] = (uint32_t)i;
	}
}

/* Counting sort by track, stable in the file's order. */
static void scatter(struct model *m)
{
	unsigned others = model_others(m, m->nslices);
	struct scattering s = { .m = m, .parts = others + 1 };
	uint32_t at = 0;

	/* As many counts as that are no longer small beside the slices. */
	if (s.parts * m->ntracks > m->nslices / 16)
		s.parts = 1;
	s.places = spill_alloc(m->spill, s.parts * m->ntracks, sizeof(*s.places));
	crew_run(others, s.parts, count_part, &s);
	for (size_t t = 0; t < m->ntracks; t++) {
		m->tracks[t].first = at;
		for (size_t part = 0; part < s.parts; part++) {
			uint32_t *place = &s.places[part * m->ntracks + t];
			uint32_t n = *place;
			*place = at;
			at += n;
		}
		m->tracks[t].n = at - m->tracks[t].first;
	}
	crew_run(others, s.parts, scatter_part, &s);
	spill_free(m->spill, s.places);
}

static bool has_others_than_rows(const struct model *m)
{
	for (size_t t = 0; t < m->ntracks; t++)
		if (m->tracks[t].has_pairs)
			return true;
	return m->is_odd;
}

/*
 * Ends have done their work: rows move up over them, and over those set apart.  Behind
 * the rows come those, then the ends.
 */
static void put_ends_last(struct model *m, uint32_t *aside)
{
	size_t to = 0, nends = 0;

	m->nrows = m->nslices;
	if (!has_others_than_rows(m))
		return;
	for (size_t t = 0; t < m->ntracks; t++) {
		struct track *track = &m->tracks[t];
		size_t first = to;
		for (size_t i = 0; i < track->n; i++) {
			model_tick(m, i);
			uint32_t slice = m->order[track->first + i];
			const struct slice_rec *s = &m->slices[slice];
			if (s->phase == PHASE_END)
				aside[m->nslices - ++nends] = slice;
			else if (s->apart)
				aside[m->napart++] = slice;
			else
				m->order[to++] = slice;
		}
		track->first = first;
		track->n = to - first;
	}
	m->nrows = to;
	if (m->napart)
		memcpy(m->order + to, aside, m->napart * sizeof(*aside));
	to += m->napart;
	if (nends)
		memcpy(m->order + to, aside + to, nends * sizeof(*aside));
}

#define FORGOTTEN_BYTES ((size_t)1 << 20)

/* Gives the memory of [from, to) back to the system: it is not read again, only freed. */
static char *forget(char *from, const char *to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t skip = page - (uintptr_t)from % page; /* what stands before it stays */

	if ((size_t)(to - from) < FORGOTTEN_BYTES + skip)
		return from;
	madvise(from + skip, FORGOTTEN_BYTES / page * page, MADV_DONTNEED);
	return from + skip + FORGOTTEN_BYTES / page * page - 1;
}

/* Slices on their way into the order of rows, in parts of the file. */
struct moving {
	struct model *m;
	uint32_t *row_of;
	struct slice_rec *rows;
	size_t parts;
};

/*
 * They are read in the order of the file and their memory given back at once, and
 * written to as many places as there are tracks: both are quick, and only one array is
 * ever in memory.
 */
static void move_part(void *to, size_t part)
{
	const struct moving *moving = to;
	const struct model *m = moving->m;
	size_t first = crew_cut(m->nslices, moving->parts, part);
	size_t end = crew_cut(m->nslices, moving->parts, part + 1);

	if (first == end)
		return; /* perhaps of no slices at all */
	char *kept = (char *)&m->slices[first];
	for (size_t i = first; i < end; i++) {
		model_tick(m, i);
		moving->rows[moving->row_of[i]] = m->slices[i];
		if (i % 8192 == 0)
			kept = forget(kept, (const char *)&m->slices[i]);
	}
}

static void number_part(void *to, size_t part)
{
	const struct moving *moving = to;
	const struct model *m = moving->m;
	size_t end = crew_cut(m->nslices, moving->parts, part + 1);

	for (size_t row = crew_cut(m->nslices, moving->parts, part); row < end; row++) {
		model_tick(m, row);
		moving->row_of[m->order[row]] = (uint32_t)row;
	}
}

static int by_step_slice(const void *a, const void *b)
{
	const struct step_mark *x = a, *y = b;

	return (x->slice > y->slice) - (x->slice < y->slice);
}

static int by_group_slice(const void *a, const void *b)
{
	const struct group_mark *x = a, *y = b;

	return (x->slice > y->slice) - (x->slice < y->slice);
}

static int by_range_slice(const void *a, const void *b)
{
	const struct range_rec *x = a, *y = b;

	return (x->slice > y->slice) - (x->slice < y->slice);
}

/* What stands beside the slices names their rows from here on. */
static void name_rows(struct model *m, const uint32_t *row_of)
{
	for (size_t i = 0; i < m->ncollectives; i++)
		m->collectives[i].slice = row_of[m->collectives[i].slice];
	for (size_t i = 0; i < m->nargs; i++)
		m->args[i].slice = row_of[m->args[i].slice];
	for (size_t i = 0; i < m->nranges; i++)
		m->ranges[i].slice = row_of[m->ranges[i].slice];
	if (m->nranges)
		qsort(m->ranges, m->nranges, sizeof(*m->ranges), by_range_slice);
	for (size_t i = 0; i < m->nstep_marks; i++)
		m->step_marks[i].slice = row_of[m->step_marks[i].slice];
	for (size_t i = 0; i < m->ngroup_marks; i++)
		m->group_marks[i].slice = row_of[m->group_marks[i].slice];
	for (size_t row = m->nrows + m->napart; row < m->nslices; row++) {
		struct slice_rec *end = &m->slices[m->order[row]];
		end->key = end->key == ROW_NONE ? ROW_NONE : row_of[end->key];
	}
	if (m->nstep_marks)
		qsort(m->step_marks, m->nstep_marks, sizeof(*m->step_marks),
		      by_step_slice);
	if (m->ngroup_marks)
		qsort(m->group_marks, m->ngroup_marks, sizeof(*m->group_marks),
		      by_group_slice);
}

/* Every later pass goes over the slices themselves. */
static void make_rows(struct model *m, uint32_t *row_of)
{
	unsigned others = model_others(m, m->nslices);
	struct moving moving = { .m = m, .row_of = row_of, .parts = others + 1 };

	crew_run(others, moving.parts, number_part, &moving);
	name_rows(m, row_of);
	moving.rows = spill_alloc(m->spill, m->nslices, sizeof(*moving.rows));
	crew_run(others, moving.parts, move_part, &moving);
	spill_free(m->spill, m->slices);
	m->slices = moving.rows;
	m->slices_cap = m->nslices;
}

/* The rows of the tracks, each sorted by itself. */
struct track_sort {
	struct model *m;
	uint32_t *spare;
	sort_before *before;
	bool with_pairs; /* those alone that have pairs */
};

static bool is_to_sort(const struct track_sort *s, const struct track *track)
{
	return track->has_pairs || !s->with_pairs;
}

/* All threads sort it together. */
static bool is_large(const struct track_sort *s, const struct track *track)
{
	return track->n / 4 >= s->m->limits->shared_rows;
}

static void sort_track(void *to, size_t t)
{
	const struct track_sort *s = to;
	const struct track *track = &s->m->tracks[t];

	if (!is_large(s, track) && is_to_sort(s, track))
		sort_spilled(s->m->spill, s->m->order + track->first, track->n,
			     s->spare + track->first, s->before, s->m->slices);
}

/* Small tracks a thread each, large ones by all threads together. */
static void sort_tracks(struct track_sort *s)
{
	struct model *m = s->m;
	unsigned others = model_others(m, m->nslices);

	crew_run(others, m->ntracks, sort_track, s);
	for (size_t t = 0; t < m->ntracks; t++) {
		const struct track *track = &m->tracks[t];
		if (is_large(s, track) && is_to_sort(s, track))
			sort_by_crew((struct crew_sort){ .others = others,
							 .spill = m->spill,
							 .at = m->order + track->first,
							 .spare = s->spare,
							 .n = track->n,
							 .before = s->before,
							 .context = m->slices });
	}
}

/* Begins with ends, of the tracks that have some, in the order of time. */
static void pair_tracks(struct model *m, uint32_t *spare)
{
	struct track_sort by_time = { m, spare, time_before, true };

	sort_tracks(&by_time);
	pair_all(m);
}

void order_rows(struct model *m)
{
	uint32_t *spare = spill_alloc(m->spill, m->nslices, sizeof(*spare));
	struct track_sort by_row = { m, spare, row_before, false };

	m->order = spill_alloc(m->spill, m->nslices, sizeof(*m->order));
	scatter(m);
	pair_tracks(m, spare);
	apart_pairs(m);
	put_ends_last(m, spare);
	sort_tracks(&by_row);
	sort_spilled(m->spill, m->order + m->nrows, m->napart, spare, apart_before,
		     m->slices);
	make_rows(m, spare);
	spill_free(m->spill, spare);
}
