/* Rules of kernels: which of them run, and how well they fill the device. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"

/* To 1e-9 %: decimals of blocks leave more than that of a share, and no more. */
#define PARTS_OF_PCT 1e9

#define NEAR 4 /* kernels from a product to its softmax: scale, mask, dtype, dropout */

/* Of one stream: what may be a softmax of attention until a product follows it. */
struct stream_state {
	int since_product; /* pieces since; NEAR: none is near */
	int64_t open_ns, opens;
	int since_open; /* pieces since the newest softmax */
};

struct softmaxes {
	int64_t ns, n;
};

/* In the window. */
static int64_t counted_ns(const struct rule_run *run, const struct work_item *item)
{
	return intervals_length_within(&run->facts->window.when, item->start_ns,
				       item->end_ns);
}

/*
 * What a sum over kernels is of the time in which any runs: those at once, on several
 * streams, share it.
 */
static int64_t shared_ns(const struct rule_device *on, int64_t ns)
{
	const struct fact_use *use = on->use;

	if (use->kernel_sum_ns <= use->kernel_ns)
		return ns;
	return sum_of_double((double)ns *
			     ((double)use->kernel_ns / (double)use->kernel_sum_ns));
}

static void add_to_softmaxes(const struct rule_run *run, const struct work_item *item,
			     struct stream_state *state, struct softmaxes *to)
{
	unsigned words = fact_words(run->facts, item);
	bool is_router = item->kind == WORK_COMPUTE && words & KERNEL_TOP_K;
	bool is_product =
		item->kind == WORK_COMPUTE && words & KERNEL_DENSE && !is_router;

	if (is_product && state->since_open < NEAR) {
		to->ns = sum_add(to->ns, state->open_ns);
		to->n += state->opens;
	}
	if (is_product || is_router || ++state->since_open >= NEAR)
		state->open_ns = state->opens = 0;
	state->since_product = is_product ? 0 : state->since_product + 1;
	if (item->kind != WORK_COMPUTE || state->since_product > NEAR ||
	    !(words & KERNEL_SOFTMAX) || counted_ns(run, item) == 0)
		return;
	state->open_ns = sum_add(state->open_ns, counted_ns(run, item));
	state->opens++;
	state->since_open = 0;
}

static struct softmaxes find_softmaxes(const struct rule_run *run,
				       const struct work_device *device)
{
	const struct device_work *work = &run->facts->work.work;
	struct stream_state *streams = xcalloc(device->nstreams, sizeof(*streams));
	struct softmaxes found = { .ns = 0 };

	for (size_t i = 0; i < device->nstreams; i++)
		streams[i].since_product = NEAR;
	for (size_t i = device->first; i < device->first + device->n; i++)
		add_to_softmaxes(run, &work->items[i],
				 &streams[work->items[i].stream - device->first_stream],
				 &found);
	free(streams);
	return found;
}

/* It was called, and had no kernel for these tensors. */
static bool falls_back(const struct rule_run *run)
{
	return rule_calls(run->facts, "aten::_scaled_dot_product_attention_math") > 0;
}

static void judge_attention(const struct rule_run *run, const struct rule_device *on)
{
	struct softmaxes found = find_softmaxes(run, on->device);

	found.ns = shared_ns(on, found.ns);
	if (percent_of(found.ns, run->facts->window.ns) <= rule_value(run, "min_pct"))
		return;
	advice_add(run, on->cell,
		   rule_try(run,
			    falls_back(run)
				    ? "scaled_dot_product_attention has no fused kernel "
				      "for these tensors: with "
				      "torch.nn.attention.sdpa_kernel(SDPBackend."
				      "FLASH_ATTENTION) it says why (dtype, mask, head "
				      "size)"
				    : "fuse attention: "
				      "torch.nn.functional.scaled_dot_product_attention "
				      "(attn_implementation='sdpa' in transformers), or "
				      "flash-attn",
			    "fuse attention: jax.nn.dot_product_attention"
			    "(implementation='cudnn'), or a kernel of a library"),
		   "%.1f%% of kernel time is softmax between two matrix products: "
		   "attention that writes its scores to memory and reads them back",
		   percent_of(found.ns, on->use->kernel_ns));
	rule_add_window(run);
	rule_add_ns(run, "kernel_busy_ns", on->use->kernel_ns);
	advice_evidence(run, "softmax_kernels", UNIT_COUNT, cell_int(found.n));
	rule_add_share(run, "softmax_ns", found.ns, "softmax_pct",
		       "time of softmax kernels between matrix products / steps");
}

const struct rule rule_attention = {
	.name = "attention",
	.title = "Unfused attention",
	.looks = "Softmax kernels, by their names, with a matrix product among the 4 "
		 "kernels or copies before them and among the 4 after them on their "
		 "stream, and no top-k before that, as in a mixture of experts. Fused "
		 "attention keeps the scores on the chip.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.each_device = judge_attention,
};

/* Simple kernels of one device in the window, and pairs of them that follow each other. */
struct chains {
	int64_t simple_ns, pairs, saved_ns;
	uint32_t most; /* the text of the longest; TEXT_NONE */
	int64_t most_ns;
};

/* What a stream ran last: how long, when it was simple; 0: something else. */
struct last_run {
	int64_t ns;
	uint32_t name;
};

static void add_to_chains(const struct rule_run *run, const struct work_item *item,
			  struct last_run *last, struct chains *to)
{
	unsigned words = item->kind == WORK_COMPUTE ? fact_words(run->facts, item) : 0U;
	int64_t ns = words & KERNEL_SIMPLE ? counted_ns(run, item) : 0;
	/* the next part of a long list of tensors, of which each is read once */
	bool goes_on = words & KERNEL_OF_LISTS && item->name == last->name;

	if (ns > 0)
		to->simple_ns = sum_add(to->simple_ns, ns);
	if (ns > to->most_ns) {
		to->most_ns = ns;
		to->most = item->name;
	}
	if (ns > 0 && last->ns > 0 && !goes_on) {
		to->pairs++;
		to->saved_ns = sum_add(to->saved_ns, ns < last->ns ? ns : last->ns);
	}
	*last = (struct last_run){ ns, item->name };
}

static struct chains find_chains(const struct rule_run *run,
				 const struct work_device *device)
{
	const struct device_work *work = &run->facts->work.work;
	struct last_run *last = xcalloc(device->nstreams, sizeof(*last));
	struct chains chains = { .most = TEXT_NONE };

	for (size_t i = device->first; i < device->first + device->n; i++) {
		size_t stream = work->items[i].stream - device->first_stream;
		add_to_chains(run, &work->items[i], &last[stream], &chains);
	}
	free(last);
	return chains;
}

static void judge_unfused(const struct rule_run *run, const struct rule_device *on)
{
	struct chains c = find_chains(run, on->device);

	c.simple_ns = shared_ns(on, c.simple_ns);
	c.saved_ns = shared_ns(on, c.saved_ns);
	if (percent_of(c.saved_ns, run->facts->window.ns) <= rule_value(run, "min_pct"))
		return;
	advice_add(
		run, on->cell,
		rule_try_serving(
			run,
			"fuse them: let the engine compile the model (vLLM does without "
			"--enforce-eager, SGLang with --enable-torch-compile), or use "
			"its fused kernels for normalisation and quantisation",
			facts_infers(run->facts)
				? "fuse them: torch.compile, or kernels of a library "
				  "for normalisation and activation"
			: rule_has_fused_optimizer(run->facts)
				? "fuse them: torch.compile, fused normalisation and loss"
				: "fuse them: torch.compile, fused optimizers "
				  "(fused=True), fused normalisation and loss",
			"fuse them: put them under one jax.jit or "
			"tf.function(jit_compile=True)"),
		"%.1f%% of kernel time is memory-bound (elementwise, "
		"normalisation, reduction, copies); %s of these kernels directly "
		"follow another",
		percent_of(c.simple_ns, on->use->kernel_ns),
		rule_count_text(run, c.pairs));
	rule_add_window(run);
	rule_add_ns(run, "simple_kernel_ns", c.simple_ns);
	rule_add_ns(run, "kernel_busy_ns", on->use->kernel_ns);
	advice_evidence(run, "simple_pairs", UNIT_COUNT, cell_int(c.pairs));
	advice_evidence(run, "longest_kernel", UNIT_TEXT,
			cell_text(text_pool_str(run->facts->texts, c.most)));
	rule_add_share(run, "fused_saves_ns", c.saved_ns, "fused_saves_pct",
		       "the shorter of each two simple kernels that follow one another "
		       "on a stream / steps");
}

const struct rule rule_unfused = {
	.name = "unfused",
	.title = "Unfused kernels",
	.looks =
		"Memory-bound kernels, by their names (elementwise, normalisation, "
		"reduction, copies; none that Triton or a fused optimizer made), two or "
		"more in a row on a stream; not those that go on with a list of tensors. "
		"A fused pair does not write and read the tensor between them: at most "
		"the shorter of the two, if it does nothing else.",
	.source = "ptool's own: where it could save more than 4 % of the steps; half of "
		  "it is usual.",
	.parameters = RULE_SHARE_OF_STEPS(4),
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.each_device = judge_unfused,
};

/* Of one device in the window: kernels that say their occupancy. */
struct occupancy {
	double weighted; /* percent * ns */
	int64_t ns;
};

/*
 * Products of matrices, convolutions and attention keep few warps on purpose, each
 * with many registers; collectives run on few SMs.
 */
static bool is_judged(const struct rule_run *run, const struct work_item *item)
{
	return item->kind == WORK_COMPUTE &&
	       !(fact_words(run->facts, item) & KERNEL_DENSE);
}

static struct occupancy sum_up(const struct rule_run *run,
			       const struct work_device *device)
{
	const struct work_item *items = run->facts->work.work.items;
	const struct kernel_load *loads = run->facts->loads;
	struct occupancy sum = { 0, 0 };

	for (size_t i = device->first; i < device->first + device->n; i++) {
		if (loads[i].occupancy_pct < 0 || !is_judged(run, &items[i]))
			continue;
		int64_t ns = counted_ns(run, &items[i]);
		sum.ns = sum_add(sum.ns, ns);
		sum.weighted += loads[i].occupancy_pct * (double)ns;
	}
	return sum;
}

static bool knows_occupancy(const struct rule_run *run)
{
	for (size_t i = 0; i < run->facts->work.work.n; i++)
		if (run->facts->loads[i].occupancy_pct >= 0)
			return true;
	return false;
}

static void judge_low_occupancy(const struct rule_run *run, const struct rule_device *on)
{
	struct occupancy o = sum_up(run, on->device);
	double pct = o.ns > 0 ? o.weighted / (double)o.ns : 0;
	double below_pct = rule_value(run, "below_pct");

	if (o.ns == 0 || pct >= below_pct)
		return;
	int64_t ns = shared_ns(on, o.ns);
	int64_t saved_ns = sum_of_double((double)ns * (below_pct - pct) / below_pct);
	if (percent_of(saved_ns, run->facts->window.ns) <= rule_value(run, "min_pct"))
		return;
	advice_add(run, on->cell,
		   "look at 'ptool kernels --by op' for kernels with few blocks, many "
		   "registers or much shared memory; larger shapes or fused kernels help",
		   "kernels other than matrix products run for %.1f%% of %s at an "
		   "estimated occupancy of %.1f%%",
		   percent_of(ns, run->facts->window.ns), rule_whole(run), pct);
	rule_add_window(run);
	advice_evidence(run, "occupancy_pct", UNIT_PERCENT, cell_real(pct));
	rule_add_ns(run, "judged_kernel_ns", ns);
	rule_add_share(run, "low_occupancy_ns", saved_ns, "low_occupancy_pct",
		       "time of these kernels * (1 - occupancy / below_pct) / steps");
}

const struct rule rule_low_occupancy = {
	.name = "low-occupancy",
	.title = "Low occupancy",
	.looks =
		"The estimated achieved occupancy of kernels, weighted by their time, "
		"where it was recorded; without collectives, matrix products, "
		"convolutions and attention, which are fast at low occupancy. An "
		"occupancy of 0 with half a block per SM or more counts as not recorded.",
	.source =
		"ptool's own: less than 15 %, below which latency is rarely hidden, where "
		"it may cost 2 % of the steps.",
	.parameters = { { "below_pct", 15, "occupancy that is acceptable" },
			{ "min_pct", 2, "share of the steps that is acceptable" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.facts = FACT_LOADS,
	.can_tell = knows_occupancy,
	.lacks = "the recording does not say the occupancy of its kernels",
	.record = "use torch 1.9 or newer; only on NVIDIA is it recorded",
	.each_device = judge_low_occupancy,
};

static bool knows_blocks(const struct rule_run *run)
{
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		if (run->facts->figures[i].sm_efficiency_pct >= 0)
			return true;
	return false;
}

static void judge_small_batch(const struct rule_run *run, const struct rule_device *on)
{
	const struct device_figures *figures = &run->facts->figures[on->place];
	double utilization = figures->utilization_pct;
	double efficiency = figures->sm_efficiency_pct;

	if (efficiency < 0 || utilization <= 0)
		return;
	double pct =
		round(100.0 * efficiency / utilization * PARTS_OF_PCT) / PARTS_OF_PCT;
	int64_t ns = sum_of_double((double)on->use->kernel_ns * (1 - pct / 100));
	if (pct >= rule_value(run, "below_pct") ||
	    percent_of(ns, run->facts->window.ns) <= rule_value(run, "min_pct"))
		return;
	advice_add(run, on->cell,
		   "make the batch larger, or the operators: fewer, larger kernels have "
		   "a block for every SM",
		   "while kernels run, only %.1f%% of the SMs have work", pct);
	rule_add_window(run);
	advice_evidence(run, "filled_sms_pct", UNIT_PERCENT, cell_real(pct));
	rule_add_ns(run, "kernel_busy_ns", on->use->kernel_ns);
	rule_add_share(run, "unfilled_ns", ns, "unfilled_pct",
		       "time of kernels * (1 - filled SMs) / steps");
}

const struct rule rule_small_batch = {
	.name = "small-batch",
	.title = "Small kernels",
	.looks =
		"While a kernel runs, how many of the SMs have a block (blocks per SM, as "
		"in ptool-devices(1)); without the kernels of collectives.",
	.source = "ptool's own: less than 50 %, where it may cost 2 % of the steps.",
	.parameters = { { "below_pct", 50, "filled SMs that are acceptable" },
			{ "min_pct", 2, "share of the steps that is acceptable" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.facts = FACT_FIGURES,
	.can_tell = knows_blocks,
	.lacks = "the recording does not say the blocks per SM of its kernels",
	.record = "use torch 1.9 or newer; only on NVIDIA are they recorded",
	.each_device = judge_small_batch,
};
