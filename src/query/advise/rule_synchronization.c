/* The host waits for the device, and the device then for the host. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

static const char *suggestion(enum gap_cause cause)
{
	if (cause == GAP_COPY)
		return "copy from pinned memory with non_blocking=True (pin_memory=True in "
		       "the DataLoader); 'ptool gaps --root --list' shows each";
	return "keep values on the device: no .item(), .cpu() or synchronize() in the "
	       "loop, or once in many steps; 'ptool gaps --root --list' shows each";
}

static void judge(const struct rule_run *run, size_t device, const struct fact_idle *idle)
{
	const struct fact_share share =
		facts_share(run->facts, device, run->rule->causes, 0, INT64_MAX);
	double pct = facts_pct(share.ns, run->facts->window.ns);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(&run->facts->work.work.devices[device]),
		   suggestion(share.cause),
		   "%.1f%% of %s the %s is idle because the host waited for %s%s", pct,
		   rule_whole(run), rule_device_word(run),
		   run->facts->work.work.ndevices > 1 ? "a device" : "it",
		   rule_culprit(run, share.culprit));
	rule_add_window(run);
	rule_add_ns(run, "sync_idle_ns", idle->ns[GAP_SYNC]);
	rule_add_ns(run, "device_read_idle_ns", idle->ns[GAP_READ]);
	rule_add_ns(run, "blocking_copy_idle_ns", idle->ns[GAP_COPY]);
	rule_add_share(run, "waited_idle_ns", share.ns, "waited_idle_pct",
		       "idle_ns of sync, device_read and blocking_copy (ptool gaps "
		       "--root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_idle *idles = facts_idles(run->facts, err);

	if (!idles)
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		judge(run, i, &idles[i]);
	return 0;
}

const struct rule rule_synchronization = {
	.name = "synchronization",
	.title = "Synchronisation",
	.looks = "Idle time that is charged to calls that wait for the device, to reads "
		 "such as .item() and to blocking copies, with the burst of launches "
		 "after them (ptool-gaps(1), --root).",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH | NEED_LAUNCHES,
	.causes = RULE_CAUSE(GAP_SYNC) | RULE_CAUSE(GAP_READ) | RULE_CAUSE(GAP_COPY),
	.check = check,
};
