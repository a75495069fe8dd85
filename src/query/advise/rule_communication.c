/* Time that a step spends on nothing but communication. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static int check(const struct rule_run *run, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;

	if (!mean)
		return steps ? rule_lacks_steps(run) : -1;
	int64_t ns = mean->values[VALUE_CATEGORY + STEP_COMMUNICATION];
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = facts_pct(ns, total_ns);
	if (pct <= run->values[MIN_PCT])
		return 0;
	advice_add(run, cell_null(),
		   "accumulate gradients over several batches, add a compression hook to "
		   "DDP, or make the batch larger; 'ptool comm' shows which collectives",
		   "%.1f%% of %s is communication, while nothing computes", pct,
		   rule_step_word(mean));
	rule_add_step(run, mean);
	advice_evidence(run, "communication_ns", UNIT_NS, cell_int(ns));
	advice_evidence(run, "communication_pct", UNIT_PERCENT, cell_real(pct));
	advice_save(run, ns, total_ns, "mean communication_ns of a step (ptool steps)");
	return 0;
}

const struct rule rule_communication = {
	.name = "communication",
	.title = "Communication",
	.looks = "The part of the mean step in which collectives run, on the host or on "
		 "any device, and no other device work.",
	.source = "The TensorBoard plugin's: more than 10 % of the step. What counts as "
		  "communication is said in ptool-steps(1): more than in the plugin.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" } },
	.check = check,
};
