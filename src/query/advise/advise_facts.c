/* What rules judge by: see advise_facts.h. */
#include "query/advise/advise_facts.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/devices/device_rows.h"
#include "query/query.h"

ASSET(asset_query_views_advise_names_sql);

static const struct filter no_filter = { .focus = NULL };

void advise_facts_begin(struct advise_facts *f, const struct scope_profile *profile)
{
	f->profile = profile;
	if (!profile)
		return;
	f->own = (struct scope){
		.profiles = xmalloc(sizeof(*profile)),
		.n = 1,
		.ids = arena_printf(&f->arena, "[%" PRId64 "]", profile->id),
		.nranked = profile->has_rank,
		.nranks = profile->has_rank,
	};
	*f->own.profiles = *profile;
}

void advise_facts_release(struct advise_facts *f)
{
	free(f->names);
	free(f->loads);
	free(f->figures);
	free(f->idles.devices);
	gap_roots_release(&f->roots);
	gap_blame_release(&f->blame);
	gap_range_release(&f->range);
	if (f->devices)
		table_free(&f->devices->table);
	steps_release(&f->steps);
	step_bounds_release(&f->work.bounds);
	device_work_release(&f->work.work);
	free(f->own.profiles);
	arena_release(&f->arena);
	*f = (struct advise_facts){
		.store = f->store, .scope = f->scope, .texts = f->texts, .ranks = f->ranks
	};
}

const struct device_work *facts_work(struct advise_facts *f, struct err *err)
{
	struct work_profile *w = &f->work;

	if (f->has_work)
		return &w->work;
	*w = (struct work_profile){ .store = f->store,
				    .profile = f->profile,
				    .filter = &no_filter,
				    .texts = f->texts };
	if (device_work_load(f->store, f->texts, f->profile, true, &w->work, err) < 0 ||
	    step_bounds_load(f->store, f->profile, &w->work, &w->bounds, err) < 0)
		return NULL;
	f->has_work = true;
	return &w->work;
}

const struct steps *facts_steps(struct advise_facts *f, struct err *err)
{
	const struct step_source from = { f->store, f->texts, f->profile };
	const struct steps_request request = { .filter = &no_filter };
	const struct device_work *work = facts_work(f, err);

	if (!work || f->has_steps)
		return work ? &f->steps : NULL;
	if (steps_add_profile(&from, work, &request, 0, &f->steps, err) < 0)
		return NULL;
	steps_sum_up(&f->steps);
	f->has_steps = true;
	return &f->steps;
}

/* Read once for all that is made of them. */
static const struct kernel_load *load_loads(struct advise_facts *f,
					    const struct device_work *work,
					    struct err *err)
{
	if (!f->loads)
		f->loads = kernel_loads(f->store, f->profile, work, err);
	f->work.loads = f->loads;
	return f->loads;
}

const struct memtable *facts_devices(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work || f->devices)
		return work ? f->devices : NULL;
	f->devices = memtable_new(device_columns, NDEVICE_COLUMNS);
	if (work->n &&
	    (!load_loads(f, work, err) || device_rows_add(f->devices, &f->work, err) < 0))
		return NULL;
	return f->devices;
}

static struct device_figures figures_of(const struct advise_facts *f, size_t place,
					const struct kernel_load *loads)
{
	const struct device_work *all = &f->work.work;
	const struct work_device *device = &all->devices[place];
	struct work_item *items = xrealloc_array(NULL, device->n + 1, sizeof(*items));
	struct kernel_load *chosen = xrealloc_array(NULL, device->n + 1, sizeof(*chosen));
	size_t n = 0;

	for (size_t i = device->first; i < device->first + device->n; i++) {
		if (all->items[i].kind == WORK_COMMUNICATION)
			continue;
		chosen[n] = loads[i];
		items[n++] = all->items[i];
	}
	const struct device_work work = { .items = items, .n = n };
	const struct work_device rest = { .n = n };
	struct device_figures figures =
		device_figures(&work, &rest, chosen, f->texts,
			       figures_window(&f->work.bounds, &no_filter), 0);
	free(items);
	free(chosen);
	return figures;
}

const struct device_figures *facts_figures(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work || f->figures)
		return work ? f->figures : NULL;
	const struct kernel_load *loads = load_loads(f, work, err);
	if (!loads)
		return NULL;
	f->figures = xcalloc(work->ndevices + 1, sizeof(*f->figures));
	for (size_t i = 0; i < work->ndevices; i++)
		f->figures[i] = figures_of(f, i, loads);
	return f->figures;
}

/* As gap_profile_load(), with the work that is there already. */
static int load_blame(struct advise_facts *f, const struct device_work *work,
		      struct err *err)
{
	if (f->has_blame)
		return 0;
	if (gap_range_load(f->store, f->profile, NULL, &f->range, err) < 0)
		return -1;
	const struct gap_blame_request request = { .store = f->store,
						   .texts = f->texts,
						   .profile = f->profile,
						   .work = work,
						   .range = &f->range };
	if (gap_blame_load(&request, &f->blame, err) < 0)
		return -1;
	gap_ranks_charge(f->ranks, f->profile, &f->blame);
	if (gap_blame_check(&f->blame, err) < 0)
		return -1;
	gap_roots_find(&f->blame, &f->roots);
	f->has_blame = true;
	return 0;
}

/* What of it lies in steps from that place on; all of it when there are none. */
static int64_t counted_ns(const struct gap_range *range, const struct gap_piece *piece,
			  size_t from_step)
{
	int64_t from_ns = piece->start_ns, ns = 0;
	struct gap_part part;

	if (range->nsteps == 0)
		return piece->end_ns - piece->start_ns;
	while (gap_range_next(range, &from_ns, piece->end_ns, &part))
		if (part.step != GAP_NO_STEP && part.step >= from_step)
			ns += part.end_ns - part.start_ns;
	return ns;
}

static void add_gap(const struct advise_facts *f, const struct gap *gap,
		    int64_t burst_below_ns, struct fact_idle *to)
{
	bool is_short = gap->end_ns - gap->start_ns < burst_below_ns;
	bool is_burst = false;

	for (uint32_t i = 0; i < gap->npieces; i++) {
		uint32_t at = gap->first_piece + i;
		const struct gap_piece *piece = &f->blame.pieces[at];
		struct gap_piece root = gap_roots_charge(&f->roots, &f->blame, at);
		int64_t ns = counted_ns(&f->range, piece, 0);
		to->ns[piece->cause] += ns;
		to->root_ns[root.cause] += ns;
		if (root.cause == GAP_MALLOC)
			to->later_allocation_ns += counted_ns(&f->range, piece, 1);
		if (!is_short || !ns || root.cause != piece->cause ||
		    !gap_cause_is_burst((enum gap_cause)piece->cause))
			continue;
		to->burst_ns[piece->cause] += ns;
		is_burst = true;
	}
	to->burst_gaps += is_burst;
}

static void measure_steps(const struct advise_facts *f, struct fact_idles *out)
{
	out->steps = (int64_t)f->range.nsteps;
	for (size_t i = 0; i < f->range.nsteps; i++)
		out->steps_ns =
			sum_add(out->steps_ns, sum_sub(f->range.steps[i].end_ns,
						       f->range.steps[i].start_ns));
	if (out->steps)
		return;
	out->steps = 1;
	for (size_t i = 0; i < f->blame.gaps.ndevices; i++)
		if (f->blame.gaps.span_ns[i] > out->steps_ns)
			out->steps_ns = f->blame.gaps.span_ns[i];
}

const struct fact_idles *facts_idles(struct advise_facts *f, int64_t burst_below_ns,
				     struct err *err)
{
	const struct device_work *work = facts_work(f, err);
	struct fact_idles *out = &f->idles;

	if (!work || load_blame(f, work, err) < 0)
		return NULL;
	if (out->devices &&
	    (burst_below_ns == FACTS_ANY_BURST || burst_below_ns == out->burst_below_ns))
		return out;
	free(out->devices);
	*out = (struct fact_idles){ .burst_below_ns = burst_below_ns,
				    .devices = xcalloc(work->ndevices + 1,
						       sizeof(*out->devices)) };
	for (size_t i = 0; i < f->blame.gaps.n; i++) {
		const struct gap *gap = &f->blame.gaps.items[i];
		add_gap(f, gap, burst_below_ns, &out->devices[gap->device]);
	}
	measure_steps(f, out);
	return out;
}

static int load_names(struct advise_facts *f, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(f->store, asset_query_views_advise_names_sql, &stmt, err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", f->profile->id);
	while ((rc = sql_step(stmt, err)) > 0) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		f->names =
			xgrow(f->names, &f->names_cap, f->nnames + 1, sizeof(*f->names));
		f->names[f->nnames++] = (struct fact_name){
			.name = arena_strdup(&f->arena, name ? name : ""),
			.name_id = sqlite3_column_int64(stmt, 1),
			.calls = sqlite3_column_int64(stmt, 2),
		};
	}
	sqlite3_finalize(stmt);
	return rc;
}

const struct fact_name *facts_names(struct advise_facts *f, size_t *n, struct err *err)
{
	static const struct fact_name none = { .name = "" };

	if (!f->has_names && load_names(f, err) < 0)
		return NULL;
	f->has_names = true;
	*n = f->nnames;
	return f->nnames ? f->names : &none;
}

const struct step_row *facts_mean(const struct steps *steps, size_t place)
{
	for (size_t i = 0; i < steps->n; i++)
		if (steps->rows[i].is_mean && place-- == 0)
			return &steps->rows[i];
	return NULL;
}

struct cell facts_device_cell(const struct step_row *row)
{
	if (!row->has_device)
		return cell_null();
	if (row->device != NUMBER_NONE)
		return cell_int(row->device);
	return row->device_name ? cell_text(str_of(row->device_name)) : cell_null();
}

double facts_pct(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

bool facts_has_launches(const struct device_work *work)
{
	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].launch_id)
			return true;
	return false;
}
