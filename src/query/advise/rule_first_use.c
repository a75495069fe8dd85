/* What the first use of a device, a library or a kernel costs, and later ones do not. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

static void judge(const struct rule_run *run, size_t device)
{
	const struct fact_share share =
		facts_share(run->facts, device, run->rule->causes, 0, INT64_MAX);
	double pct = facts_pct(share.ns, run->facts->window.ns);

	if (pct <= run->values[MIN_PCT] || share.gaps == 0)
		return;
	advice_add(run, work_device_cell(&run->facts->work.work.devices[device]),
		   gap_causes[GAP_SLOW].remedy,
		   "%.1f%% of %s the %s is idle while something is used for the first "
		   "time%s",
		   pct, rule_whole(run), rule_device_word(run),
		   rule_culprit(run, share.culprit));
	rule_add_window(run);
	advice_evidence(run, "first_use_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_share(run, "first_use_ns", share.ns, "first_use_pct",
		       "idle_ns of slow_start (ptool gaps --root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	if (!facts_idles(run->facts, err))
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		judge(run, i);
	return 0;
}

const struct rule rule_first_use = {
	.name = "first-use",
	.title = "First use",
	.looks = "Idle time that is charged to the first use of a device, a library or a "
		 "kernel (ptool-gaps(1), slow_start), however little was recorded.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_LAUNCHES,
	.causes = RULE_CAUSE(GAP_SLOW),
	.check = check,
};
