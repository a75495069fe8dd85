/* Kernels that are too small to fill the device; NCCL's are on purpose. */
#include <math.h>

#include "base/sum.h"
#include "query/advise/rule_parts.h"

enum { BELOW_PCT, MIN_PCT };

/* To 1e-9 %: decimals of blocks leave more than that of a share, and no more. */
#define PARTS_OF_PCT 1e9

static void judge(const struct rule_run *run, size_t device,
		  const struct device_figures *figures)
{
	double utilization = figures->utilization_pct;
	double efficiency = figures->sm_efficiency_pct;

	if (efficiency < 0 || utilization <= 0)
		return;
	double pct =
		round(100.0 * efficiency / utilization * PARTS_OF_PCT) / PARTS_OF_PCT;
	int64_t ns = sum_of_double((double)run->facts->uses[device].kernel_ns *
				   (1 - pct / 100));
	if (pct >= run->values[BELOW_PCT] ||
	    facts_pct(ns, run->facts->window.ns) <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(&run->facts->work.work.devices[device]),
		   "make the batch larger, or the operators: fewer, larger kernels have "
		   "a block for every SM",
		   "while kernels run, only %.1f%% of the SMs have work", pct);
	rule_add_window(run);
	advice_evidence(run, "filled_sms_pct", UNIT_PERCENT, cell_real(pct));
	rule_add_ns(run, "kernel_busy_ns", run->facts->uses[device].kernel_ns);
	rule_add_share(run, "unfilled_ns", ns, "unfilled_pct",
		       "time of kernels * (1 - filled SMs) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_use *uses = facts_uses(run->facts, err);
	const struct device_figures *figures =
		uses ? facts_figures(run->facts, err) : NULL;
	bool is_known = false;

	if (!figures)
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++) {
		is_known |= figures[i].sm_efficiency_pct >= 0;
		judge(run, i, &figures[i]);
	}
	return is_known ? 0
			: advice_lacks(run,
				       "blocks per SM are recorded on NVIDIA only, with "
				       "torch 1.9 or later",
				       NULL);
}

const struct rule rule_small_batch = {
	.name = "small-batch",
	.title = "Small kernels",
	.looks =
		"While a kernel runs, how many of the SMs have a block (blocks per SM, as "
		"in ptool-devices(1)); without the kernels of collectives.",
	.source = "ptool's own: less than 50 %, where it may cost 2 % of the steps.",
	.parameters = { [BELOW_PCT] = { "below_pct", 50, "filled SMs that are fine" },
			[MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
