/* The host waits for the device, and the device then for the host. */
#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/work_profiles.h"

enum { MIN_PCT };

static void judge(const struct rule_run *run, const struct fact_idles *idles,
		  const struct work_device *device, const struct fact_idle *idle)
{
	int64_t sync_ns = idle->root_ns[GAP_SYNC], read_ns = idle->root_ns[GAP_READ];
	int64_t ns = sum_add(sync_ns, read_ns);
	double pct = facts_pct(ns, idles->steps_ns);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   "keep values on the device: no .item(), .cpu() or synchronize() in "
		   "the loop, or once in many steps; 'ptool gaps --root --list' shows "
		   "each",
		   "for %.1f%% of the time of %s the device is idle because the host "
		   "waited for %s",
		   pct, rule_steps_word(run),
		   run->facts->work.work.ndevices > 1 ? "a device" : "it");
	rule_add_steps(run, idles);
	advice_evidence(run, "sync_idle_ns", UNIT_NS, cell_int(sync_ns));
	advice_evidence(run, "device_read_idle_ns", UNIT_NS, cell_int(read_ns));
	advice_evidence(run, "sync_idle_pct", UNIT_PERCENT, cell_real(pct));
	advice_save(
		run, ns / idles->steps, idles->steps_ns / idles->steps,
		"idle_ns of sync and device_read in steps (ptool gaps --root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_idles *idles = rule_idles(run, FACTS_ANY_BURST, err);

	if (!idles)
		return err->kind ? -1 : 0;
	const struct device_work *work = &run->facts->work.work;
	for (size_t i = 0; i < work->ndevices; i++)
		judge(run, idles, &work->devices[i], &idles->devices[i]);
	return 0;
}

const struct rule rule_synchronization = {
	.name = "synchronization",
	.title = "Synchronisation points",
	.looks = "Idle time in steps that is charged to calls that wait for the device, "
		 "and to reads such as .item(), with the burst of launches behind them "
		 "(ptool-gaps(1), --root).",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.check = check,
};
