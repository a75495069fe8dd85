/* How well a device was used: see device_figures.h. */
#include "query/devices/device_figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/kernels/kernel_detail.h"

#define NOT_KNOWN (-1.0)

/*
 * Blocks per SM are decimals, and are added and taken away many times: as integers of
 * this many parts nothing is left over.  More than one block is as good as one, so that
 * the sum over all kernels that there can be fits into 64 bits.
 */
#define BLOCK_PARTS INT64_C(1000000000)

/* Kernels that say their blocks per SM, in the window. */
struct block_change {
	int64_t ns;
	int64_t parts;
};

struct sweep {
	struct block_change *starts, *ends; /* owned */
	size_t n;
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool is_kernel(const struct work_item *item)
{
	return item->class != CLASS_MEMCPY && item->class != CLASS_MEMSET;
}

/* What of the item lies in the window; from == to when nothing does. */
static struct interval clip(const struct work_item *item, struct figures_window window)
{
	int64_t start_ns = later(item->start_ns, window.from_ns);
	int64_t end_ns = sooner(item->end_ns, window.to_ns);

	return (struct interval){ start_ns, later(start_ns, end_ns) };
}

static void add_blocks(struct sweep *s, struct interval in, double blocks)
{
	int64_t parts = blocks >= 1 ? BLOCK_PARTS
				    : (int64_t)llround(blocks * (double)BLOCK_PARTS);

	if (parts <= 0 || in.start_ns >= in.end_ns)
		return;
	s->starts[s->n] = (struct block_change){ in.start_ns, parts };
	s->ends[s->n++] = (struct block_change){ in.end_ns, parts };
}

/* Nanoseconds in which all SMs would have had a block; NOT_KNOWN: nothing is said. */
static double sum_blocks(struct sweep *s)
{
	double sum = 0;
	int64_t running = 0, from_ns = 0;
	size_t start = 0;

	if (s->n == 0)
		return NOT_KNOWN;
	SORT_BY(s->starts, s->n, ns);
	SORT_BY(s->ends, s->n, ns); /* streams end out of order */
	for (size_t end = 0; end < s->n;) {
		bool is_start = start < s->n && s->starts[start].ns <= s->ends[end].ns;
		const struct block_change *next =
			is_start ? &s->starts[start++] : &s->ends[end++];
		if (running > 0)
			sum += (double)sooner(running, BLOCK_PARTS) /
			       (double)BLOCK_PARTS * (double)sum_sub(next->ns, from_ns);
		from_ns = next->ns;
		running += is_start ? next->parts : -next->parts;
	}
	return sum;
}

struct occupancy {
	double weighted, ns;
};

static double percent(double part, double whole)
{
	return whole > 0 && part >= 0 ? 100.0 * part / whole : NOT_KNOWN;
}

static void figure_window(const struct device_work *work,
			  const struct work_device *device,
			  const struct kernel_load *loads, struct figures_window window,
			  struct device_figures *out)
{
	double window_ns = (double)window.to_ns - (double)window.from_ns;
	struct occupancy occupancy = { 0, 0 };
	struct intervals busy = { .n = 0 };
	struct sweep s = { .n = 0 };

	s.starts = xrealloc_array(NULL, device->n + 1, sizeof(*s.starts));
	s.ends = xrealloc_array(NULL, device->n + 1, sizeof(*s.ends));
	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct interval in = clip(&work->items[i], window);
		if (!is_kernel(&work->items[i]))
			continue;
		intervals_add(&busy, in.start_ns, in.end_ns);
		add_blocks(&s, in, loads[i].blocks_per_sm);
		if (loads[i].occupancy_pct >= 0) {
			double ns = (double)sum_sub(in.end_ns, in.start_ns);
			occupancy.weighted += ns * loads[i].occupancy_pct;
			occupancy.ns += ns;
		}
	}
	intervals_unite(&busy);
	out->utilization_pct = percent((double)intervals_length(&busy), window_ns);
	out->sm_efficiency_pct = percent(sum_blocks(&s), window_ns);
	if (occupancy.ns > 0)
		out->occupancy_pct = occupancy.weighted / occupancy.ns;
	intervals_release(&busy);
	free(s.starts);
	free(s.ends);
}

/* Names are few and kernels many: each is judged once. */
struct judged {
	const struct text_pool *texts;
	int capability;
	uint8_t *says; /* owned; by name: 0 not judged, else enum tensor_core + 1 */
	size_t cap;
};

static enum tensor_core judge(struct judged *j, uint32_t name)
{
	if (name == TEXT_NONE)
		return TENSOR_CORE_UNKNOWN;
	uint8_t *says = ARRAY_AT(j->says, j->cap, name);
	if (!*says)
		*says = (uint8_t)(1 + tensor_core_kernel(text_pool_str(j->texts, name),
							 j->capability));
	return (enum tensor_core)(*says - 1);
}

static void figure_tensor_cores(const struct device_work *work,
				const struct work_device *device, struct judged *judged,
				struct device_figures *out)
{
	struct tensor_core_times *times = &out->tensor_core;

	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &work->items[i];
		int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);
		if (!is_kernel(item))
			continue;
		out->kernel_ns = sum_add(out->kernel_ns, dur_ns);
		enum tensor_core says = judge(judged, item->name);
		if (says == TENSOR_CORE_YES)
			times->yes_ns = sum_add(times->yes_ns, dur_ns);
		else if (says == TENSOR_CORE_UNKNOWN)
			times->unknown_ns = sum_add(times->unknown_ns, dur_ns);
	}
}

struct device_figures device_figures(const struct device_work *work,
				     const struct work_device *device,
				     const struct kernel_load *loads,
				     const struct text_pool *texts,
				     struct figures_window window, int capability)
{
	struct device_figures out = { .utilization_pct = NOT_KNOWN,
				      .sm_efficiency_pct = NOT_KNOWN,
				      .occupancy_pct = NOT_KNOWN };
	struct judged judged = { .texts = texts, .capability = capability };

	if (window.is_known)
		figure_window(work, device, loads, window, &out);
	if (texts)
		figure_tensor_cores(work, device, &judged, &out);
	free(judged.says);
	return out;
}

struct figures_window figures_window(const struct step_bounds *bounds, int64_t profile_id,
				     const struct filter *filter)
{
	struct figures_window w = { 0, 0, false };
	bool has_any = false;

	for (size_t i = 0; i < bounds->n; i++) {
		const struct step_bound *step = &bounds->items[i];
		if (step->is_dropped || !filter_has_step(filter, profile_id, step->number,
							 step->step_id != 0))
			continue;
		w.from_ns = has_any ? sooner(w.from_ns, step->start_ns) : step->start_ns;
		w.to_ns = has_any ? later(w.to_ns, step->end_ns) : step->end_ns;
		has_any = true;
	}
	if (has_any && filter->has_times) {
		w.from_ns = later(w.from_ns, filter->from_ns);
		w.to_ns = sooner(w.to_ns, filter->to_ns);
	}
	int64_t length_ns;
	w.is_known = has_any && !__builtin_sub_overflow(w.to_ns, w.from_ns, &length_ns) &&
		     length_ns > 0;
	return w;
}

struct kernel_load *kernel_loads_of(struct kernel_details *details,
				    const struct device_work *work)
{
	struct kernel_load *loads = xrealloc_array(NULL, work->n + 1, sizeof(*loads));

	for (size_t i = 0; i < work->n; i++) {
		const struct kernel_detail *detail =
			kernel_details_of(details, work->items[i].slice_id);
		loads[i] = detail ? (struct kernel_load){ detail->blocks_per_sm,
							  detail->occupancy_pct }
				  : (struct kernel_load){ -1, -1 };
	}
	return loads;
}

struct kernel_load *kernel_loads(struct store *store, const struct scope_profile *profile,
				 const struct device_work *work, struct err *err)
{
	struct kernel_details details = { .n = 0 };
	struct kernel_load *loads = NULL;

	if (work->n == 0 || kernel_details_load(store, profile, NULL, &details, err) == 0)
		loads = kernel_loads_of(&details, work);
	kernel_details_release(&details);
	return loads;
}
