/* Begins and ends, and the parts of old asynchronous slices: see pair.h. */
#include "store/pair.h"

#include <assert.h>

#include "base/sparse.h"

/* TRACK_STREAM and TRACK_STREAM_NOTES */
#define NSTREAMS (TRACK_ASYNC - TRACK_STREAM)

/* A slice that has begun. */
struct begun {
	uint32_t slice; /* ROW_NONE: it has ended, too */
	uint32_t
		older; /* place in `open`, plus 1, of the one of its name before it, or 0 */
};

/* A track being paired. */
struct pairing {
	struct spill *spill;
	const uint32_t *rows; /* the slices that are left, by time */
	size_t nrows;
	size_t nstreams;    /* of a thread: those of its pid and tid stand behind it */
	struct begun *open; /* the last one has not ended */
	size_t n, cap;
	/*
	 * uint32_t by name: place in `open`, plus 1, of the newest.  May be of an earlier
	 * track.
	 */
	struct sparse newest;
	uint32_t part; /* newest part of a legacy asynchronous slice, or ROW_NONE */
	bool part_is_open, by_name;
	uint32_t no_name; /* the empty text */
};

/* Place in `open`, plus 1, of the newest slice of that name that has not ended, or 0. */
static uint32_t newest_of(const struct model *m, struct pairing *p, uint32_t name)
{
	uint32_t at = *SPARSE_AT(&p->newest, uint32_t, name);

	if (at == 0 || at > p->n || p->open[at - 1].slice == ROW_NONE ||
	    m->slices[p->open[at - 1].slice].name != name)
		return 0;
	return at;
}

static void push(const struct model *m, struct pairing *p, uint32_t slice)
{
	uint32_t name = m->slices[slice].name;

	p->open = spill_grow(p->spill, p->open, &p->cap, p->n + 1, sizeof(*p->open));
	p->open[p->n++] = (struct begun){ slice, newest_of(m, p, name) };
	*SPARSE_AT(&p->newest, uint32_t, name) = (uint32_t)p->n;
}

/* Takes out the newest slice of a name. */
static uint32_t take(const struct model *m, struct pairing *p, uint32_t at)
{
	assert(p->open && at <= p->n); /* `at` is the place of one that is open */
	uint32_t slice = p->open[at - 1].slice;

	*SPARSE_AT(&p->newest, uint32_t, m->slices[slice].name) = p->open[at - 1].older;
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

static bool is_before(const struct model *m, uint32_t a, uint32_t b)
{
	int64_t a_ns = m->slices[a].ts_ns, b_ns = m->slices[b].ts_ns;

	return a_ns != b_ns ? a_ns < b_ns : a < b;
}

/*
 * Which of the n has the newest slice that has not ended, of that name or, no_name, of all:
 * *at is its place in `open`, plus 1, or 0 when there is none.
 */
static struct pairing *newest_among(const struct model *m, struct pairing *p, size_t n,
				    uint32_t name, uint32_t *at)
{
	struct pairing *newest = p;

	*at = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t own =
			name == p->no_name ? (uint32_t)p[i].n : newest_of(m, &p[i], name);
		if (own && (*at == 0 || is_before(m, newest->open[*at - 1].slice,
						  p[i].open[own - 1].slice))) {
			newest = &p[i];
			*at = own;
		}
	}
	return newest;
}

/*
 * The slice that the end closes: the newest of the end's name; on a thread, where there is
 * none or the end has no name, the newest of all.  (Perfetto goes by the name, too; catapult
 * never does.)  An end needs no category, which tells a stream's slices from those of the
 * thread of the same pid and tid: without one it may be of any of them.
 */
static struct pairing *find_begin(const struct model *m, struct pairing *p,
				  const struct slice_rec *end, uint32_t *at)
{
	bool is_told = m->ncategories && m->categories[end->category] != TEXT_NONE;
	size_t n = is_told ? 1 : 1 + p->nstreams;
	struct pairing *found = newest_among(m, p, n, end->name, at);

	return *at || p->by_name ? found : newest_among(m, p, n, p->no_name, at);
}

static void pair_end(struct model *m, struct pairing *p, struct slice_rec *end)
{
	uint32_t at;

	end->key = ROW_NONE;
	p = find_begin(m, p, end, &at);
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

/* `track` may be TEXT_NONE, and have no pairs: it has no slices, then. */
static void start(const struct model *m, uint32_t track, struct pairing *p)
{
	const struct track *t = track != TEXT_NONE && m->tracks[track].has_pairs
					? &m->tracks[track]
					: NULL;

	p->rows = t ? m->order + t->first : NULL;
	p->nrows = t ? t->n : 0;
	p->n = 0;
	p->part = ROW_NONE;
	p->part_is_open = false;
	p->by_name = t && t->kind == TRACK_ASYNC;
}

/* Do the slices of `a` go on before those of `b`? */
static bool comes_before(const struct model *m, const struct pairing *a,
			 const struct pairing *b)
{
	return is_before(m, *a->rows, *b->rows);
}

/* The one whose next slice comes first, of one time that of the file; NULL at the end. */
static struct pairing *first_of(const struct model *m, struct pairing *p, size_t n)
{
	struct pairing *first = NULL;

	for (size_t i = 0; i < n; i++)
		if (p[i].nrows && (!first || comes_before(m, &p[i], first)))
			first = &p[i];
	return first;
}

/* Of a stream: is it paired with a thread? */
static bool has_thread(const struct model *m, const struct track *t)
{
	if (t->kind != TRACK_STREAM && t->kind != TRACK_STREAM_NOTES)
		return false;
	uint32_t thread = m->places[t->place].track[TRACK_THREAD];
	return thread != TEXT_NONE && m->tracks[thread].has_pairs;
}

static void pair_track(struct model *m, uint32_t track, struct pairing *all)
{
	const struct track *t = &m->tracks[track];
	struct pairing *p;

	start(m, track, all);
	for (size_t i = 0; i < NSTREAMS; i++)
		start(m,
		      t->kind == TRACK_THREAD
			      ? m->places[t->place].track[TRACK_STREAM + i]
			      : TEXT_NONE,
		      &all[1 + i]);
	for (size_t i = 0; (p = first_of(m, all, 1 + NSTREAMS)) != NULL; i++) {
		model_tick(m, i);
		p->nrows--;
		pair_slice(m, p, *p->rows++);
	}
	for (size_t i = 0; i < 1 + NSTREAMS; i++)
		close_rest(m, &all[i]);
}

void pair_all(struct model *m)
{
	struct pairing all[1 + NSTREAMS] = { 0 };

	for (size_t i = 0; i < 1 + NSTREAMS; i++) {
		all[i].spill = m->spill;
		all[i].no_name = intern_add(m->texts, STR_LIT(""));
	}
	all[0].nstreams = NSTREAMS;
	for (size_t t = 0; t < m->ntracks; t++)
		if (m->tracks[t].has_pairs && !has_thread(m, &m->tracks[t]))
			pair_track(m, (uint32_t)t, all);
	for (size_t i = 0; i < 1 + NSTREAMS; i++) {
		spill_free(m->spill, all[i].open);
		sparse_release(&all[i].newest);
	}
}
