/* Devices whose memory is nearly full at the peak. */
#include <stdlib.h>

#include "ingest/sink.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_properties.h"
#include "query/memory/memory.h"

enum { MIN_PCT };

#define DEVICE_NAME_MAX 40

/* "cuda:1" is device 1; NUMBER_NONE for the CPU and for what has no number. */
static int64_t device_number(struct str name)
{
	char text[DEVICE_NAME_MAX], *end;
	const char *colon = name.n ? memchr(name.p, ':', name.n) : NULL;

	if (!colon || name.n >= sizeof(text) || str_starts_with(name, STR_LIT("cpu")))
		return NUMBER_NONE;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	const char *digits = text + (colon - name.p) + 1;
	long number = strtol(digits, &end, 10);
	return end == digits || *end || number < 0 ? NUMBER_NONE : number;
}

static void judge(const struct rule_run *run, const struct table *t,
		  const struct cell *cells, const struct device_properties *device)
{
	int64_t peak = rule_number(t, cells, "allocated_peak_bytes");
	int64_t reserved = rule_number(t, cells, "reserved_peak_bytes");
	int64_t refused = rule_number(t, cells, "out_of_memory");
	double pct = facts_pct(peak, device->memory_bytes);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(run, cell_int(device->device),
		   "checkpoint activations, use torch.autocast, a smaller batch or "
		   "accumulated gradients; 'ptool memory --live' shows what is allocated",
		   "the peak is %.1f%% of the device's memory", pct);
	advice_evidence(run, "allocated_peak_bytes", UNIT_BYTES, cell_int(peak));
	if (reserved != NUMBER_NONE)
		advice_evidence(run, "reserved_peak_bytes", UNIT_BYTES,
				cell_int(reserved));
	advice_evidence(run, "memory_bytes", UNIT_BYTES, cell_int(device->memory_bytes));
	advice_evidence(run, "peak_pct", UNIT_PERCENT, cell_real(pct));
	if (refused != NUMBER_NONE)
		advice_evidence(run, "out_of_memory", UNIT_COUNT, cell_int(refused));
}

/* How many devices' memory is known, or -1 with err set. */
static int judge_rows(const struct rule_run *run, struct table *t,
		      const struct device_properties_list *list, struct err *err)
{
	struct cell *cells = arena_alloc(&run->out->arena, t->ncolumns * sizeof(*cells));
	int rc, known = 0;

	while ((rc = t->next(t, cells, err)) > 0) {
		int64_t number = device_number(rule_text(t, cells, "device"));
		const struct device_properties *device =
			number == NUMBER_NONE ? NULL
					      : device_properties_find(list, number);
		if (!device || device->memory_bytes == NUMBER_NONE ||
		    rule_number(t, cells, "allocated_peak_bytes") == NUMBER_NONE)
			continue;
		known = 1;
		judge(run, t, cells, device);
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

	if (!f->profile->has_memory)
		return advice_lacks(run, "no memory events were recorded",
				    "record with profile_memory=True");
	int rc = device_properties_load(f->store, f->profile, &list, err);
	if (rc == 0)
		rc = memory_open(f->store, &f->own, &request, &table, err);
	if (rc == 0)
		rc = judge_rows(run, table, &list, err);
	bool is_size_known = has_size(&list);
	table_free(table);
	device_properties_release(&list);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (is_size_known)
		return advice_lacks(run,
				    "what was allocated on the devices was not recorded",
				    "record with torch 1.10 or newer");
	return advice_lacks(run, "the size of no device's memory was recorded",
			    "record with ProfilerActivity.CUDA");
}

const struct rule rule_memory_limit = {
	.name = "memory-limit",
	.title = "Memory at the limit",
	.looks = "allocated_peak_bytes of ptool-memory(1) over the device's memory.",
	.source = "The TensorBoard plugin's: more than 90 %.",
	.parameters = { [MIN_PCT] = { "min_pct", 90,
				      "share of the memory that is fine" } },
	.check = check,
};
