/* Threads of the CPU that run operators at once, each of which has threads of its own. */
#include "query/advise/rule_parts.h"

enum { MIN_THREADS };

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);

	if (!names)
		return -1;
	struct rule_operators all = rule_operators(names, n, rule_any_operator);
	int64_t step_ns = rule_operators_ns(run, &all, err);
	if (step_ns < 0)
		return -1;
	/* Self times of all threads add up; what any thread runs counts once. */
	double threads =
		step_ns > 0 ? (double)rule_per_step(run, all.ns) / (double)step_ns : 0;
	if (threads < run->values[MIN_THREADS])
		return 0;
	advice_add(run, cell_null(),
		   "torch.set_num_threads(cores / threads) in each, or OMP_NUM_THREADS: "
		   "each of them starts threads of its own for large operators",
		   "%.1f threads run operators at the same time", threads);
	rule_add_window(run);
	advice_evidence(run, "operators_all_threads_ns", UNIT_NS,
			cell_int(rule_per_step(run, all.ns)));
	advice_evidence(run, "operators_any_thread_ns", UNIT_NS, cell_int(step_ns));
	advice_evidence(run, "threads", UNIT_RATIO, cell_real(threads));
	return 0;
}

const struct rule rule_threads = {
	.name = "threads",
	.title = "Threads",
	.looks = "In recordings without device work: how many threads run operators at "
		 "the same time, while any does. How many threads one operator uses is "
		 "not recorded.",
	.source =
		"ptool's own: 2 on average; each uses all cores unless it is told not to.",
	.parameters = { [MIN_THREADS] = { "min_threads", 2,
					  "threads at once that are a problem" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
