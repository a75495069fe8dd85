/* Operators that could use Tensor Cores, and kernels that do not. */
#include <stdlib.h>

#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_rows.h"
#include "query/devices/work_kind.h"
#include "query/kernels/kernels.h"

enum { MIN_PCT, MIN_CAPABILITY };

/* Time of kernels but collectives, of one device. */
struct eligible {
	int64_t all_ns;
	int64_t ns; /* of operators that could use Tensor Cores, in kernels known not to */
};

/* By its operator, or by its name, as in graphs and compiled models. */
static bool is_eligible(const struct kernel_group *group, struct str name)
{
	return group->tensor_core == TENSOR_CORE_NO &&
	       ((group->op != TEXT_NONE && group->op_eligible) || kernel_is_single(name));
}

static struct eligible sum_up(const struct kernels *k, int64_t device)
{
	struct eligible sum = { 0, 0 };

	for (size_t i = 0; i < k->n; i++) {
		const struct kernel_group *group = &k->groups[i];
		struct str name = text_pool_str(&k->texts, group->name);
		if (group->split[KERNEL_BY_DEVICE] != device ||
		    work_kind_of(CLASS_KERNEL, name) == WORK_COMMUNICATION)
			continue;
		sum.all_ns = sum_add(sum.all_ns, group->total_ns);
		if (is_eligible(group, name))
			sum.ns = sum_add(sum.ns, group->total_ns);
	}
	return sum;
}

/* Ampere's: what came before has Tensor Cores for float16 alone (and small integers). */
#define TF32_CAPABILITY 8
/* Of the step: what saves less is no advice. */
#define LEAST_PCT 2

/* Negative: not recorded. */
static double capability_of(const struct cell *row)
{
	char text[32];
	struct str capability = row[DEVICE_CAPABILITY].as.text;

	if (row[DEVICE_CAPABILITY].type != CELL_TEXT || capability.n >= sizeof(text))
		return -1;
	memcpy(text, capability.p, capability.n);
	text[capability.n] = '\0';
	return strtod(text, NULL);
}

/* What the device of that number did; NULL: it has none. */
static const struct fact_use *use_of(const struct rule_run *run, int64_t number)
{
	const struct device_work *work = &run->facts->work.work;

	for (size_t i = 0; i < work->ndevices; i++)
		if (work->devices[i].device == number)
			return &run->facts->uses[i];
	return NULL;
}

static void judge(const struct rule_run *run, const struct cell *row,
		  struct eligible eligible)
{
	const struct fact_use *use = use_of(run, row[DEVICE_NUMBER].as.integer);
	double pct = facts_pct(eligible.ns, eligible.all_ns);

	if (!use || pct <= run->values[MIN_PCT])
		return;
	int64_t ns = sum_of_double(pct / 100 * (double)use->kernel_ns / 2);
	if (facts_pct(ns, run->facts->window.ns) < LEAST_PCT)
		return;
	advice_add(
		run, row[DEVICE_NUMBER],
		capability_of(row) >= TF32_CAPABILITY
			? "run the model under torch.autocast, or allow TF32: "
			  "torch.set_float32_matmul_precision('high')"
			: "run the model under torch.autocast with float16; neither "
			  "TF32 nor bfloat16 has Tensor Cores on this device",
		"%.1f%% of kernel time is of operators that could use Tensor Cores, in "
		"kernels that do not",
		pct);
	rule_add_window(run);
	advice_evidence(run, "eligible_kernel_ns", UNIT_NS, cell_int(eligible.ns));
	advice_evidence(run, "all_kernel_ns", UNIT_NS, cell_int(eligible.all_ns));
	advice_evidence(run, "eligible_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "tensor_core_ns", UNIT_NS, row[DEVICE_TENSOR_CORE_SUM]);
	advice_evidence(run, "compute_capability", UNIT_TEXT, row[DEVICE_CAPABILITY]);
	rule_add_share(run, "halved_ns", ns, "halved_pct",
		       "half of that share of the time in which kernels run / steps");
}

enum candidate {
	NO_CANDIDATE,
	CANDIDATE, /* has them, and no kernel uses them */
	NOT_TOLD,  /* no capability */
	NOT_NVIDIA /* AMD's numbers do not tell whether a device has matrix cores */
};

static enum candidate candidate_of(const struct rule_run *run, const struct cell *row)
{
	double capability = capability_of(row);

	if (row[DEVICE_TENSOR_CORE_SUM].as.integer > 0)
		return NO_CANDIDATE;
	if (row[DEVICE_NAME].type == CELL_TEXT &&
	    str_starts_with(row[DEVICE_NAME].as.text, STR_LIT("AMD ")))
		return NOT_NVIDIA;
	if (capability < 0 || row[DEVICE_NUMBER].type != CELL_INT)
		return NOT_TOLD;
	return capability >= run->values[MIN_CAPABILITY] &&
			       row[DEVICE_KERNEL_SUM].as.integer > 0
		       ? CANDIDATE
		       : NO_CANDIDATE;
}

static int judge_all(const struct rule_run *run, const struct memtable *devices,
		     struct err *err)
{
	const struct filter all = { .focus = NULL };
	const struct kernels_query query = {
		.filter = &all,
		.show = { .asked = KERNELS_BY_OP | KERNELS_BY(KERNEL_BY_DEVICE) },
		.sums_only = true,
	};
	struct kernels kernels;
	int rc = kernels_load(run->facts->store, &run->facts->own, &query, &kernels, err);

	for (size_t i = 0; rc == 0 && i < devices->nrows; i++) {
		const struct cell *row = memtable_row(devices, i);
		if (candidate_of(run, row) == CANDIDATE)
			judge(run, row, sum_up(&kernels, row[DEVICE_NUMBER].as.integer));
	}
	kernels_release(&kernels);
	return rc;
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct memtable *devices = facts_devices(run->facts, err);
	const struct fact_use *uses = devices ? facts_uses(run->facts, err) : NULL;
	size_t n[NOT_NVIDIA + 1] = { 0 };

	if (!uses)
		return -1;
	for (size_t i = 0; i < devices->nrows; i++)
		n[candidate_of(run, memtable_row(devices, i))]++;
	if (n[CANDIDATE])
		return judge_all(run, devices, err);
	if (n[NO_CANDIDATE])
		return 0;
	if (n[NOT_NVIDIA])
		return advice_lacks(
			run,
			"only NVIDIA's devices are judged; 'ptool kernels' shows which kernels "
			"use matrix cores",
			NULL);
	return advice_lacks(
		run, "the recording does not say the compute capability of its devices",
		NULL);
}

const struct rule rule_mixed_precision = {
	.name = "mixed-precision",
	.title = "Tensor Cores unused",
	.looks =
		"On a device that has Tensor Cores, of which no kernel uses them by its "
		"name: kernels of operators that could use them and whose names say that "
		"they do not (ptool-kernels(1)), and products of float32 by their names. "
		"Collectives, and names that do not say, do not count.",
	.source =
		"The TensorBoard plugin's capability of 7 and no such kernel, and ptool's "
		"own 10 % of kernel time: half of it is what half precision saves at "
		"least on these devices, and less is not worth the change.",
	.parameters = { [MIN_PCT] = { "min_pct", 10,
				      "share of kernel time, of eligible operators, "
				      "that is fine" },
			[MIN_CAPABILITY] = { "min_capability", 7,
					     "compute capability from which devices have "
					     "Tensor Cores" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
