/* First steps that are longer than the others, inside the mean. */
#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

#define STEPS_LEAST 3 /* fewer say nothing about which one is long */

/* The steps of the first device: how many, how many long ones are in front, their sums. */
struct warm_up {
	int64_t steps, long_steps, all_ns, long_ns;
};

static struct warm_up sum_up(const struct steps *steps)
{
	struct warm_up w = { .steps = 0 };

	for (size_t i = 0; i < steps->n && !steps->rows[i].is_mean; i++) {
		const struct step_row *row = &steps->rows[i];
		if (row->is_dropped || row->is_single)
			continue;
		int64_t ns = row->values[VALUE_TOTAL];
		w.all_ns = sum_add(w.all_ns, ns);
		if (row->is_long && w.long_steps == w.steps) {
			w.long_steps++;
			w.long_ns = sum_add(w.long_ns, ns);
		}
		w.steps++;
	}
	return w;
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);

	if (!steps)
		return -1;
	struct warm_up w = sum_up(steps);
	if (w.steps < STEPS_LEAST)
		return advice_lacks(
			run, "fewer than 3 steps were recorded",
			"record more, and call the profiler's step() in each");
	if (w.long_steps == 0 || w.long_steps == w.steps)
		return 0;
	int64_t mean_ns = w.all_ns / w.steps;
	int64_t rest_ns = sum_sub(w.all_ns, w.long_ns) / (w.steps - w.long_steps);
	double pct = facts_pct(sum_sub(mean_ns, rest_ns), rest_ns);
	if (pct <= run->values[MIN_PCT])
		return 0;
	advice_add(
		run, cell_null(),
		"leave them out: schedule(wait=1, warmup=2, ...), or --step where the "
		"command has it",
		"%lld of %lld steps, at the beginning, %s longer than the others: the mean "
		"step is %.1f%% above that of the others",
		(long long)w.long_steps, (long long)w.steps,
		w.long_steps == 1 ? "is" : "are", pct);
	advice_evidence(run, "steps", UNIT_COUNT, cell_int(w.steps));
	advice_evidence(run, "warm_up_steps", UNIT_COUNT, cell_int(w.long_steps));
	advice_evidence(run, "mean_step_ns", UNIT_NS, cell_int(mean_ns));
	advice_evidence(run, "mean_step_without_ns", UNIT_NS, cell_int(rest_ns));
	advice_evidence(run, "above_pct", UNIT_PERCENT, cell_real(pct));
	return 0;
}

const struct rule rule_warm_up = {
	.name = "warm-up",
	.title = "Warm-up in the mean",
	.looks = "Steps at the beginning that ptool-steps(1) marks as long, as the host "
		 "recorded them (10 % and 5 "
		 "median deviations above the median), and by how much they raise the "
		 "mean step.",
	.source = "ptool's own: 2 % of the mean step without them.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "rise of the mean that is fine" } },
	.needs = NEED_STEPS,
	.check = check,
};
