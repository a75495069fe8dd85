/* Calls on the CPU that take far longer than others of the same operator and shapes. */
#include <sqlite3.h>

#include "base/sum.h"
#include "query/advise/rule_parts.h"
#include "query/query.h"

ASSET(asset_query_views_advise_slow_calls_sql);

enum { MIN_PCT };

#define CALLS_LEAST 3       /* one or two compile something, or touch new memory */
#define LEAST_NS    1000000 /* a core is given away for a millisecond and more */

/* What of them is above the median; *most, in the arena, is the one with most. */
static int sum_up(const struct rule_run *run, struct rule_operators *sum,
		  struct str *most, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(run->facts->store, asset_query_views_advise_slow_calls_sql,
			  &stmt, err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", run->facts->profile->id);
	query_bind_int(stmt, ":op", CLASS_OP);
	query_bind_int(stmt, ":least_ns", LEAST_NS);
	while ((rc = sql_step(stmt, err)) > 0) {
		struct cell name = query_cell(stmt, 0);
		if (!most->n && name.type == CELL_TEXT)
			*most = arena_copy(&run->out->arena, name.as.text);
		sum->ns = sum_add(sum->ns, sqlite3_column_int64(stmt, 1));
		sum->calls = sum_add(sum->calls, sqlite3_column_int64(stmt, 2));
	}
	sqlite3_finalize(stmt);
	return rc;
}

static int check(const struct rule_run *run, struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);
	struct str most = STR_LIT("");

	if (!names)
		return -1;
	if (!run->facts->profile->has_shapes)
		return advice_lacks(run, "no shapes were recorded",
				    "record with record_shapes=True");
	struct rule_operators all = rule_operators(names, n, rule_any_operator);
	struct rule_operators slow = { .all_ns = all.all_ns, .all_calls = all.all_calls };
	if (sum_up(run, &slow, &most, err) < 0)
		return -1;
	int64_t ns = rule_operators_ns(run, &slow, err), step_ns = rule_step_ns(run);
	if (ns < 0)
		return -1;
	if (slow.calls < CALLS_LEAST || facts_pct(ns, step_ns) <= run->values[MIN_PCT])
		return 0;
	advice_add(run, cell_null(),
		   "give the program cores of its own: fewer threads (OMP_NUM_THREADS, "
		   "torch.set_num_threads), fewer workers and other processes beside it",
		   "%.1f%% of %s goes to slow calls, %lld in all, that take 10 times and "
		   "more what the same call usually takes%s",
		   facts_pct(ns, step_ns), rule_whole(run), (long long)slow.calls,
		   rule_culprit(run, most));
	rule_add_window(run);
	advice_evidence(run, "slow_calls", UNIT_COUNT, cell_int(slow.calls));
	rule_add_operators(run, "slow_calls", ns,
			   "time of operators of a step * share of self time above the "
			   "median call's");
	return 0;
}

const struct rule rule_slow_calls = {
	.name = "slow-calls",
	.title = "Slow calls",
	.looks =
		"In recordings without device work: calls of operators that take 1 ms and "
		"10 times what the median call with the same shapes takes, but the first "
		"of them, where there are 3 and more. They wait for a core, most likely.",
	.source = "ptool's own: 10 % of the step.",
	.parameters = { [MIN_PCT] = { "min_pct", 10, "share of the step that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
