/* What is compared where the request leaves it open: see diff_choose.h. */
#include "query/diff/diff_choose.h"

#include <math.h>
#include <sqlite3.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/diff/diff_account.h"
#include "query/query.h"

ASSET(asset_query_views_diff_vendors_sql);

int diff_choose_rows(struct diff *d, struct err *err)
{
	const struct diff_request *r = d->request;

	d->by = r->by ? r->by
		      : diff_dimension_find(d->is_call_graph ? "function" : "operator");
	d->metric = r->metric == NDIFF_METRICS ? d->by->usual : r->metric;
	d->unit = diff_dimension_unit(d->by, d->metric);
	if (!(d->by->metrics & DIFF_METRIC(d->metric)))
		return err_set(err, ERR_USAGE, "--by %s has no --metric %s", d->by->name,
			       diff_metric_name(d->metric));
	if (d->is_call_graph && !d->by->of_call_graphs)
		return err_set(err, ERR_EMPTY,
			       "--by %s: a call graph (cProfile) has functions alone",
			       d->by->name);
	if (d->is_call_graph && r->first_step)
		return err_set(err, ERR_EMPTY, "--first-step: a call graph has no steps");
	return 0;
}

/* Only the user can know better, who names a metric or chooses among the rows. */
static bool is_metric_open(const struct diff *d)
{
	const struct diff_request *r = d->request;

	return r->metric == NDIFF_METRICS && strcmp(d->by->name, "operator") == 0 &&
	       !d->is_call_graph && r->nruns[DIFF_NEW] > 0 &&
	       !filter_chooses_names(r->filter) && !filter_needs_slices(r->filter);
}

/* Is more than half of the change in what devices did, rather than in their idle time? */
static bool is_device_most(const struct diff_account *a)
{
	int64_t worked = 0, all = 0;

	for (size_t i = 0; i < a->n; i++) {
		int64_t delta = sum_sub(a->ns[DIFF_NEW][i], a->ns[DIFF_BASE][i]);
		all = sum_add(all, delta);
		if (i + 1 < a->n) /* the last part is idle */
			worked = sum_add(worked, delta);
	}
	return a->of_device && (worked > 0) == (all > 0) && worked != 0 &&
	       2 * fabs((double)worked) > fabs((double)all);
}

int diff_choose_metric(struct diff *d, struct err *err)
{
	if (!is_metric_open(d))
		return 0;
	d->account = xcalloc(1, sizeof(*d->account));
	if (diff_account_make(d, d->account, err) < 0)
		return -1;
	d->is_metric_chosen = is_device_most(d->account);
	if (d->is_metric_chosen)
		d->metric = DIFF_DEVICE;
	return 0;
}

/* The bits of views/diff_vendors.sql: the runtimes that a side called. */
static int read_vendors(const struct diff *d, enum diff_which which, int *out,
			struct err *err)
{
	*out = 0;
	for (size_t i = 0; i < d->sides[which].nruns; i++) {
		const struct diff_run *run = &d->request->runs[which][i];
		struct sqlite3_stmt *stmt;
		if (query_prepare(run->store, asset_query_views_diff_vendors_sql, &stmt,
				  err) < 0)
			return -1;
		query_bind_text(stmt, ":profiles", run->scope->ids);
		int rc = sql_step(stmt, err);
		if (rc > 0)
			*out |= sqlite3_column_int(stmt, 0);
		sqlite3_finalize(stmt);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int diff_choose_names(struct diff *d, struct err *err)
{
	int base, after;

	d->relaxings = d->by->relaxings;
	if (d->by->relaxings == d->by->relaxings_across || d->sides[DIFF_NEW].nruns == 0)
		return 0;
	if (read_vendors(d, DIFF_BASE, &base, err) < 0 ||
	    read_vendors(d, DIFF_NEW, &after, err) < 0)
		return -1;
	if (base && after && !(base & after))
		d->relaxings = d->by->relaxings_across;
	return 0;
}
