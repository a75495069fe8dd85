/* Operators that could use Tensor Cores, and kernels that do not. */
#include <stdlib.h>

#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_rows.h"
#include "query/kernels/kernels.h"

enum { MIN_PCT, MIN_CAPABILITY };

/* Time of kernels that were launched for operators, of one device. */
struct eligible {
	int64_t ns, all_ns;
};

static struct eligible sum_up(const struct kernels *k, int64_t device)
{
	struct eligible sum = { 0, 0 };

	for (size_t i = 0; i < k->n; i++) {
		const struct kernel_group *group = &k->groups[i];
		if (group->split[KERNEL_BY_DEVICE] != device || group->op == TEXT_NONE)
			continue;
		sum.all_ns = sum_add(sum.all_ns, group->total_ns);
		if (group->op_eligible)
			sum.ns = sum_add(sum.ns, group->total_ns);
	}
	return sum;
}

static void judge(const struct rule_run *run, const struct cell *row,
		  struct eligible eligible)
{
	double pct = facts_pct(eligible.ns, eligible.all_ns);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(run, row[DEVICE_NUMBER],
		   "run the model under torch.autocast, or allow TF32: "
		   "torch.set_float32_matmul_precision('high')",
		   "%.1f%% of kernel time is of operators that could use Tensor Cores, "
		   "and none does",
		   pct);
	advice_evidence(run, "eligible_kernel_ns", UNIT_NS, cell_int(eligible.ns));
	advice_evidence(run, "operators_kernel_ns", UNIT_NS, cell_int(eligible.all_ns));
	advice_evidence(run, "eligible_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "tensor_core_ns", UNIT_NS, row[DEVICE_TENSOR_CORE_SUM]);
	advice_evidence(run, "compute_capability", UNIT_TEXT, row[DEVICE_CAPABILITY]);
}

/* No kernel uses them on a device that has them: 1; 0; -1: it is not told. */
static int is_candidate(const struct rule_run *run, const struct cell *row)
{
	char text[32];
	struct str capability = row[DEVICE_CAPABILITY].as.text;

	if (row[DEVICE_CAPABILITY].type != CELL_TEXT ||
	    row[DEVICE_NUMBER].type != CELL_INT || capability.n >= sizeof(text))
		return -1;
	memcpy(text, capability.p, capability.n);
	text[capability.n] = '\0';
	return strtod(text, NULL) >= run->values[MIN_CAPABILITY] &&
	       row[DEVICE_TENSOR_CORE_SUM].as.integer == 0 &&
	       row[DEVICE_KERNEL_SUM].as.integer > 0;
}

static int judge_all(const struct rule_run *run, const struct memtable *devices,
		     struct err *err)
{
	const struct filter all = { .focus = NULL };
	const struct kernels_query query = {
		.filter = &all,
		.by_op = true,
		.sums_only = true,
		.split = { [KERNEL_BY_DEVICE] = true },
	};
	struct kernels kernels;
	int rc = kernels_load(run->facts->store, &run->facts->own, &query, &kernels, err);

	for (size_t i = 0; rc == 0 && i < devices->nrows; i++) {
		const struct cell *row = memtable_row(devices, i);
		if (is_candidate(run, row) > 0)
			judge(run, row, sum_up(&kernels, row[DEVICE_NUMBER].as.integer));
	}
	kernels_release(&kernels);
	return rc;
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct memtable *devices = facts_devices(run->facts, err);
	bool has_candidate = false, is_told = false;

	if (!devices)
		return -1;
	if (devices->nrows == 0)
		return rule_lacks_work(run);
	for (size_t i = 0; i < devices->nrows; i++) {
		int is = is_candidate(run, memtable_row(devices, i));
		has_candidate |= is > 0;
		is_told |= is >= 0;
	}
	if (!is_told)
		return advice_lacks(run, "no device's compute capability was recorded",
				    "record with ProfilerActivity.CUDA");
	return has_candidate ? judge_all(run, devices, err) : 0;
}

const struct rule rule_mixed_precision = {
	.name = "mixed-precision",
	.title = "Tensor Cores unused",
	.looks = "Whether no kernel of a device that has Tensor Cores uses them, by the "
		 "kernels' names, though kernels of operators that could use them ran "
		 "(ptool-kernels(1)).",
	.source = "The TensorBoard plugin's: a compute capability of 7, no such kernel, "
		  "and any time of eligible operators.",
	.parameters = { [MIN_PCT] = { "min_pct", 0,
				      "share of kernel time, of eligible operators, "
				      "that is fine" },
			[MIN_CAPABILITY] = { "min_capability", 7,
					     "compute capability from which devices have "
					     "Tensor Cores" } },
	.check = check,
};
