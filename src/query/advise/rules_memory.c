/* Rules of memory: how full it is, whether it grows, how often it is allocated. */
#include <assert.h>
#include <sqlite3.h>
#include <string.h>

#include "base/sum.h"
#include "query/advise/rule_parts.h"
#include "query/devices/device_properties.h"
#include "query/gaps/gap_cause.h"
#include "query/memory/memory_peak.h"
#include "query/query.h"
#include "trace/fact.h"
#include "trace/op_memory.h"

ASSET(asset_query_views_advise_calls_sql);

/* The number of a GPU; the CPU, and what has no number, by its name. */
static struct cell memory_device_cell(const struct memory_device *d)
{
	return op_memory_is_cpu(d->type) || d->index < 0 ? cell_text(str_of(d->name))
							 : cell_int(d->index);
}

/* What a device's memory holds at its peak; NUMBER_NONE: not known. */
struct fill {
	struct cell device;
	int64_t peak, reserved, refused, memory;
	double pct; /* of the peak in the memory; 0: not known */
};

static struct fill fill_of(const struct fact_peak *of,
			   const struct device_properties_list *list)
{
	const struct memory_device *d = &of->device;
	struct fill f = {
		.device = memory_device_cell(d),
		.peak = d->has_totals ? of->peak.allocated.bytes : NUMBER_NONE,
		.reserved = of->peak.reserved.bytes,
		.refused = of->peak.out_of_memory,
		.memory = NUMBER_NONE,
	};

	if (f.device.type == CELL_INT) {
		const struct device_properties *gpu =
			device_properties_of_gpu(list, d->index);
		f.memory = gpu ? gpu->memory_bytes : NUMBER_NONE;
	}
	if (f.memory != NUMBER_NONE && f.peak != NUMBER_NONE)
		f.pct = percent_of(f.peak, f.memory);
	return f;
}

static void add_number(const struct rule_run *run, const char *item, enum unit unit,
		       int64_t number)
{
	if (number != NUMBER_NONE)
		advice_evidence(run, item, unit, cell_int(number));
}

static const char *less_memory(bool trains)
{
	return trains ? "checkpoint activations, use torch.autocast, a smaller batch or "
			"accumulated gradients; 'ptool memory --live' shows what is "
			"allocated"
		      : "use a smaller batch, or reserve less for the cache of keys and "
			"values; 'ptool memory --live' shows what is allocated";
}

/* Servers reserve nearly all memory for their caches on purpose. */
static void judge_fill(const struct rule_run *run, const struct fill *f, bool trains)
{
	struct advice *a;

	if (f->refused > 0)
		a = advice_add(run, f->device, less_memory(trains),
			       "allocations that failed for lack of memory: %lld",
			       (long long)f->refused);
	else if (trains && f->pct > rule_value(run, "min_pct"))
		a = advice_add(run, f->device, less_memory(trains),
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

static bool has_size(const struct device_properties_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].memory_bytes != NUMBER_NONE)
			return true;
	return false;
}

static int check_memory_limit(const struct rule_run *run, struct err *err)
{
	const struct advise_facts *f = run->facts;
	bool trains = facts_trains(f->names, f->nnames), is_known = false;
	const struct device_properties_list *list = facts_properties(run->facts, err);

	if (!list || facts_peaks(run->facts, err) < 0)
		return -1;
	for (size_t i = 0; i < f->npeaks; i++) {
		const struct fill fill = fill_of(&f->peaks[i], list);
		is_known |= fill.refused > 0 ||
			    (fill.memory != NUMBER_NONE && fill.peak != NUMBER_NONE);
		judge_fill(run, &fill, trains);
	}
	if (is_known)
		return 0;
	if (has_size(list))
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
	.parameters = { { "min_pct", 90, "share of the memory that is acceptable" } },
	.needs = NEED_MEMORY,
	.of_summaries = true,
	.check = check_memory_limit,
};

/* The first step makes what stays: gradients, the optimizer's state. */
#define STEPS_LEAST 4

/* The steps of one device, which come one after the other. */
struct growth {
	const struct memory_device *device;
	int64_t steps, first_bytes, last_bytes;
	bool grows; /* in every step after the second */
};

static void judge_growth(const struct rule_run *run, const struct growth *g)
{
	int64_t rise = sum_sub(g->last_bytes, g->first_bytes), rises = g->steps - 2;
	double pct = percent_of(rise, g->first_bytes);

	if (g->steps < STEPS_LEAST || !g->grows ||
	    (g->first_bytes > 0 && pct <= rule_value(run, "min_pct")))
		return;
	bool trains = !facts_infers(run->facts);
	struct advice *a = advice_add(
		run, memory_device_cell(g->device),
		trains ? "look for tensors that are kept from step to step: losses "
			 "summed up without .item() or .detach(), lists of outputs; "
			 "'ptool memory --leaks' names the operators"
		       : "a cache of keys and values grows with each token: a static "
			 "cache does not; or tensors are kept, which 'ptool memory "
			 "--leaks' names by operator",
		"each step leaves more memory allocated than the one before");
	a->severity = trains ? ADVICE_MEDIUM : ADVICE_LOW;
	advice_evidence(run, "steps_after_first", UNIT_COUNT, cell_int(g->steps - 1));
	advice_evidence(run, "first_end_bytes", UNIT_BYTES, cell_int(g->first_bytes));
	advice_evidence(run, "last_end_bytes", UNIT_BYTES, cell_int(g->last_bytes));
	advice_evidence(run, "growth_per_step_bytes", UNIT_BYTES, cell_int(rise / rises));
}

static void add_step(struct growth *g, int64_t end_bytes)
{
	if (g->steps == 1) {
		g->first_bytes = end_bytes;
		g->grows = true;
	} else if (g->steps > 1) {
		g->grows &= end_bytes > g->last_bytes;
	}
	g->last_bytes = end_bytes;
	g->steps++;
}

static bool has_growth(const struct rule_run *run)
{
	const struct memory_events *m = &run->facts->memory;

	return m->ndevices > 0 && m->nsteps >= STEPS_LEAST;
}

static void judge_memory_growth(const struct rule_run *run)
{
	const struct memory_events *m = &run->facts->memory;

	for (size_t i = 0; i < m->ndevices; i++) {
		struct growth g = { .device = &m->devices[i] };
		for (size_t s = 0; s < m->nsteps && (g.steps < 3 || g.grows); s++)
			add_step(&g,
				 memory_level_at(m, g.device,
						 m->steps[s].ts_ns + m->steps[s].dur_ns));
		judge_growth(run, &g);
	}
}

const struct rule rule_memory_growth = {
	.name = "memory-growth",
	.title = "Growing memory",
	.looks = "Whether end_bytes of each step after the second (ptool-memory(1), "
		 "--growth) is above that of the step before, in four steps or more. The "
		 "first step allocates what stays, such as the optimizer's state.",
	.source =
		"ptool's own: a rise of more than 1 % from the second step to the last.",
	.parameters = { { "min_pct", 1, "rise that is acceptable" } },
	.needs = NEED_MEMORY,
	.facts = FACT_MEMORY,
	.can_tell = has_growth,
	.lacks = "memory of fewer than 4 steps was recorded",
	.record = "record more, and call the profiler's step() in each",
	.record_xprof = "record more, and mark each (StepTraceAnnotation)",
	.judge = judge_memory_growth,
};

/* Calls in steps after the first one, which fills the allocator's cache. */
struct churn {
	int64_t calls, ns;
};

/*
 * Of the runtime and the drivers: operators have a namespace, labels have neither
 * prefix.  What is asynchronous is of a pool, waits for nothing, and is each tensor's
 * under the backend cudaMallocAsync.
 */
static bool is_allocation(const char *name)
{
	return !strstr(name, "Async") &&
	       (strncmp(name, "cu", 2) == 0 || strncmp(name, "hip", 3) == 0) &&
	       !strstr(name, "Host") &&
	       gap_cause_of(CLASS_RUNTIME, str_of(name)) == GAP_MALLOC;
}

static int add_calls(const struct rule_run *run, int64_t name_id, struct churn *sum,
		     struct err *err)
{
	struct query q =
		query_of_profile(run->facts->store, asset_query_views_advise_calls_sql,
				 run->facts->profile, err);

	query_bind_int(q.stmt, ":name", name_id);
	if (query_next(&q, err)) {
		sum->calls = sum_add(sum->calls, sqlite3_column_int64(q.stmt, 0));
		sum->ns = sum_add(sum->ns, sqlite3_column_int64(q.stmt, 1));
	}
	return query_end(&q);
}

static int64_t count_steps(const struct steps *steps)
{
	const struct step_bounds *bounds =
		steps->nprofiles ? &steps->profiles[0].bounds : NULL;

	return bounds && !bounds->is_single ? (int64_t)bounds->n : 0;
}

/*
 * How long a device is idle for the calls, of the one that is longest; the host may well
 * wait in them for a device that works.  NUMBER_NONE: no launches tell.  -1: failed.
 */
static int find_idle(const struct rule_run *run, int64_t *ns, struct err *err)
{
	const struct device_work *work = facts_work(run->facts, err);

	*ns = NUMBER_NONE;
	if (!work || !facts_has_launches(work))
		return work ? 0 : -1;
	const struct fact_idle *idles = facts_idles(run->facts, err);
	if (!idles)
		return -1;
	for (size_t i = 0; i < work->ndevices; i++)
		if (idles[i].later_allocation_ns > *ns)
			*ns = idles[i].later_allocation_ns;
	return 0;
}

static int judge_allocator_churn(const struct rule_run *run, const struct churn *sum,
				 int64_t steps, int64_t step_ns, struct err *err)
{
	double calls = (double)sum->calls / (double)steps;
	int64_t idle_ns;

	assert(steps > 0); /* has_steps() */
	if (calls < rule_value(run, "min_calls"))
		return 0;
	if (find_idle(run, &idle_ns, err) < 0)
		return -1;
	if (idle_ns == NUMBER_NONE)
		return 0;
	idle_ns = idle_ns < sum->ns ? idle_ns : sum->ns;
	if (percent_of(idle_ns / steps, step_ns) <= rule_value(run, "min_pct"))
		return 0;
	advice_add(run, cell_null(),
		   rule_try(run,
			    "keep memory in the caching allocator: no empty_cache() in "
			    "the loop, fixed shapes, or "
			    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
			    gap_causes[GAP_MALLOC].xprof),
		   "device memory is allocated or freed %.1f times a step after the "
		   "first",
		   calls);
	advice_evidence(run, "steps_after_first", UNIT_COUNT, cell_int(steps));
	advice_evidence(run, "allocation_calls", UNIT_COUNT, cell_int(sum->calls));
	advice_evidence(run, "allocation_ns", UNIT_NS, cell_int(sum->ns));
	advice_evidence(run, "allocation_idle_ns", UNIT_NS, cell_int(idle_ns));
	advice_save(
		run, idle_ns / steps, step_ns,
		"idle_ns of allocation in steps after the first (ptool gaps --root), of "
		"the device that has most / these steps");
	return 0;
}

static bool has_steps(const struct rule_run *run)
{
	return count_steps(&run->facts->steps) >= 2;
}

static int check_allocator_churn(const struct rule_run *run, struct err *err)
{
	const struct advise_facts *f = run->facts;
	const struct step_row *mean = facts_mean(&f->steps);
	struct churn sum = { 0, 0 };

	for (size_t i = 0; i < f->nnames; i++)
		if (is_allocation(f->names[i].name) &&
		    add_calls(run, f->names[i].name_id, &sum, err) < 0)
			return -1;
	return judge_allocator_churn(run, &sum, count_steps(&f->steps) - 1,
				     mean ? mean->values[VALUE_TOTAL] : 0, err);
}

const struct rule rule_allocator_churn = {
	.name = "allocator-churn",
	.title = "Allocator churn",
	.looks = "Calls such as cudaMalloc and cudaFree in steps after the first, but "
		 "not those of pools (cudaMallocAsync). Each waits for the device; the "
		 "caching allocator makes none once it holds enough memory.",
	.source = "ptool's own: one per step, if the device is idle for 2 % of the step "
		  "meanwhile.",
	.parameters = { { "min_calls", 1, "calls a step that are a problem" },
			{ "min_pct", 2, "share of the step that is acceptable" } },
	.needs = NEED_WORK | NEED_RUN | NEED_LAUNCHES,
	.causes = RULE_CAUSE(GAP_MALLOC),
	.facts = FACT_STEPS,
	.can_tell = has_steps,
	.lacks = "fewer than 2 steps were recorded",
	.record = "record more, and call the profiler's step() in each",
	.record_xprof = "record more, and mark each (StepTraceAnnotation)",
	.check = check_allocator_churn,
};
