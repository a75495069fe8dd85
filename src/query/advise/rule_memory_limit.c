/* Devices whose memory is nearly full at the peak. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_properties.h"
#include "query/memory/memory.h"
#include "trace/fact.h"

enum { MIN_PCT };

/* What a row of the peaks tells; NUMBER_NONE: it does not. */
struct fill {
	struct cell device;
	int64_t peak, reserved, refused, memory;
	double pct; /* of the peak in the memory; 0: not known */
};

static struct fill read_fill(const struct rule_run *run, const struct table *t,
			     const struct cell *cells,
			     const struct device_properties_list *list)
{
	struct str name = rule_text(t, cells, "device");
	struct cell cell = rule_memory_device(name, &run->out->arena);
	int64_t number = cell.type == CELL_INT ? cell.as.integer : NUMBER_NONE;
	const struct device_properties *device =
		number == NUMBER_NONE ? NULL : device_properties_of_gpu(list, number);
	struct fill f = {
		.device = cell,
		.peak = rule_number(t, cells, "allocated_peak_bytes"),
		.reserved = rule_number(t, cells, "reserved_peak_bytes"),
		.refused = rule_number(t, cells, "out_of_memory"),
		.memory = device ? device->memory_bytes : NUMBER_NONE,
	};

	if (f.memory != NUMBER_NONE && f.peak != NUMBER_NONE)
		f.pct = facts_pct(f.peak, f.memory);
	return f;
}

static void add_number(const struct rule_run *run, const char *item, enum unit unit,
		       int64_t number)
{
	if (number != NUMBER_NONE)
		advice_evidence(run, item, unit, cell_int(number));
}

static const char *suggestion(bool trains)
{
	return trains ? "checkpoint activations, use torch.autocast, a smaller batch or "
			"accumulated gradients; 'ptool memory --live' shows what is "
			"allocated"
		      : "use a smaller batch, or reserve less for the cache of keys and "
			"values; 'ptool memory --live' shows what is allocated";
}

/* Servers reserve nearly all memory for their caches on purpose. */
static void judge(const struct rule_run *run, const struct fill *f, bool trains)
{
	struct advice *a;

	if (f->refused > 0)
		a = advice_add(run, f->device, suggestion(trains),
			       "allocations that failed for lack of memory: %lld",
			       (long long)f->refused);
	else if (trains && f->pct > run->values[MIN_PCT])
		a = advice_add(run, f->device, suggestion(trains),
			       "the peak is %.1f%% of the device's memory", f->pct);
	else
		return;
	a->severity = f->refused > 0 ? ADVICE_HIGH : ADVICE_MEDIUM;
	add_number(run, "allocated_peak_bytes", UNIT_BYTES, f->peak);
	add_number(run, "reserved_peak_bytes", UNIT_BYTES, f->reserved);
	add_number(run, "memory_bytes", UNIT_BYTES, f->memory);
	if (f->pct > 0)
		advice_evidence(run, "peak_pct", UNIT_PERCENT, cell_real(f->pct));
	add_number(run, "out_of_memory", UNIT_COUNT, f->refused);
}

/* Is the memory of any device known, or that it was too small?  1, 0, or -1. */
static int judge_rows(const struct rule_run *run, struct table *t,
		      const struct device_properties_list *list, bool trains,
		      struct err *err)
{
	struct cell *cells = arena_alloc(&run->out->arena, t->ncolumns * sizeof(*cells));
	int rc, known = 0;

	while ((rc = t->next(t, cells, err)) > 0) {
		struct fill f = read_fill(run, t, cells, list);
		if (f.refused > 0 || (f.memory != NUMBER_NONE && f.peak != NUMBER_NONE))
			known = 1;
		judge(run, &f, trains);
	}
	return rc < 0 ? -1 : known;
}

static bool has_size(const struct device_properties_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].memory_bytes != NUMBER_NONE)
			return true;
	return false;
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct filter all = { .focus = NULL };
	const struct memory_request request = { .view = MEMORY_VIEW_PEAKS,
						.filter = &all };
	const struct advise_facts *f = run->facts;
	struct device_properties_list list;
	struct table *table = NULL;
	size_t n;

	if (!f->profile->has_memory)
		return advice_lacks(run, "no memory events were recorded",
				    "record with profile_memory=True");
	const struct fact_name *names = facts_names(run->facts, &n, err);
	if (!names)
		return -1;
	int rc = device_properties_load(f->store, f->profile, &list, err);
	if (rc == 0)
		rc = memory_open(f->store, &f->own, &request, &table, err);
	if (rc == 0)
		rc = judge_rows(run, table, &list, facts_trains(names, n), err);
	bool is_size_known = has_size(&list);
	table_free(table);
	device_properties_release(&list);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (is_size_known)
		return advice_lacks(run, "no device memory totals were recorded",
				    "record with torch 1.10 or newer");
	return advice_lacks(
		run, "the recording does not say how much memory its devices have", NULL);
}

const struct rule rule_memory_limit = {
	.name = "memory-limit",
	.title = "Memory at the limit",
	.looks = "allocated_peak_bytes of ptool-memory(1) over the device's memory in "
		 "training, and failed allocations (--oom), whatever the peak. Servers "
		 "reserve nearly all memory on purpose.",
	.source = "The TensorBoard plugin's: more than 90 %.",
	.parameters = { [MIN_PCT] = { "min_pct", 90,
				      "share of the memory that is fine" } },
	.check = check,
};
