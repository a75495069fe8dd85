/* Kernels that keep few warps on the SMs they run on, and are not made to. */
#include "base/sum.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"

enum { BELOW_PCT, MIN_PCT };

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
	       !kernel_is_dense(text_pool_str(run->facts->texts, item->name));
}

static struct occupancy sum_up(const struct rule_run *run,
			       const struct work_device *device,
			       const struct kernel_load *loads, bool *is_known)
{
	const struct work_item *items = run->facts->work.work.items;
	struct occupancy sum = { 0, 0 };

	for (size_t i = device->first; i < device->first + device->n; i++) {
		if (loads[i].occupancy_pct < 0)
			continue;
		*is_known = true;
		if (!is_judged(run, &items[i]))
			continue;
		int64_t ns = intervals_length_within(&run->facts->window.when,
						     items[i].start_ns, items[i].end_ns);
		sum.ns = sum_add(sum.ns, ns);
		sum.weighted += loads[i].occupancy_pct * (double)ns;
	}
	return sum;
}

static void judge(const struct rule_run *run, const struct work_device *device,
		  struct occupancy o)
{
	double pct = o.ns > 0 ? o.weighted / (double)o.ns : 0;
	double below_pct = run->values[BELOW_PCT];

	if (o.ns == 0 || pct >= below_pct)
		return;
	int64_t saved_ns = sum_of_double((double)o.ns * (below_pct - pct) / below_pct);
	if (facts_pct(saved_ns, run->facts->window.ns) <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device),
		   "look at 'ptool kernels --by op' for kernels of few blocks, many "
		   "registers or much shared memory; larger shapes or fused kernels help",
		   "kernels other than matrix products run for %.1f%% of %s at an "
		   "estimated occupancy of %.1f%%",
		   facts_pct(o.ns, run->facts->window.ns), rule_whole(run), pct);
	rule_add_window(run);
	advice_evidence(run, "occupancy_pct", UNIT_PERCENT, cell_real(pct));
	rule_add_ns(run, "judged_kernel_ns", o.ns);
	rule_add_share(run, "low_occupancy_ns", saved_ns, "low_occupancy_pct",
		       "time of these kernels * (1 - occupancy / below_pct) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_window *window = facts_window(run->facts, err);
	const struct kernel_load *loads = window ? facts_loads(run->facts, err) : NULL;
	bool is_known = false;

	if (!loads)
		return -1;
	const struct device_work *work = &run->facts->work.work;
	for (size_t i = 0; i < work->ndevices; i++)
		judge(run, &work->devices[i],
		      sum_up(run, &work->devices[i], loads, &is_known));
	return is_known ? 0
			: advice_lacks(
				  run,
				  "occupancy is recorded on NVIDIA only, with torch 1.9 "
				  "or later",
				  NULL);
}

const struct rule rule_low_occupancy = {
	.name = "low-occupancy",
	.title = "Low occupancy",
	.looks =
		"The estimated achieved occupancy of the kernels that say it, by their "
		"time, without collectives, matrix products, convolutions and attention, "
		"which are fast at a low one. An occupancy of 0 with half a block an SM "
		"or more is one that was not recorded.",
	.source =
		"ptool's own: less than 15 %, below which latency is rarely hidden, where "
		"it may cost 2 % of the steps.",
	.parameters = { [BELOW_PCT] = { "below_pct", 15, "occupancy that is fine" },
			[MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
