/* Launches whose device work was not recorded: see health.h and health_sweep.h. */
#include "base/search.h"
#include "base/sort.h"
#include "store/health_sweep.h"
#include "store/idtable.h"

/* A copy or set that has nothing to do returns at once; others take microseconds. */
#define NO_COPY_NS 1000

/* A time within which a graph was captured. */
struct capture {
	int64_t from_ns, to_ns;
};

struct launches {
	struct health *h;
	struct idtable worked;    /* correlations with device work */
	bool *has_work;           /* by place in h->calls; owned */
	bool *counts;             /* likewise */
	struct capture *captures; /* by time, apart from each other; owned */
	size_t ncaptures;
};

static const struct slice_rec *call_at(const struct launches *l, size_t i)
{
	return model_slice(l->h->m, l->h->calls[i]);
}

static void find_worked(struct launches *l)
{
	const struct model *m = l->h->m;

	for (size_t i = 0; i < m->nworks; i++) {
		const struct slice_rec *work = model_slice(m, m->works[i]);
		idtable_add(&l->worked, slice_key(m, work), (uint32_t)i);
	}
	idtable_build(&l->worked);
}

static bool row_by_time(const void *context, uint32_t a, uint32_t b)
{
	const struct model *m = context;

	return model_slice(m, a)->ts_ns < model_slice(m, b)->ts_ns;
}

static void sort_by_time(const struct model *m, uint32_t *rows, size_t n)
{
	uint32_t *spare = spill_alloc(m->spill, n, sizeof(*spare));

	sort_indexes(rows, n, spare, row_by_time, m);
	spill_free(m->spill, spare);
}

/*
 * From the begin to the end of a capture, whichever thread launches: other
 * threads may join it.  One that the recording cuts lasts to its edge.
 */
static void find_captures(struct launches *l)
{
	struct health *h = l->h;
	int64_t from_ns = INT64_MIN;
	size_t open = 0;

	sort_by_time(h->m, h->captures, h->ncaptures);
	l->captures = spill_alloc(h->m->spill, h->ncaptures, sizeof(*l->captures));
	for (size_t i = 0; i < h->ncaptures; i++) {
		const struct slice_rec *s = model_slice(h->m, h->captures[i]);
		if (health_name_kind(h, h->captures[i]) == NAME_CAPTURE_BEGIN) {
			from_ns = open++ ? from_ns : s->ts_ns;
			continue;
		}
		open -= open > 0;
		if (open == 0 && (from_ns != INT64_MIN || l->ncaptures == 0))
			l->captures[l->ncaptures++] =
				(struct capture){ from_ns, slice_end(s) };
		from_ns = open ? from_ns : INT64_MIN;
	}
	if (open)
		l->captures[l->ncaptures++] = (struct capture){ from_ns, INT64_MAX };
}

static bool is_captured(const struct launches *l, int64_t ts_ns)
{
	size_t at;

	/* the first capture that begins behind ts */
	SEARCH(at, 0, l->ncaptures, l->captures[at].from_ns <= ts_ns);
	return at > 0 && ts_ns <= l->captures[at - 1].to_ns;
}

/* The place of a row among the calls, h->ncalls when it is none of them. */
static size_t place_of(const struct health *h, uint32_t row)
{
	size_t at;

	SEARCH(at, 0, h->ncalls, h->calls[at] < row);
	return at < h->ncalls && h->calls[at] == row ? at : h->ncalls;
}

static bool had_nothing_to_do(const struct launches *l, size_t i)
{
	const struct slice_rec *s = call_at(l, i);

	return (health_name_kind(l->h, l->h->calls[i]) == NAME_COPY &&
		s->dur_ns < NO_COPY_NS) ||
	       is_captured(l, s->ts_ns);
}

/* Inner calls come behind the outer ones, which have the work that those have. */
static void judge_calls(struct launches *l)
{
	const struct health *h = l->h;

	for (size_t i = h->ncalls; i-- > 0;) {
		int64_t key = slice_key(h->m, call_at(l, i));
		if (key == NUMBER_NONE || key == 0)
			continue;
		struct idtable_rows works = idtable_find(&l->worked, key);
		l->has_work[i] |= idtable_next(&l->worked, &works) != ROW_NONE;
		uint32_t around = h->m->parent[h->calls[i]];
		size_t outer = around == ROW_NONE ? h->ncalls : place_of(h, around);
		if (outer < h->ncalls)
			l->has_work[outer] |= l->has_work[i];
		else
			l->counts[i] = l->has_work[i] || !had_nothing_to_do(l, i);
	}
}

/* Calls by time: how many come before the first one with work; 0 when none has any. */
static size_t count_leading(const struct launches *l, const uint32_t *by_time)
{
	size_t n = 0;

	for (size_t i = 0; i < l->h->ncalls; i++) {
		if (!l->counts[by_time[i]])
			continue;
		if (l->has_work[by_time[i]])
			return n;
		n++;
	}
	return 0;
}

static bool call_by_time(const void *context, uint32_t a, uint32_t b)
{
	const struct launches *l = context;

	return call_at(l, a)->ts_ns < call_at(l, b)->ts_ns;
}

static uint32_t *calls_by_time(const struct launches *l)
{
	size_t n = l->h->ncalls;
	struct spill *spill = l->h->m->spill;
	uint32_t *at = spill_alloc(spill, n, sizeof(*at));
	uint32_t *spare = spill_alloc(spill, n, sizeof(*spare));

	for (size_t i = 0; i < n; i++)
		at[i] = (uint32_t)i;
	sort_indexes(at, n, spare, call_by_time, l);
	spill_free(spill, spare);
	return at;
}

/* Those at the beginning have a cause of their own when most are there. */
static void tell_missing(struct launches *l, int64_t counted, int64_t missing)
{
	struct tally first = { 0 }, others = { 0 };
	uint32_t *by_time = calls_by_time(l);
	size_t leading = count_leading(l, by_time);

	if ((int64_t)leading * 2 < missing)
		leading = 0;
	for (size_t i = 0; i < l->h->ncalls; i++) {
		uint32_t at = by_time[i];
		if (!l->counts[at] || l->has_work[at])
			continue;
		bool is_first = (size_t)first.n < leading;
		tally_add(is_first ? &first : &others, call_at(l, at),
			  call_at(l, at)->dur_ns);
	}
	spill_free(l->h->m->spill, by_time);
	first.time_ns = others.time_ns = NUMBER_NONE;
	health_tell(l->h, FINDING_FIRST_KERNELS_MISSING, &first,
		    health_share(first.n, counted));
	health_tell(l->h, FINDING_KERNELS_MISSING, &others,
		    health_share(others.n, counted));
}

void health_launches(struct health *h)
{
	struct launches l = { .h = h, .worked = { .spill = h->m->spill } };
	int64_t counted = 0, missing = 0;

	if (health_device_slices(h) == 0 || h->ncalls == 0)
		return;
	l.has_work = spill_alloc(h->m->spill, h->ncalls, sizeof(*l.has_work));
	l.counts = spill_alloc(h->m->spill, h->ncalls, sizeof(*l.counts));
	find_worked(&l);
	find_captures(&l);
	judge_calls(&l);
	for (size_t i = 0; i < h->ncalls; i++) {
		counted += l.counts[i];
		missing += l.counts[i] && !l.has_work[i];
	}
	if (missing)
		tell_missing(&l, counted, missing);
	idtable_release(&l.worked);
	spill_free(h->m->spill, l.has_work);
	spill_free(h->m->spill, l.counts);
	spill_free(h->m->spill, l.captures);
}
