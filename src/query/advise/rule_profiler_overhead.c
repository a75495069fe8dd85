/* What the profiler itself made the device wait for. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/work_profiles.h"

enum { MIN_PCT };

static void judge(const struct rule_run *run, const struct fact_idles *idles,
		  const struct work_device *device, const struct fact_idle *idle)
{
	int64_t ns = idle->ns[GAP_OVERHEAD];
	double pct = facts_pct(ns, idles->steps_ns);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(
		run, work_device_cell(device),
		"record less at a time: fewer steps, and no stacks, shapes or memory "
		"where they are not needed; without the profiler the program is faster",
		"for %.1f%% of the time of %s the device waits for the profiler", pct,
		rule_steps_word(run));
	rule_add_steps(run, idles);
	advice_evidence(run, "profiler_idle_ns", UNIT_NS, cell_int(ns));
	advice_evidence(run, "profiler_idle_pct", UNIT_PERCENT, cell_real(pct));
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

const struct rule rule_profiler_overhead = {
	.name = "profiler-overhead",
	.title = "Profiler's overhead",
	.looks = "Idle time in steps that is charged to the profiler's own work (the "
		 "category overhead: buffers, instrumentation).",
	.source = "ptool's own: 1 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 1, "share of the steps that is fine" } },
	.check = check,
};
