/* Two sides compared: see diff.h. */
#include "query/diff/diff.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/diff/diff_rows.h"

/* Enough for any machine's runs and steps; a hostile store can claim more. */
#define REPLICATES_MAX ((size_t)1 << 24)

static const struct diff_run *run_of(const struct diff *d, size_t which, size_t i)
{
	return &d->request->runs[which][i];
}

static int fail(struct diff *d, size_t which, size_t i)
{
	d->culprit = run_of(d, which, i)->name;
	return -1;
}

/* All of them are call graphs, or none. */
static int check_kinds(struct diff *d, struct err *err)
{
	bool is_first = true;

	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		for (size_t i = 0; i < d->sides[which].nruns; i++) {
			bool is;
			if (scope_is_call_graph(run_of(d, which, i)->scope, &is, err) < 0)
				return fail(d, which, i);
			if (!is_first && is != d->is_call_graph)
				return err_set(err, ERR_EMPTY,
					       "a call graph (cProfile) and a trace have "
					       "nothing to compare");
			d->is_call_graph = is;
			is_first = false;
		}
	}
	return 0;
}

static int choose_rows(struct diff *d, struct err *err)
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

static int load_steps(struct diff *d, struct err *err)
{
	size_t without = 0;

	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		struct diff_side *side = &d->sides[which];
		side->steps = xcalloc(side->nruns, sizeof(*side->steps));
		for (size_t i = 0; i < side->nruns && !d->is_call_graph; i++) {
			const struct diff_run *run = run_of(d, which, i);
			if (diff_steps_load(run->store, run->scope, d->request->filter,
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

static void choose_units(struct diff *d)
{
	const struct diff_request *r = d->request;
	bool is_single = d->sides[DIFF_BASE].nruns <= 1 && d->sides[DIFF_NEW].nruns <= 1;
	bool has_chosen = r->first_step || r->filter->has_steps;

	d->per_step = d->has_steps && !r->total && !d->by->is_whole;
	d->within_run = d->per_step && is_single;
	if (d->is_call_graph || d->unit == UNIT_BYTES)
		d->subject = DIFF_OF_ROWS;
	else if (d->has_steps && (!r->total || has_chosen))
		d->subject = DIFF_OF_STEPS;
	else
		d->subject = DIFF_OF_RECORDINGS;
	d->subject_per_step = d->subject == DIFF_OF_STEPS
				      ? !r->total
				      : d->subject == DIFF_OF_ROWS && d->per_step;
	d->subject_within_run = d->subject_per_step && is_single;
}

/* Replicates of the rows, and what each is divided by. */
static int make_replicates(struct diff *d, struct diff_side *side, struct err *err)
{
	int64_t all = 0;

	side->nreplicates = d->within_run ? side->steps[0].nreplicates : side->nruns;
	for (size_t i = 0; i < side->nruns; i++)
		all = sum_add(all, d->per_step ? (int64_t)side->steps[i].nranges : 1);
	if (side->nreplicates > REPLICATES_MAX)
		return err_set(err, ERR_INPUT, "there are too many steps to compare");
	side->units = all > 0 ? all : 1;
	side->replicate_units =
		xcalloc(side->nreplicates, sizeof(*side->replicate_units));
	for (size_t i = 0; d->within_run && i < side->steps[0].n; i++)
		side->replicate_units[side->steps[0].items[i].replicate] +=
			side->steps[0].items[i].count;
	for (size_t i = 0; !d->within_run && i < side->nreplicates; i++) {
		size_t n = d->per_step ? side->steps[i].nranges : 1;
		side->replicate_units[i] = n > 0 ? (int64_t)n : 1;
	}
	return 0;
}

static int load_run(struct diff *d, size_t which, size_t i, struct err *err)
{
	struct diff_side *side = &d->sides[which];
	bool in_steps = d->per_step || d->request->first_step;
	const struct diff_run *run = run_of(d, which, i);
	const struct diff_loading loading = {
		.store = run->store,
		.scope = run->scope,
		.filter = d->request->filter,
		.metric = d->metric,
		.steps = in_steps ? &side->steps[i] : NULL,
		.names = &d->names,
		.to = &side->sums,
		.replicate = d->within_run ? 0 : (uint32_t)i,
		.by_step = d->within_run,
	};

	if (d->by->load(&loading, err) < 0)
		return -1;
	if (!diff_has_self_sums(d))
		return 0;
	struct diff_loading of_self = loading;
	of_self.metric = DIFF_SELF;
	of_self.to = &side->self_sums;
	return d->by->load(&of_self, err);
}

/*
 * The runs of a side; one without rows is one of zeros.  1: some have rows; 0: none has,
 * and *why says what the first one lacks; -1.
 */
static int load_side(struct diff *d, size_t which, struct err *why, struct err *err)
{
	struct diff_side *side = &d->sides[which];
	size_t lacking = 0;

	if (make_replicates(d, side, err) < 0)
		return -1;
	for (size_t i = 0; i < side->nruns; i++) {
		struct err own = ERR_INIT;
		if (load_run(d, which, i, &own) == 0)
			continue;
		if (own.kind != ERR_EMPTY) {
			*err = own;
			return fail(d, which, i);
		}
		if (lacking++ == 0)
			*why = own;
	}
	diff_sums_merge(&side->sums);
	diff_sums_merge(&side->self_sums);
	return lacking < side->nruns;
}

/* A side that lacks what was asked for has nothing to compare, unless names were chosen. */
static int load_rows(struct diff *d, struct err *err)
{
	const struct filter *f = d->request->filter;
	size_t lacking = 0, asked = 0, first = 0;
	struct err why[NDIFF_SIDES] = { ERR_INIT, ERR_INIT };

	for (size_t which = 0; which < NDIFF_SIDES; which++) {
		if (d->sides[which].nruns == 0)
			continue;
		int rc = load_side(d, which, &why[which], err);
		if (rc < 0)
			return -1;
		asked++;
		if (rc == 0 && lacking++ == 0)
			first = which;
	}
	if (lacking > 0 && (lacking == asked || (!f->focus && !f->ignore))) {
		*err = why[first];
		return fail(d, first, 0);
	}
	if (d->names.n == 0)
		return err_set(err, ERR_EMPTY, "nothing stands in the steps compared");
	return 0;
}

/* With a filter of names a row of one side alone is an answer. */
static int check_shared(const struct diff *d, struct err *err)
{
	const struct filter *f = d->request->filter;

	for (size_t i = 0; i < d->nrows; i++)
		if (d->rows[i].of[DIFF_BASE].row != DIFF_NO_ROW &&
		    d->rows[i].of[DIFF_NEW].row != DIFF_NO_ROW)
			return 0;
	if (f->focus || f->ignore)
		return 0;
	return err_set(err, ERR_EMPTY, "the sides have no %s in common",
		       strcmp(d->by->name, "memory") == 0 ? "device" : d->by->name);
}

int diff_open(struct diff *d, const struct diff_request *request, struct err *err)
{
	*d = (struct diff){ .request = request };
	intern_init(&d->names);
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		d->sides[i].nruns = request->nruns[i];
	if (check_kinds(d, err) < 0 || choose_rows(d, err) < 0 || load_steps(d, err) < 0)
		return -1;
	choose_units(d);
	if (load_rows(d, err) < 0)
		return -1;
	diff_headline_make(d);
	if (request->nruns[DIFF_NEW] == 0)
		return 0;
	diff_rows_make(d);
	return check_shared(d, err);
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
	intern_release(&d->names);
	free(d->rows);
	free(d->order);
	*d = (struct diff){ .request = NULL };
}

bool diff_has_self_sums(const struct diff *d)
{
	return d->is_call_graph && d->metric == DIFF_TOTAL;
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
