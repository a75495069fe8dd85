/* The gaps of devices: see gaps.h. */
#include "query/gaps/gaps.h"
#include "query/query.h"

#include <stdlib.h>

#include "base/alloc.h"

/* Where a walk over a device's items has come to. */
struct walk {
	const struct device_work *work;
	struct gaps *out;
	uint32_t device;
	uint32_t last; /* item that ended last so far; of several the first */
};

static void add_gap(struct walk *w, uint32_t after, int64_t end_ns)
{
	const struct work_item *item = &w->work->items[after];
	struct gap gap = {
		.start_ns = w->work->items[w->last].end_ns,
		.end_ns = end_ns,
		.before = w->last,
		.after = after,
		.device = w->device,
	};

	gap.host_end_ns = gap.start_ns;
	if (item->launch_id && item->launch_start_ns > gap.start_ns)
		gap.host_end_ns = item->launch_start_ns < gap.end_ns
					  ? item->launch_start_ns
					  : gap.end_ns;
	struct gaps *out = w->out;
	out->items = xgrow(out->items, &out->cap, out->n + 1, sizeof(gap));
	out->items[out->n++] = gap;
	out->idle_ns[w->device] += gap.end_ns - gap.start_ns;
}

/* Nothing with a length follows: what has none ends the last gap, where the span ends. */
static void end_span(struct walk *w, const struct work_device *device)
{
	uint32_t end = (uint32_t)(device->first + device->n - 1);
	const struct work_item *items = w->work->items;

	if (items[end].start_ns <= items[w->last].end_ns)
		return;
	while (end > device->first && items[end - 1].start_ns == items[end].start_ns)
		end--;
	add_gap(w, end, items[end].start_ns);
}

static int walk_device(struct walk *w, struct err *err)
{
	const struct work_item *items = w->work->items;
	const struct work_device *device = &w->work->devices[w->device];
	size_t first = device->first, end = first + device->n;

	w->last = (uint32_t)first;
	for (size_t i = first; i < end; i++) {
		const struct work_item *item = &items[i];
		int64_t length;
		if ((i > first && item->start_ns < items[i - 1].start_ns) ||
		    __builtin_sub_overflow(item->end_ns, items[first].start_ns, &length))
			return query_damaged("device work does", err);
		if (item->end_ns == item->start_ns)
			continue;
		if (item->start_ns > items[w->last].end_ns)
			add_gap(w, (uint32_t)i, item->start_ns);
		if (item->end_ns > items[w->last].end_ns)
			w->last = (uint32_t)i;
	}
	end_span(w, device);
	int64_t last_ns = items[w->last].end_ns;
	if (items[end - 1].start_ns > last_ns)
		last_ns = items[end - 1].start_ns;
	w->out->span_ns[w->device] = last_ns - items[first].start_ns;
	return 0;
}

int gaps_find(const struct device_work *work, struct gaps *out, struct err *err)
{
	*out = (struct gaps){ .ndevices = work->ndevices };
	if (work->n >= UINT32_MAX || work->ndevices >= UINT32_MAX)
		return query_damaged("device work does", err);
	out->idle_ns = xcalloc(work->ndevices + 1, sizeof(*out->idle_ns));
	out->span_ns = xcalloc(work->ndevices + 1, sizeof(*out->span_ns));
	for (uint32_t i = 0; i < work->ndevices; i++) {
		struct walk w = { .work = work, .out = out, .device = i };
		if (walk_device(&w, err) < 0)
			return -1;
	}
	return 0;
}

void gaps_release(struct gaps *gaps)
{
	free(gaps->items);
	free(gaps->idle_ns);
	free(gaps->span_ns);
	*gaps = (struct gaps){ .n = 0 };
}
