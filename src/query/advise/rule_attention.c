/* Attention that writes its scores to memory: a softmax between products of matrices. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

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

static int64_t counted_ns(const struct rule_run *run, const struct work_item *item)
{
	return intervals_length_within(&run->facts->window.when, item->start_ns,
				       item->end_ns);
}

static void add_item(const struct rule_run *run, const struct work_item *item,
		     struct stream_state *state, struct softmaxes *to)
{
	struct str name = text_pool_str(run->facts->texts, item->name);
	bool is_product = item->kind == WORK_COMPUTE && kernel_is_dense(name);

	if (is_product && state->since_open < NEAR) {
		to->ns = sum_add(to->ns, state->open_ns);
		to->n += state->opens;
	}
	if (is_product || ++state->since_open >= NEAR)
		state->open_ns = state->opens = 0;
	state->since_product = is_product ? 0 : state->since_product + 1;
	if (item->kind != WORK_COMPUTE || state->since_product > NEAR ||
	    !kernel_is_softmax(name) || counted_ns(run, item) == 0)
		return;
	state->open_ns = sum_add(state->open_ns, counted_ns(run, item));
	state->opens++;
	state->since_open = 0;
}

static struct softmaxes find(const struct rule_run *run, const struct work_device *device)
{
	const struct device_work *work = &run->facts->work.work;
	struct stream_state *streams = xcalloc(device->nstreams, sizeof(*streams));
	struct softmaxes found = { .ns = 0 };

	for (size_t i = 0; i < device->nstreams; i++)
		streams[i].since_product = NEAR;
	for (size_t i = device->first; i < device->first + device->n; i++)
		add_item(run, &work->items[i],
			 &streams[work->items[i].stream - device->first_stream], &found);
	free(streams);
	return found;
}

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct fact_use *use)
{
	struct softmaxes found = find(run, device);

	if (facts_pct(found.ns, run->facts->window.ns) <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   "fuse attention: torch.nn.functional.scaled_dot_product_attention "
		   "(attn_implementation='sdpa' in transformers), or flash-attn",
		   "%.1f%% of kernel time is softmax between two products of matrices: "
		   "attention that writes its scores to memory and reads them again",
		   facts_pct(found.ns, use->kernel_ns));
	rule_add_window(run);
	rule_add_ns(run, "kernel_busy_ns", use->kernel_ns);
	advice_evidence(run, "softmax_kernels", UNIT_COUNT, cell_int(found.n));
	rule_add_share(run, "softmax_ns", found.ns, "softmax_pct",
		       "time of softmax kernels between products of matrices / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	return rule_each_device(run, judge, err);
}

const struct rule rule_attention = {
	.name = "attention",
	.title = "Unfused attention",
	.looks = "Softmax kernels, by their names, with a product of matrices at most 4 "
		 "pieces of work before and after them on their stream. Fused attention "
		 "keeps the scores on the chip.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
