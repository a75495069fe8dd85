/* Pairing and ordering: see order.h. */
#include "store/order.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/sort.h"
#include "store/apart.h"

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

/* A slice that has begun. */
struct begun {
	uint32_t slice; /* ROW_NONE: it has ended, too */
	uint32_t
		older; /* place in `open`, plus 1, of the one of its name before it, or 0 */
};

/* A track being paired. */
struct pairing {
	struct spill *spill;
	struct begun *open; /* the last one has not ended */
	size_t n, cap;
	/* By name: place in `open`, plus 1, of the newest.  May be of an earlier track. */
	uint32_t *newest;
	size_t nnewest, newest_cap;
	uint32_t part; /* newest part of a legacy asynchronous slice, or ROW_NONE */
	bool part_is_open, by_name;
	uint32_t no_name; /* the empty text */
};

/* Place in `open`, plus 1, of the newest slice of that name that has not ended, or 0. */
static uint32_t newest_of(const struct model *m, const struct pairing *p, uint32_t name)
{
	uint32_t at = name < p->nnewest ? p->newest[name] : 0;

	if (at == 0 || at > p->n || p->open[at - 1].slice == ROW_NONE ||
	    m->slices[p->open[at - 1].slice].name != name)
		return 0;
	return at;
}

static void push(const struct model *m, struct pairing *p, uint32_t slice)
{
	uint32_t name = m->slices[slice].name;

	p->newest = spill_grow(p->spill, p->newest, &p->newest_cap, (size_t)name + 1,
			       sizeof(*p->newest));
	while (p->nnewest <= name)
		p->newest[p->nnewest++] = 0;
	p->open = spill_grow(p->spill, p->open, &p->cap, p->n + 1, sizeof(*p->open));
	p->open[p->n++] = (struct begun){ slice, newest_of(m, p, name) };
	p->newest[name] = (uint32_t)p->n;
}

/* Takes out the newest slice of a name. */
static uint32_t take(const struct model *m, struct pairing *p, uint32_t at)
{
	assert(p->open && at <= p->n); /* `at` is the place of one that is open */
	uint32_t slice = p->open[at - 1].slice;

	p->newest[m->slices[slice].name] = p->open[at - 1].older;
	p->open[at - 1].slice = ROW_NONE;
	while (p->n && p->open[p->n - 1].slice == ROW_NONE)
		p->n--;
	return slice;
}

static void finding_at(struct model *m, enum finding finding, const struct slice_rec *s)
{
	model_finding(m, finding, s->offset, STR_LIT(""), intern_str(m->texts, s->name));
}

static void close_slice(struct slice_rec *begin, int64_t end_ns)
{
	begin->dur_ns = end_ns - begin->ts_ns;
	begin->phase = PHASE_COMPLETE;
}

/*
 * Place in `open`, plus 1, of the slice that the end closes: the newest of the end's
 * name; on a thread, where there is none or the end has no name, the newest of all.
 * 0 when there is none.  (Perfetto goes by the name, too; catapult never does.)
 */
static uint32_t find_begin(const struct model *m, const struct pairing *p,
			   const struct slice_rec *end)
{
	uint32_t at = 0;

	if (end->name != p->no_name)
		at = newest_of(m, p, end->name);
	if (at == 0 && (end->name == p->no_name || !p->by_name))
		at = (uint32_t)p->n;
	return at;
}

static void pair_end(struct model *m, struct pairing *p, struct slice_rec *end)
{
	uint32_t at = find_begin(m, p, end);

	end->key = ROW_NONE;
	if (at == 0) {
		finding_at(m, FINDING_END_WITHOUT_BEGIN, end);
		return;
	}
	end->key = take(m, p, at);
	struct slice_rec *begin = &m->slices[end->key];
	if (end->name != begin->name && end->name != p->no_name)
		finding_at(m, FINDING_END_NAME, end);
	close_slice(begin, end->ts_ns);
}

/* A part that lasts until what comes next does so now. */
static void close_part(struct model *m, struct pairing *p, int64_t end_ns)
{
	if (p->part != ROW_NONE && p->part_is_open)
		close_slice(&m->slices[p->part], end_ns);
	p->part_is_open = false;
}

/* A part of a legacy asynchronous slice: since the one before, or until the next. */
static void pair_step(struct model *m, struct pairing *p, uint32_t slice)
{
	struct slice_rec *step = &m->slices[slice];
	int64_t from_ns = step->ts_ns;

	close_part(m, p, step->ts_ns);
	if (step->phase == PHASE_STEP_PAST) {
		if (p->part != ROW_NONE)
			from_ns = slice_end(&m->slices[p->part]);
		else if (p->n)
			from_ns = m->slices[p->open[p->n - 1].slice].ts_ns;
		step->dur_ns = step->ts_ns - from_ns;
		step->ts_ns = from_ns;
	} else {
		p->part_is_open = true;
	}
	step->phase = PHASE_COMPLETE;
	p->part = slice;
}

/* What is still open lasts until the end of the recording. */
static void close_rest(struct model *m, struct pairing *p)
{
	if (p->part != ROW_NONE && p->part_is_open)
		m->slices[p->part].unfinished = 1;
	close_part(m, p, m->end_ns);
	for (size_t i = 0; i < p->n; i++) {
		if (p->open[i].slice == ROW_NONE)
			continue;
		struct slice_rec *s = &m->slices[p->open[i].slice];
		finding_at(m, FINDING_BEGIN_WITHOUT_END, s);
		s->unfinished = 1;
		close_slice(s, m->end_ns);
	}
}

static void pair_slice(struct model *m, struct pairing *p, uint32_t slice)
{
	struct slice_rec *s = &m->slices[slice];

	switch ((enum slice_phase)s->phase) {
	case PHASE_BEGIN:
		/* A complete event without a dur waits for no end. */
		if (s->unfinished)
			close_slice(s, m->end_ns);
		else
			push(m, p, slice);
		break;
	case PHASE_END:
		close_part(m, p, s->ts_ns);
		p->part = ROW_NONE;
		pair_end(m, p, s);
		break;
	case PHASE_STEP_INTO:
	case PHASE_STEP_PAST:
		pair_step(m, p, slice);
		break;
	case PHASE_COMPLETE:
	case PHASE_INSTANT:
		break;
	}
}

static void pair_track(struct model *m, const struct track *t, const uint32_t *rows,
		       struct pairing *p)
{
	p->n = 0;
	p->part = ROW_NONE;
	p->part_is_open = false;
	p->by_name = t->kind == TRACK_ASYNC;
	for (size_t i = 0; i < t->n; i++) {
		model_tick(m, i);
		pair_slice(m, p, rows[i]);
	}
	close_rest(m, p);
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

static void pair_tracks(struct model *m, uint32_t *spare)
{
	struct track_sort by_time = { m, spare, time_before, true };
	struct pairing pairing = { .spill = m->spill,
				   .no_name = intern_add(m->texts, STR_LIT("")) };

	sort_tracks(&by_time);
	for (size_t t = 0; t < m->ntracks; t++)
		if (m->tracks[t].has_pairs)
			pair_track(m, &m->tracks[t], m->order + m->tracks[t].first,
				   &pairing);
	spill_free(m->spill, pairing.open);
	spill_free(m->spill, pairing.newest);
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
