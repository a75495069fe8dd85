/* Rules of a device: its Tensor Cores, and what it copies. */
#include <stdlib.h>

#include "base/sum.h"
#include "query/advise/kernel_words.h"
#include "query/advise/rule_parts.h"
#include "query/comm/transfers.h"
#include "query/devices/device_rows.h"
#include "query/devices/device_work.h"
#include "query/gaps/gap_cause.h"
#include "query/kernels/kernels.h"

/* Time of kernels but collectives, of one device. */
struct eligible {
	int64_t all_ns;
	int64_t ns; /* of operators that could use Tensor Cores, in kernels known not to */
};

/*
 * By its name, as in graphs and compiled models; or by its operator, which launches
 * others beside its products: where some use Tensor Cores these may be such.
 */
static bool is_eligible(const struct kernel_group *group, struct str name, bool uses_any)
{
	if (group->tensor_core != TENSOR_CORE_NO || kernel_is_past_half(name))
		return false;
	return kernel_is_single(name) ||
	       (!uses_any && group->op != TEXT_NONE && group->op_eligible);
}

static struct eligible sum_up(const struct kernels *k, const struct cell *row)
{
	int64_t device = row[DEVICE_NUMBER].as.integer;
	bool uses_any = row[DEVICE_TENSOR_CORE_SUM].as.integer > 0;
	struct eligible sum = { 0, 0 };

	for (size_t i = 0; i < k->n; i++) {
		const struct kernel_group *group = &k->groups[i];
		struct str name = text_pool_str(&k->texts, group->name);
		if (group->split[KERNEL_BY_DEVICE] != device ||
		    work_kind_of(CLASS_KERNEL, name) == WORK_COMMUNICATION)
			continue;
		sum.all_ns = sum_add(sum.all_ns, group->total_ns);
		if (is_eligible(group, name, uses_any))
			sum.ns = sum_add(sum.ns, group->total_ns);
	}
	return sum;
}

/* Ampere's: what came before has Tensor Cores for float16 alone (and small integers). */
#define TF32_CAPABILITY 8
/* Of the step: half precision saves half of it at least; less is no advice. */
#define LEAST_PCT 4

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

static void judge_mixed_precision(const struct rule_run *run, const struct cell *row,
				  struct eligible eligible)
{
	const struct fact_use *use = use_of(run, row[DEVICE_NUMBER].as.integer);
	double pct = percent_of(eligible.ns, eligible.all_ns);

	if (!use || pct <= rule_value(run, "min_pct"))
		return;
	int64_t ns = sum_of_double(pct / 100 * (double)use->kernel_ns);
	if (percent_of(ns, run->facts->window.ns) < LEAST_PCT)
		return;
	advice_add(
		run, row[DEVICE_NUMBER],
		rule_try(run,
			 capability_of(row) >= TF32_CAPABILITY
				 ? "run the model under torch.autocast, or allow TF32: "
				   "torch.set_float32_matmul_precision('high')"
				 : "run the model under torch.autocast with float16; "
				   "neither TF32 nor bfloat16 has Tensor Cores on this "
				   "device",
			 capability_of(row) >= TF32_CAPABILITY
				 ? "compute in bfloat16 or float16, or allow TF32"
				 : "compute in float16; neither TF32 nor bfloat16 has "
				   "Tensor Cores on this device"),
		"%.1f%% of kernel time could use Tensor Cores and does not", pct);
	rule_add_window(run);
	advice_evidence(run, "eligible_kernel_ns", UNIT_NS, cell_int(eligible.ns));
	advice_evidence(run, "all_kernel_ns", UNIT_NS, cell_int(eligible.all_ns));
	advice_evidence(run, "eligible_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "tensor_core_ns", UNIT_NS, row[DEVICE_TENSOR_CORE_SUM]);
	advice_evidence(run, "compute_capability", UNIT_TEXT, row[DEVICE_CAPABILITY]);
	rule_add_share(run, "eligible_busy_ns", ns, "eligible_busy_pct",
		       "that share of the time in which kernels run / steps");
}

enum candidate {
	NO_CANDIDATE,
	CANDIDATE, /* has them */
	NOT_TOLD,  /* no capability */
	NOT_NVIDIA /* AMD's numbers do not tell whether a device has matrix cores */
};

/* Turing's small chips, TU116 and TU117, of capability 7.5. */
static bool lacks_them(struct str device)
{
	return name_has_any(device,
			    "GTX 16|MX45|MX55| T400| T500| T550| T600| T1000| T1200|"
			    " T2000");
}

static enum candidate candidate_of(const struct rule_run *run, const struct cell *row)
{
	double capability = capability_of(row);
	struct str name = row[DEVICE_NAME].type == CELL_TEXT ? row[DEVICE_NAME].as.text
							     : STR_LIT("");

	if (str_starts_with(name, STR_LIT("AMD ")) ||
	    str_contains(name, STR_LIT("Radeon")))
		return NOT_NVIDIA;
	if (capability < 0 || row[DEVICE_NUMBER].type != CELL_INT)
		return NOT_TOLD;
	return capability >= rule_value(run, "min_capability") && !lacks_them(name) &&
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
			judge_mixed_precision(run, row, sum_up(&kernels, row));
	}
	kernels_release(&kernels);
	return rc;
}

static int check_mixed_precision(const struct rule_run *run, struct err *err)
{
	const struct memtable *devices = run->facts->devices;
	size_t n[NOT_NVIDIA + 1] = { 0 };

	for (size_t i = 0; i < devices->nrows; i++)
		n[candidate_of(run, memtable_row(devices, i))]++;
	bool is_hip = rule_calls(run->facts, "hip") > 0;
	if (n[CANDIDATE] && !is_hip)
		return judge_all(run, devices, err);
	if (n[NO_CANDIDATE] && !is_hip)
		return 0;
	if (n[NOT_NVIDIA] || is_hip)
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
	.looks = "On an NVIDIA device with Tensor Cores: the time of float32 matrix "
		 "products that do not use them, by the kernels' names; and, where no "
		 "kernel uses them, of all whose operators could (ptool-kernels(1)). "
		 "Not counted: collectives, half precision, products with one vector, "
		 "and kernels whose names do not say.",
	.source = "The TensorBoard plugin's capability of 7, and ptool's own 10 % of "
		  "kernel time, where that is 4 % of the steps or more: half precision "
		  "saves half of it at least.",
	.parameters = { { "min_pct", 10,
			  "share of kernel time, of eligible operators, "
			  "that is acceptable" },
			{ "min_capability", 7,
			  "compute capability from which devices have "
			  "Tensor Cores" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.facts = FACT_DEVICES,
	.check = check_mixed_precision,
};

/* Copies of one device in the window. */
struct copies {
	int64_t calls, ns, to_host_ns; /* how many, and sums of their times */
	int64_t busy_ns, exposed_ns;   /* any ran; and no kernel beside it */
};

typedef bool is_wanted_fn(struct str name);

static bool says_memory(struct str name)
{
	return gap_copy_of(name).is_pageable || str_contains(name, STR_LIT("Pinned"));
}

static bool reads_device(struct str name)
{
	return transfer_kind_of(name) == TRANSFER_DTOH;
}

static bool has_host_copy(struct str name)
{
	return reads_device(name) || transfer_kind_of(name) == TRANSFER_HTOD;
}

static struct copies gather(const struct rule_run *run, const struct work_device *device,
			    is_wanted_fn *is_wanted)
{
	const unsigned kernels = WORK_BIT(WORK_COMPUTE) | WORK_BIT(WORK_COMMUNICATION);
	const struct device_work *work = &run->facts->work.work;
	const struct intervals *window = &run->facts->window.when;
	struct intervals when = { .n = 0 }, others, alone;
	struct copies sum = { .calls = 0 };

	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &work->items[i];
		struct str name = text_pool_str(run->facts->texts, item->name);
		if (item->kind != WORK_MEMCPY || !is_wanted(name))
			continue;
		int64_t ns =
			intervals_length_within(window, item->start_ns, item->end_ns);
		if (ns <= 0)
			continue;
		sum.calls++;
		sum.ns = sum_add(sum.ns, ns);
		if (reads_device(name))
			sum.to_host_ns = sum_add(sum.to_host_ns, ns);
		intervals_add(&when, item->start_ns, item->end_ns);
	}
	intervals_unite(&when);
	device_work_union(work, device, kernels, &others);
	intervals_subtract(&when, &others, &alone);
	sum.busy_ns = intervals_length(&when);
	sum.exposed_ns = intervals_overlap(&alone, window);
	intervals_release(&alone);
	intervals_release(&others);
	intervals_release(&when);
	return sum;
}

static bool is_pageable(struct str name)
{
	return gap_copy_of(name).is_pageable;
}

static const char *pin(const struct rule_run *run, const struct copies *copies)
{
	if (copies->to_host_ns > copies->ns / 2)
		return rule_try(
			run,
			"copy to the host less often, or into pinned memory "
			"(torch.empty(..., pin_memory=True).copy_(x, non_blocking=True)) "
			"that is read when the copy is done",
			"copy to the host less often, or ahead of time: "
			"copy_to_host_async() of a jax.Array");
	return rule_try(run,
			"copy from pinned memory: pin_memory=True in the DataLoader, and "
			".to(device, non_blocking=True)",
			"copy the next batch ahead of time, while the device computes");
}

static void judge_pageable_copies(const struct rule_run *run,
				  const struct rule_device *on)
{
	struct copies copies = gather(run, on->device, is_pageable);
	double pct = percent_of(copies.exposed_ns, run->facts->window.ns);

	if (copies.calls == 0 || pct <= rule_value(run, "min_pct"))
		return;
	advice_add(run, on->cell, pin(run, &copies),
		   "%.1f%% of %s the %s only copies memory that is not pinned", pct,
		   rule_whole(run), rule_device_word(run));
	rule_add_window(run);
	advice_evidence(run, "pageable_copies", UNIT_COUNT, cell_int(copies.calls));
	rule_add_ns(run, "pageable_to_host_ns", copies.to_host_ns);
	rule_add_ns(run, "pageable_busy_ns", copies.busy_ns);
	rule_add_share(run, "pageable_exposed_ns", copies.exposed_ns,
		       "pageable_exposed_pct",
		       "time of pageable copies while no kernel runs / steps");
}

/* Do the names tell which memory is copied?  True when nothing is. */
static bool knows_memory(const struct rule_run *run)
{
	const struct device_work *work = &run->facts->work.work;
	bool has_copies = false;

	for (size_t i = 0; i < work->n; i++) {
		if (work->items[i].kind != WORK_MEMCPY)
			continue;
		struct str name = text_pool_str(run->facts->texts, work->items[i].name);
		if (says_memory(name))
			return true;
		has_copies |= has_host_copy(name);
	}
	return !has_copies;
}

const struct rule rule_pageable_copies = {
	.name = "pageable-copies",
	.title = "Pageable copies",
	.looks = "Copies in steps from or to host memory that is not pinned, by their "
		 "names: their time, while no kernel runs. The host waits for each.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN,
	.can_tell = knows_memory,
	.lacks = "whether memory is pinned is recorded on NVIDIA only",
	.each_device = judge_pageable_copies,
};

static bool is_on_device(struct str name)
{
	return transfer_kind_of(name) == TRANSFER_DTOD;
}

static void judge_device_copies(const struct rule_run *run, const struct rule_device *on)
{
	struct copies copies = gather(run, on->device, is_on_device);
	double pct = percent_of(copies.exposed_ns, run->facts->window.ns);

	if (pct <= rule_value(run, "min_pct"))
		return;
	advice_add(
		run, on->cell,
		rule_try(run,
			 "copy less: no .clone(), .contiguous() or torch.cat of what can "
			 "be written in place (out=, views); 'ptool transfers --by op' "
			 "shows which operators copy",
			 "copy less: donate buffers that are not used again "
			 "(donate_argnums of jax.jit); 'ptool transfers --by op' shows "
			 "which operators copy"),
		"%.1f%% of %s the %s only copies within its memory (copies: %s)", pct,
		rule_whole(run), rule_device_word(run), rule_in_steps(run, copies.calls));
	rule_add_window(run);
	advice_evidence(run, "device_copies", UNIT_COUNT, cell_int(copies.calls));
	rule_add_share(run, "device_copies_ns", copies.exposed_ns, "device_copies_pct",
		       "time of copies within the device while no kernel runs / steps");
}

const struct rule rule_device_copies = {
	.name = "device-copies",
	.title = "Copies on the device",
	.looks = "Copies within a device's memory (such as Memcpy DtoD): their time, "
		 "while no kernel runs.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = RULE_SHARE_OF_STEPS(2),
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.each_device = judge_device_copies,
};
