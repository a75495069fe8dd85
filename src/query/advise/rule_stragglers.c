/* A rank that the others wait for in collectives. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/comm/comm.h"
#include "query/query.h"

ASSET(asset_query_views_advise_steps_sql);

enum { MIN_PCT };

/* Of a row of `ptool comm --ranks --by rank`. */
struct straggler {
	const struct scope_profile *profile;
	int64_t calls, late_calls, late_ns, error_ns; /* NUMBER_NONE: not known */
	int64_t blocking_ns;                          /* it keeps another one waiting */
};

struct stragglers {
	struct straggler *items; /* owned */
	size_t n, cap;
};

/* Those of the profile. */
static int count_steps(const struct rule_run *run, const struct scope_profile *profile,
		       int64_t *steps, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (query_prepare(run->facts->store, asset_query_views_advise_steps_sql, &stmt,
			  err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", profile->id);
	int rc = sql_step(stmt, err);
	*steps = rc > 0 ? sqlite3_column_int64(stmt, 0) : 0;
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static int judge(const struct rule_run *run, const struct straggler *s, struct err *err)
{
	double pct = facts_pct(s->blocking_ns, s->profile->dur_ns);
	int64_t steps;

	if (pct <= run->values[MIN_PCT] ||
	    (s->error_ns != NUMBER_NONE && s->late_calls > 0 &&
	     s->blocking_ns / s->late_calls <= s->error_ns))
		return 0;
	if (count_steps(run, s->profile, &steps, err) < 0)
		return -1;
	struct advice *a = advice_add(
		run, cell_null(),
		"look at why that rank is late: its data, its host, its clocks; 'ptool "
		"diff' compares two ranks",
		"rank %lld comes last to %lld of %lld collectives, and keeps another "
		"waiting %.1f%% of the recording",
		(long long)s->profile->rank, (long long)s->late_calls,
		(long long)s->calls, pct);
	a->profile = s->profile;
	advice_evidence(run, "collectives", UNIT_COUNT, cell_int(s->calls));
	advice_evidence(run, "late_collectives", UNIT_COUNT, cell_int(s->late_calls));
	advice_evidence(run, "late_ns", UNIT_NS, cell_int(s->late_ns));
	advice_evidence(run, "blocking_ns", UNIT_NS, cell_int(s->blocking_ns));
	if (s->error_ns != NUMBER_NONE)
		advice_evidence(run, "clock_error_ns", UNIT_NS, cell_int(s->error_ns));
	int64_t parts = steps > 0 ? steps : 1;
	advice_save(run, s->blocking_ns / parts, s->profile->dur_ns / parts,
		    "blocking_ns of the rank (ptool comm --ranks --by rank) / its steps");
	a->is_whole = steps < 1;
	return 0;
}

static void add_row(const struct rule_run *run, const struct table *t,
		    const struct cell *cells, struct stragglers *to)
{
	struct straggler s = {
		.calls = rule_number(t, cells, "calls"),
		.late_calls = rule_number(t, cells, "late_calls"),
		.late_ns = rule_number(t, cells, "late_ns"),
		.error_ns = rule_number(t, cells, "clock_error_ns"),
		.blocking_ns = rule_number(t, cells, "blocking_ns"),
		.profile =
			scope_find(run->facts->scope, rule_number(t, cells, "profile")),
	};

	if (!s.profile || s.late_ns == NUMBER_NONE || s.blocking_ns == NUMBER_NONE)
		return;
	to->items = xgrow(to->items, &to->cap, to->n + 1, sizeof(*to->items));
	to->items[to->n++] = s;
}

/* The clock that the others are aligned with has no error, and is off by theirs. */
static void find_errors(struct stragglers *all)
{
	int64_t largest = NUMBER_NONE;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].error_ns > largest)
			largest = all->items[i].error_ns;
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].error_ns == NUMBER_NONE)
			all->items[i].error_ns = largest;
}

static int judge_rows(const struct rule_run *run, struct table *t, struct err *err)
{
	struct cell *cells = arena_alloc(&run->out->arena, t->ncolumns * sizeof(*cells));
	struct stragglers all = { .n = 0 };
	int rc;

	while ((rc = t->next(t, cells, err)) > 0)
		add_row(run, t, cells, &all);
	find_errors(&all);
	for (size_t i = 0; rc == 0 && i < all.n; i++)
		rc = judge(run, &all.items[i], err);
	free(all.items);
	return rc;
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct filter all = { .focus = NULL };
	const struct comm_request request = { .filter = &all,
					      .by = COMM_BY_RANK,
					      .across_ranks = true,
					      .show.asked =
						      comm_columns(COMM_BY_RANK, true) };
	struct table *table;

	if (run->facts->scope->nranks < 2)
		return advice_lacks(run, "there is only one rank",
				    "ingest the traces of several ranks together");
	if (comm_open(run->facts->store, run->facts->scope, &request, &table, err) < 0) {
		if (err->kind != ERR_EMPTY)
			return -1;
		*err = (struct err)ERR_INIT;
		return advice_lacks(run, "no collective of two ranks was recorded",
				    "record the same steps on all ranks");
	}
	int rc = judge_rows(run, table, err);
	table_free(table);
	return rc;
}

const struct rule rule_stragglers = {
	.name = "stragglers",
	.title = "Straggler",
	.looks =
		"blocking_ns of ptool-comm(1), --ranks: for how long another rank waits in collectives for "
		"one rank, from the start of the last but one to that of the last, on aligned clocks, and "
		"no longer than it computes nothing beside them; nothing below the error of the clocks.",
	.source = "ptool's own: 2 % of the recording.",
	.parameters = { [MIN_PCT] = { "min_pct", 2,
				      "share of the recording that is fine" } },
	.is_of_run = true,
	.check = check,
};
