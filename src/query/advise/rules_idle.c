/* Rules of idle time: how long a device waits, and for what. */
#include "base/sum.h"
#include "query/advise/rule_parts.h"
#include "query/comm/transfers.h"

#define NS_OF_US    1000
#define FEW_GAPS    10 /* fewer, and of this length, are a slow call or two */
#define ONE_SLOW_NS 100000

static void judge_low_utilization(const struct rule_run *run,
				  const struct rule_device *on)
{
	int64_t window_ns = run->facts->window.ns;
	double pct = percent_of(on->use->busy_ns, window_ns);

	if (pct >= rule_value(run, "below_pct"))
		return;
	advice_add(run, on->cell, "look at 'ptool gaps' for what it waits for",
		   "the %s is busy %.1f%% of %s", rule_device_word(run), pct,
		   rule_whole(run));
	rule_add_window(run);
	rule_add_ns(run, "busy_ns", on->use->busy_ns);
	advice_evidence(run, "busy_pct", UNIT_PERCENT, cell_real(pct));
	rule_add_share(run, "idle_ns", window_ns - on->use->busy_ns, "idle_pct",
		       "time in which the device does no work / steps");
}

const struct rule rule_low_utilization = {
	.name = "low-utilization",
	.title = "Low utilization",
	.looks = "The share of the steps in which the device does any work. Not "
		 "reported where other findings explain half of its idle time.",
	.source = "The TensorBoard plugin's 50 %, of the steps as the host recorded "
		  "them, and of all work: the plugin counts kernels alone.",
	.parameters = { { "below_pct", 50, "busy time that is acceptable" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.of_summaries = true,
	.yields_to = { "launch-bound", "host-bound", "synchronization", "idle-time",
		       "data-loading", "first-use", "allocator-churn",
		       "profiler-overhead", "ddp-buffers", "compiling" },
	.each_device = judge_low_utilization,
};

/* Idle time of the rule's causes, in gaps of [from_ns, below_ns). */
static struct fact_share share_of(const struct rule_run *run,
				  const struct rule_device *on, int64_t from_ns,
				  int64_t below_ns)
{
	return facts_share(run->facts, on->place, run->rule->causes, from_ns, below_ns);
}

/* Is it more than is fine? */
static bool is_much(const struct rule_run *run, const struct fact_share *share)
{
	return share->gaps > 0 &&
	       percent_of(share->ns, run->facts->window.ns) > rule_value(run, "min_pct");
}

/* "12.3% of each step the GPU <what> (mostly NAME)", with the window as evidence. */
static struct advice *add_idle(const struct rule_run *run, const struct rule_device *on,
			       const struct fact_share *share, const char *suggestion,
			       const char *what)
{
	struct advice *a = advice_add(
		run, on->cell, suggestion, "%.1f%% of %s the %s %s%s",
		percent_of(share->ns, run->facts->window.ns), rule_whole(run),
		rule_device_word(run), what, rule_culprit(run, share->culprit));

	rule_add_window(run);
	return a;
}

/* An XPU, Meta's MTIA, Intel's Gaudi; what XLA runs on is its own matter. */
static bool lacks_graphs(const struct advise_facts *f)
{
	return !scope_is_xprof(f->profile) &&
	       (!f->is_gpu || rule_calls(f, "urEnqueue") > 0);
}

static struct gap_loss loss_of(const struct rule_run *run, const struct rule_device *on,
			       const struct fact_share *share)
{
	return (struct gap_loss){ .ns = share->ns,
				  .long_ns = share->long_ns,
				  .blamed = share->culprit,
				  .cause_ns = run->facts->idles[on->place].ns,
				  .is_xprof = scope_is_xprof(run->facts->profile),
				  .has_stacks = run->facts->profile->has_stacks,
				  .is_fused = rule_has_fused_optimizer(run->facts),
				  .lacks_graphs = lacks_graphs(run->facts),
				  .is_pipeline = scope_is_pipeline(run->facts->profile) };
}

static int64_t us_of(const struct rule_run *run, const char *parameter)
{
	double ns = rule_value(run, parameter) * NS_OF_US;

	return ns < (double)INT64_MAX ? (int64_t)ns : INT64_MAX;
}

#define SHOWS_EACH "; 'ptool gaps --root --list' shows each"
/* Engines wait for the tokens of a step before they make the next. */
#define SERVING_AHEAD                                                                    \
	"let the engine prepare the next step while the device computes this one "       \
	"(vLLM's --async-scheduling, which newer ones have on; SGLang and TensorRT-LLM " \
	"do unless their overlap scheduler is disabled)" SHOWS_EACH

static void judge_synchronization(const struct rule_run *run,
				  const struct rule_device *on)
{
	const struct fact_idle *idle = &run->facts->idles[on->place];
	const struct fact_share share = share_of(run, on, 0, INT64_MAX);
	bool is_one = run->facts->work.work.ndevices == 1;

	if (!is_much(run, &share))
		return;
	add_idle(run, on, &share,
		 share.cause == GAP_COPY
			 ? rule_try_serving(
				   run, SERVING_AHEAD,
				   "copy from pinned memory with non_blocking=True "
				   "(pin_memory=True in the DataLoader)" SHOWS_EACH,
				   "copy the next batch ahead of time, while the device "
				   "computes" SHOWS_EACH)
			 : rule_try_serving(
				   run, SERVING_AHEAD,
				   "keep values on the device: no .item(), .cpu() or "
				   "synchronize() in the loop, or once in many "
				   "steps" SHOWS_EACH,
				   "keep values on the device: no block_until_ready(), "
				   "float() or .numpy() in the loop, or once in many "
				   "steps" SHOWS_EACH),
		 is_one ? "is idle because the host waited for it"
			: "is idle because the host waited for a device");
	rule_add_ns(run, "sync_idle_ns", idle->ns[GAP_SYNC]);
	rule_add_ns(run, "device_read_idle_ns", idle->ns[GAP_READ]);
	rule_add_ns(run, "blocking_copy_idle_ns", idle->ns[GAP_COPY]);
	rule_add_share(run, "waited_idle_ns", share.ns, "waited_idle_pct",
		       "idle_ns of sync, device_read and blocking_copy (ptool gaps "
		       "--root) / steps");
}

const struct rule rule_synchronization = {
	.name = "synchronization",
	.title = "Synchronisation",
	.looks = "Idle time that is charged to calls that wait for the device, to reads "
		 "such as .item() and to blocking copies, with the burst of launches "
		 "after them (ptool-gaps(1), --root).",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH | NEED_LAUNCHES,
	.facts = FACT_IDLES,
	.causes = RULE_CAUSE(GAP_SYNC) | RULE_CAUSE(GAP_READ) | RULE_CAUSE(GAP_COPY),
	.each_device = judge_synchronization,
};

static bool has_name(const struct advise_facts *f, const char *part)
{
	for (size_t i = 0; i < f->nnames; i++)
		if (str_contains(str_of(f->names[i].name), str_of(part)))
			return true;
	return false;
}

static const char *launch_less(const struct advise_facts *f,
			       const struct fact_share *share)
{
	enum gap_cause cause = share->cause;

	if (share->gaps < FEW_GAPS && share->ns / share->gaps >= ONE_SLOW_NS &&
	    gap_causes[cause].few)
		return gap_causes[cause].few;
	if (scope_is_xprof(f->profile))
		return gap_causes[cause].xprof ? gap_causes[cause].xprof
					       : gap_causes[GAP_OPERATOR].xprof;
	if (cause == GAP_OPTIMIZER)
		return rule_has_fused_optimizer(f) ? GAP_TRY_FUSED
						   : gap_causes[cause].remedy;
	bool is_compiled = has_name(f, "Call CompiledFxGraph") ||
			   has_name(f, "Torch-Compiled Region");
	if (lacks_graphs(f))
		return is_compiled ? GAP_TRY_LARGER : GAP_TRY_WITHOUT_GRAPHS;
	if (has_name(f, "GraphLaunch"))
		return "launch less often: put this work into the graphs that the program "
		       "replays, or fuse small operators";
	if (is_compiled)
		return "the compiled model launches its kernels one by one: "
		       "torch.compile(mode='reduce-overhead') replays them as graphs; or "
		       "use larger batches";
	if (f->window.is_serving)
		return "launch less often: let the engine replay this phase as CUDA graphs "
		       "(without vLLM's --enforce-eager, SGLang's --disable-cuda-graph), "
		       "captured for batches of this size";
	return facts_trains(f->names, f->nnames) && !rule_has_fused_optimizer(f)
		       ? "launch less often: torch.compile(mode='reduce-overhead'), CUDA "
			 "graphs, a fused optimizer, or larger batches"
		       : "launch less often: torch.compile(mode='reduce-overhead'), CUDA "
			 "graphs, or larger batches";
}

static void judge_launch_bound(const struct rule_run *run, const struct rule_device *on)
{
	const struct fact_share share = share_of(run, on, 0, us_of(run, "max_gap_us"));

	if (!is_much(run, &share))
		return;
	add_idle(run, on, &share, launch_less(run->facts, &share),
		 arena_printf(&run->out->arena,
			      "waits for the host to launch its next work, in gaps of %s",
			      rule_ns_text(run, share.ns / share.gaps)));
	advice_evidence(run, "launch_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_share(run, "launch_idle_ns", share.ns, "launch_idle_pct",
		       "idle_ns in short gaps in which the host prepares the next launch "
		       "(ptool gaps --root) / steps");
}

const struct rule rule_launch_bound = {
	.name = "launch-bound",
	.title = "Launch-bound",
	.looks = "Idle time in gaps shorter than max_gap_us that is charged to what the "
		 "host does between launches (operators, Python, annotated code, runtime "
		 "calls, the optimizer, launch latency) and not to a synchronisation "
		 "before them (ptool-gaps(1), --root). What the host did not record is "
		 "not counted.",
	.source = "ptool's own: 2 % of the time of the steps, in gaps below 1 ms: an "
		  "operator's launch takes 5 to 50 us, so that 20 of them fit into one.",
	.parameters = { { "min_pct", 2, "share of the steps that is acceptable" },
			{ "max_gap_us", 1000, "longer gaps belong to host-bound" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH | NEED_LAUNCHES,
	.facts = FACT_IDLES,
	.causes = RULE_HOST_CAUSES,
	.each_device = judge_launch_bound,
};

static void judge_host_bound(const struct rule_run *run, const struct rule_device *on)
{
	const struct fact_share share =
		share_of(run, on, us_of(run, "min_gap_us"), INT64_MAX);
	const struct gap_loss loss = loss_of(run, on, &share);
	bool is_before = share.edge_ns > share.ns / 2;

	if (!is_much(run, &share))
		return;
	add_idle(run, on, &share,
		 is_before ? rule_try_serving(
				     run, SERVING_AHEAD,
				     "prepare the next batch while the device computes: "
				     "in the DataLoader's workers (num_workers) or on a "
				     "thread of its own; or prepare it on the device",
				     "prepare the next batch while the device computes, "
				     "on a thread of its own (tf.data's prefetch), or "
				     "prepare it on the device")
			   : gap_cause_remedy(share.cause, &loss),
		 is_before ? "is idle while the host does other work before the first "
			     "kernel"
			   : "is idle while the host does other work");
	advice_evidence(run, "host_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_ns(run, "before_first_work_ns", share.edge_ns);
	rule_add_share(run, "host_idle_ns", share.ns, "host_idle_pct",
		       "idle_ns in long gaps in which the host works (ptool gaps "
		       "--root) / steps");
}

const struct rule rule_host_bound = {
	.name = "host-bound",
	.title = "Host work",
	.looks = "Idle time in gaps of min_gap_us and longer that is charged to what the "
		 "host does then (operators, Python, annotated code, runtime calls, the "
		 "optimizer, launch latency), such as preparing a batch before the first "
		 "kernel of a step (ptool-gaps(1), --root).",
	.source =
		"ptool's own: 2 % of the time of the steps, in gaps of 1 ms and longer, "
		"in which the host could launch 20 operators.",
	.parameters = { { "min_pct", 2, "share of the steps that is acceptable" },
			{ "min_gap_us", 1000, "shorter gaps belong to launch-bound" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH | NEED_LAUNCHES,
	.yields_to = { "compiling" },
	.facts = FACT_IDLES,
	.causes = RULE_HOST_CAUSES,
	.each_device = judge_host_bound,
};

static void judge_first_use(const struct rule_run *run, const struct rule_device *on)
{
	const struct fact_share share = share_of(run, on, 0, INT64_MAX);

	if (!is_much(run, &share))
		return;
	add_idle(run, on, &share, gap_causes[GAP_SLOW].remedy,
		 "is idle while something is used for the first time");
	advice_evidence(run, "first_use_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_share(run, "first_use_ns", share.ns, "first_use_pct",
		       "idle_ns of slow_start (ptool gaps --root) / steps");
}

const struct rule rule_first_use = {
	.name = "first-use",
	.title = "First use",
	.looks = "Idle time that is charged to the first use of a device, a library or a "
		 "kernel (ptool-gaps(1), slow_start), however little was recorded.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN | NEED_LAUNCHES,
	.facts = FACT_IDLES,
	.causes = RULE_CAUSE(GAP_SLOW),
	.each_device = judge_first_use,
};

static void judge_profiler_overhead(const struct rule_run *run,
				    const struct rule_device *on)
{
	const struct fact_share share = {
		.gaps = 1, .ns = run->facts->idles[on->place].ns[GAP_OVERHEAD]
	};

	if (!is_much(run, &share))
		return;
	add_idle(run, on, &share,
		 "record less at a time: fewer steps, and no stacks, shapes or memory "
		 "where they are not needed; without the profiler the program is faster",
		 "waits for the profiler");
	rule_add_share(run, "profiler_idle_ns", share.ns, "profiler_idle_pct",
		       "idle_ns of profiler (ptool gaps --root) / steps");
}

const struct rule rule_profiler_overhead = {
	.name = "profiler-overhead",
	.title = "Profiler's overhead",
	.looks = "Idle time that is charged to the profiler's own work (the category "
		 "overhead: buffers, instrumentation).",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN | NEED_LAUNCHES,
	.facts = FACT_IDLES,
	.causes = RULE_CAUSE(GAP_OVERHEAD),
	.each_device = judge_profiler_overhead,
};

/* Those that other rules measure as idle time, too: what these leave is little. */
static uint64_t causes_of_others(void)
{
	uint64_t causes = 0;

	for (size_t i = 0; rules[i]; i++)
		if (rules[i]->each_device)
			causes |= rules[i]->causes;
	return causes;
}

/*
 * What the device waited for was not recorded: the advice is how to see it.  In a long
 * gap of a graph it may even have run kernels that were not.
 */
static bool is_of_recording(enum gap_cause cause, const struct gap_loss *loss)
{
	if (cause == GAP_GRAPH_NODES)
		return loss->long_ns > loss->ns / 2;
	if (cause == GAP_EVENT)
		return gap_event_is_unknown(loss);
	return cause == GAP_UNTRACED || cause == GAP_EARLIER || cause == GAP_UNKNOWN;
}

#define TURNS_DEVICES 16 /* of a host */
#define TURNS_PART    10 /* but for 1 / 10: works when it is idle, not beside it */

/*
 * Do devices that copy to each other work one after the other, as layers split up do, and
 * another one in the gaps of the cause?  DataParallel's wait for the first, which it does
 * not tell.
 */
static bool takes_turns(const struct rule_run *run, const struct rule_device *on,
			enum gap_cause cause)
{
	const struct device_work *work = &run->facts->work.work;
	struct intervals all, own, others = { .n = 0 }, idle = { .n = 0 };
	bool has_copies = false;

	if (work->ndevices > TURNS_DEVICES ||
	    rule_calls(run->facts, "DataParallel.forward") > 0)
		return false;
	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		has_copies |=
			transfer_kind_of(text_pool_str(run->facts->texts, item->name)) ==
			TRANSFER_PTOP;
		if (i < on->device->first || i >= on->device->first + on->device->n)
			intervals_add(&others, item->start_ns, item->end_ns);
	}
	intervals_unite(&others);
	device_work_union(work, on->device, WORK_ALL, &all);
	intervals_intersect(&all, &run->facts->window.when, &own);
	int64_t ns = facts_gaps_of(run->facts, on->place, cause, &idle);
	int64_t own_ns = intervals_length(&own);
	bool turns = has_copies && ns > 0 &&
		     intervals_overlap(&idle, &others) >= ns - ns / TURNS_PART &&
		     intervals_overlap(&own, &others) <= own_ns / TURNS_PART;
	intervals_release(&all);
	intervals_release(&own);
	intervals_release(&others);
	intervals_release(&idle);
	return turns;
}

static void judge_cause(const struct rule_run *run, const struct rule_device *on,
			enum gap_cause cause)
{
	const struct fact_share share =
		facts_share(run->facts, on->place, RULE_CAUSE(cause), 0, INT64_MAX);
	const struct gap_cause_row *row = &gap_causes[cause];
	const struct gap_loss loss = loss_of(run, on, &share);

	if (share.gaps == 0)
		return;
	bool is_unknown = is_of_recording(cause, &loss);
	bool turns = is_unknown && (cause == GAP_EARLIER || cause == GAP_EVENT) &&
		     takes_turns(run, on, cause);
	struct advice *a = add_idle(
		run, on, &share,
		turns ? "the devices take turns: keep several micro-batches in flight, "
			"so that each works on one (pipeline parallel)"
		      : gap_cause_remedy(cause, &loss),
		arena_printf(&run->out->arena, "is idle: %s",
			     turns ? "another one works" : row->title));
	a->about = (int)cause;
	a->is_of_recording = is_unknown && !turns;
	advice_evidence(run, "cause", UNIT_TEXT, cell_text(str_of(row->code)));
	advice_evidence(run, "idle_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_share(run, "idle_ns", share.ns, "idle_pct",
		       "idle_ns of that cause (ptool gaps --root) / steps");
}

static void judge_idle_time(const struct rule_run *run, const struct rule_device *on)
{
	const int64_t *ns = run->facts->idles[on->place].ns;
	uint64_t others = causes_of_others();

	for (int cause = GAP_NONE + 1; cause < NGAP_CAUSES; cause++)
		if (!(others & RULE_CAUSE(cause)) &&
		    percent_of(ns[cause], run->facts->window.ns) >
			    rule_value(run, "min_pct"))
			judge_cause(run, on, (enum gap_cause)cause);
}

const struct rule rule_idle_time = {
	.name = "idle-time",
	.title = "Idle time",
	.looks = "Idle time by each cause of ptool-gaps(1) that no other rule reports "
		 "(waits for events and for earlier work, garbage collection, "
		 "back-to-back kernels, what was not recorded, and so on), with --root. "
		 "The DataLoader, allocation, communication and compilation are "
		 "among them where the rules of these found less than half of it.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.facts = FACT_IDLES,
	.each_device = judge_idle_time,
};
