/* Copies of memory that is not pinned, while the device does nothing else. */
#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

/* Of one device, in steps (anywhere, when there are none). */
struct pageable {
	int64_t calls, ns, to_host_ns;  /* how many, and sums of their times */
	struct intervals when, exposed; /* sets */
};

static bool says_memory(struct str name)
{
	return gap_copy_of(name).is_pageable || str_contains(name, STR_LIT("Pinned"));
}

static bool reads_device(struct str name)
{
	return str_contains(name, STR_LIT("DtoH")) ||
	       str_contains(name, STR_LIT("DeviceToHost"));
}

static bool has_host_copy(struct str name)
{
	return reads_device(name) || str_contains(name, STR_LIT("HtoD")) ||
	       str_contains(name, STR_LIT("HostToDevice"));
}

static void gather(const struct rule_run *run, const struct work_device *device,
		   bool in_steps, struct pageable *out)
{
	const struct device_work *work = &run->facts->work.work;
	struct intervals other;

	*out = (struct pageable){ .calls = 0 };
	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &work->items[i];
		struct str name = text_pool_str(run->facts->texts, item->name);
		if (item->kind != WORK_MEMCPY || (in_steps && !item->step_id) ||
		    !gap_copy_of(name).is_pageable)
			continue;
		out->calls++;
		out->ns = sum_add(out->ns, item->end_ns - item->start_ns);
		if (reads_device(name))
			out->to_host_ns =
				sum_add(out->to_host_ns, item->end_ns - item->start_ns);
		intervals_add(&out->when, item->start_ns, item->end_ns);
	}
	intervals_unite(&out->when);
	device_work_union(work, device,
			  WORK_BIT(WORK_COMPUTE) | WORK_BIT(WORK_COMMUNICATION), &other);
	intervals_subtract(&out->when, &other, &out->exposed);
	intervals_release(&other);
}

static const char *suggestion(const struct pageable *copies)
{
	if (copies->to_host_ns > copies->ns / 2)
		return "copy to the host less often, or into pinned memory "
		       "(torch.empty(..., pin_memory=True).copy_(x, non_blocking=True)) "
		       "that is read when the copy is done";
	return "copy from pinned memory: pin_memory=True in the DataLoader, and "
	       ".to(device, non_blocking=True)";
}

static void judge(const struct rule_run *run, const struct fact_idles *idles,
		  const struct work_device *device, const struct pageable *copies)
{
	int64_t ns = intervals_length(&copies->exposed);
	double pct = facts_pct(ns, idles->steps_ns);

	if (copies->calls == 0 || pct <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device), suggestion(copies),
		   "for %.1f%% of the time of %s the device only copies memory that is "
		   "not pinned",
		   pct, rule_steps_word(run));
	rule_add_steps(run, idles);
	advice_evidence(run, "pageable_copies", UNIT_COUNT, cell_int(copies->calls));
	advice_evidence(run, "pageable_to_host_ns", UNIT_NS,
			cell_int(copies->to_host_ns));
	advice_evidence(run, "pageable_busy_ns", UNIT_NS,
			cell_int(intervals_length(&copies->when)));
	advice_evidence(run, "pageable_exposed_ns", UNIT_NS, cell_int(ns));
	advice_save(run, ns / idles->steps, idles->steps_ns / idles->steps,
		    "time of pageable copies without kernels beside them / steps");
}

/* Do the names tell which memory is copied?  True when nothing is. */
static bool is_told(const struct rule_run *run, const struct device_work *work)
{
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

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_idles *idles = rule_idles(run, FACTS_ANY_BURST, err);

	if (!idles)
		return err->kind ? -1 : 0;
	const struct device_work *work = &run->facts->work.work;
	if (!is_told(run, work))
		return advice_lacks(run, "copies do not say whether memory is pinned",
				    "only CUPTI (NVIDIA) tells that");
	for (size_t i = 0; i < work->ndevices; i++) {
		struct pageable copies;
		gather(run, &work->devices[i], run->facts->range.nsteps > 0, &copies);
		judge(run, idles, &work->devices[i], &copies);
		intervals_release(&copies.when);
		intervals_release(&copies.exposed);
	}
	return 0;
}

const struct rule rule_pageable_copies = {
	.name = "pageable-copies",
	.title = "Pageable copies",
	.looks = "Copies of steps that read or write memory of the host which is not "
		 "pinned, by their names: the time in which no kernel runs beside them. "
		 "The host waits for each.",
	.source = "ptool's own: 1 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 1, "share of the steps that is fine" } },
	.check = check,
};
