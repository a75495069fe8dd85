/* Rules of single calls and pauses on the CPU: recordings without device work. */
#include "base/buf.h"
#include "base/sum.h"
#include "query/advise/advise_calls.h"
#include "query/advise/rule_parts.h"

#define TEXT_MAX 400

static int check_slow_calls(const struct rule_run *run, struct err *err)
{
	struct long_calls slow;

	if (long_calls_slow(run->facts, &slow, err) < 0)
		return -1;
	int64_t ns = rule_per_step(run, slow.above_ns), step_ns = rule_step_ns(run);
	if (percent_of(ns, step_ns) <= rule_value(run, "min_pct"))
		return 0;
	advice_add(run, cell_null(),
		   "give the program cores of its own: fewer threads (OMP_NUM_THREADS, "
		   "torch.set_num_threads), fewer workers and other processes beside it",
		   "%.1f%% of %s is lost in %s calls that take many times what they "
		   "need%s",
		   percent_of(ns, step_ns), rule_whole(run), rule_count_text(run, slow.n),
		   rule_culprit(run, slow.most));
	rule_add_window(run);
	advice_evidence(run, "slow_calls", UNIT_COUNT, cell_int(slow.n));
	rule_add_operators(run, "slow_calls", ns,
			   "time of these calls above what they need or usually take / "
			   "steps");
	return 0;
}

const struct rule rule_slow_calls = {
	.name = "slow-calls",
	.title = "Slow calls",
	.looks =
		"In recordings without device work: three or more calls of operators that "
		"take at least 1 ms by themselves, and either 5 times the median call "
		"with the same shapes or twice what a core needs "
		"for their shapes: 50 us, 50 ns an element and 1 ns for two "
		"multiplications; no first call that takes 5 times the median. They most likely wait for a core. It needs shapes (record_shapes=True). Calls made while data "
		"is loaded or ranks communicate are not counted.",
	.source = "ptool's own: 10 % of the step.",
	.parameters = { { "min_pct", 10, "share of the step that is acceptable" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH | NEED_SHAPES,
	.check = check_slow_calls,
};

#define WARM_UP                                                                          \
	"record more steps after warm-up: a first call loads code, compiles or touches " \
	"new memory; a later one waits, most likely for a core"
#define WITH_SHAPES WARM_UP "; record_shapes=True shows on which tensors it works"

/* "aten::sqrt takes 15.502 ms (the only call with its shapes)" */
static void add_call(const struct rule_run *run, const struct fact_call *call,
		     struct buf *text)
{
	const char *with = run->facts->profile->has_shapes ? " with its shapes" : "";

	buf_addf(text, "%s takes %s (",
		 rule_name(run, text_pool_str(run->facts->texts, call->name)),
		 rule_ns_text(run, call->self_ns));
	if (call->n == 1)
		buf_addf(text, "the only call%s)", with);
	else
		buf_addf(text, "call %s of %s%s; %s %s)",
			 rule_count_text(run, call->turn), rule_count_text(run, call->n),
			 with, call->n == 2 ? "the other takes" : "usually",
			 rule_ns_text(run, call->median_ns));
}

static void add_long_calls(const struct rule_run *run, const struct long_calls *calls)
{
	const struct fact_window *window = &run->facts->window;
	struct buf text;
	const char *count = calls->n == 1 ? "one call"
					  : arena_printf(&run->out->arena, "%s calls",
							 rule_count_text(run, calls->n));

	buf_init(&text, TEXT_MAX);
	for (size_t i = 0; i < LONG_CALLS_NAMED && calls->longest[i]; i++) {
		if (i)
			buf_add_text(&text, ", ");
		add_call(run, calls->longest[i], &text);
	}
	advice_add(run, cell_null(),
		   run->facts->profile->has_shapes ? WARM_UP : WITH_SHAPES,
		   "%.1f%% of %s is lost in %s: " STR_FMT "%s",
		   percent_of(calls->above_ns, window->ns), rule_whole(run), count,
		   STR_ARG(buf_str(&text)), calls->n > LONG_CALLS_NAMED ? ", ..." : "");
	buf_release(&text);
}

static int check_long_calls(const struct rule_run *run, struct err *err)
{
	struct long_calls calls;

	if (long_calls_other(run->facts, &calls, err) < 0)
		return -1;
	if (percent_of(calls.above_ns, run->facts->window.ns) <=
	    rule_value(run, "min_pct"))
		return 0;
	add_long_calls(run, &calls);
	rule_add_window(run);
	advice_evidence(run, "long_calls", UNIT_COUNT, cell_int(calls.n));
	rule_add_share(run, "long_calls_ns", calls.above_ns, "long_calls_pct",
		       "self time of these calls above that of similar calls / steps");
	return 0;
}

const struct rule rule_long_calls = {
	.name = "long-calls",
	.title = "Long calls",
	.looks =
		"In recordings without device work: calls of operators that take twice "
		"as long as the median call with the same shapes (of the same name, "
		"where shapes were not recorded) and by a twentieth of the steps longer. "
		"The only call with its shapes counts beyond what a core needs for them, "
		"if that is known. Calls that the rule slow-calls reports are "
		"not counted, nor those made while data is loaded or ranks communicate.",
	.source = "ptool's own: 10 % of the steps.",
	.parameters = { { "min_pct", 10, "share of the steps that is acceptable" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.yields_to = { "compiling" },
	.check = check_long_calls,
};

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

#define AT_ITS_STACKS                                                     \
	"'ptool top' shows which functions: files, logging, locks, or a " \
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
			" runs no operator: most of it is %s pauses of up to %s %s",
			rule_count_text(run, pauses->n),
			rule_ns_text(run, pauses->longest_ns), place);
}

static int check_python_time(const struct rule_run *run, struct err *err)
{
	const struct step_row *mean = facts_mean(&run->facts->steps);
	bool has_stacks = run->facts->profile->has_stacks;
	struct rule_share judged = python;
	struct host_pauses pauses;

	if (!mean)
		return 0;
	int64_t other_ns = mean->values[VALUE_CATEGORY + STEP_OTHER];
	if (percent_of(other_ns, mean->values[VALUE_TOTAL]) <= rule_value(run, "min_pct"))
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
	rule_judge_share(run, &judged);
	return 0;
}

const struct rule rule_python_time = {
	.name = "python-time",
	.title = "Time without operators",
	.looks = "In recordings without device work: the part of the mean step in which "
		 "neither an operator nor the DataLoader nor a collective runs on any "
		 "thread. The finding names the place where most of it is.",
	.source = "ptool's own: 10 % of the step; what calls operators takes a few per "
		  "cent itself.",
	.parameters = { { "min_pct", 10, "share of the step that is acceptable" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.facts = FACT_STEPS,
	.check = check_python_time,
};
