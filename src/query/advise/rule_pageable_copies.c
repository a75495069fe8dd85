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
		   struct pageable *out)
{
	const struct device_work *work = &run->facts->work.work;
	const struct intervals *when = &run->facts->window.when;
	struct intervals other, alone;

	*out = (struct pageable){ .calls = 0 };
	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &work->items[i];
		struct str name = text_pool_str(run->facts->texts, item->name);
		if (item->kind != WORK_MEMCPY || !gap_copy_of(name).is_pageable)
			continue;
		int64_t ns = intervals_length_within(when, item->start_ns, item->end_ns);
		if (ns <= 0)
			continue;
		out->calls++;
		out->ns = sum_add(out->ns, ns);
		if (reads_device(name))
			out->to_host_ns = sum_add(out->to_host_ns, ns);
		intervals_add(&out->when, item->start_ns, item->end_ns);
	}
	intervals_unite(&out->when);
	device_work_union(work, device,
			  WORK_BIT(WORK_COMPUTE) | WORK_BIT(WORK_COMMUNICATION), &other);
	intervals_subtract(&out->when, &other, &alone);
	intervals_intersect(&alone, when, &out->exposed);
	intervals_release(&alone);
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

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct pageable *copies)
{
	int64_t ns = intervals_length(&copies->exposed);
	double pct = facts_pct(ns, run->facts->window.ns);

	if (copies->calls == 0 || pct <= run->values[MIN_PCT])
		return;
	advice_add(run, work_device_cell(device), suggestion(copies),
		   "%.1f%% of %s the %s only copies memory that is not pinned", pct,
		   rule_whole(run), rule_device_word(run));
	rule_add_window(run);
	advice_evidence(run, "pageable_copies", UNIT_COUNT, cell_int(copies->calls));
	rule_add_ns(run, "pageable_to_host_ns", copies->to_host_ns);
	rule_add_ns(run, "pageable_busy_ns", intervals_length(&copies->when));
	rule_add_share(run, "pageable_exposed_ns", ns, "pageable_exposed_pct",
		       "time of pageable copies while no kernel runs / steps");
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
	const struct device_work *work = facts_work(run->facts, err);

	if (!work || !facts_window(run->facts, err))
		return -1;
	if (!is_told(run, work))
		return advice_lacks(
			run, "whether memory is pinned is recorded on NVIDIA only", NULL);
	for (size_t i = 0; i < work->ndevices; i++) {
		struct pageable copies;
		gather(run, &work->devices[i], &copies);
		judge(run, &work->devices[i], &copies);
		intervals_release(&copies.when);
		intervals_release(&copies.exposed);
	}
	return 0;
}

const struct rule rule_pageable_copies = {
	.name = "pageable-copies",
	.title = "Pageable copies",
	.looks = "Copies in steps that read or write memory of the host which is not "
		 "pinned, by their names: the time in which no kernel runs beside them. "
		 "The host waits for each.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN,
	.check = check,
};
