/* Operators on the CPU so short that calling them takes longer than what they do. */
#include "query/advise/rule_parts.h"

enum { MIN_PCT, BELOW_US };

#define NS_OF_US 1000.0

/* Those of names whose calls take less than that by themselves. */
static struct rule_operators sum_up(const struct fact_name *names, size_t n,
				    double below_ns)
{
	struct rule_operators all = rule_operators(names, n, rule_any_operator);
	struct rule_operators sum = { .all_ns = all.all_ns, .all_calls = all.all_calls };

	for (size_t i = 0; i < n; i++) {
		const struct fact_name *name = &names[i];
		if (!name->is_operator || name->self_ns < 0 || name->step_calls <= 0 ||
		    rule_is_copy(name) || rule_is_read(name) ||
		    (double)name->self_ns / (double)name->step_calls >= below_ns)
			continue;
		sum.ns += name->self_ns;
		sum.calls += name->step_calls;
		if (!sum.most || name->self_ns > sum.most->self_ns)
			sum.most = name;
	}
	return sum;
}

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);

	if (!names)
		return -1;
	struct rule_operators small = sum_up(names, n, run->values[BELOW_US] * NS_OF_US);
	int64_t ns = rule_operators_ns(run, &small, err), step_ns = rule_step_ns(run);
	if (ns < 0)
		return -1;
	if (small.calls == 0 || facts_pct(ns, step_ns) <= run->values[MIN_PCT])
		return 0;
	advice_add(
		run, cell_null(),
		"run fewer, larger operators: torch.compile, a larger batch, foreach or "
		"fused optimizers, torch.inference_mode() without gradients",
		"%.1f%% of %s goes to %lld operators that take %s each%s",
		facts_pct(ns, step_ns), rule_whole(run),
		(long long)rule_per_step(run, small.calls),
		rule_ns_text(run, small.ns / small.calls),
		rule_culprit(run, str_of(small.most->name)));
	rule_add_window(run);
	advice_evidence(run, "small_operators", UNIT_COUNT,
			cell_int(rule_per_step(run, small.calls)));
	advice_evidence(run, "operators", UNIT_COUNT,
			cell_int(rule_per_step(run, small.all_calls)));
	rule_add_operators(run, "small_operators", ns,
			   "time of operators of a step * share of those operators' self "
			   "time");
	return 0;
}

const struct rule rule_small_operators = {
	.name = "small-operators",
	.title = "Small operators",
	.looks =
		"In recordings without device work: operators whose calls take less than "
		"below_us by themselves, by their names, without those of host-copies and "
		"host-reads. Most of that time is spent on calling them.",
	.source = "ptool's own: 10 % of the step, in operators below 10 us: calling one "
		  "takes 1 to 5 us, and recording it about as much.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" },
			[BELOW_US] = { "below_us", 10,
				       "self time of a call that is not small" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
