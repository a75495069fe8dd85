/* DistributedDataParallel that broadcasts the buffers of its model in each forward pass. */
#include "query/advise/rule_parts.h"

#define TRY                                                                            \
	"DistributedDataParallel(..., broadcast_buffers=False), where every rank may " \
	"keep its own running means (BatchNorm)"

static void add_finding(const struct rule_run *run, struct cell device, int64_t ns,
			const char *what)
{
	const struct fact_buffers *buffers = &run->facts->buffers;

	advice_add(
		run, device, TRY,
		"%.1f%% of %s %sDistributedDataParallel broadcasts the model's buffers "
		"before the forward pass",
		facts_pct(ns, run->facts->window.ns), rule_whole(run), what);
	rule_add_window(run);
	advice_evidence(run, "broadcasts", UNIT_COUNT, cell_int(buffers->n));
	rule_add_ns(run, "host_ns",
		    intervals_overlap(&buffers->when, &run->facts->window.when));
	rule_add_share(
		run, "broadcast_buffers_ns", ns, "broadcast_buffers_pct",
		"time of flatten, broadcast, unflatten and copy_ in "
		"DistributedDataParallel.forward, while the device is idle / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_buffers *buffers = facts_buffers(run->facts, err);

	if (!buffers)
		return -1;
	const struct device_work *work = &run->facts->work.work;
	for (size_t i = 0; i < work->ndevices; i++)
		if (facts_pct(buffers->idle_ns[i], run->facts->window.ns) > BUFFERS_PCT)
			add_finding(run, work_device_cell(&work->devices[i]),
				    buffers->idle_ns[i],
				    arena_printf(&run->out->arena,
						 "the %s is idle while ",
						 rule_device_word(run)));
	int64_t host_ns = intervals_overlap(&buffers->when, &run->facts->window.when);
	if (work->ndevices == 0 &&
	    facts_pct(host_ns, run->facts->window.ns) > BUFFERS_PCT)
		add_finding(run, cell_null(), host_ns, "");
	return 0;
}

const struct rule rule_ddp_buffers = {
	.name = "ddp-buffers",
	.title = "Broadcast of buffers",
	.looks = "Idle time while DistributedDataParallel.forward broadcasts the buffers "
		 "of the model on the host (flatten_dense_tensors, broadcast, unflatten, "
		 "copy_), before the model runs. The other rules of idle time do not "
		 "count it.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.needs = NEED_NAMES,
	.check = check,
};
