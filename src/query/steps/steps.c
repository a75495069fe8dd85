/* Steps of a scope: see steps.h. */
#include "query/steps/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/sum.h"
#include "query/findings.h"
#include "query/steps/steps_by_axis.h"
#include "query/steps/steps_by_phase.h"

/* Profiles that are a step each, of one rank, are one group; others are their own. */
static void join_group(struct steps *s, struct steps_profile *p)
{
	int64_t rank = p->profile->has_rank ? p->profile->rank : NUMBER_NONE;

	if (!s->files.slots)
		idmap_init(&s->files, 1);
	size_t at = idmap_first(&s->files, rank);
	uint32_t other = idmap_next(&s->files, &at);
	if (other != UINT32_MAX)
		p->group = s->profiles[other].group;
}

static void keep_profile(struct steps *s, const struct steps_profile *p)
{
	int64_t rank = p->profile->has_rank ? p->profile->rank : NUMBER_NONE;

	if (p->is_file)
		idmap_add(&s->files, rank, (uint32_t)s->nprofiles);
	*ARRAY_PUSH(s->profiles, s->nprofiles, s->profiles_cap) = *p;
}

const char *steps_keep_text(struct steps *s, struct cell text)
{
	return text.type == CELL_TEXT
		       ? intern_str(&s->texts, intern_add(&s->texts, text.as.text)).p
		       : NULL;
}

/* Of one device, or of a profile without any (NULL). */
static void add_series(struct steps *s, const struct steps_profile *p,
		       const struct device_work *work, const struct work_device *device)
{
	struct step_series series = { .profile = s->nprofiles };

	if (device) {
		series.has_device = true;
		series.device = device->device;
		series.device_name = steps_keep_text(s, cell_text_or_null(device->name));
		/* files of one group may not have the same devices */
		series.place = p->is_file && device->device != NUMBER_NONE
				       ? (size_t)device->device
				       : (size_t)(device - work->devices);
		device_parts_make(work, device, &series.parts);
	}
	s->series = xgrow(s->series, &s->series_cap, s->nseries + 1, sizeof(*s->series));
	s->series[s->nseries++] = series;
}

static bool is_wanted(const struct steps_request *request,
		      const struct work_device *device)
{
	return filter_has_number(&request->filter->devices, device->device);
}

/* One for each device; of phases, which are the host's, one. */
static void add_all_series(struct steps *s, const struct steps_profile *p,
			   const struct device_work *work,
			   const struct steps_request *request)
{
	if (request->phases || (work->n == 0 && !request->filter->devices.n)) {
		add_series(s, p, work, NULL);
		return;
	}
	for (size_t i = 0; i < work->ndevices; i++)
		if (is_wanted(request, &work->devices[i]))
			add_series(s, p, work, &work->devices[i]);
}

/* What the filter wants; there is a series. */
static void add_marks(struct steps *s, struct steps_profile *p,
		      const struct filter *filter)
{
	size_t n = p->is_file ? s->nseries - p->first_series : p->bounds.n;

	s->marks = xgrow(s->marks, &s->marks_cap, s->nmarks + n, sizeof(*s->marks));
	p->shown = xrealloc_array(NULL, p->bounds.n, sizeof(*p->shown));
	for (size_t i = 0; i < n; i++) {
		size_t step = p->is_file ? 0 : i;
		int64_t number = p->bounds.items[step].number;
		bool is_shown = filter_has_step(filter, p->profile->id, number, true);
		s->marks[s->nmarks++] = (struct step_mark){ .is_hidden = !is_shown };
		if (is_shown && (!p->is_file || i == 0))
			p->shown[p->nshown++] = step;
	}
}

void steps_keep_profile(struct steps *s, struct steps_profile *p,
			const struct filter *filter)
{
	s->has_single |= p->bounds.is_single;
	if (p->is_file)
		join_group(s, p);
	p->first_mark = s->nmarks;
	if (s->nseries == p->first_series)
		return;
	add_marks(s, p, filter);
	keep_profile(s, p);
	*p = (struct steps_profile){ .is_file = false }; /* moved */
}

/* Once for all devices: each has the same. */
static void divide_steps(struct steps_profile *p, const struct device_work *work,
			 const struct step_host *host)
{
	struct step_parts parts = { .parts = { { .n = 0 } } };

	step_parts_make(&p->bounds, work, host, &parts);
	p->categories = xrealloc_array(NULL, p->bounds.n, sizeof(*p->categories));
	for (size_t i = 0; i < p->bounds.n; i++)
		step_parts_of(&parts, &p->bounds.items[i], p->categories[i]);
	step_parts_release(&parts);
}

static int load_profile(const struct step_source *from, const struct device_work *work,
			const struct steps_request *request, struct steps_profile *p,
			struct err *err)
{
	struct step_bounds *bounds = &p->bounds;
	struct step_host host;
	enum step_bounds_by by = request->phases ? BOUNDS_HOST : request->bounds;

	if (step_bounds_load(from->store, from->profile, work, by, bounds, err) < 0)
		return -1;
	if (bounds->n == 0)
		return 0;
	if (request->phases)
		step_bounds_set_host(bounds);
	p->is_file =
		!bounds->is_single && bounds->n == 1 && bounds->items[0].slice_id == 0;
	int rc = step_host_load(from, work, bounds, &host, err);
	if (rc == 0) {
		divide_steps(p, work, &host);
		if (request->phases || request->both)
			step_phases_make(bounds, work, &host, &p->phases);
	}
	step_host_release(&host);
	return rc;
}

void steps_profile_release(struct steps_profile *p)
{
	step_phases_release(&p->phases);
	free(p->shown);
	free(p->categories);
	step_bounds_release(&p->bounds);
}

int steps_add_profile(const struct step_source *from, const struct device_work *work,
		      const struct steps_request *request, size_t group,
		      struct steps *out, struct err *err)
{
	struct steps_profile p = { .profile = from->profile,
				   .group = group,
				   .has_work = work->n > 0 };
	int rc = load_profile(from, work, request, &p, err);

	out->bounds = request->phases ? BOUNDS_HOST : request->bounds;
	out->has_phases = request->phases || request->both;
	if (rc == 0 && p.bounds.n) {
		p.first_series = out->nseries;
		add_all_series(out, &p, work, request);
		steps_keep_profile(out, &p, request->filter);
	}
	steps_profile_release(&p);
	return rc;
}

int step_launches(struct store *store, const struct scope_profile *profile, int64_t *n,
		  struct err *err)
{
	struct device_launches launches;
	char ids[32];

	snprintf(ids, sizeof(ids), "[%" PRId64 "]", profile->id);
	int rc = device_launches(store, ids, true, &launches, err);
	*n = launches.run;
	return rc;
}

static int load_slices(const struct step_source *from,
		       const struct steps_request *request, size_t group,
		       struct steps *out, struct err *err)
{
	struct device_work work;
	int rc = device_work_load(from->store, from->texts, from->profile, true, &work,
				  err);

	size_t before = out->nprofiles;

	if (rc == 0)
		rc = steps_add_profile(from, &work, request, group, out, err);
	if (rc == 0 && work.n == 0 && out->nprofiles > before)
		rc = step_launches(from->store, from->profile,
				   &out->profiles[before].launches, err);
	device_work_release(&work);
	return rc;
}

int steps_load_from(struct summary_reader *reader, const struct scope *scope,
		    const struct steps_request *request, struct steps *out,
		    struct err *err)
{
	int rc = 0;

	*out = (struct steps){ .nprofiles = 0 };
	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		const struct step_source from = { reader->store, reader->texts,
						  &scope->profiles[i] };
		rc = steps_add_stored(reader, &from, request, i, out, err);
		if (rc == 0)
			rc = load_slices(&from, request, i, out, err);
		rc = rc < 0 ? -1 : 0;
	}
	if (rc == 0) {
		steps_sum_up(out);
		rc = step_growth_find(reader->store, reader->texts, out, err);
	}
	return rc;
}

int steps_load(struct store *store, const struct scope *scope,
	       const struct steps_request *request, struct steps *out, struct err *err)
{
	struct text_pool texts;
	struct summary_reader reader = { .n = 0 };

	*out = (struct steps){ .nprofiles = 0 };
	int rc = text_pool_open(store, &texts, err);
	if (rc == 0)
		rc = summary_reader_open(store, &texts, &reader, err);
	if (rc == 0)
		rc = steps_load_from(&reader, scope, request, out, err);
	summary_reader_close(&reader);
	text_pool_close(&texts);
	return rc;
}

static void release_series(struct step_series *series)
{
	device_parts_release(&series->parts);
	free(series->views);
}

void steps_release(struct steps *s)
{
	for (size_t i = 0; i < s->nprofiles; i++)
		steps_profile_release(&s->profiles[i]);
	for (size_t i = 0; i < s->nseries; i++)
		release_series(&s->series[i]);
	idmap_release(&s->files);
	intern_release(&s->texts);
	free(s->profiles);
	free(s->series);
	free(s->marks);
}

/* Was anything launched in the profiles that are shown and lack device work? */
static int find_launches(struct store *store, struct steps *s, struct err *err)
{
	struct device_launches launches = { .all = 0 };
	struct buf ids;
	int rc = 0;

	buf_init(&ids, SIZE_MAX);
	for (size_t i = 0; i < s->nprofiles; i++)
		if (s->profiles[i].nshown && !s->profiles[i].has_work)
			buf_addf(&ids, "%c%" PRId64, ids.n ? ',' : '[',
				 s->profiles[i].profile->id);
	if (ids.n && store_has_table(store, "op_stat")) {
		buf_add_text(&ids, "]");
		rc = device_launches(store, ids.p, false, &launches, err);
	}
	s->nlaunching = launches.profiles;
	buf_release(&ids);
	return rc;
}

static bool shows_any(const struct steps *s)
{
	for (size_t i = 0; i < s->nprofiles; i++)
		if (s->profiles[i].nshown)
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
	if (rc == 0 && request->by_phase)
		return steps_by_phase_table(store, scope, &steps, request, out, err);
	if (rc == 0 && request->by_axis)
		return steps_by_axis_table(scope, &steps, request, out, err);
	if (rc == 0)
		rc = find_launches(store, &steps, err);
	steps.has_empty = rc == 0 && findings_have(store, scope, FINDING_EMPTY_STEP);
	if (rc == 0)
		return steps_table(&steps, scope, request, out, err);
	steps_release(&steps);
	return rc;
}
