/* Two sides compared: see diff.h. */
#include "query/diff/diff.h"
#include "query/samples/sample_set.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/diff/diff_account.h"
#include "query/diff/diff_rows.h"
#include "query/query.h"
#include "query/samples/sample_choose.h"

ASSET(asset_query_views_diff_summed_sql);

static const struct diff_run *run_of(const struct diff *d, size_t which, size_t i)
{
	return &d->request->runs[which][i];
}

static int fail(struct diff *d, size_t which, size_t i)
{
	d->culprit = run_of(d, which, i)->name;
	return -1;
}

/* The larger kind first, so that the sides' order does not matter. */
static int differ(enum scope_kind a, enum scope_kind b, struct err *err)
{
	static const char *const names[NSCOPE_KINDS] = {
		"a trace", "a call graph (cProfile)", "sampled stacks", "a line profile"
	};

	return err_set(err, ERR_EMPTY, "%s and %s have nothing to compare",
		       names[a > b ? a : b], names[a > b ? b : a]);
}

/* All of them are of one kind. */
static int check_kinds(struct diff *d, struct err *err)
{
	enum scope_kind first = SCOPE_TRACES;
	bool is_first = true;

	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		for (size_t i = 0; i < d->sides[which].nruns; i++) {
			enum scope_kind kind;
			const struct scope *scope = run_of(d, which, i)->scope;
			if (scope_kind(scope, &kind, err) < 0 ||
			    sample_choice_check(&d->request->filter->samples, scope,
						err) < 0)
				return fail(d, which, i);
			if (!is_first && kind != first)
				return differ(first, kind, err);
			first = kind;
			d->is_call_graph = kind != SCOPE_TRACES;
			d->is_sampled = kind == SCOPE_SAMPLES;
			is_first = false;
		}
	}
	return 0;
}

static int load_steps(struct diff *d, struct err *err)
{
	size_t without = 0;

	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		struct diff_side *side = &d->sides[which];
		side->steps = xcalloc(side->nruns, sizeof(*side->steps));
		for (size_t i = 0; i < side->nruns && !d->is_call_graph; i++) {
			const struct diff_run *run = run_of(d, which, i);
			if (filter_find_steps(d->request->filter, run->store, run->scope,
					      err) < 0 ||
			    diff_steps_load(run->store, run->scope, d->request->filter,
					    d->request->first_step, &side->steps[i],
					    err) < 0)
				return fail(d, which, i);
			without += side->steps[i].recorded == 0;
			if (!side->steps[i].n &&
			    (d->request->first_step || d->request->filter->has_steps)) {
				fail(d, which, i);
				return err_set(err, ERR_EMPTY,
					       side->steps[i].recorded
						       ? "no step matches"
						       : "no step was recorded "
							 "(profiler.step())");
			}
		}
	}
	d->has_steps = !d->is_call_graph && without == 0;
	return 0;
}

/* Of call graphs: does a run have self times, so that they can be compared? */
static bool has_self(const struct diff *d)
{
	for (size_t which = 0; which < NDIFF_SIDES; which++)
		for (size_t i = 0; i < d->sides[which].nruns; i++)
			if (scope_has_self(run_of(d, which, i)->scope))
				return true;
	return false;
}

/* Weights of sampled stacks are compared in the unit that all of them have. */
static int choose_unit(struct diff *d, struct err *err)
{
	bool is_first = true;
	enum unit unit;

	if (d->metric == DIFF_CALLS)
		return 0;
	for (size_t which = 0; which < NDIFF_SIDES; which++)
		for (size_t i = 0; i < d->sides[which].nruns; i++) {
			const struct diff_run *run = run_of(d, which, i);
			if (sample_unit(run->store, run->scope, d->request->filter, &unit,
					err) < 0)
				return fail(d, which, i);
			if (!is_first && unit != d->unit)
				return err_set(err, ERR_EMPTY,
					       "the sides measure different things "
					       "(time, bytes or counts) and cannot be "
					       "compared");
			d->unit = unit;
			is_first = false;
		}
	return 0;
}

static int choose_rows(struct diff *d, struct err *err)
{
	const struct diff_request *r = d->request;

	d->by = r->by ? r->by
		      : diff_dimension_find(d->is_call_graph ? "function" : "operator");
	d->metric = r->metric == NDIFF_METRICS ? d->by->usual : r->metric;
	if (d->is_sampled && d->metric == DIFF_CALLS)
		return err_set(err, ERR_USAGE,
			       "--metric calls: samples of stacks count no calls");
	if (r->metric == NDIFF_METRICS && d->is_call_graph && !has_self(d))
		d->metric = DIFF_TOTAL;
	d->unit = diff_dimension_unit(d->by, d->metric);
	if (d->is_sampled && choose_unit(d, err) < 0)
		return -1;
	if (!(d->by->metrics & DIFF_METRIC(d->metric)))
		return err_set(err, ERR_USAGE, "--by %s has no --metric %s", d->by->name,
			       diff_metric_name(d->metric));
	if (d->is_call_graph && !d->by->of_call_graphs)
		return err_set(err, ERR_EMPTY,
			       "--by %s: a call graph (cProfile) has only functions",
			       d->by->name);
	if (d->is_call_graph && r->first_step)
		return err_set(err, ERR_EMPTY, "--first-step: a call graph has no steps");
	return 0;
}

bool diff_is_of_devices(const struct diff *d)
{
	bool has_device = !d->account || d->account->of_device; /* for all one knows */

	return d->metric == DIFF_DEVICE || strcmp(d->by->name, "kernel") == 0 ||
	       strcmp(d->by->name, "idle") == 0 ||
	       (has_device && strcmp(d->by->name, "name") == 0);
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
	int64_t worked = diff_account_delta(a, false);
	int64_t all = sum_add(worked, diff_account_delta(a, true));

	return (worked > 0) == (all > 0) && worked != 0 &&
	       2 * fabs((double)worked) > fabs((double)all);
}

static int choose_metric(struct diff *d, struct err *err)
{
	bool is_open = is_metric_open(d);

	if (!is_open && !(diff_is_of_devices(d) && d->request->nruns[DIFF_NEW] > 0))
		return 0;
	d->account = xcalloc(1, sizeof(*d->account));
	if (diff_account_make(d, d->account, err) < 0)
		return -1;
	d->is_metric_chosen = is_open && is_device_most(d->account);
	if (d->is_metric_chosen)
		d->metric = DIFF_DEVICE;
	return 0;
}

/* Has a run the operators of its steps only together, as baselines have? */
static int find_summed(const struct diff *d, bool *has, struct err *err)
{
	*has = false;
	for (size_t which = 0; which < NDIFF_SIDES; which++)
		for (size_t i = 0; i < d->sides[which].nruns && !*has; i++) {
			const struct diff_run *run = run_of(d, which, i);
			if (run->scope->profiles[0].has_slices)
				continue;
			struct query q = query_of_scope(run->store,
							asset_query_views_diff_summed_sql,
							run->scope->ids, err);
			*has = query_next(&q, err) && sqlite3_column_int(q.stmt, 0) != 0;
			if (query_end(&q) < 0)
				return -1;
		}
	return 0;
}

static void choose_units(struct diff *d, bool is_summed)
{
	const struct diff_request *r = d->request;
	bool is_single = d->sides[DIFF_BASE].nruns <= 1 && d->sides[DIFF_NEW].nruns <= 1;
	bool has_chosen = r->first_step || r->filter->has_steps;

	d->per_step = d->has_steps && !r->total && !d->by->is_whole;
	d->within_run = d->per_step && is_single && !is_summed;
	if ((d->is_call_graph && has_self(d)) || d->unit == UNIT_BYTES)
		d->subject = DIFF_OF_ROWS;
	else if (d->has_steps && (!r->total || has_chosen))
		d->subject = DIFF_OF_STEPS;
	else
		d->subject = DIFF_OF_RECORDINGS;
	d->subject_per_step = d->subject == DIFF_OF_STEPS
				      ? !r->total
				      : d->subject == DIFF_OF_ROWS && d->per_step;
	d->subject_within_run = d->subject_per_step && is_single;
	d->is_one_run = is_single && d->sides[DIFF_NEW].nruns == 1;
	d->may_decide = !d->is_one_run || r->within_run;
}

int diff_open(struct diff *d, const struct diff_request *request, struct err *err)
{
	bool is_summed;

	*d = (struct diff){ .request = request };
	intern_init(&d->names);
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		d->sides[i].nruns = request->nruns[i];
	if (check_kinds(d, err) < 0 || choose_rows(d, err) < 0 || load_steps(d, err) < 0)
		return -1;
	if (find_summed(d, &is_summed, err) < 0)
		return -1;
	if (is_summed && !d->by->is_whole &&
	    (request->first_step || request->filter->has_steps))
		return err_set(err, ERR_EMPTY,
			       "a baseline has the operators of all steps together: "
			       "compare without --step and --first-step");
	choose_units(d, is_summed);
	if (choose_metric(d, err) < 0 || diff_read_rows(d, err) < 0)
		return -1;
	diff_headline_make(d);
	if (request->nruns[DIFF_NEW] == 0)
		return 0;
	diff_rows_make(d);
	return diff_read_check(d, err);
}

void diff_release(struct diff *d)
{
	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		struct diff_side *side = &d->sides[which];
		for (size_t i = 0; side->steps && i < side->nruns; i++)
			diff_steps_release(&side->steps[i]);
		free(side->steps);
		diff_sums_release(&side->sums);
		diff_sums_release(&side->self_sums);
		free(side->replicate_units);
		free(side->samples);
	}
	diff_outliers_release(&d->outliers);
	free(d->account);
	intern_release(&d->names);
	free(d->rows);
	*d = (struct diff){ .request = NULL };
}

bool diff_has_self_sums(const struct diff *d)
{
	return d->is_call_graph && d->metric == DIFF_TOTAL && has_self(d);
}

struct str diff_row_name(const struct diff *d, const struct diff_row *row,
			 enum diff_which which)
{
	uint32_t name = row->of[which].row;

	if (name == DIFF_NO_ROW)
		name = row->of[which == DIFF_BASE ? DIFF_NEW : DIFF_BASE].row;
	return intern_str(&d->names, name);
}

double diff_row_calls(const struct diff *d, const struct diff_row *row,
		      enum diff_which which)
{
	return (double)row->of[which].calls / (double)d->sides[which].units;
}
