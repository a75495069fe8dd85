/* What rules judge by: see advise_facts.h. */
#include "query/advise/advise_facts.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/advise/advise_stored.h"
#include "query/advise/kernel_words.h"
#include "query/devices/device_rows.h"
#include "query/query.h"

ASSET(asset_query_views_advise_profile_sql);
ASSET(asset_query_views_advise_names_sql);

static const struct filter no_filter = { .focus = NULL };

void advise_facts_begin(struct advise_facts *f, const struct scope_profile *profile)
{
	f->profile = profile;
	if (!profile)
		return;
	scope_of_profile(profile, &f->own);
}

void advise_facts_release(struct advise_facts *f)
{
	free(f->words);
	free(f->names);
	free(f->calls);
	free(f->buffers.idle_ns);
	intervals_release(&f->others);
	intervals_release(&f->buffers.when);
	intervals_release(&f->buffers.others);
	free(f->loads);
	free(f->figures);
	memory_events_release(&f->memory);
	device_properties_release(&f->properties);
	free(f->peaks);
	free(f->idles);
	free(f->uses);
	step_windows_release(&f->window.steps);
	intervals_release(&f->window.when);
	gap_reader_close(&f->reader);
	gap_roots_release(&f->roots);
	gap_blame_release(&f->blame);
	gap_range_release(&f->range);
	if (f->devices)
		table_free(&f->devices->table);
	steps_release(&f->steps);
	work_profile_release(&f->work);
	scope_release(&f->own);
	arena_release(&f->arena);
	*f = (struct advise_facts){ .store = f->store,
				    .scope = f->scope,
				    .texts = f->texts,
				    .ranks = f->ranks,
				    .stored = f->stored };
}

int facts_read_profile(struct advise_facts *f, struct err *err)
{
	struct query q = query_of_profile(f->store, asset_query_views_advise_profile_sql,
					  f->profile, err);
	const struct device_work *work = &f->work.work;

	f->is_gpu = true;
	while (query_next(&q, err)) {
		struct cell type = query_cell(q.stmt, 0);
		f->run_ranks = sqlite3_column_int64(q.stmt, 1);
		f->is_gpu = type.type != CELL_TEXT || (!str_is(type.as.text, "MTIA") &&
						       !str_is(type.as.text, "HPU"));
	}
	for (size_t i = 0; i < work->n; i++)
		f->is_gpu &= work->items[i].class != CLASS_ACCELERATOR;
	return query_end(&q);
}

/* There are few names, and many kernels of each. */
static void find_words(struct advise_facts *f)
{
	const struct device_work *work = &f->work.work;
	enum { IS_KNOWN = 0x80 };

	f->words = xcalloc(f->texts->intern.n + 1, sizeof(*f->words));
	for (size_t i = 0; i < work->n; i++) {
		uint32_t name = work->items[i].name;
		if (name < f->texts->intern.n && !f->words[name])
			f->words[name] =
				(uint8_t)(IS_KNOWN |
					  kernel_words(text_pool_str(f->texts, name)));
	}
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
	if (work_profile_load(w, f->texts, err) < 0 || facts_read_profile(f, err) < 0)
		return NULL;
	find_words(f);
	f->has_work = true;
	return &w->work;
}

bool facts_has_work(const struct advise_facts *f)
{
	return f->work.work.n > 0 || (f->stored && f->work.work.ndevices > 0);
}

/* As gaps do: from the first step to the last it is one. */
static void join_window(struct intervals *when)
{
	const struct interval all = { when->n ? when->items[0].start_ns : 0,
				      when->n ? when->items[when->n - 1].end_ns : 0 };

	intervals_release(when);
	intervals_add(when, all.start_ns, all.end_ns);
}

void facts_set_window(struct advise_facts *f)
{
	struct fact_window *w = &f->window;

	step_windows_union(&w->steps, &w->when);
	if (!w->steps.is_single && gap_range_is_too_much(w->steps.n, &f->work.work))
		join_window(&w->when);
	w->ns = intervals_length(&w->when);
	w->is_single = w->steps.is_single;
	for (size_t i = 0; i < w->steps.n; i++)
		w->is_serving |= w->steps.items[i].told.is_served;
	w->nsteps = w->steps.n ? (int64_t)w->steps.n : 1;
	f->has_window = true;
}

const struct fact_window *facts_window(struct advise_facts *f, struct err *err)
{
	struct fact_window *w = &f->window;
	const struct device_work *work = facts_work(f, err);

	if (!work || f->has_window)
		return work ? w : NULL;
	if (step_windows_load(f->store, f->profile, work, &w->steps, err) < 0)
		return NULL;
	facts_set_window(f);
	return w;
}

/* How long any work of these kinds ran in the window. */
static int64_t ran_ns(const struct advise_facts *f, const struct work_device *device,
		      unsigned kinds)
{
	struct intervals ran;

	device_work_union(&f->work.work, device, kinds, &ran);
	int64_t ns = intervals_overlap(&ran, &f->window.when);
	intervals_release(&ran);
	return ns;
}

static void add_pieces(const struct advise_facts *f, const struct work_device *device,
		       struct fact_use *to)
{
	const struct work_item *items = &f->work.work.items[device->first];

	for (size_t i = 0; i < device->n; i++) {
		int64_t ns = intervals_length_within(&f->window.when, items[i].start_ns,
						     items[i].end_ns);
		to->pieces += ns > 0;
		if (items[i].kind == WORK_COMPUTE)
			to->kernel_sum_ns = sum_add(to->kernel_sum_ns, ns);
	}
}

const struct fact_use *facts_uses(struct advise_facts *f, struct err *err)
{
	if (!facts_window(f, err))
		return NULL;
	const struct device_work *work = &f->work.work;
	if (f->uses)
		return f->uses;
	f->uses = xcalloc(work->ndevices + 1, sizeof(*f->uses));
	for (size_t i = 0; i < work->ndevices; i++) {
		const struct work_device *device = &work->devices[i];
		f->uses[i] = (struct fact_use){
			.busy_ns = ran_ns(f, device, WORK_ALL),
			.kernel_ns = ran_ns(f, device, WORK_BIT(WORK_COMPUTE)),
		};
		add_pieces(f, device, &f->uses[i]);
	}
	return f->uses;
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

/* What the recording says of each piece of work. */
static const struct kernel_load *facts_loads(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work)
		return NULL;
	if (!f->loads)
		f->loads = kernel_loads(f->store, f->profile, work, err);
	f->work.loads = f->loads;
	return f->loads;
}

const struct device_properties_list *facts_properties(struct advise_facts *f,
						      struct err *err)
{
	if (!f->has_properties &&
	    device_properties_load(f->store, f->profile, &f->properties, err) < 0)
		return NULL;
	f->has_properties = true;
	return &f->properties;
}

/* Rows as of `ptool devices`. */
static const struct memtable *facts_devices(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work || f->devices)
		return work ? f->devices : NULL;
	f->devices = memtable_new(NULL, NDEVICE_COLUMNS);
	if (work->n == 0)
		return f->devices;
	f->work.properties = facts_properties(f, err);
	if (!f->work.properties || !facts_loads(f, err) ||
	    device_rows_add(f->devices, &f->work, err) < 0)
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

	const struct step_windows *steps = &f->window.steps;
	const struct figures_window window = {
		steps->n ? steps->items[0].start_ns : 0,
		steps->n ? steps->items[steps->n - 1].end_ns : 0,
		steps->n > 0,
	};

	for (size_t i = device->first; i < device->first + device->n; i++) {
		if (all->items[i].kind == WORK_COMMUNICATION)
			continue;
		chosen[n] = loads[i];
		items[n++] = all->items[i];
	}
	const struct device_work work = { .items = items, .n = n };
	const struct work_device rest = { .n = n };
	struct device_figures figures =
		device_figures(&work, &rest, chosen, NULL, window, 0);
	free(items);
	free(chosen);
	return figures;
}

/*
 * By device of the work, as of `ptool devices` without the kernels of collectives, and
 * without Tensor Cores.
 */
static const struct device_figures *facts_figures(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work || !facts_window(f, err) || f->figures)
		return work ? f->figures : NULL;
	const struct kernel_load *loads = facts_loads(f, err);
	if (!loads)
		return NULL;
	f->figures = xcalloc(work->ndevices + 1, sizeof(*f->figures));
	for (size_t i = 0; i < work->ndevices; i++)
		f->figures[i] = figures_of(f, i, loads);
	return f->figures;
}

/* The operator table does not tell them from labels. */
static bool is_operator(struct str name)
{
	return str_contains(name, STR_LIT("::")) ||
	       str_contains(name, STR_LIT("Backward"));
}

static int load_names(struct advise_facts *f, struct err *err)
{
	struct query q = query_of_profile(f->store, asset_query_views_advise_names_sql,
					  f->profile, err);

	while (query_next(&q, err)) {
		const char *name = (const char *)sqlite3_column_text(q.stmt, 0);
		*ARRAY_PUSH(f->names, f->nnames, f->names_cap) = (struct fact_name){
			.name = arena_strdup(&f->arena, name ? name : ""),
			.name_id = sqlite3_column_int64(q.stmt, 1),
			.calls = sqlite3_column_int64(q.stmt, 2),
			.step_calls = sqlite3_column_int64(q.stmt, 3),
			.self_ns = sqlite3_column_int64(q.stmt, 4),
			.is_operator = name && is_operator(str_of(name)),
		};
	}
	return query_end(&q);
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

int facts_launches(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work)
		return -1;
	if (!facts_has_work(f) && !f->has_launches &&
	    device_launches(f->store, f->own.ids,
			    !f->stored && scope_has_slices(f->scope), &f->launches,
			    err) < 0)
		return -1;
	f->has_launches = true;
	return 0;
}

bool facts_trains(const struct fact_name *names, size_t n)
{
	static const char *const heads[] = { "autograd::engine::", "Optimizer." };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(heads) / sizeof(heads[0]); k++)
			if (str_starts_with(str_of(names[i].name), str_of(heads[k])) ||
			    str_contains(str_of(names[i].name), STR_LIT("Backward")))
				return true;
	return false;
}

bool facts_computes(const struct fact_name *name)
{
	return name->is_operator && !gap_name_is_collective(CLASS_OP, str_of(name->name));
}

bool facts_infers(const struct advise_facts *f)
{
	bool has_operators = false;

	for (size_t i = 0; i < f->nnames; i++)
		has_operators |=
			f->names[i].step_calls > 0 && facts_computes(&f->names[i]);
	return has_operators && !facts_trains(f->names, f->nnames);
}

const struct step_row *facts_mean(const struct steps *steps)
{
	size_t at = 0;

	return steps_next_mean(steps, &at);
}

struct cell facts_device_cell(const struct step_row *row)
{
	if (!row->has_device)
		return cell_null();
	if (row->device != NUMBER_NONE)
		return cell_int(row->device);
	return row->device_name ? cell_text(str_of(row->device_name)) : cell_null();
}

bool facts_has_launches(const struct device_work *work)
{
	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].launch_id)
			return true;
	return false;
}

const struct memory_events *facts_memory(struct advise_facts *f, struct err *err)
{
	if (!f->has_memory &&
	    memory_events_load(f->store, f->profile, &f->memory, err) < 0)
		return NULL;
	f->has_memory = true;
	return &f->memory;
}

static int add_peak(void *to, const struct memory_device *device,
		    const struct memory_peak *peak, struct err *err)
{
	struct advise_facts *f = to;

	(void)err;
	*ARRAY_PUSH(f->peaks, f->npeaks, f->peaks_cap) =
		(struct fact_peak){ *device, *peak };
	return 0;
}

static int find_peaks(struct advise_facts *f, struct err *err)
{
	const struct memory_events *events = facts_memory(f, err);
	struct memory_peak peak;

	for (size_t i = 0; events && i < events->ndevices; i++)
		if (memory_peak_find(events, &events->devices[i], &no_filter, &peak))
			add_peak(f, &events->devices[i], &peak, err);
	return events ? 0 : -1;
}

int facts_peaks(struct advise_facts *f, struct err *err)
{
	int rc = 0;

	if (!f->has_peaks && f->stored)
		rc = memory_peak_each(&f->stored->reader, f->profile, &no_filter,
				      add_peak, f, err);
	else if (!f->has_peaks)
		rc = find_peaks(f, err);
	f->has_peaks = rc == 0;
	return rc;
}

int facts_load(struct advise_facts *f, unsigned wanted, struct err *err)
{
	return (wanted & FACT_STEPS && !facts_steps(f, err)) ||
			       (wanted & FACT_IDLES && !facts_idles(f, err)) ||
			       (wanted & FACT_LOADS && !facts_loads(f, err)) ||
			       (wanted & FACT_FIGURES && !facts_figures(f, err)) ||
			       (wanted & FACT_DEVICES && !facts_devices(f, err)) ||
			       (wanted & FACT_BUFFERS && !facts_buffers(f, err)) ||
			       (wanted & FACT_MEMORY && !facts_memory(f, err))
		       ? -1
		       : 0;
}
