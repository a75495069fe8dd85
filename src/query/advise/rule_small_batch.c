/* Kernels that are too small to fill the device; NCCL's are on purpose. */
#include <math.h>

#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

enum { BELOW_PCT, MIN_UTILIZATION_PCT };

/* To 1e-9 %: decimals of blocks leave more than that of a share, and no more. */
#define PARTS_OF_PCT 1e9

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct device_figures *figures)
{
	double utilization = figures->utilization_pct;
	double efficiency = figures->sm_efficiency_pct;

	if (efficiency < 0 || utilization <= 0 ||
	    utilization < run->values[MIN_UTILIZATION_PCT])
		return;
	double pct =
		round(100.0 * efficiency / utilization * PARTS_OF_PCT) / PARTS_OF_PCT;
	if (pct >= run->values[BELOW_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   "make the batch larger, or the operators: fewer, larger kernels have "
		   "a block for every SM",
		   "while kernels run, only %.1f%% of the SMs have work", pct);
	advice_evidence(run, "filled_sms_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "sm_efficiency_pct", UNIT_PERCENT, cell_real(efficiency));
	advice_evidence(run, "utilization_pct", UNIT_PERCENT, cell_real(utilization));
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
		is_known |= figures[i].sm_efficiency_pct >= 0;
		judge(run, &work->devices[i], &figures[i]);
	}
	return is_known
		       ? 0
		       : advice_lacks(
				 run, "kernels say nothing of their blocks per SM",
				 "only CUPTI (NVIDIA), with torch 1.9 or later, tells that");
}

const struct rule rule_small_batch = {
	.name = "small-batch",
	.title = "Small kernels",
	.looks = "sm_efficiency_pct over utilization_pct of ptool-devices(1): while a "
		 "kernel runs, how many of the SMs have a block; without the kernels of "
		 "collectives.",
	.source = "ptool's own: less than 50 %.",
	.parameters = { [BELOW_PCT] = { "below_pct", 50, "filled SMs that are fine" },
			[MIN_UTILIZATION_PCT] = { "min_utilization_pct", 1,
						  "utilization from which kernels matter" } },
	.check = check,
};
