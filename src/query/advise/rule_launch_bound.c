/* Many short gaps: the device is done before the host launches more. */
#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT, MAX_GAP_US };

#define NS_OF_US 1000

static const char *suggestion(const struct fact_idle *idle, int64_t ns)
{
	if (idle->burst_ns[GAP_OPTIMIZER] > ns / 2)
		return "use a fused or foreach optimizer (fused=True)";
	return "launch less often: torch.compile(mode='reduce-overhead'), CUDA graphs, "
	       "a fused optimizer, or larger batches";
}

static void judge(const struct rule_run *run, const struct fact_idles *idles,
		  const struct work_device *device, const struct fact_idle *idle)
{
	int64_t ns = 0;

	for (int i = 0; i < NGAP_CAUSES; i++)
		ns = sum_add(ns, idle->burst_ns[i]);
	double pct = facts_pct(ns, idles->steps_ns);
	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device), suggestion(idle, ns),
		   "for %.1f%% of the time of %s the device waits in short gaps for the "
		   "next launch",
		   pct, rule_steps_word(run));
	rule_add_steps(run, idles);
	advice_evidence(run, "launch_gaps", UNIT_COUNT, cell_int(idle->burst_gaps));
	advice_evidence(run, "launch_idle_ns", UNIT_NS, cell_int(ns));
	advice_evidence(run, "launch_idle_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "optimizer_idle_ns", UNIT_NS,
			cell_int(idle->burst_ns[GAP_OPTIMIZER]));
	advice_save(run, ns / idles->steps, idles->steps_ns / idles->steps,
		    "idle_ns in short gaps that the host's launching fills / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	double gap_ns = run->values[MAX_GAP_US] * NS_OF_US;
	int64_t below_ns = gap_ns < (double)INT64_MAX ? (int64_t)gap_ns : INT64_MAX;
	const struct fact_idles *idles = rule_idles(run, below_ns, err);

	if (!idles)
		return err->kind ? -1 : 0;
	const struct device_work *work = &run->facts->work.work;
	for (size_t i = 0; i < work->ndevices; i++)
		judge(run, idles, &work->devices[i], &idles->devices[i]);
	return 0;
}

const struct rule rule_launch_bound = {
	.name = "launch-bound",
	.title = "Launch-bound steps",
	.looks =
		"Idle time in steps, in gaps shorter than max_gap_us, that is charged to "
		"what the host does between launches (operators, Python, runtime calls, "
		"the optimizer, launch latency) and not to the burst behind a "
		"synchronisation (ptool-gaps(1)).",
	.source = "ptool's own: 10 % of the time of the steps, in gaps below 100 us: an "
		  "operator's launch takes 5 to 50 us.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the steps that is fine" },
			[MAX_GAP_US] = { "max_gap_us", 100,
					 "gaps of this length have another cause" } },
	.check = check,
};
