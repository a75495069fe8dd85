/* Peaks of a device: see memory_peak.h. */
#include "query/memory/memory_peak.h"

#include "base/sum.h"
#include "trace/fact.h"

static void raise_high(struct memory_high *high, int64_t bytes, int64_t at_ns)
{
	if (high->bytes != NUMBER_NONE && bytes <= high->bytes)
		return;
	high->bytes = bytes;
	high->at_ns = at_ns;
}

/*
 * The level behind event `at`, or MEMORY_NO_EVENT, which stands (still) at the time and in
 * the step of `e`.
 */
static void raise_allocated(struct memory_peak *p, int64_t bytes, size_t at,
			    const struct memory_event *e)
{
	if (p->allocated.bytes != NUMBER_NONE && bytes <= p->allocated.bytes)
		return;
	raise_high(&p->allocated, bytes, e->ts_ns);
	p->event = at;
	p->step = e->step;
}

static void count(struct memory_peak *p, const struct memory_event *e)
{
	p->events++;
	p->out_of_memory += e->is_out_of_memory;
	p->allocations += memory_event_bytes(e) > 0;
	p->frees += !e->is_out_of_memory && e->bytes != NUMBER_NONE && e->bytes <= 0;
	p->end_bytes = e->level_bytes;
	if (e->reserved_bytes == NUMBER_NONE)
		return;
	raise_high(&p->reserved, e->reserved_bytes, e->ts_ns);
	if (e->total_bytes != NUMBER_NONE && e->reserved_bytes > 0)
		raise_high(&p->unused, sum_sub(e->reserved_bytes, e->total_bytes),
			   e->ts_ns);
}

bool memory_peak_find(const struct memory_events *m, const struct memory_device *d,
		      const struct filter *filter, struct memory_peak *out)
{
	bool was_wanted = false;

	*out = (struct memory_peak){ .allocated = { NUMBER_NONE, 0 },
				     .reserved = { NUMBER_NONE, 0 },
				     .unused = { NUMBER_NONE, 0 } };
	for (size_t i = d->first; i < d->first + d->n; i++) {
		const struct memory_event *e = &m->items[i];
		bool is_wanted = memory_event_is_wanted(m, e, filter);
		if (is_wanted) {
			/*
			 * A window begins with what stood before it.  Totals of shared
			 * memory are 0 and do not tell what was there at the start.
			 */
			if (!was_wanted && (i > d->first || e->total_bytes != 0))
				raise_allocated(out, memory_level_before(m, d, i),
						i > d->first ? i - 1 : MEMORY_NO_EVENT,
						e);
			raise_allocated(out, e->level_bytes, i, e);
			count(out, e);
		}
		was_wanted = is_wanted;
	}
	return out->events > 0;
}

int memory_peak_each(struct summary_reader *reader, const struct scope_profile *profile,
		     const struct filter *filter, memory_peak_fn *visit, void *to,
		     struct err *err)
{
	struct memory_events events;
	struct memory_peak peak;

	if (!filter_is_given(filter) && summary_has(reader, profile, &summary_memory))
		return memory_peak_each_stored(reader, profile, visit, to, err);
	int rc = memory_events_load(reader->store, profile, &events, err);
	for (size_t i = 0; i < events.ndevices && rc == 0; i++)
		if (memory_peak_find(&events, &events.devices[i], filter, &peak))
			rc = visit(to, &events.devices[i], &peak, err);
	memory_events_release(&events);
	return rc < 0 ? -1 : 0;
}
