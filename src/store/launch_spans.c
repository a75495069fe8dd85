/*
 * Spans of devices within labels: see launch_spans.h.
 *
 * Works are added in the order of their launches.  After each, the sum over all devices
 * of the latest end among the works from any one on is known: a work's end is the latest
 * of its device from behind the last work that ends later, so that it raises the sums of
 * a range, each work's once.  Sums of ranges are a Fenwick tree.  The earliest start is
 * the latest of times with the sign changed.
 */
#include "store/launch_spans.h"

#include "base/idmap.h"
#include "base/search.h"
#include "base/sort.h"

__extension__ typedef __int128 wide; /* sums of times, of which there are millions */

enum side { BY_END, BY_START, NSIDES };

struct sweep {
	const struct model *m;
	const uint32_t *works;
	size_t n;     /* works */
	wide *raised; /* the tree: by work, what the sums from it on are raised by */
	/* By work and by device: a work + 1 of that device that counts from there on, or 0. */
	uint32_t *before[NSIDES], *newest[NSIDES];
	struct idmap devices; /* to numbers from 0 */
	uint32_t ndevices;
};

int64_t device_of_work(const struct model *m, uint32_t row)
{
	const struct slice_rec *s = model_slice(m, row);
	const struct device_fact *setup = slice_setup(m, s);

	if (setup && setup->device != NUMBER_NONE)
		return setup->device;
	return m->processes[m->tracks[s->track].process].pid.number;
}

static bool launched_before(const void *context, uint32_t a, uint32_t b)
{
	return row_launch(context, a) < row_launch(context, b);
}

static void sweep_init(struct sweep *s)
{
	idmap_init_in(&s->devices, 16, s->m->spill);
	s->raised = spill_alloc(s->m->spill, s->n, sizeof(*s->raised));
	for (int side = 0; side < NSIDES; side++) {
		s->before[side] =
			spill_alloc(s->m->spill, s->n, sizeof(*s->before[side]));
		s->newest[side] =
			spill_alloc(s->m->spill, s->n, sizeof(*s->newest[side]));
	}
}

static void sweep_release(struct sweep *s)
{
	idmap_release(&s->devices);
	spill_free(s->m->spill, s->raised);
	for (int side = 0; side < NSIDES; side++) {
		spill_free(s->m->spill, s->before[side]);
		spill_free(s->m->spill, s->newest[side]);
	}
}

/* The works from `from` on, up to `to`, raise what they tell. */
static void raise(struct sweep *s, size_t from, size_t to, wide ns)
{
	for (size_t i = from; i < s->n; i |= i + 1)
		s->raised[i] += ns;
	for (size_t i = to; i < s->n; i |= i + 1)
		s->raised[i] -= ns;
}

static wide spans_from(const struct sweep *s, size_t from)
{
	wide sum = 0;

	for (size_t i = from + 1; i > 0; i &= i - 1)
		sum += s->raised[i - 1];
	return sum;
}

static uint32_t device_number(struct sweep *s, int64_t device)
{
	size_t probe = idmap_first(&s->devices, device);
	uint32_t number = idmap_next(&s->devices, &probe);

	if (number == UINT32_MAX) {
		number = s->ndevices++;
		idmap_add(&s->devices, device, number);
	}
	return number;
}

static wide edge(const struct sweep *s, int side, size_t work)
{
	const struct slice_rec *slice = model_slice(s->m, s->works[work]);

	return side == BY_END ? (wide)slice_end(slice) : -(wide)slice->ts_ns;
}

static void add_work(struct sweep *s, uint32_t work)
{
	uint32_t device = device_number(s, device_of_work(s->m, s->works[work]));

	for (int side = 0; side < NSIDES; side++) {
		uint32_t last = s->newest[side][device];
		wide ns = edge(s, side, work);
		raise(s, last, work + (size_t)1, ns);
		while (last && edge(s, side, last - 1) <= ns) {
			uint32_t first = s->before[side][last - 1];
			raise(s, first, last, ns - edge(s, side, last - 1));
			last = first;
		}
		s->before[side][work] = last;
		s->newest[side][device] = work + 1;
	}
}

static int64_t narrow(wide sum)
{
	return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

/* The first work whose launch is not below the row. */
static uint32_t first_from_row(const struct sweep *s, uint32_t row)
{
	uint32_t at;

	SEARCH(at, 0, (uint32_t)s->n, row_launch(s->m, s->works[at]) < row);
	return at;
}

/* The first work whose launch begins at the time or later. */
static uint32_t first_from_time(const struct sweep *s, int64_t ts_ns)
{
	uint32_t at;

	SEARCH(at, 0, (uint32_t)s->n,
	       model_slice(s->m, row_launch(s->m, s->works[at]))->ts_ns < ts_ns);
	return at;
}

/* One that nothing was launched in has no answer but 0; others wait at their last work. */
static void wait_for_work(const struct sweep *s, struct span_query *queries,
			  uint32_t query, uint32_t *waiting)
{
	struct span_query *q = &queries[query];
	const struct slice_rec *label = model_slice(s->m, q->row);
	uint32_t from = first_from_row(s, q->row);
	uint32_t to = first_from_time(s, slice_end(label));

	q->launches = to > from ? (int64_t)(to - from) : 0;
	if (q->launches == 0)
		return;
	q->next = waiting[to - 1];
	waiting[to - 1] = query + 1;
}

/* The queries that end with the newest work. */
static void answer(const struct sweep *s, struct span_query *queries, uint32_t query,
		   uint32_t work, const wide *device_ns)
{
	while (query) {
		struct span_query *q = &queries[query - 1];
		size_t from = work + (size_t)1 - (size_t)q->launches;
		q->span_ns = narrow(spans_from(s, from));
		q->device_ns = narrow(device_ns[work + 1] - device_ns[from]);
		query = q->next;
	}
}

void launch_spans_ask(const struct model *m, uint32_t *works, size_t nworks,
		      struct span_query *queries, size_t nqueries)
{
	struct sweep s = { .m = m, .works = works, .n = nworks };
	uint32_t *waiting = spill_alloc(m->spill, nworks, sizeof(*waiting));
	wide *device_ns = spill_alloc(m->spill, nworks + 1, sizeof(*device_ns));

	sort_indexes(works, nworks, waiting, launched_before, m);
	for (size_t i = 0; i < nworks; i++)
		waiting[i] = 0;
	sweep_init(&s);
	for (uint32_t i = 0; i < nqueries; i++)
		wait_for_work(&s, queries, i, waiting);
	for (uint32_t i = 0; i < nworks; i++) {
		device_ns[i + 1] = device_ns[i] + model_slice(m, works[i])->dur_ns;
		add_work(&s, i);
		answer(&s, queries, waiting[i], i, device_ns);
	}
	sweep_release(&s);
	spill_free(m->spill, waiting);
	spill_free(m->spill, device_ns);
}
