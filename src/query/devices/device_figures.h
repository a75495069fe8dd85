/*
 * How well a device was used: the figures of the TensorBoard plugin's GPU summary
 * (torch_tb_profiler 0.4.3, gpu_metrics_parser.py), over a window of time, of kernels
 * alone: copies and sets of memory are no use of a device there.
 */
#ifndef PTOOL_QUERY_DEVICE_FIGURES_H
#define PTOOL_QUERY_DEVICE_FIGURES_H

#include <stdbool.h>

#include "query/devices/device_work.h"
#include "query/filter.h"
#include "query/kernels/kernel_detail.h"
#include "query/kernels/tensor_core.h"
#include "query/steps/step_bounds.h"

/* What the recording says of a kernel; negative: nothing. */
struct kernel_load {
	double blocks_per_sm, occupancy_pct;
};

/* One for each of work->items, which free() frees; NULL with err set. */
struct kernel_load *kernel_loads(struct store *store, const struct scope_profile *profile,
				 const struct device_work *work, struct err *err);

/* The same of details that are there. */
struct kernel_load *kernel_loads_of(struct kernel_details *details,
				    const struct device_work *work);

struct figures_window {
	int64_t from_ns, to_ns;
	bool is_known; /* longer than nothing, and no longer than int64 tells */
};

/*
 * From the start of the first step to the end of the last that the plugin shows, bounds
 * moved; of the filter's steps, and in its times.
 */
struct figures_window figures_window(const struct step_bounds *bounds, int64_t profile_id,
				     const struct filter *filter);

/* Percentages, 0 to 100; negative: not known. */
struct device_figures {
	/* Of the window, any kernel ran. */
	double utilization_pct;
	/*
	 * Share of the SMs that have a block, over the window: of the blocks per SM of all
	 * kernels that run, added up, what is below 1.  Not known when no kernel in the
	 * window says it.
	 */
	double sm_efficiency_pct;
	/* Of the kernels that say it, by their time in the window. */
	double occupancy_pct;
	/* Of all kernels, in the window or not; a sum of durations, and parts of it. */
	int64_t kernel_ns;
	struct tensor_core_times tensor_core;
};

/*
 * `capability`: of the device, times 10; 0: not known.  texts: NULL leaves out what the
 * names of kernels say.
 */
struct device_figures device_figures(const struct device_work *work,
				     const struct work_device *device,
				     const struct kernel_load *loads,
				     const struct text_pool *texts,
				     struct figures_window window, int capability);

#endif
