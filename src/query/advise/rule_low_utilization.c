/* Devices that run a kernel for less than half of the time. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_rows.h"

enum { BELOW_PCT };

static void judge(const struct rule_run *run, const struct cell *row)
{
	double pct = row[DEVICE_UTILIZATION].as.real;

	if (pct >= run->values[BELOW_PCT])
		return;
	advice_add(run, row[DEVICE_NUMBER],
		   "look at 'ptool gaps' for what the device waits for; a larger batch "
		   "gives it more work for each launch, and may affect convergence",
		   "a kernel runs for only %.1f%% of the time of %s", pct,
		   rule_steps_word(run));
	advice_evidence(run, "utilization_pct", UNIT_PERCENT, row[DEVICE_UTILIZATION]);
	advice_evidence(run, "window_ns", UNIT_NS, row[DEVICE_WINDOW]);
	advice_evidence(run, "kernel_ns", UNIT_NS, row[DEVICE_KERNEL_SUM]);
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct memtable *devices = facts_devices(run->facts, err);
	bool is_known = false;

	if (!devices)
		return -1;
	if (devices->nrows == 0)
		return rule_lacks_work(run);
	for (size_t i = 0; i < devices->nrows; i++) {
		const struct cell *row = memtable_row(devices, i);
		if (row[DEVICE_UTILIZATION].type != CELL_REAL)
			continue;
		is_known = true;
		judge(run, row);
	}
	return is_known ? 0
			: advice_lacks(run, "the time of the steps is not known",
				       "call the profiler's step() in each step");
}

const struct rule rule_low_utilization = {
	.name = "low-utilization",
	.title = "Low utilization",
	.looks = "utilization_pct of ptool-devices(1): for how much of the time from the "
		 "first step to the end of the last any kernel runs.",
	.source = "The TensorBoard plugin's: less than 50 %.",
	.parameters = { [BELOW_PCT] = { "below_pct", 50, "utilization that is fine" } },
	.check = check,
};
