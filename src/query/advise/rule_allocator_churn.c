/* Memory of the device that is allocated and freed anew in every step. */
#include <sqlite3.h>
#include <string.h>

#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"
#include "query/query.h"
#include "trace/fact.h"

ASSET(asset_query_views_advise_calls_sql);

enum { MIN_CALLS, MIN_PCT };

/* Calls in steps behind the first one, which fills the allocator's cache. */
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
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(run->facts->store, asset_query_views_advise_calls_sql, &stmt,
			  err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", run->facts->profile->id);
	query_bind_int(stmt, ":name", name_id);
	if ((rc = sql_step(stmt, err)) > 0) {
		sum->calls = sum_add(sum->calls, sqlite3_column_int64(stmt, 0));
		sum->ns = sum_add(sum->ns, sqlite3_column_int64(stmt, 1));
	}
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static int64_t count_steps(const struct steps *steps)
{
	int64_t n = 0;

	while (n < (int64_t)steps->n && !steps->rows[n].is_mean &&
	       !steps->rows[n].is_single)
		n++;
	return n;
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

static int judge(const struct rule_run *run, const struct churn *sum, int64_t steps,
		 int64_t step_ns, struct err *err)
{
	double calls = (double)sum->calls / (double)steps;
	int64_t idle_ns;

	if (calls < run->values[MIN_CALLS])
		return 0;
	if (find_idle(run, &idle_ns, err) < 0)
		return -1;
	if (idle_ns == NUMBER_NONE)
		return 0;
	idle_ns = idle_ns < sum->ns ? idle_ns : sum->ns;
	if (facts_pct(idle_ns / steps, step_ns) <= run->values[MIN_PCT])
		return 0;
	advice_add(run, cell_null(),
		   "keep memory in the caching allocator: no empty_cache() in the loop, "
		   "fixed shapes, or "
		   "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
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

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);
	const struct steps *steps = names ? facts_steps(run->facts, err) : NULL;
	struct churn sum = { 0, 0 };

	if (!steps)
		return -1;
	int64_t nsteps = count_steps(steps);
	if (nsteps < 2)
		return advice_lacks(
			run, "fewer than 2 steps were recorded",
			"record more, and call the profiler's step() in each");
	for (size_t i = 0; i < n; i++)
		if (is_allocation(names[i].name) &&
		    add_calls(run, names[i].name_id, &sum, err) < 0)
			return -1;
	const struct step_row *mean = facts_mean(steps, 0);
	return judge(run, &sum, nsteps - 1, mean ? mean->values[VALUE_TOTAL] : 0, err);
}

const struct rule rule_allocator_churn = {
	.name = "allocator-churn",
	.title = "Allocator churn",
	.looks = "Calls of cudaMalloc, cudaFree and their like in steps after the first, "
		 "those of pools (cudaMallocAsync) apart: each waits for the device, and "
		 "the caching allocator makes none once it has what it needs.",
	.source =
		"ptool's own: one a step, while which the device is idle for 2 % of it.",
	.parameters = { [MIN_CALLS] = { "min_calls", 1,
					"calls a step that are a problem" },
			[MIN_PCT] = { "min_pct", 2, "share of the step that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_LAUNCHES,
	.causes = RULE_CAUSE(GAP_MALLOC),
	.check = check,
};
