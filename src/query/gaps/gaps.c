/* The gaps of devices: see gaps.h. */
#include "query/gaps/gaps.h"
#include "query/query.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

/* Where a walk over a device's items has come to. */
struct walk {
	const struct device_work *work;
	struct gaps *out;
	uint32_t device;
	int64_t reached_ns; /* nothing runs before that is still to come */
	uint32_t last; /* item that ended then, of several the first; or GAP_NO_WORK */
};

static void add_gap(struct walk *w, struct gap gap)
{
	struct gaps *out = w->out;

	gap.device = w->device;
	gap.host_end_ns = gap.start_ns;
	if (gap.after == GAP_NO_WORK) {
		gap.host_end_ns = gap.end_ns;
	} else {
		const struct work_item *item = &w->work->items[gap.after];
		if (item->launch_id && item->launch_start_ns > gap.start_ns)
			gap.host_end_ns = item->launch_start_ns < gap.end_ns
						  ? item->launch_start_ns
						  : gap.end_ns;
	}
	*ARRAY_PUSH(out->items, out->n, out->cap) = gap;
}

/* The edge before the first work is from the start of the extent. */
static void add_between(struct walk *w, uint32_t after)
{
	add_gap(w, (struct gap){ .start_ns = w->reached_ns,
				 .end_ns = w->work->items[after].start_ns,
				 .before = w->last,
				 .after = after });
}

static void end_extent(struct walk *w, const struct interval *extent)
{
	if (extent && extent->end_ns > w->reached_ns)
		add_gap(w, (struct gap){ .start_ns = w->reached_ns,
					 .end_ns = extent->end_ns,
					 .before = w->last,
					 .after = GAP_NO_WORK });
}

/* What has no length ends a gap when nothing with a length follows. */
static void end_span(struct walk *w, const struct work_device *device)
{
	uint32_t end = (uint32_t)(device->first + device->n - 1);
	const struct work_item *items = w->work->items;

	if (items[end].start_ns <= w->reached_ns)
		return;
	while (end > device->first && items[end - 1].start_ns == items[end].start_ns)
		end--;
	add_between(w, end);
	w->reached_ns = items[end].start_ns;
}

static int walk_device(struct walk *w, const struct interval *extent, struct err *err)
{
	const struct work_item *items = w->work->items;
	const struct work_device *device = &w->work->devices[w->device];
	size_t first = device->first, end = first + device->n;

	w->last = (uint32_t)first;
	w->reached_ns = items[first].start_ns;
	if (extent && extent->start_ns < w->reached_ns) {
		w->last = GAP_NO_WORK;
		w->reached_ns = extent->start_ns;
	}
	for (size_t i = first; i < end; i++) {
		const struct work_item *item = &items[i];
		int64_t length;
		if ((i > first && item->start_ns < items[i - 1].start_ns) ||
		    __builtin_sub_overflow(item->end_ns, items[first].start_ns, &length))
			return query_damaged("device work does", err);
		if (item->end_ns == item->start_ns)
			continue;
		if (item->start_ns > w->reached_ns)
			add_between(w, (uint32_t)i);
		if (item->end_ns > w->reached_ns) {
			w->last = (uint32_t)i;
			w->reached_ns = item->end_ns;
		}
	}
	end_span(w, device);
	w->out->span_ns[w->device] = w->reached_ns - items[first].start_ns;
	end_extent(w, extent);
	return 0;
}

int gaps_find(const struct device_work *work, const struct interval *extent,
	      struct gaps *out, struct err *err)
{
	*out = (struct gaps){ .ndevices = work->ndevices };
	if (work->n >= UINT32_MAX || work->ndevices >= UINT32_MAX)
		return query_damaged("device work does", err);
	out->span_ns = xcalloc(work->ndevices + 1, sizeof(*out->span_ns));
	for (uint32_t i = 0; i < work->ndevices; i++) {
		struct walk w = { .work = work, .out = out, .device = i };
		if (walk_device(&w, extent, err) < 0)
			return -1;
	}
	return 0;
}

void gaps_release(struct gaps *gaps)
{
	free(gaps->items);
	free(gaps->span_ns);
	*gaps = (struct gaps){ .n = 0 };
}
