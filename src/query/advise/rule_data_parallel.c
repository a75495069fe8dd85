/* DataParallel drives several devices from one process. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);
	const struct device_work *work = names ? facts_work(run->facts, err) : NULL;

	if (!work)
		return -1;
	int64_t calls = rule_calls(names, n, "DataParallel.forward");
	if (calls == 0 || work->ndevices < 2)
		return 0;
	struct advice *a = advice_add(
		run, cell_null(),
		"use DistributedDataParallel, one process a device: DataParallel "
		"copies the model in every step, and one Python feeds all devices",
		"DataParallel drives %zu devices", work->ndevices);
	a->severity = ADVICE_MEDIUM;
	advice_evidence(run, "data_parallel_calls", UNIT_COUNT, cell_int(calls));
	advice_evidence(run, "devices", UNIT_COUNT, cell_int((int64_t)work->ndevices));
	return 0;
}

const struct rule rule_data_parallel = {
	.name = "data-parallel",
	.title = "DataParallel",
	.looks = "Whether DataParallel.forward ran, and several devices of the profile "
		 "worked.",
	.source = "The TensorBoard plugin's.",
	.needs = NEED_NAMES | NEED_WORK,
	.check = check,
};
