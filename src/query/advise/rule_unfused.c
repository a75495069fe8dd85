/* Chains of simple kernels, each of which reads what the one before it wrote. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

/* Simple kernels of one device in the window, and pairs of them that follow each other. */
struct chains {
	int64_t simple_ns, pairs, saved_ns;
	uint32_t most; /* the text of the longest; TEXT_NONE */
	int64_t most_ns;
};

/* What a stream ran last: how long, when it was simple; 0: something else. */
static void add_item(const struct rule_run *run, const struct work_item *item,
		     int64_t *last_ns, struct chains *to)
{
	bool is_simple = item->kind == WORK_COMPUTE &&
			 kernel_is_simple(text_pool_str(run->facts->texts, item->name));
	int64_t ns = is_simple ? intervals_length_within(&run->facts->window.when,
							 item->start_ns, item->end_ns)
			       : 0;

	if (ns > 0)
		to->simple_ns = sum_add(to->simple_ns, ns);
	if (ns > to->most_ns) {
		to->most_ns = ns;
		to->most = item->name;
	}
	if (ns > 0 && *last_ns > 0) {
		to->pairs++;
		to->saved_ns = sum_add(to->saved_ns, (ns < *last_ns ? ns : *last_ns) / 2);
	}
	*last_ns = ns;
}

static struct chains find_chains(const struct rule_run *run,
				 const struct work_device *device)
{
	const struct device_work *work = &run->facts->work.work;
	int64_t *last_ns = xcalloc(device->nstreams, sizeof(*last_ns));
	struct chains chains = { .most = TEXT_NONE };

	for (size_t i = device->first; i < device->first + device->n; i++) {
		size_t stream = work->items[i].stream - device->first_stream;
		add_item(run, &work->items[i], &last_ns[stream], &chains);
	}
	free(last_ns);
	return chains;
}

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct fact_use *use)
{
	struct chains c = find_chains(run, device);

	if (facts_pct(c.saved_ns, run->facts->window.ns) <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   facts_trains(run->facts->names, run->facts->nnames)
			   ? "fuse them: torch.compile, fused optimizers (fused=True), "
			     "fused normalisation and loss"
			   : "fuse them: torch.compile, or kernels of a library for "
			     "normalisation and activation",
		   "%.1f%% of kernel time is elementwise, normalisation, reduction or "
		   "copies, limited by memory, %lld of them right after another",
		   facts_pct(c.simple_ns, use->kernel_ns), (long long)c.pairs);
	rule_add_window(run);
	rule_add_ns(run, "simple_kernel_ns", c.simple_ns);
	rule_add_ns(run, "kernel_busy_ns", use->kernel_ns);
	advice_evidence(run, "simple_pairs", UNIT_COUNT, cell_int(c.pairs));
	advice_evidence(run, "longest_kernel", UNIT_TEXT,
			cell_text(text_pool_str(run->facts->texts, c.most)));
	rule_add_share(run, "fused_saves_ns", c.saved_ns, "fused_saves_pct",
		       "half of the shorter of each two simple kernels that follow one "
		       "another on a stream / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;

	return facts_names(run->facts, &n, err) ? rule_each_device(run, judge, err) : -1;
}

const struct rule rule_unfused = {
	.name = "unfused",
	.title = "Unfused kernels",
	.looks =
		"Kernels that memory limits, by their names (elementwise, normalisation, "
		"reduction, copies; none that Triton fused), two or more of "
		"which follow one another on a stream. Fused, a pair writes and reads "
		"its inner tensor no more: that is counted as half of the shorter "
		"kernel, as each reads one or two tensors and writes one.",
	.source = "ptool's own: where it would save more than 2 % of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
