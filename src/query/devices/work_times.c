/* Times of device work: see work_times.h. */
#include "query/devices/work_times.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"

/* enum work_kind, sets and copies as one. */
enum { COMPUTE, COMMUNICATION, MEMORY, NSETS };

struct kind_sets {
	struct intervals of[NSETS];
};

static size_t set_of(const struct work_item *item)
{
	if (work_kind_is_memory((enum work_kind)item->kind))
		return MEMORY;
	return item->kind == WORK_COMMUNICATION ? COMMUNICATION : COMPUTE;
}

static void add_item(const struct work_item *item, struct work_times *times,
		     struct kind_sets *sets)
{
	size_t set = set_of(item);

	if (times->events == 0 || item->start_ns < times->start_ns)
		times->start_ns = item->start_ns;
	if (times->events == 0 || item->end_ns > times->end_ns)
		times->end_ns = item->end_ns;
	times->events++;
	times->kernels += set != MEMORY;
	times->launched += item->launch_id != 0;
	times->sum_ns = sum_add(times->sum_ns, sum_sub(item->end_ns, item->start_ns));
	intervals_add(&sets->of[set], item->start_ns, item->end_ns);
}

static void unite(struct work_times *times, struct kind_sets *sets)
{
	struct intervals kernels, busy;

	for (size_t i = 0; i < NSETS; i++)
		intervals_unite(&sets->of[i]);
	intervals_join(&sets->of[COMPUTE], &sets->of[COMMUNICATION], &kernels);
	intervals_join(&kernels, &sets->of[MEMORY], &busy);
	times->compute_ns = intervals_length(&sets->of[COMPUTE]);
	times->communication_ns = intervals_length(&sets->of[COMMUNICATION]);
	times->memory_ns = intervals_length(&sets->of[MEMORY]);
	times->overlap_ns =
		intervals_overlap(&sets->of[COMPUTE], &sets->of[COMMUNICATION]);
	times->busy_ns = intervals_length(&busy);
	times->idle_ns = times->span_ns - times->busy_ns;
	times->exposed_comm_ns = times->communication_ns - times->overlap_ns;
	times->exposed_copy_ns = times->busy_ns - intervals_length(&kernels);
	intervals_release(&kernels);
	intervals_release(&busy);
}

/* Times further apart than INT64_MAX would make every length wrong. */
static int finish(struct work_times *times, struct kind_sets *sets, struct err *err)
{
	if (__builtin_sub_overflow(times->end_ns, times->start_ns, &times->span_ns))
		return err_set(err, ERR_INPUT,
			       "the times of the device work do not fit together");
	unite(times, sets);
	return 0;
}

static struct work_times *times_of(const struct device_work *work, bool by_stream,
				   struct err *err)
{
	size_t n = by_stream ? work->nstreams : work->ndevices;
	struct work_times *times = xcalloc(n + 1, sizeof(*times));
	struct kind_sets *sets = xcalloc(n + 1, sizeof(*sets));
	int rc = 0;

	for (size_t i = 0; i < work->n; i++) {
		size_t stream = work->items[i].stream;
		size_t at = by_stream ? stream : work->streams[stream].device;
		add_item(&work->items[i], &times[at], &sets[at]);
	}
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = finish(&times[i], &sets[i], err);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < NSETS; k++)
			intervals_release(&sets[i].of[k]);
	free(sets);
	if (rc == 0)
		return times;
	free(times);
	return NULL;
}

struct work_times *work_times_of_devices(const struct device_work *work, struct err *err)
{
	return times_of(work, false, err);
}

struct work_times *work_times_of_streams(const struct device_work *work, struct err *err)
{
	return times_of(work, true, err);
}

struct exposure exposure_of(struct intervals *work, const struct intervals *beside)
{
	struct exposure e;

	intervals_unite(work);
	e.busy_ns = intervals_length(work);
	e.hidden_ns = 0;
	/* A search for each: a little work beside very much is the usual case. */
	for (size_t i = 0; i < work->n; i++)
		e.hidden_ns += intervals_length_within(beside, work->items[i].start_ns,
						       work->items[i].end_ns);
	e.exposed_ns = e.busy_ns - e.hidden_ns;
	return e;
}
