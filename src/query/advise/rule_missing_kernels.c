/* Calls launched kernels, and none of these was recorded. */
#include <sqlite3.h>

#include "query/advise/rule_parts.h"
#include "query/query.h"

ASSET(asset_query_views_advise_ranges_sql);

/* Did CUPTI's range profiler run, which cannot run beside its tracer? */
static int has_ranges(const struct rule_run *run, bool *has, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (query_prepare(run->facts->store, asset_query_views_advise_ranges_sql, &stmt,
			  err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", run->facts->profile->id);
	int rc = sql_step(stmt, err);
	*has = rc > 0;
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static int check(const struct rule_run *run, struct err *err)
{
	int64_t launches;
	bool has = false;

	if (facts_launches(run->facts, &launches, err) < 0)
		return -1;
	if (launches == 0)
		return 0;
	if (has_ranges(run, &has, err) < 0)
		return -1;
	struct advice *a = advice_add(
		run, cell_null(),
		has ? "record again without profiler_metrics (experimental_config): "
		      "CUPTI either measures these or traces kernels"
		    : "let no other profiler hold the device (nsys, ncu, rocprof, DCGM); "
		      "allow this user to profile it; and see in the program's log "
		      "whether CUPTI failed, as with a driver that is too old",
		"%lld calls launched kernels, and none of these was recorded%s",
		(long long)launches,
		has ? ": the profiler measured metrics of kernels instead" : "");
	a->severity = ADVICE_HIGH;
	advice_evidence(run, "launches", UNIT_COUNT, cell_int(launches));
	return 0;
}

const struct rule rule_missing_kernels = {
	.name = "missing-kernels",
	.title = "Kernels missing",
	.looks = "Calls that launch kernels or graphs (cudaLaunchKernel, hipGraphLaunch "
		 "and their like) in a recording without device work. The rules of the "
		 "CPU do not run then: the program waits for a device.",
	.source = "ptool's own: one call.",
	.needs = NEED_NAMES,
	.check = check,
};
