/* Rules of the CPU: recordings without device work. */
#include "base/sum.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"

#define NS_OF_US 1000.0

static bool is_copy(const struct fact_name *name)
{
	return name_is_any(str_of(name->name),
			   "aten::copy_|aten::to|aten::_to_copy|aten::contiguous|"
			   "aten::clone|aten::type_as|aten::_reshape_copy");
}

/* Others that wait for a device (aten::nonzero, equal) do work of their own here. */
static bool is_read(const struct fact_name *name)
{
	return name_is_any(str_of(name->name),
			   "aten::item|aten::_local_scalar_dense|aten::is_nonzero");
}

/*
 * What of all operators' self time, of a mean step, may pass while data is loaded or
 * ranks communicate, where that is not known: that time counts for these alone.
 */
static int64_t beside_ns(const struct rule_run *run, const struct step_row *mean,
			 int64_t all_ns)
{
	const int64_t *parts = &mean->values[VALUE_CATEGORY];
	int64_t others_ns = sum_add(parts[STEP_DATA_LOADING], parts[STEP_COMMUNICATION]);
	int64_t ns = sum_sub(rule_per_step(run, all_ns), parts[STEP_OPERATORS]);

	if (run->facts->beside.is_known)
		return 0;
	return ns < 0 ? 0 : ns < others_ns ? ns : others_ns;
}

/* Any operator runs, of a mean step, and where it is known its thread loads no data. */
static int64_t any_operator_ns(const struct rule_run *run, const struct step_row *mean)
{
	const struct fact_beside *beside = &run->facts->beside;

	return beside->is_known ? rule_per_step(run, beside->outside_ns)
				: mean->values[VALUE_CATEGORY + STEP_OPERATORS];
}

/*
 * The share of operators in the time in which any runs, of a mean step, in ns: threads
 * may run several at once.  Never more than their own self time, as that time may be
 * mostly of ranges that are no operators (torch.compile's), nor than what is left of it
 * without the time of other rules.
 */
static int64_t operators_ns(const struct rule_run *run, const struct rule_operators *of)
{
	const struct step_row *mean = facts_mean(&run->facts->steps);

	if (!mean || of->all_ns <= 0)
		return 0;
	double share = (double)of->ns / (double)of->all_ns;
	int64_t ns = sum_of_double(share * (double)any_operator_ns(run, mean));
	int64_t own_ns =
		sum_sub(rule_per_step(run, of->ns), beside_ns(run, mean, of->all_ns));

	return ns < own_ns ? ns : own_ns > 0 ? own_ns : 0;
}

/* Operators that take more than min_pct of the step. */
struct operator_share {
	bool (*is_wanted)(const struct fact_name *name);
	const char *finding; /* after "12.3% of each step goes to " */
	const char *item, *suggestion;
};

static void judge_operators(const struct rule_run *run,
			    const struct operator_share *share)
{
	struct rule_operators sum =
		rule_operators(run->facts->names, run->facts->nnames, share->is_wanted);
	int64_t ns = operators_ns(run, &sum);
	double pct = percent_of(ns, rule_step_ns(run));

	if (!sum.most || pct <= rule_value(run, "min_pct"))
		return;
	advice_add(run, cell_null(), share->suggestion, "%.1f%% of %s goes to %s%s", pct,
		   rule_whole(run), share->finding,
		   rule_culprit(run, str_of(sum.most->name)));
	rule_add_window(run);
	advice_evidence(run, "calls", UNIT_COUNT, cell_int(sum.calls));
	rule_add_operators(run, share->item, ns,
			   "time of operators of a step * share of their self time");
}

static void judge_host_copies(const struct rule_run *run)
{
	static const struct operator_share share = {
		.is_wanted = is_copy,
		.finding = "copying and converting tensors",
		.item = "copies",
		.suggestion =
			"keep one dtype and one memory format: convert the data once, "
			"before the loop or in the DataLoader; avoid .contiguous(), "
			".float() and .clone() in it",
	};

	judge_operators(run, &share);
}

const struct rule rule_host_copies = {
	.name = "host-copies",
	.title = "Copies and conversions",
	.looks =
		"In recordings without device work: the self time of aten::copy_, to, "
		"_to_copy, contiguous, clone, type_as and _reshape_copy, while their thread "
		"neither loads data nor communicates. Without slices it is not known what "
		"ran then: the rules of operators leave out as much as may have.",
	.source = "ptool's own: 5 % of the step; a forward pass needs none.",
	.parameters = { { "min_pct", 5, "share of the step that is acceptable" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.of_summaries = true,
	.yields_to = { "slow-calls" },
	.facts = FACT_STEPS,
	.judge = judge_host_copies,
};

static void judge_host_reads(const struct rule_run *run)
{
	static const struct operator_share share = {
		.is_wanted = is_read,
		.finding = "reading single values out of tensors",
		.item = "reads",
		.suggestion =
			"do it for whole tensors: no .item(), float(t) or 'if t' in a "
			"loop; .tolist() reads all values at once",
	};

	judge_operators(run, &share);
}

const struct rule rule_host_reads = {
	.name = "host-reads",
	.title = "Reads of single values",
	.looks =
		"In recordings without device work: the self time of aten::item and the "
		"operators by which it reads one value of a tensor "
		"(aten::_local_scalar_dense, is_nonzero), at the same times as host-copies.",
	.source = "ptool's own: 2 % of the step.",
	.parameters = { { "min_pct", 2, "share of the step that is acceptable" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.of_summaries = true,
	.facts = FACT_STEPS,
	.judge = judge_host_reads,
};

/* Those of names whose calls take less than that by themselves. */
static struct rule_operators sum_small(const struct fact_name *names, size_t n,
				       double below_ns)
{
	struct rule_operators all = rule_operators(names, n, rule_any_operator);
	struct rule_operators sum = { .all_ns = all.all_ns, .all_calls = all.all_calls };

	for (size_t i = 0; i < n; i++) {
		const struct fact_name *name = &names[i];
		if (!name->is_operator || name->self_ns < 0 || name->step_calls <= 0 ||
		    is_copy(name) || is_read(name) ||
		    (double)name->self_ns / (double)name->step_calls >= below_ns)
			continue;
		int64_t ns = name->self_ns - name->beside_ns;
		sum.ns = sum_add(sum.ns, ns);
		sum.calls = sum_add(sum.calls, name->step_calls);
		if (!sum.most || ns > sum.most->self_ns - sum.most->beside_ns)
			sum.most = name;
	}
	return sum;
}

static void judge_small_operators(const struct rule_run *run)
{
	struct rule_operators small = sum_small(run->facts->names, run->facts->nnames,
						rule_value(run, "below_us") * NS_OF_US);
	int64_t ns = operators_ns(run, &small);
	double pct = percent_of(ns, rule_step_ns(run));

	if (small.calls == 0 || pct <= rule_value(run, "min_pct"))
		return;
	advice_add(
		run, cell_null(),
		rule_has_fused_optimizer(run->facts)
			? "run fewer, larger operators: torch.compile, a larger batch, "
			  "torch.inference_mode() without gradients"
			: "run fewer, larger operators: torch.compile, a larger batch, "
			  "foreach or fused optimizers, torch.inference_mode() without "
			  "gradients",
		"%.1f%% of %s goes to operators that take %s each%s: %s", pct,
		rule_whole(run), rule_ns_text(run, small.ns / small.calls),
		rule_culprit(run, str_of(small.most->name)),
		rule_in_steps(run, small.calls));
	rule_add_window(run);
	advice_evidence(run, "small_operators", UNIT_COUNT, cell_int(small.calls));
	advice_evidence(run, "operators", UNIT_COUNT, cell_int(small.all_calls));
	rule_add_operators(run, "small_operators", ns,
			   "time of operators of a step * share of those operators' self "
			   "time");
}

const struct rule rule_small_operators = {
	.name = "small-operators",
	.title = "Small operators",
	.looks =
		"In recordings without device work: operators whose calls take less than "
		"below_us by themselves on average, by name, without those of the rules "
		"host-copies and host-reads, at the same times. Most of that time is call overhead.",
	.source = "ptool's own: 10 % of the step, in operators below 10 us: calling one "
		  "takes 1 to 5 us, and recording it about as much.",
	.parameters = { { "min_pct", 10, "share of the step that is acceptable" },
			{ "below_us", 10, "self time of a call that is not small" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.of_summaries = true,
	.facts = FACT_STEPS,
	.judge = judge_small_operators,
};

static void judge_threads(const struct rule_run *run)
{
	struct rule_operators all =
		rule_operators(run->facts->names, run->facts->nnames, rule_any_operator);
	const struct step_row *mean = facts_mean(&run->facts->steps);
	const struct fact_beside *beside = &run->facts->beside;
	int64_t own_ns =
		rule_per_step(run, beside->is_known ? beside->threads_ns : all.ns);

	if (!mean)
		return;
	/* Self times of all threads add up; what any thread runs counts once. */
	int64_t any_ns = beside->is_known
				 ? rule_per_step(run, beside->any_ns)
				 : sum_add(mean->values[VALUE_CATEGORY + STEP_OPERATORS],
					   beside_ns(run, mean, all.ns));
	int64_t step_ns = any_ns < own_ns ? any_ns : own_ns;
	double threads = step_ns > 0 ? (double)own_ns / (double)step_ns : 0;
	if (threads < rule_value(run, "min_threads"))
		return;
	advice_add(run, cell_null(),
		   "torch.set_num_threads(cores / threads) in each, or OMP_NUM_THREADS: "
		   "each of them starts threads of its own for large operators",
		   "%.1f threads run operators at the same time", threads);
	rule_add_window(run);
	advice_evidence(run, "operators_all_threads_ns", UNIT_NS, cell_int(own_ns));
	advice_evidence(run, "operators_any_thread_ns", UNIT_NS, cell_int(step_ns));
	advice_evidence(run, "threads", UNIT_RATIO, cell_real(threads));
}

const struct rule rule_threads = {
	.name = "threads",
	.title = "Threads",
	.looks = "In recordings without device work: how many threads run operators at "
		 "the same time, on average while at least one does. Data loading and "
		 "communication on other threads do not matter. How many threads one "
		 "operator uses is not recorded.",
	.source = "ptool's own: 2 on average; each of them uses all cores by default.",
	.parameters = { { "min_threads", 2, "threads at once that are a problem" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.of_summaries = true,
	.facts = FACT_STEPS,
	.judge = judge_threads,
};
