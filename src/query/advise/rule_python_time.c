/* Time of steps on the CPU in which no operator runs: Python between them. */
#include "query/advise/host_pauses.h"
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

#define AT_ITS_STACKS                                                              \
	"see in 'ptool top' which functions that is: files, logging, locks, or a " \
	"process that takes its cores"
#define RECORD_STACKS                                                               \
	"record with_stack=True to see what it does there: files, logging, locks, " \
	"or a process that takes its cores"

/* Where a step does more outside operators than in them, they are not the matter. */
static bool is_between(const struct step_row *mean)
{
	return mean->values[VALUE_CATEGORY + STEP_OTHER] <=
	       mean->values[VALUE_CATEGORY + STEP_OPERATORS];
}

/* "between aten::zero_ and aten::empty" */
static const char *place_text(const struct rule_run *run,
			      const struct host_pauses *pauses)
{
	struct arena *arena = &run->out->arena;
	const char *whole = rule_whole(run);
	struct str after = pauses->after, before = pauses->before;

	if (!after.n && !before.n)
		return arena_printf(arena, "in which %s runs no operator at all", whole);
	if (!after.n)
		return arena_printf(arena, "before %s", rule_name(run, before));
	if (!before.n)
		return arena_printf(arena, "after %s", rule_name(run, after));
	return arena_printf(arena, "between %s and %s", rule_name(run, after),
			    rule_name(run, before));
}

/* Half of the time and more that one step has other_ns of lies at one place. */
static void name_pause(const struct rule_run *run, const struct host_pauses *pauses,
		       struct rule_share *to)
{
	const char *place = place_text(run, pauses);
	struct arena *arena = &run->out->arena;

	if (pauses->n == 1)
		to->finding = arena_printf(arena,
					   " runs no operator: most of it is one pause "
					   "of %s %s",
					   rule_ns_text(run, pauses->ns), place);
	else
		to->finding = arena_printf(
			arena,
			" runs no operator: most of it is %lld pauses of up to %s %s",
			(long long)pauses->n, rule_ns_text(run, pauses->longest_ns),
			place);
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;
	bool has_stacks = run->facts->profile->has_stacks;
	struct rule_share judged = python;
	struct host_pauses pauses;

	if (!mean)
		return steps ? 0 : -1;
	int64_t other_ns = mean->values[VALUE_CATEGORY + STEP_OTHER];
	if (facts_pct(other_ns, mean->values[VALUE_TOTAL]) <= run->values[MIN_PCT])
		return 0;
	if (host_pauses_find(run->facts, &pauses, err) < 0)
		return -1;
	bool is_paused = rule_per_step(run, pauses.ns) >= other_ns / 2 && pauses.n;
	if (!is_between(mean) || is_paused) {
		judged.finding = " runs no operator: the program does something else, or "
				 "waits";
		judged.suggestion = has_stacks ? AT_ITS_STACKS : RECORD_STACKS;
	} else if (has_stacks) {
		judged.suggestion =
			"torch.compile the model, and move loops, metrics and logging out "
			"of the step ('ptool top' lists the functions); recording stacks "
			"makes Python slower than it is";
	}
	if (is_paused)
		name_pause(run, &pauses, &judged);
	return rule_judge_share(run, &judged, run->values[MIN_PCT], err);
}

const struct rule rule_python_time = {
	.name = "python-time",
	.title = "Time without operators",
	.looks = "In recordings without device work: the part of the mean step in which "
		 "neither an operator nor the DataLoader nor a collective runs on any "
		 "thread, and where most of it is.",
	.source = "ptool's own: 10 % of the step; what calls operators takes a few per "
		  "cent itself.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
