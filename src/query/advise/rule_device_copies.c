/* Copies within the memory of a device, while it does nothing else. */
#include "query/advise/rule_parts.h"
#include "query/comm/transfer_name.h"

enum { MIN_PCT };

struct copies {
	int64_t calls;
	struct intervals when; /* a set */
};

static void gather(const struct rule_run *run, const struct work_device *device,
		   struct copies *out)
{
	const struct work_item *items = &run->facts->work.work.items[device->first];

	*out = (struct copies){ .calls = 0 };
	for (size_t i = 0; i < device->n; i++) {
		struct str name = text_pool_str(run->facts->texts, items[i].name);
		if (items[i].kind != WORK_MEMCPY ||
		    transfer_kind_of(name) != TRANSFER_DTOD ||
		    intervals_length_within(&run->facts->window.when, items[i].start_ns,
					    items[i].end_ns) == 0)
			continue;
		out->calls++;
		intervals_add(&out->when, items[i].start_ns, items[i].end_ns);
	}
	intervals_unite(&out->when);
}

/* In the window, while no kernel runs. */
static int64_t exposed_ns(const struct rule_run *run, const struct work_device *device,
			  const struct copies *copies)
{
	const unsigned kernels = WORK_BIT(WORK_COMPUTE) | WORK_BIT(WORK_COMMUNICATION);
	struct intervals others, alone;

	device_work_union(&run->facts->work.work, device, kernels, &others);
	intervals_subtract(&copies->when, &others, &alone);
	int64_t ns = intervals_overlap(&alone, &run->facts->window.when);
	intervals_release(&alone);
	intervals_release(&others);
	return ns;
}

static void judge(const struct rule_run *run, const struct work_device *device,
		  const struct fact_use *use)
{
	struct copies copies;

	(void)use;
	gather(run, device, &copies);
	int64_t ns = exposed_ns(run, device, &copies);
	intervals_release(&copies.when);
	double pct = facts_pct(ns, run->facts->window.ns);
	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(
		run, work_device_cell(device),
		"copy less: no .clone(), .contiguous() or torch.cat of what can be "
		"written in place (out=, views); 'ptool transfers --by op' shows which "
		"operators copy",
		"%.1f%% of %s the %s only copies within its memory, in %lld copies", pct,
		rule_whole(run), rule_device_word(run),
		(long long)rule_per_step(run, copies.calls));
	rule_add_window(run);
	advice_evidence(run, "device_copies", UNIT_COUNT, cell_int(copies.calls));
	rule_add_share(run, "device_copies_ns", ns, "device_copies_pct",
		       "time of copies within the device while no kernel runs / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	return rule_each_device(run, judge, err);
}

const struct rule rule_device_copies = {
	.name = "device-copies",
	.title = "Copies on the device",
	.looks = "Copies from a device's memory to the same (Memcpy DtoD and its like): "
		 "the time in which no kernel runs beside them.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
