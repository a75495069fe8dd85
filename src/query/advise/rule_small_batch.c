/* Kernels that are too small to fill the device. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_rows.h"

enum { BELOW_PCT, MIN_UTILIZATION_PCT };

static void judge(const struct rule_run *run, const struct cell *row)
{
	double utilization = row[DEVICE_UTILIZATION].as.real;
	double efficiency = row[DEVICE_SM_EFFICIENCY].as.real;
	double pct = utilization > 0 ? 100.0 * efficiency / utilization : 100;

	if (pct >= run->values[BELOW_PCT] ||
	    !rule_has_kernels(row, run->values[MIN_UTILIZATION_PCT]))
		return;
	advice_add(run, row[DEVICE_NUMBER],
		   "make the batch larger, or the operators: fewer, larger kernels have "
		   "a block for every SM",
		   "while kernels run, only %.1f%% of the SMs have work", pct);
	advice_evidence(run, "filled_sms_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "sm_efficiency_pct", UNIT_PERCENT,
			row[DEVICE_SM_EFFICIENCY]);
	advice_evidence(run, "utilization_pct", UNIT_PERCENT, row[DEVICE_UTILIZATION]);
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
		if (row[DEVICE_SM_EFFICIENCY].type != CELL_REAL ||
		    row[DEVICE_UTILIZATION].type != CELL_REAL)
			continue;
		is_known = true;
		judge(run, row);
	}
	return is_known
		       ? 0
		       : advice_lacks(run, "kernels say nothing of their blocks per SM",
				      "record with CUPTI (NVIDIA) on torch 1.9 or later");
}

const struct rule rule_small_batch = {
	.name = "small-batch",
	.title = "Small kernels",
	.looks = "sm_efficiency_pct over utilization_pct of ptool-devices(1): while a "
		 "kernel runs, how many of the SMs have a block.",
	.source = "ptool's own: less than 50 %.",
	.parameters = { [BELOW_PCT] = { "below_pct", 50, "filled SMs that are fine" },
			[MIN_UTILIZATION_PCT] = { "min_utilization_pct", 1,
						  "utilization from which kernels matter" } },
	.check = check,
};
