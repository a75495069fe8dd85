/* Steps of a scope: see steps.h. */
#include "query/steps/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sum.h"

/* What is known of one profile while its rows are made. */
struct profile_steps {
	struct step_source from;
	size_t group;
	bool is_file;                   /* the whole file is its step */
	const struct device_work *work; /* borrowed */
	struct step_bounds bounds;
	struct step_host host;
	int64_t (*categories)[NSTEP_CATEGORIES]; /* owned; by step, of all devices */
	struct step_phases phases;
};

/* Profiles that are a step each, of one rank, are one group; others are their own. */
static void join_group(const struct steps *s, struct profile_steps *p)
{
	const struct scope_profile *profile = p->from.profile;

	for (size_t i = 0; p->is_file && i < s->n; i++) {
		const struct step_row *row = &s->rows[i];
		if (row->is_file && row->has_rank == profile->has_rank &&
		    (!row->has_rank || row->rank == profile->rank)) {
			p->group = row->group;
			return;
		}
	}
}

static struct step_row *add_row(struct steps *s)
{
	s->rows = xgrow(s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	return &s->rows[s->n++];
}

static struct step_row row_of_step(const struct profile_steps *p, size_t step,
				   const struct steps_request *request)
{
	const struct step_bound *bound = &p->bounds.items[step];
	struct step_row row = {
		.profile = p->from.profile,
		.rank = p->from.profile->rank,
		.has_rank = p->from.profile->has_rank,
		.number = bound->number,
		.start_ns = bound->start_ns,
		.host_start_ns = bound->host_start_ns,
		.host_end_ns = bound->host_end_ns,
		.slice_id = bound->slice_id,
		.nwork = (int64_t)bound->nwork,
		.group = p->group,
		.bounds = request->phases ? BOUNDS_HOST : request->bounds,
		.is_file = p->is_file,
		.has_work = p->work->n > 0,
		.is_single = p->bounds.is_single,
		.is_dropped = bound->is_dropped,
		.is_hidden = !filter_has_step(request->filter, bound->number, true),
	};

	row.values[VALUE_TOTAL] = sum_sub(bound->end_ns, bound->start_ns);
	row.values[VALUE_HOST] = sum_sub(bound->host_end_ns, bound->host_start_ns);
	return row;
}

static void add_phases(const struct profile_steps *p, size_t step, struct step_row *row)
{
	const struct phase_times *times = &p->phases.steps[step];

	memcpy(row->sources, p->phases.sources, sizeof(row->sources));
	memcpy(&row->values[VALUE_PHASE], times->host_ns, sizeof(times->host_ns));
	memcpy(&row->values[VALUE_DEVICE_PHASE], times->device_ns,
	       sizeof(times->device_ns));
}

static void add_device_view(const struct device_parts *parts,
			    const struct step_bound *bound, struct step_row *row)
{
	int64_t *view = &row->values[VALUE_DEVICE_VIEW];
	int64_t idle_ns = row->values[VALUE_TOTAL];

	device_parts_of(parts, bound, view);
	for (int i = 0; i < NDEVICE_VIEWS; i++)
		idle_ns = sum_sub(idle_ns, view[i]);
	row->values[VALUE_IDLE] = idle_ns;
}

/* The rows of one device, or of a profile without any (NULL). */
static void add_rows(struct steps *s, const struct profile_steps *p,
		     const struct work_device *device,
		     const struct steps_request *request)
{
	struct device_parts view = { .parts = { { .n = 0 } } };
	const char *name = NULL;
	bool is_first = s->n == 0 || s->rows[s->n - 1].profile != p->from.profile;

	if (device) {
		device_parts_make(p->work, device, &view);
		name = device->name ? arena_strdup(&s->arena, device->name) : NULL;
	}
	for (size_t i = 0; i < p->bounds.n; i++) {
		struct step_row row = row_of_step(p, i, request);
		row.is_first = is_first;
		memcpy(&row.values[VALUE_CATEGORY], p->categories[i],
		       sizeof(p->categories[i]));
		if (request->phases)
			add_phases(p, i, &row);
		if (device) {
			row.has_device = true;
			row.device = device->device;
			row.device_name = name;
			/* files of one group may not have the same devices */
			row.place = p->is_file && device->device != NUMBER_NONE
					    ? (size_t)device->device
					    : (size_t)(device - p->work->devices);
			add_device_view(&view, &p->bounds.items[i], &row);
		}
		*add_row(s) = row;
	}
	device_parts_release(&view);
}

static bool is_wanted(const struct steps_request *request,
		      const struct work_device *device)
{
	return filter_has_number(&request->filter->devices, device->device);
}

/* A row for each device; of phases, which are the host's, one for each step. */
static void add_profile(struct steps *s, const struct profile_steps *p,
			const struct steps_request *request)
{
	bool by_device = request->filter->devices.n > 0;

	s->has_single |= p->bounds.is_single;
	s->has_unmoved |= p->bounds.is_unmoved;
	s->lacks_device |= p->work->n == 0;
	if (request->phases || (p->work->n == 0 && !by_device)) {
		add_rows(s, p, NULL, request);
		return;
	}
	for (size_t i = 0; i < p->work->ndevices; i++)
		if (is_wanted(request, &p->work->devices[i]))
			add_rows(s, p, &p->work->devices[i], request);
}

/* Once for all devices: each has the same. */
static void divide_steps(struct profile_steps *p)
{
	struct step_parts parts = { .parts = { { .n = 0 } } };

	step_parts_make(&p->bounds, p->work, &p->host, &parts);
	p->categories = xrealloc_array(NULL, p->bounds.n, sizeof(*p->categories));
	for (size_t i = 0; i < p->bounds.n; i++)
		step_parts_of(&parts, &p->bounds.items[i], p->categories[i]);
	step_parts_release(&parts);
}

static int load_profile(struct profile_steps *p, const struct steps_request *request,
			struct err *err)
{
	const struct step_source *from = &p->from;
	struct step_bounds *bounds = &p->bounds;

	enum step_bounds_by by = request->phases ? BOUNDS_HOST : request->bounds;

	if (step_bounds_load(from->store, from->profile, p->work, by, bounds, err) < 0)
		return -1;
	if (bounds->n == 0)
		return 0;
	p->is_file = !bounds->is_single && bounds->items[0].slice_id == 0;
	if (step_host_load(from, p->work, bounds, &p->host, err) < 0)
		return -1;
	divide_steps(p);
	if (request->phases)
		step_phases_make(bounds, p->work, &p->host, &p->phases);
	return 0;
}

static void release_profile(struct profile_steps *p)
{
	step_phases_release(&p->phases);
	free(p->categories);
	step_host_release(&p->host);
	step_bounds_release(&p->bounds);
}

int steps_add_profile(const struct step_source *from, const struct device_work *work,
		      const struct steps_request *request, size_t group,
		      struct steps *out, struct err *err)
{
	struct profile_steps p = { .from = *from, .group = group, .work = work };
	int rc = load_profile(&p, request, err);

	if (rc == 0 && p.bounds.n) {
		join_group(out, &p);
		add_profile(out, &p, request);
	}
	release_profile(&p);
	return rc;
}

/* What was launched in a profile without device work. */
static int add_launches(struct store *store, const struct scope_profile *profile,
			struct steps *out, struct err *err)
{
	char ids[32];
	int64_t n;

	snprintf(ids, sizeof(ids), "[%" PRId64 "]", profile->id);
	if (device_launches(store, ids, &n, err) < 0)
		return -1;
	out->launches = sum_add(out->launches, n);
	return 0;
}

int steps_load(struct store *store, const struct scope *scope,
	       const struct steps_request *request, struct steps *out, struct err *err)
{
	struct text_pool texts;

	*out = (struct steps){ .n = 0 };
	int rc = text_pool_open(store, &texts, err);
	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		const struct step_source from = { store, &texts, &scope->profiles[i] };
		struct device_work work;
		rc = device_work_load(store, &texts, from.profile, true, &work, err);
		if (rc == 0)
			rc = steps_add_profile(&from, &work, request, i, out, err);
		if (rc == 0 && work.n == 0)
			rc = add_launches(store, from.profile, out, err);
		device_work_release(&work);
	}
	if (rc == 0) {
		steps_sum_up(out);
		rc = step_growth_find(store, &texts, out, err);
	}
	text_pool_close(&texts);
	return rc;
}

void steps_release(struct steps *s)
{
	arena_release(&s->arena);
	free(s->rows);
}

static bool shows_any(const struct steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->rows[i].is_hidden)
			return true;
	return false;
}

int steps_open(struct store *store, const struct scope *scope,
	       const struct steps_request *request, struct table **out, struct err *err)
{
	struct steps steps;
	bool is_graph;

	if (scope_is_call_graph(scope, &is_graph, err) < 0)
		return -1;
	if (is_graph)
		return err_set(err, ERR_EMPTY,
			       "a call graph has no steps; record a trace with "
			       "torch.profiler");
	int rc = steps_load(store, scope, request, &steps, err);
	if (rc == 0 && !shows_any(&steps))
		rc = request->filter->has_steps || request->filter->devices.n
			     ? err_set(err, ERR_EMPTY, "no step matches")
			     : err_set(err, ERR_EMPTY,
				       "no steps, operators or device work were recorded; "
				       "record with torch.profiler and call its step()");
	if (rc == 0)
		*out = steps_table(&steps, scope, request);
	steps_release(&steps);
	return rc;
}
