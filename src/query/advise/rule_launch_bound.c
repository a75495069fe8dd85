/* Many short gaps: the device is done before the host launches more. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT, MAX_GAP_US };

#define NS_OF_US    1000
#define FEW_GAPS    10 /* fewer, and of this length, are a slow call or two */
#define ONE_SLOW_NS 100000

static bool has_name(const struct fact_name *names, size_t n, const char *part)
{
	for (size_t i = 0; i < n; i++)
		if (str_contains(str_of(names[i].name), str_of(part)))
			return true;
	return false;
}

/* Of a program with these names. */
static const char *suggestion(const struct fact_share *share,
			      const struct fact_name *names, size_t n)
{
	enum gap_cause cause = share->cause;

	if (share->gaps < FEW_GAPS && share->ns / share->gaps >= ONE_SLOW_NS &&
	    gap_causes[cause].few)
		return gap_causes[cause].few;
	if (cause == GAP_OPTIMIZER)
		return "use a fused or foreach optimizer (fused=True)";
	if (has_name(names, n, "GraphLaunch"))
		return "launch less often: put this work into the graphs that the program "
		       "replays, or fuse small operators";
	if (has_name(names, n, "Call CompiledFxGraph") ||
	    has_name(names, n, "Torch-Compiled Region"))
		return "the compiled model launches its kernels one by one: "
		       "torch.compile(mode='reduce-overhead') replays them as graphs; or "
		       "use larger batches";
	return facts_trains(names, n)
		       ? "launch less often: torch.compile(mode='reduce-overhead'), CUDA "
			 "graphs, a fused optimizer, or larger batches"
		       : "launch less often: torch.compile(mode='reduce-overhead'), CUDA "
			 "graphs, or larger batches";
}

static void judge(const struct rule_run *run, size_t device, int64_t below_ns)
{
	const struct advise_facts *facts = run->facts;
	const struct fact_share share =
		facts_share(run->facts, device, run->rule->causes, 0, below_ns);
	double pct = facts_pct(share.ns, run->facts->window.ns);

	if (pct <= run->values[MIN_PCT] || share.gaps == 0)
		return;
	advice_add(run, work_device_cell(&run->facts->work.work.devices[device]),
		   suggestion(&share, facts->names, facts->nnames),
		   "%.1f%% of %s the %s waits for the host to launch its next work, in "
		   "gaps of %s%s",
		   pct, rule_whole(run), rule_device_word(run),
		   rule_ns_text(run, share.ns / share.gaps),
		   rule_culprit(run, share.culprit));
	rule_add_window(run);
	advice_evidence(run, "launch_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_share(run, "launch_idle_ns", share.ns, "launch_idle_pct",
		       "idle_ns in short gaps in which the host prepares the next launch "
		       "(ptool gaps --root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	double gap_ns = run->values[MAX_GAP_US] * NS_OF_US;
	size_t n;
	int64_t below_ns = gap_ns < (double)INT64_MAX ? (int64_t)gap_ns : INT64_MAX;

	if (!facts_idles(run->facts, err) || !facts_names(run->facts, &n, err))
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		judge(run, i, below_ns);
	return 0;
}

const struct rule rule_launch_bound = {
	.name = "launch-bound",
	.title = "Launch-bound",
	.looks = "Idle time in gaps shorter than max_gap_us that is charged to what the "
		 "host does between launches (operators, Python, annotated code, runtime "
		 "calls, the optimizer, launch latency) and not to a synchronisation "
		 "before them (ptool-gaps(1), --root). What the host did not record is "
		 "not counted.",
	.source = "ptool's own: 2 % of the time of the steps, in gaps below 1 ms: an "
		  "operator's launch takes 5 to 50 us, and 20 of them pass for one "
		  "Python function.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" },
			[MAX_GAP_US] = { "max_gap_us", 1000,
					 "gaps of this length are of host-bound" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH | NEED_LAUNCHES,
	.causes = RULE_HOST_CAUSES,
	.check = check,
};
