/* Long gaps: the host does something else, and the device has nothing to do. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT, MIN_GAP_US };

#define NS_OF_US 1000

static void judge(const struct rule_run *run, size_t device, int64_t from_ns)
{
	const struct fact_share share =
		facts_share(run->facts, device, run->rule->causes, from_ns, INT64_MAX);
	double pct = facts_pct(share.ns, run->facts->window.ns);
	const struct gap_loss loss = { .ns = share.ns,
				       .long_ns = share.long_ns,
				       .blamed = share.culprit,
				       .cause_ns = run->facts->idles[device].ns };
	bool is_before = share.edge_ns > share.ns / 2;

	if (pct <= run->values[MIN_PCT] || share.gaps == 0)
		return;
	advice_add(run, work_device_cell(&run->facts->work.work.devices[device]),
		   is_before ? "prepare the next batch while the device computes: in the "
			       "DataLoader's workers (num_workers) or on a thread of its "
			       "own; or prepare it on the device"
			     : gap_cause_remedy(share.cause, &loss),
		   "%.1f%% of %s the %s is idle while the host does other work%s%s", pct,
		   rule_whole(run), rule_device_word(run),
		   is_before ? " before the first kernel" : "",
		   rule_culprit(run, share.culprit));
	rule_add_window(run);
	advice_evidence(run, "host_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_ns(run, "before_first_work_ns", share.edge_ns);
	rule_add_share(run, "host_idle_ns", share.ns, "host_idle_pct",
		       "idle_ns in long gaps in which the host works (ptool gaps "
		       "--root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	double gap_ns = run->values[MIN_GAP_US] * NS_OF_US;
	int64_t from_ns = gap_ns < (double)INT64_MAX ? (int64_t)gap_ns : INT64_MAX;

	if (!facts_idles(run->facts, err))
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		judge(run, i, from_ns);
	return 0;
}

const struct rule rule_host_bound = {
	.name = "host-bound",
	.title = "Host work",
	.looks = "Idle time in gaps of min_gap_us and longer that is charged to what the "
		 "host does then (operators, Python, annotated code, runtime calls, the "
		 "optimizer, launch latency), such as preparing a batch before the first "
		 "kernel of a step (ptool-gaps(1), --root).",
	.source = "ptool's own: 2 % of the time of the steps, in gaps from 1 ms on, in "
		  "which the host could launch 20 operators and more.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" },
			[MIN_GAP_US] = { "min_gap_us", 1000,
					 "shorter gaps are of launch-bound" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH | NEED_LAUNCHES,
	.causes = RULE_HOST_CAUSES,
	.check = check,
};
