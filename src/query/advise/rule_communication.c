/* Time that a step spends on nothing but communication. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

#define TRY                                                                          \
	"accumulate gradients over several batches, add a compression hook to DDP, " \
	"or make the batch larger; 'ptool comm' shows which collectives"

static const struct rule_share share = {
	.category = STEP_COMMUNICATION,
	.finding = " is communication, while nothing computes",
	.ns_item = "communication_ns",
	.pct_item = "communication_pct",
	.formula = "mean communication_ns of a step (ptool steps)",
	.suggestion = TRY,
};

static int check(const struct rule_run *run, struct err *err)
{
	struct rule_share judged = share;

	if (run->facts->scope->nranks <= 1)
		judged.suggestion = TRY "; record all ranks: 'ptool comm --ranks "
					"FOLDER' shows whether it waits for a late one";
	return rule_judge_share(run, &judged, run->values[MIN_PCT], err);
}

const struct rule rule_communication = {
	.name = "communication",
	.title = "Communication",
	.looks = "The part of the mean step in which collectives run, on the host or on "
		 "any device, and no other device work.",
	.source = "The TensorBoard plugin's: more than 10 % of the step. What counts as "
		  "communication is said in ptool-steps(1): more than in the plugin.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" } },
	.needs = NEED_STEPS,
	.causes = RULE_CAUSE(GAP_COMMUNICATION) | RULE_CAUSE(GAP_LATE_RANK),
	.yields_to = { "exposed-communication", "stragglers" },
	.check = check,
};
