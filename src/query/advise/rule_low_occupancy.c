/* Kernels that keep few warps on the SMs they run on; NCCL's do on purpose. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

enum { BELOW_PCT, MIN_UTILIZATION_PCT };

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct device_figures *figures)
{
	double pct = figures->occupancy_pct;

	if (pct < 0 || pct >= run->values[BELOW_PCT] ||
	    figures->utilization_pct < run->values[MIN_UTILIZATION_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   "look at 'ptool kernels --by op' for kernels of few blocks, many "
		   "registers or much shared memory; larger shapes or fused kernels help",
		   "kernels reach an estimated occupancy of only %.1f%%", pct);
	advice_evidence(run, "occupancy_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "kernel_ns", UNIT_NS, cell_int(figures->kernel_ns));
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct device_work *work = facts_work(run->facts, err);
	bool is_known = false;

	if (!work)
		return -1;
	if (work->n == 0)
		return rule_lacks_work(run);
	const struct device_figures *figures = facts_figures(run->facts, err);
	if (!figures)
		return -1;
	for (size_t i = 0; i < work->ndevices; i++) {
		is_known |= figures[i].occupancy_pct >= 0;
		judge(run, &work->devices[i], &figures[i]);
	}
	return is_known
		       ? 0
		       : advice_lacks(
				 run, "kernels say nothing of their occupancy",
				 "only CUPTI (NVIDIA), with torch 1.9 or later, tells that");
}

const struct rule rule_low_occupancy = {
	.name = "low-occupancy",
	.title = "Low occupancy",
	.looks = "occupancy_pct of ptool-devices(1): the estimated achieved occupancy of "
		 "the kernels, by their time, without those of collectives. Kernels of "
		 "large matrix products are fast at a low one.",
	.source = "ptool's own: less than 15 %, below which latency is rarely hidden.",
	.parameters = { [BELOW_PCT] = { "below_pct", 15, "occupancy that is fine" },
			[MIN_UTILIZATION_PCT] = { "min_utilization_pct", 1,
						  "utilization from which kernels matter" } },
	.check = check,
};
