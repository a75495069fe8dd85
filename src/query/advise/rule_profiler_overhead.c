/* What the profiler itself made the device wait for. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

static void judge(const struct rule_run *run, size_t device, int64_t ns)
{
	double pct = facts_pct(ns, run->facts->window.ns);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(
		run, work_device_cell(&run->facts->work.work.devices[device]),
		"record less at a time: fewer steps, and no stacks, shapes or memory "
		"where they are not needed; without the profiler the program is faster",
		"%.1f%% of %s the %s waits for the profiler", pct, rule_whole(run),
		rule_device_word(run));
	rule_add_window(run);
	rule_add_share(run, "profiler_idle_ns", ns, "profiler_idle_pct",
		       "idle_ns of profiler (ptool gaps --root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_idle *idles = facts_idles(run->facts, err);

	if (!idles)
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		judge(run, i, idles[i].ns[GAP_OVERHEAD]);
	return 0;
}

const struct rule rule_profiler_overhead = {
	.name = "profiler-overhead",
	.title = "Profiler's overhead",
	.looks = "Idle time that is charged to the profiler's own work (the category "
		 "overhead: buffers, instrumentation).",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_LAUNCHES,
	.causes = RULE_CAUSE(GAP_OVERHEAD),
	.check = check,
};
