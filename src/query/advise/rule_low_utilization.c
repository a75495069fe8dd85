/* Devices that are busy for less than half of the time, whatever they wait for. */
#include "query/advise/rule_parts.h"

enum { BELOW_PCT };

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct fact_use *use)
{
	int64_t window_ns = run->facts->window.ns;
	double pct = facts_pct(use->busy_ns, window_ns);

	if (pct >= run->values[BELOW_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   "look at 'ptool gaps' for what it waits for",
		   "the %s is busy %.1f%% of %s", rule_device_word(run), pct,
		   rule_whole(run));
	rule_add_window(run);
	rule_add_ns(run, "busy_ns", use->busy_ns);
	advice_evidence(run, "busy_pct", UNIT_PERCENT, cell_real(pct));
	rule_add_share(run, "idle_ns", window_ns - use->busy_ns, "idle_pct",
		       "time in which the device does no work / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	return rule_each_device(run, judge, err);
}

const struct rule rule_low_utilization = {
	.name = "low-utilization",
	.title = "Low utilization",
	.looks = "For how much of the time of the steps the device does any work. Left "
		 "out where findings that say why explain half of its idle time.",
	.source = "The TensorBoard plugin's 50 %, of the steps as the host recorded "
		  "them, and of all work: the plugin counts kernels alone.",
	.parameters = { [BELOW_PCT] = { "below_pct", 50, "busy time that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.yields_to = { "launch-bound", "host-bound", "synchronization", "idle-time",
		       "data-loading", "allocator-churn", "profiler-overhead",
		       "ddp-buffers" },
	.check = check,
};
