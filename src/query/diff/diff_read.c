/* The rows of both sides, read from their stores: see diff_rows.h. */
#include "query/diff/diff_rows.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_diff_vendors_sql);

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

	if (filter_find_steps(loading.filter, run->store, run->scope, err) < 0 ||
	    diff_load(d->by, &loading, err) < 0)
		return -1;
	if (!diff_has_self_sums(d))
		return 0;
	struct diff_loading of_self = loading;
	of_self.metric = DIFF_SELF;
	of_self.to = &side->self_sums;
	return diff_load(d->by, &of_self, err);
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
		if (own.kind != ERR_EMPTY ||
		    store_missed_slices(run_of(d, which, i)->store)) {
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

/* Would the side have rows if nothing was filtered? */
static bool has_rows_unfiltered(const struct diff *d, size_t which)
{
	static const struct filter everything;
	bool has = false;

	for (size_t i = 0; i < d->sides[which].nruns && !has; i++) {
		const struct diff_run *run = run_of(d, which, i);
		struct diff_sums sums = { .n = 0 };
		struct err ignored = ERR_INIT;
		struct intern names;
		const struct diff_loading loading = { .store = run->store,
						      .scope = run->scope,
						      .filter = &everything,
						      .metric = d->metric,
						      .names = &names,
						      .to = &sums };
		intern_init(&names);
		has = diff_load(d->by, &loading, &ignored) == 0;
		diff_sums_release(&sums);
		intern_release(&names);
	}
	return has;
}

/* Rows of one side alone are an answer where the filters left none of the other's. */
static bool is_answer(const struct diff *d, size_t which)
{
	return filter_chooses_names(d->request->filter) || has_rows_unfiltered(d, which);
}

static int load_rows(struct diff *d, struct err *err)
{
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
	if (lacking > 0 && (lacking == asked || !is_answer(d, first))) {
		*err = why[first];
		return fail(d, first, 0);
	}
	d->is_one_sided = lacking > 0 || filter_chooses_names(d->request->filter);
	if (d->names.n == 0)
		return err_set(err, ERR_EMPTY, "the steps compared are empty");
	return 0;
}

static void unload_rows(struct diff *d)
{
	for (size_t i = 0; i < NDIFF_SIDES; i++) {
		struct diff_side *side = &d->sides[i];
		diff_sums_release(&side->sums);
		diff_sums_release(&side->self_sums);
		free(side->replicate_units);
		side->replicate_units = NULL;
	}
	intern_release(&d->names);
	intern_init(&d->names);
	d->culprit = NULL;
}

/* The bits of views/diff_vendors.sql: the runtimes that a side called. */
static int read_vendors(const struct diff *d, enum diff_which which, int *out,
			struct err *err)
{
	*out = 0;
	for (size_t i = 0; i < d->sides[which].nruns; i++) {
		const struct diff_run *run = &d->request->runs[which][i];
		struct query q =
			query_of_scope(run->store, asset_query_views_diff_vendors_sql,
				       run->scope->ids, err);

		if (query_next(&q, err))
			*out |= sqlite3_column_int(q.stmt, 0);
		if (query_end(&q) < 0)
			return -1;
	}
	return 0;
}

/* The relaxings across vendors where one side called CUDA and the other HIP. */
static int choose_names(struct diff *d, struct err *err)
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

int diff_read_rows(struct diff *d, struct err *err)
{
	struct err own = ERR_INIT;

	if (choose_names(d, err) < 0)
		return -1;
	if (load_rows(d, &own) == 0)
		return 0;
	if (!d->is_metric_chosen || own.kind != ERR_EMPTY) {
		*err = own;
		return -1;
	}
	/* no operator launched the device's work: what the host did is left */
	unload_rows(d);
	d->is_metric_chosen = false;
	d->metric = d->by->usual;
	return load_rows(d, err);
}

int diff_read_check(const struct diff *d, struct err *err)
{
	for (size_t i = 0; i < d->nrows; i++)
		if (d->rows[i].of[DIFF_BASE].row != DIFF_NO_ROW &&
		    d->rows[i].of[DIFF_NEW].row != DIFF_NO_ROW)
			return 0;
	/* kernels of two vendors need not have a name in common */
	if (d->is_one_sided || (d->by->relaxings && !d->relaxings))
		return 0;
	return err_set(err, ERR_EMPTY, "the sides have no %s in common",
		       strcmp(d->by->name, "memory") == 0 ? "device" : d->by->name);
}
