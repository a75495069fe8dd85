/* DistributedDataParallel without NCCL on devices that could use it. */
#include <stdlib.h>

#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_properties.h"

enum { MIN_CAPABILITY };

/* The highest that the recording tells; negative: none. */
static double best_capability(const struct device_properties_list *list)
{
	double best = -1;

	for (size_t i = 0; i < list->n; i++) {
		const char *text = list->items[i].capability;
		double value = text ? strtod(text, NULL) : -1;
		if (value > best)
			best = value;
	}
	return best;
}

static int judge(const struct rule_run *run, const struct fact_name *names, size_t n,
		 struct err *err)
{
	struct device_properties_list list;
	int64_t calls = rule_calls(names, n, "DistributedDataParallel.forward");
	int rc = device_properties_load(run->facts->store, run->facts->profile, &list,
					err);
	double best = best_capability(&list);

	device_properties_release(&list);
	if (rc < 0)
		return -1;
	if (best < 0)
		return advice_lacks(
			run,
			"the recording does not say the compute capability of its devices",
			NULL);
	if (best < run->values[MIN_CAPABILITY])
		return 0;
	struct advice *a = advice_add(
		run, cell_null(), "initialise torch.distributed with the backend nccl",
		"DistributedDataParallel ran without NCCL");
	a->severity = ADVICE_MEDIUM;
	advice_evidence(run, "ddp_calls", UNIT_COUNT, cell_int(calls));
	advice_evidence(run, "gloo_calls", UNIT_COUNT,
			cell_int(rule_calls(names, n, "gloo:")));
	advice_evidence(run, "compute_capability", UNIT_RATIO, cell_real(best));
	return 0;
}

/* NCCL's kernels are there where operators nccl: are not: torch does not always tell. */
static bool has_kernels(const struct device_work *work)
{
	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].kind == WORK_COMMUNICATION)
			return true;
	return false;
}

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);
	const struct device_work *work = names ? facts_work(run->facts, err) : NULL;

	if (!work)
		return -1;
	if (rule_calls(names, n, "DistributedDataParallel.forward") == 0 ||
	    rule_calls(names, n, "nccl:") > 0 || has_kernels(work))
		return 0;
	return judge(run, names, n, err);
}

const struct rule rule_ddp_backend = {
	.name = "ddp-backend",
	.title = "Backend of DistributedDataParallel",
	.looks = "Whether DistributedDataParallel.forward ran, and neither an nccl: "
		 "operator nor a collective on a device, on a machine that has a device "
		 "which NCCL supports.",
	.source = "The TensorBoard plugin's: a compute capability of 3.5.",
	.parameters = { [MIN_CAPABILITY] = { "min_capability", 3.5,
					     "compute capability that NCCL needs" } },
	.needs = NEED_NAMES,
	.check = check,
};
