/* Rules of whole steps, and of what the recording of them lacks. */

#include "base/sum.h"
#include "query/advise/advise_needs.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"
#include "query/query.h"

ASSET(asset_query_views_advise_ranges_sql);

static const struct rule_share data_loading = {
	.category = STEP_DATA_LOADING,
	.finding = " goes to data loading, while no device works",
	.ns_item = "data_loading_ns",
	.pct_item = "data_loading_pct",
	.formula = "mean data_loading_ns of a step (ptool steps)",
	.suggestion = "give the DataLoader workers (num_workers), pin_memory=True and "
		      "persistent_workers=True, or prepare the data beforehand",
};

/* Torch names the iterator by whether the DataLoader has workers. */
static bool has_workers(const struct advise_facts *f)
{
	for (size_t i = 0; i < f->nnames; i++)
		if (str_contains(str_of(f->names[i].name),
				 STR_LIT("_MultiProcessingDataLoaderIter")))
			return true;
	return false;
}

static void judge_data_loading(const struct rule_run *run)
{
	struct rule_share share = data_loading;

	if (facts_lack_work(run->facts)) { /* the device may work meanwhile */
		share.finding = " goes to data loading";
		share.formula = NULL;
	} else if (run->facts->beside.loading_ns > 0) {
		share.less_ns = rule_per_step(run, run->facts->beside.loading_ns);
		share.formula = "mean data_loading_ns of a step (ptool steps) - time of "
				"operators of other threads beside it";
	}
	if (!facts_has_work(run->facts) && !facts_lack_work(run->facts))
		share.suggestion = "give the DataLoader workers (num_workers) and "
				   "persistent_workers=True, or prepare the data "
				   "beforehand";
	if (has_workers(run->facts))
		share.suggestion =
			"the DataLoader's workers are too slow: more of them (num_workers), "
			"a larger prefetch_factor, less work for each sample, or data "
			"prepared beforehand";
	rule_judge_share(run, &share);
}

const struct rule rule_data_loading = {
	.name = "data-loading",
	.title = "Data loading",
	.looks = "The part of the mean step in which the DataLoader prepares the next "
		 "batch and neither device work nor a runtime call runs; without device "
		 "work less what operators compute on other threads meanwhile. Where the "
		 "device's work was not recorded, it has no saving.",
	.source = "The TensorBoard plugin's: more than 5 % of the step.",
	.parameters = { { "min_pct", 5, "share of the step that is acceptable" } },
	.needs = NEED_STEPS,
	.of_summaries = true,
	.causes = RULE_CAUSE(GAP_LOADER),
	.facts = FACT_STEPS,
	.judge = judge_data_loading,
};

#define TRY                                                                          \
	"accumulate gradients over several batches, add a compression hook to DDP, " \
	"or make the batch larger; 'ptool comm' shows which collectives"
#define XPROF_TRY                                                               \
	"accumulate gradients over several batches, or make the batch larger; " \
	"'ptool comm' shows which collectives"
#define SERVING_TRY                                                                   \
	"ranks that share a layer wait for each other in each: make tensor parallel " \
	"groups smaller (data or pipeline parallel instead), let the engine fuse "    \
	"all-reduces with normalisation, or overlap two batches (SGLang's "           \
	"--enable-two-batch-overlap, vLLM's --enable-dbo)"
#define RECORD_ALL                                                                \
	"; record all ranks: 'ptool comm --ranks FOLDER' shows whether it waits " \
	"for a late one"
#define ASK_ALL                                                                  \
	"; 'ptool comm --ranks' of all ranks shows whether it waits for a late " \
	"one"

#define PIPELINE_TRY                                                           \
	"stages of a pipeline wait for each other: more micro-batches, or an " \
	"interleaved schedule"
#define INFERENCE_TRY                                                                \
	"ranks that share layers wait for each other: make their (tensor parallel) " \
	"groups smaller, or compute another batch meanwhile"

/* Sends and receives alone: NCCL's kernels have one name for these and all-to-alls. */
static bool is_pipeline(const struct advise_facts *f)
{
	bool receives = false;

	for (size_t i = 0; i < f->nnames; i++) {
		struct str name = str_of(f->names[i].name);
		if (!gap_name_is_collective(CLASS_OP, name))
			continue;
		receives |= str_contains(name, STR_LIT("recv"));
		if (name_has_any(name,
				 "reduce|gather|scatter|broadcast|all_to_all|alltoall"))
			return false;
	}
	return receives;
}

/* Validation under DDP or FSDP: its ranks share no layer. */
static bool is_data_parallel(const struct advise_facts *f)
{
	return rule_calls(f, "DistributedDataParallel.forward") > 0 ||
	       rule_calls(f, "FullyShardedDataParallel.forward") > 0 ||
	       rule_calls(f, "FSDP::") > 0;
}

/* By what communicates: an engine, XLA, stages, ranks that do not train, or that do. */
static const char *communicate_less(const struct rule_run *run, const char *torch,
				    const char *xprof)
{
	const struct advise_facts *f = run->facts;
	const char *text = torch;

	if (f->window.is_serving)
		text = SERVING_TRY;
	else if (scope_is_xprof(f->profile))
		text = f->is_gpu ? xprof : XPROF_TRY;
	else if (is_pipeline(f))
		text = PIPELINE_TRY;
	else if (facts_infers(f) && !is_data_parallel(f))
		text = INFERENCE_TRY;
	if (f->scope->nranks > 1)
		return text;
	return arena_printf(&run->out->arena, "%s%s", text,
			    f->run_ranks > 1 ? ASK_ALL : RECORD_ALL);
}

static const struct rule_share communication = {
	.category = STEP_COMMUNICATION,
	.finding = " is communication, while nothing computes",
	.ns_item = "communication_ns",
	.pct_item = "communication_pct",
	.formula = "mean communication_ns of a step (ptool steps)",
};

/*
 * Without device work: what of communication passes while operators compute on other
 * threads.  Summaries do not tell; it may be what they take beyond the time of steps that
 * is theirs alone, without the part that data loading has room for.
 */
static int64_t beside_ns(const struct rule_run *run)
{
	const struct step_row *mean = facts_mean(&run->facts->steps);

	if (!mean || facts_has_work(run->facts))
		return 0;
	if (run->facts->beside.is_known)
		return rule_per_step(run, run->facts->beside.communication_ns);
	const int64_t *parts = &mean->values[VALUE_CATEGORY];
	struct rule_operators all =
		rule_operators(run->facts->names, run->facts->nnames, facts_computes);
	int64_t ns = sum_sub(rule_per_step(run, all.ns),
			     sum_add(parts[STEP_OPERATORS], parts[STEP_DATA_LOADING]));
	return ns > 0 ? ns : 0;
}

static void judge_communication(const struct rule_run *run)
{
	struct rule_share share = communication;

	if (facts_lack_work(run->facts)) {
		advise_needs_lack_work(run); /* the host's ranges launch collectives */
		return;
	}
	share.less_ns = beside_ns(run);
	if (share.less_ns > 0)
		share.formula = "mean communication_ns of a step (ptool steps) - time of "
				"operators beside it";

	share.suggestion = communicate_less(run, TRY, XPROF_TRY);
	rule_judge_share(run, &share);
}

const struct rule rule_communication = {
	.name = "communication",
	.title = "Communication",
	.looks =
		"The part of the mean step in which collectives run, on the host or on "
		"any device, and no other device work; without device work less what "
		"operators compute on other threads meanwhile. An operator that called a "
		"collective waits for it where it calls nothing else.",
	.source = "The TensorBoard plugin's: more than 10 % of the step. ptool-steps(1) "
		  "says what counts as communication: more than in the plugin.",
	.parameters = { { "min_pct", 10, "share of the step that is acceptable" } },
	.needs = NEED_STEPS,
	.of_summaries = true,
	.causes = RULE_CAUSE(GAP_COMMUNICATION) | RULE_CAUSE(GAP_LATE_RANK),
	.yields_to = { "exposed-communication", "stragglers" },
	.facts = FACT_STEPS,
	.judge = judge_communication,
};

#define OVERLAP                                                             \
	"overlap it with the backward pass: DDP's buckets (bucket_cap_mb, " \
	"static_graph), FSDP's prefetching, or collectives with async_op=True"
#define XPROF_OVERLAP                                                             \
	"let XLA overlap it with computation: its latency-hiding scheduler does " \
	"(XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true)"

static void judge_exposed(const struct rule_run *run, const struct step_row *mean)
{
	int64_t ns = mean->values[VALUE_DEVICE_VIEW + VIEW_EXPOSED_COMM];
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = percent_of(ns, total_ns);

	if (pct <= rule_value(run, "min_pct"))
		return;
	advice_add(run, facts_device_cell(mean),
		   communicate_less(run, OVERLAP, XPROF_OVERLAP),
		   "%.1f%% of %s the %s communicates and does not compute", pct,
		   rule_whole(run), rule_device_word(run));
	rule_add_window(run);
	advice_evidence(run, "exposed_comm_ns", UNIT_NS, cell_int(ns));
	advice_evidence(run, "exposed_comm_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "compute_ns", UNIT_NS,
			cell_int(mean->values[VALUE_DEVICE_VIEW + VIEW_COMPUTE]));
	advice_save(run, ns, total_ns, "mean exposed_comm_ns of a step (ptool steps)");
}

static void judge_exposed_communication(const struct rule_run *run)
{
	const struct step_row *mean;
	size_t at = 0;

	while ((mean = steps_next_mean(&run->facts->steps, &at)) != NULL)
		judge_exposed(run, mean);
}

const struct rule rule_exposed_communication = {
	.name = "exposed-communication",
	.title = "Exposed communication",
	.looks = "The part of the mean step in which a device runs collectives and "
		 "computes nothing meanwhile.",
	.source = "ptool's own: 5 % of the step; overlapped communication costs nothing.",
	.parameters = { { "min_pct", 5, "share of the step that is acceptable" } },
	.needs = NEED_WORK | NEED_RUN,
	.of_summaries = true,
	.yields_to = { "stragglers" },
	.facts = FACT_STEPS,
	.judge = judge_exposed_communication,
};

#define STEPS_LEAST 3 /* fewer say nothing about which one is long */

/* The steps of the first device: how many, how many long ones are in front, their sums. */
struct warm_up {
	int64_t steps, long_steps, all_ns, long_ns;
};

static struct warm_up sum_up(const struct steps *steps)
{
	const struct steps_profile *p = steps->nprofiles ? &steps->profiles[0] : NULL;
	struct warm_up w = { .steps = 0 };

	for (size_t i = 0; p && !p->bounds.is_single && i < p->bounds.n; i++) {
		if (p->bounds.items[i].is_dropped)
			continue;
		int64_t ns = steps_value(p, i, VALUE_TOTAL);
		w.all_ns = sum_add(w.all_ns, ns);
		if (steps->marks[p->first_mark + i].is_long && w.long_steps == w.steps) {
			w.long_steps++;
			w.long_ns = sum_add(w.long_ns, ns);
		}
		w.steps++;
	}
	return w;
}

static bool has_steps(const struct rule_run *run)
{
	return sum_up(&run->facts->steps).steps >= STEPS_LEAST;
}

static void judge_warm_up(const struct rule_run *run)
{
	struct warm_up w = sum_up(&run->facts->steps);

	if (w.long_steps == 0 || w.long_steps == w.steps || sum_is_stuck(w.all_ns))
		return;
	int64_t mean_ns = w.all_ns / w.steps;
	int64_t rest_ns = sum_sub(w.all_ns, w.long_ns) / (w.steps - w.long_steps);
	double pct = percent_of(sum_sub(mean_ns, rest_ns), rest_ns);
	if (pct <= rule_value(run, "min_pct"))
		return;
	advice_add(
		run, cell_null(),
		rule_try(run,
			 "leave them out: schedule(wait=1, warmup=2, ...), or --step "
			 "where the command has it",
			 "leave them out: start the profiler after them, or --step where "
			 "the command has it"),
		"%s of %s steps, at the beginning, %s longer than the others: the mean "
		"step is %.1f%% above that of the others",
		rule_count_text(run, w.long_steps), rule_count_text(run, w.steps),
		w.long_steps == 1 ? "is" : "are", pct);
	advice_evidence(run, "steps", UNIT_COUNT, cell_int(w.steps));
	advice_evidence(run, "warm_up_steps", UNIT_COUNT, cell_int(w.long_steps));
	advice_evidence(run, "mean_step_ns", UNIT_NS, cell_int(mean_ns));
	advice_evidence(run, "mean_step_without_ns", UNIT_NS, cell_int(rest_ns));
	advice_evidence(run, "above_pct", UNIT_PERCENT, cell_real(pct));
}

const struct rule rule_warm_up = {
	.name = "warm-up",
	.title = "Warm-up in the mean",
	.looks = "Steps at the beginning that ptool-steps(1) marks as long (10 % and 5 "
		 "median deviations above the median, as the host recorded them), of "
		 "three steps or more: by how much they raise the mean step.",
	.source = "ptool's own: 2 % of the mean step without them.",
	.parameters = { { "min_pct", 2, "rise of the mean that is acceptable" } },
	.needs = NEED_STEPS,
	.of_summaries = true,
	.facts = FACT_STEPS,
	.can_tell = has_steps,
	.lacks = "fewer than 3 steps were recorded",
	.record = "record more, and call the profiler's step() in each",
	.record_xprof = "record more, and mark each (StepTraceAnnotation)",
	.judge = judge_warm_up,
};

/* Did CUPTI's range profiler run, which cannot run beside its tracer? */
static int has_ranges(const struct rule_run *run, bool *has, struct err *err)
{
	struct query q =
		query_of_profile(run->facts->store, asset_query_views_advise_ranges_sql,
				 run->facts->profile, err);

	*has = query_next(&q, err);
	return query_end(&q);
}

static int check_missing_kernels(const struct rule_run *run, struct err *err)
{
	int64_t launches = run->facts->launches.run;
	bool has = false;

	if (run->facts->launches.all == 0)
		return 0;
	if (advise_needs_capture_only(run->facts))
		return advice_lacks(run, DEVICE_CAPTURED, "record a replay of the graph");
	if (has_ranges(run, &has, err) < 0)
		return -1;
	struct advice *a = advice_add(
		run, cell_null(),
		has ? "record again without profiler_metrics (experimental_config): "
		      "CUPTI either measures these or traces kernels"
		: rule_calls(run->facts, "urEnqueue") > 0
			? "see in the program's log whether the tracer (PTI) failed"
			: "stop other profilers that use the device (nsys, ncu, rocprof, "
			  "DCGM); allow this user to profile it; and see in the program's "
			  "log whether the tracer (CUPTI, roctracer) failed, as with a "
			  "driver that is too old",
		"%s call%s launched kernels, and no kernel was recorded%s",
		rule_count_text(run, launches), launches == 1 ? "" : "s",
		has ? ": the profiler measured metrics of kernels instead" : "");
	a->severity = ADVICE_HIGH;
	advice_evidence(run, "launches", UNIT_COUNT, cell_int(launches));
	return 0;
}

const struct rule rule_missing_kernels = {
	.name = "missing-kernels",
	.title = "Kernels missing",
	.looks =
		"Calls that launch kernels or graphs (such as cudaLaunchKernel and "
		"hipGraphLaunch) in a recording without device work, unless they are captured "
		"into a graph and none is replayed: these run nothing. The rules "
		"of the CPU do not run then, because the program waits for a device.",
	.source = "ptool's own: one call.",
	.needs = NEED_NAMES,
	.check = check_missing_kernels,
};
