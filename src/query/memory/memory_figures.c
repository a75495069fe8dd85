/* Figures of devices from their events: see memory_figures.h. */
#include "query/memory/memory_figures.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bars.h"
#include "base/buf.h"

#define CURVE_BITS 4

size_t memory_curve_cell(int64_t at_ns, int64_t dur_ns)
{
	if (at_ns <= 0 || dur_ns <= 0)
		return 0;
	if (at_ns >= dur_ns)
		return MEMORY_CURVE_CELLS - 1;
	size_t cell = (size_t)((double)at_ns / (double)dur_ns * MEMORY_CURVE_CELLS);
	return cell >= MEMORY_CURVE_CELLS ? MEMORY_CURVE_CELLS - 1 : cell;
}

/* In each cell the highest level that stood in it. */
static void find_highs(const struct memory_place *p, int64_t highs[MEMORY_CURVE_CELLS])
{
	const struct memory_device *d = p->of;
	const struct memory_event *e = p->events->items + d->first;
	int64_t level = d->base_bytes, dur_ns = p->events->profile->dur_ns;
	size_t next = 0;

	for (size_t cell = 0; cell < MEMORY_CURVE_CELLS; cell++) {
		highs[cell] = level;
		for (; next < d->n && memory_curve_cell(e[next].ts_ns, dur_ns) <= cell;
		     next++) {
			level = e[next].level_bytes;
			if (level > highs[cell])
				highs[cell] = level;
		}
	}
}

int64_t memory_curve(const int64_t highs[MEMORY_CURVE_CELLS])
{
	double low = 0, high = 0;
	int64_t curve = 0;

	for (size_t i = 0; i < MEMORY_CURVE_CELLS; i++) {
		low = (double)highs[i] < low ? (double)highs[i] : low;
		high = (double)highs[i] > high ? (double)highs[i] : high;
	}
	for (size_t i = 0; i < MEMORY_CURVE_CELLS && high > low; i++)
		curve |= (int64_t)bars_level(((double)highs[i] - low) / (high - low))
			 << CURVE_BITS * i;
	return curve;
}

struct str memory_curve_text(int64_t curve, struct arena *arena)
{
	struct buf text;

	buf_init(&text, (size_t)MEMORY_CURVE_CELLS * BARS_BYTES);
	for (size_t i = 0; i < MEMORY_CURVE_CELLS; i++)
		bars_add_level(&text, (double)(curve >> CURVE_BITS * i & BARS_HIGHEST) /
					      BARS_HIGHEST);
	struct str copy = arena_copy(arena, buf_str(&text));
	buf_release(&text);
	return copy;
}

/* Has the source the device's already? */
static int copy_stored(const struct memory_source *s, const struct memory_place *place,
		       struct memory_figures *out)
{
	*out = s->stored[place->profile][place->device];
	for (int by = 0; by < NMEMORY_BYS; by++) {
		struct memory_live *live = &out->live[by];
		const struct memory_group *from = live->items;
		live->items = xrealloc_array(NULL, live->n + 1, sizeof(*live->items));
		for (size_t i = 0; i < live->n; i++)
			live->items[i] = from[i];
	}
	return 1;
}

int memory_figures_find(struct memory_source *s, const struct memory_place *place,
			unsigned bys, struct memory_figures *out, struct err *err)
{
	int64_t highs[MEMORY_CURVE_CELLS];

	*out = (struct memory_figures){ .step = NUMBER_NONE };
	if (s->stored)
		return copy_stored(s, place, out);
	if (!memory_peak_find(place->events, place->of, s->request.filter, &out->peak))
		return 0;
	find_highs(place, highs);
	out->curve = memory_curve(highs);
	out->step = memory_step_number(place->events, out->peak.step);
	out->older_bytes = place->of->base_bytes;
	for (int by = 0; by < NMEMORY_BYS && out->peak.event != MEMORY_NO_EVENT; by++)
		if (bys & MEMORY_BY_BIT(by) &&
		    memory_live_find(s, place, out->peak.event, (enum memory_by)by, out,
				     err) < 0)
			return -1;
	return 1;
}

void memory_figures_release(struct memory_figures *f)
{
	for (int by = 0; by < NMEMORY_BYS; by++)
		free(f->live[by].items);
	*f = (struct memory_figures){ .step = NUMBER_NONE };
}
