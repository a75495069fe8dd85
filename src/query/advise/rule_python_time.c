/* Time of steps on the CPU in which no operator runs: Python between them. */
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static const struct rule_share python = {
	.category = STEP_OTHER,
	.finding = " runs no operator: it is Python between them",
	.ns_item = "other_ns",
	.pct_item = "other_pct",
	.formula = "mean other_ns of a step (ptool steps)",
	.suggestion =
		"torch.compile the model, and move loops, metrics and logging out of "
		"the step; record with_stack=True to see which code it is",
};

/* Where a step does more outside operators than in them, they are not the matter. */
static bool is_between(const struct step_row *mean)
{
	return mean->values[VALUE_CATEGORY + STEP_OTHER] <=
	       mean->values[VALUE_CATEGORY + STEP_OPERATORS];
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;
	bool has_stacks = run->facts->profile->has_stacks;
	struct rule_share judged = python;

	if (!mean)
		return steps ? 0 : -1;
	if (!is_between(mean)) {
		judged.finding = " runs no operator: the program does something else, or "
				 "waits";
		judged.suggestion =
			has_stacks ? "see in 'ptool top' which functions that is: files, "
				     "logging, locks, or a process that takes its cores"
				   : "record with_stack=True to see what it does there: "
				     "files, logging, locks, or a process that takes its "
				     "cores";
	} else if (has_stacks) {
		judged.suggestion =
			"torch.compile the model, and move loops, metrics and logging out "
			"of the step ('ptool top' lists the functions); recording stacks "
			"makes Python slower than it is";
	}
	return rule_judge_share(run, &judged, run->values[MIN_PCT], err);
}

const struct rule rule_python_time = {
	.name = "python-time",
	.title = "Time without operators",
	.looks = "In recordings without device work: the part of the mean step in which "
		 "neither an operator nor the DataLoader nor a collective runs on any "
		 "thread.",
	.source = "ptool's own: 10 % of the step; what calls operators takes a few per "
		  "cent itself.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
