/* Kernels that keep few warps on the SMs they run on. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_rows.h"

enum { BELOW_PCT, MIN_UTILIZATION_PCT };

static void judge(const struct rule_run *run, const struct cell *row)
{
	double pct = row[DEVICE_OCCUPANCY].as.real;

	if (pct >= run->values[BELOW_PCT] ||
	    !rule_has_kernels(row, run->values[MIN_UTILIZATION_PCT]))
		return;
	advice_add(run, row[DEVICE_NUMBER],
		   "look at 'ptool kernels --by op' for kernels of few blocks, many "
		   "registers or much shared memory; larger shapes or fused kernels help",
		   "kernels reach an estimated occupancy of only %.1f%%", pct);
	advice_evidence(run, "occupancy_pct", UNIT_PERCENT, row[DEVICE_OCCUPANCY]);
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
		if (row[DEVICE_OCCUPANCY].type != CELL_REAL)
			continue;
		is_known = true;
		judge(run, row);
	}
	return is_known
		       ? 0
		       : advice_lacks(run, "kernels say nothing of their occupancy",
				      "record with CUPTI (NVIDIA) on torch 1.9 or later");
}

const struct rule rule_low_occupancy = {
	.name = "low-occupancy",
	.title = "Low occupancy",
	.looks = "occupancy_pct of ptool-devices(1): the estimated achieved occupancy of "
		 "the kernels, by their time. Kernels of large matrix products are fast "
		 "at a low one.",
	.source = "ptool's own: less than 15 %, below which latency is rarely hidden.",
	.parameters = { [BELOW_PCT] = { "below_pct", 15, "occupancy that is fine" },
			[MIN_UTILIZATION_PCT] = { "min_utilization_pct", 1,
						  "utilization from which kernels matter" } },
	.check = check,
};
