/* Calls on the CPU that take far longer than they need: they wait for a core. */
#include "query/advise/long_calls.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static int check(const struct rule_run *run, struct err *err)
{
	struct long_calls slow;

	if (!run->facts->profile->has_shapes)
		return advice_lacks(run, "no shapes were recorded",
				    "record with record_shapes=True");
	if (long_calls_slow(run->facts, &slow, err) < 0)
		return -1;
	int64_t ns = rule_per_step(run, slow.above_ns), step_ns = rule_step_ns(run);
	if (facts_pct(ns, step_ns) <= run->values[MIN_PCT])
		return 0;
	advice_add(run, cell_null(),
		   "give the program cores of its own: fewer threads (OMP_NUM_THREADS, "
		   "torch.set_num_threads), fewer workers and other processes beside it",
		   "%.1f%% of %s is lost in %lld calls that take many times what they "
		   "need%s",
		   facts_pct(ns, step_ns), rule_whole(run), (long long)slow.n,
		   rule_culprit(run, slow.most));
	rule_add_window(run);
	advice_evidence(run, "slow_calls", UNIT_COUNT, cell_int(slow.n));
	rule_add_operators(run, "slow_calls", ns,
			   "time of those calls above what they need or usually take / "
			   "steps");
	return 0;
}

const struct rule rule_slow_calls = {
	.name = "slow-calls",
	.title = "Slow calls",
	.looks =
		"In recordings without device work: 3 calls of operators and more that "
		"take 1 ms and 5 times what the median call with the same shapes takes "
		"(but the first of them), or twice what a core needs for their shapes at "
		"50 ns an element and 1 ns for two multiplications. They wait for a core, "
		"most likely. Calls that load data are of data-loading.",
	.source = "ptool's own: 10 % of the step.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
