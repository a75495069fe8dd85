/* What a recording tells of memory: see memory.h. */
#include "query/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "query/filter_nothing.h"
#include "query/lines/line_profile.h"
#include "query/memory/memory_figures.h"
#include "query/memory/memory_samples.h"
#include "trace/fact.h"

/* Formats of profiles that are memory and nothing else: memory_snapshot, memory_timeline. */
#define FORMAT_MEMORY "memory_"

struct view_row {
	memory_view_fn *open;
	const char *nothing; /* NULL: that is an answer ... */
	const char *empty; /* ... where a filter leaves an event: people are told this */
	bool has_blocks;   /* joins allocations to frees */
	bool has_summary;  /* may be answered without events */
	bool streams;      /* the table owns the source */
	bool needs_steps, needs_addresses;
};

static const struct view_row rows[NMEMORY_VIEWS] = {
	[MEMORY_VIEW_PEAKS] = { .open = memory_open_peaks,
				.nothing = "no memory event matches",
				.has_blocks = true,
				.has_summary = true },
	[MEMORY_VIEW_STATS] = { .open = memory_open_stats,
				.nothing = "no operator matches" },
	[MEMORY_VIEW_LIVE] = { .open = memory_open_live,
			       .nothing = "no memory event matches",
			       .has_blocks = true,
			       .has_summary = true,
			       .needs_addresses = true },
	[MEMORY_VIEW_EVENTS] = { .open = memory_open_events,
				 .nothing = "no block matches",
				 .has_blocks = true,
				 .streams = true,
				 .needs_addresses = true },
	[MEMORY_VIEW_CURVE] = { .open = memory_open_curve,
				.nothing = "no memory event matches",
				.streams = true },
	[MEMORY_VIEW_GROWTH] = { .open = memory_open_growth,
				 .nothing = "no step matches",
				 .has_blocks = true,
				 .needs_steps = true },
	[MEMORY_VIEW_LEAKS] = { .open = memory_open_leaks,
				.empty = "no leaks: no block that a step allocated is "
					 "left at the end",
				.has_blocks = true,
				.needs_steps = true,
				.needs_addresses = true },
	[MEMORY_VIEW_SPIKES] = { .open = memory_open_spikes,
				 .empty = "no spikes: --min-share 0 lists every rise" },
	[MEMORY_VIEW_OOM] = { .open = memory_open_oom,
			      .empty = "no failed allocations",
			      .streams = true },
};

const char *memory_nothing(enum memory_view view)
{
	return rows[view].nothing;
}

void memory_source_release(struct memory_source *s)
{
	memory_stored_free(s);
	for (size_t i = 0; i < s->n; i++) {
		memory_events_release(&s->profiles[i]);
		memory_blocks_release(&s->blocks[i]);
	}
	memory_names_close(&s->names);
	free(s->profiles);
	free(s->blocks);
}

void memory_source_free(struct memory_source *s)
{
	memory_source_release(s);
	free(s);
}

bool memory_place_get(const struct memory_source *s, struct memory_place *place)
{
	for (; place->profile < s->n; place->profile++, place->device = 0) {
		const struct memory_events *m = &s->profiles[place->profile];
		for (; place->device < m->ndevices; place->device++) {
			const struct memory_device *d = &m->devices[place->device];
			if (!memory_specs_have(&s->request.devices, d->type, d->index))
				continue;
			place->events = m;
			place->blocks = &s->blocks[place->profile];
			place->of = d;
			return true;
		}
	}
	return false;
}

void memory_place_next(struct memory_place *place)
{
	place->device++;
}

bool memory_place_is_timeline(const struct memory_place *place)
{
	return strcmp(place->events->profile->format, FORMAT_MEMORY "timeline") == 0;
}

void memory_place_cells(const struct memory_place *place, struct cell *cells)
{
	const struct scope_profile *p = place->events->profile;

	cells[MEMORY_PROFILE] = cell_int(p->id);
	cells[MEMORY_RANK] = scope_rank_cell(p);
	cells[MEMORY_DEVICE] = cell_text(str_of(place->of->name));
}

void memory_place_text(const struct memory_source *s, const struct memory_place *place,
		       char *out, size_t size)
{
	const struct scope_profile *p = place->events->profile;

	if (s->scope->nranks > 1 && p->has_rank)
		snprintf(out, size, "%s of rank %" PRId64, place->of->name, p->rank);
	else if (s->scope->n > 1)
		snprintf(out, size, "%s of profile %" PRId64, place->of->name, p->id);
	else
		snprintf(out, size, "%s", place->of->name);
}

struct table *memory_show(const struct memory_source *s, const struct view *view,
			  struct table *from)
{
	const struct view_request show = { .for_people = s->request.for_people };

	return view_stream(view, from, s->scope, &show);
}

void memory_add_limited(const struct memory_source *s, struct memtable *to,
			const struct cell *cells, int64_t *given)
{
	if (s->request.limit && *given >= s->request.limit)
		to->table.total_rows++;
	else
		memtable_add_row(to, cells);
	++*given;
}

int64_t memory_step_number(const struct memory_events *m, uint32_t step)
{
	return step == MEMORY_STEP_NONE ? NUMBER_NONE : m->steps[step].number;
}

struct cell memory_step_cell(const struct memory_events *m, uint32_t step)
{
	return memory_number_cell(memory_step_number(m, step));
}

struct cell memory_number_cell(int64_t number)
{
	return number == NUMBER_NONE ? cell_null() : cell_int(number);
}

void memory_size_text(int power, char out[MEMORY_SIZE_MAX])
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"
	};

	snprintf(out, MEMORY_SIZE_MAX, "%d %s", 1 << power % 10, units[power / 10]);
}

/* Snapshots of the allocator and memory timelines are none. */
static bool has_trace(const struct memory_source *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (strncmp(s->profiles[i].profile->format, FORMAT_MEMORY,
			    strlen(FORMAT_MEMORY)) != 0)
			return true;
	return false;
}

static int no_events(const struct memory_source *s, struct err *err)
{
	if (has_trace(s))
		return err_set(
			err, ERR_EMPTY, "no memory events were recorded%s",
			scope_in_torch(s->scope,
				       ": profile(profile_memory=True) records them"));
	return err_set(err, ERR_EMPTY,
		       "the snapshot has no history of allocations: call "
		       "torch.cuda.memory._record_memory_history() before them");
}

static int no_steps(const struct memory_source *s, struct err *err)
{
	return err_set(err, ERR_EMPTY,
		       has_trace(s)
			       ? "the recording has no steps: call profiler.step() at "
				 "the end of each"
			       : "snapshots and memory timelines have no steps; traces "
				 "with profile_memory=True have them");
}

static int check(const struct memory_source *s, struct err *err)
{
	const struct view_row *row = &rows[s->request.view];
	size_t any = 0, steps = 0, devices = 0;
	bool has_addresses = false, is_timeline = false;

	for (size_t i = 0; i < s->n; i++) {
		any += s->profiles[i].ndevices;
		steps += s->profiles[i].nsteps;
	}
	for (struct memory_place p = { 0 }; memory_place_get(s, &p);
	     memory_place_next(&p)) {
		devices++;
		has_addresses |= p.of->has_addresses;
		has_addresses |= s->request.view == MEMORY_VIEW_LIVE &&
				 memory_live_is_known(&p, s->request.by);
		is_timeline |= memory_place_is_timeline(&p);
	}
	if (any == 0)
		return no_events(s, err);
	if (devices == 0)
		return err_set(err, ERR_EMPTY,
			       "no memory events of that device; ptool memory without "
			       "--device lists those there are");
	if (row->needs_addresses && !has_addresses)
		return err_set(err, ERR_EMPTY,
			       is_timeline
				       ? "a memory timeline has categories and no "
					 "blocks; traces and snapshots have blocks"
				       : "the memory events have no addresses, which are "
					 "needed to match allocations with frees: record "
					 "with torch 1.10 or newer");
	if (row->needs_steps && steps == 0)
		return no_steps(s, err);
	return 0;
}

int memory_source_load(struct memory_source *s, bool has_blocks, struct err *err)
{
	s->profiles = xcalloc(s->scope->n, sizeof(*s->profiles));
	s->blocks = xcalloc(s->scope->n, sizeof(*s->blocks));
	if (memory_names_open(s->store, &s->names, err) < 0)
		return -1;
	for (; s->n < s->scope->n; s->n++)
		if (memory_events_load(s->store, &s->scope->profiles[s->n],
				       &s->profiles[s->n], err) < 0) {
			memory_events_release(&s->profiles[s->n]);
			return -1;
		}
	for (size_t i = 0; has_blocks && i < s->n; i++)
		memory_blocks_make(&s->profiles[i], &s->blocks[i]);
	return 0;
}

static int load(struct memory_source *s, const struct view_row *row, struct err *err)
{
	int rc = row->has_summary ? memory_stored_load(s, err) : 0;

	if (rc == 0)
		rc = memory_source_load(s, row->has_blocks, err);
	return rc < 0 ? -1 : check(s, err);
}

/* Does the filter choose an event at all?  -1: error. */
static int has_wanted(struct memory_source *s, struct err *err)
{
	const struct filter *filter = s->request.filter;
	struct str name;
	int has = 0;

	for (struct memory_place p = { 0 }; has == 0 && memory_place_get(s, &p);
	     memory_place_next(&p))
		for (size_t i = 0; has == 0 && i < p.of->n; i++) {
			const struct memory_event *e = &p.events->items[p.of->first + i];
			if (!memory_event_is_wanted(p.events, e, filter))
				continue;
			if (memory_names_str(&s->names, e, &name, err) < 0)
				return -1;
			has = filter_has_name(filter, name, err);
		}
	return has;
}

/*
 * That there is none is no answer about what a misspelt filter leaves: one of which
 * nothing in the recording is.
 */
static int check_filter(struct memory_source *s, const struct view_row *row,
			struct err *err)
{
	static const char nothing[] = "no memory event matches";

	if (!row->empty || !filter_is_given(s->request.filter))
		return 0;
	int has = has_wanted(s, err);
	if (has)
		return has < 0 ? -1 : 0;
	err_set(err, ERR_EMPTY, "%s", nothing);
	filter_explain(s->store, s->scope, s->request.filter, err);
	if (err->kind != ERR_EMPTY || strcmp(err->text, nothing) != 0)
		return -1;
	*err = (struct err)ERR_INIT;
	return 0;
}

static const char *empty_text(const struct memory_request *request)
{
	if (request->view == MEMORY_VIEW_SPIKES && request->min_share_pct <= 0)
		return "no spikes";
	return rows[request->view].empty;
}

/* Tables of memory_profiler and Scalene have functions, and no moments. */
static int open_lines(struct store *store, const struct scope *scope,
		      const struct memory_request *request, struct table **out,
		      struct err *err)
{
	const struct line_request lines = { .filter = request->filter,
					    .show = { .for_people = request->for_people,
						      .limit = request->limit } };

	if (request->view != MEMORY_VIEW_PEAKS && request->view != MEMORY_VIEW_STATS)
		return err_set(err, ERR_EMPTY,
			       "a line profile has no points in time and no allocations: "
			       "'ptool "
			       "lines' shows it");
	if (request->devices.n)
		return err_set(err, ERR_USAGE, "a line profile has no devices");
	for (size_t i = 0; i < scope->n; i++)
		if (strcmp(scope->profiles[i].format, "line_profiler") != 0)
			return line_functions_open(store, scope, &lines, out, err);
	return err_set(err, ERR_EMPTY,
		       "line_profiler records no memory: use memory_profiler or Scalene");
}

int memory_open(struct store *store, const struct scope *scope,
		const struct memory_request *request, struct table **out, struct err *err)
{
	const struct view_row *row = &rows[request->view];
	enum scope_kind kind;

	*out = NULL;
	if (scope_kind(scope, &kind, err) < 0)
		return -1;
	if (kind == SCOPE_LINES)
		return open_lines(store, scope, request, out, err);
	if (scope_is_sampled_memory(scope))
		return memory_open_sampled(store, scope, request, out, err);
	if (kind == SCOPE_CALL_GRAPHS)
		return err_set(
			err, ERR_EMPTY,
			"this is a call graph, which has no memory events: "
			"torch.profiler.profile(profile_memory=True) records them");
	struct memory_source *s = xcalloc(1, sizeof(*s));
	s->store = store;
	s->scope = scope;
	s->request = *request;
	int rc = load(s, row, err);
	if (rc == 0)
		rc = check_filter(s, row, err);
	if (rc == 0)
		rc = row->open(s, out, err);
	if (rc == 0)
		(*out)->empty = empty_text(request);
	if (rc < 0 || !row->streams)
		memory_source_free(s);
	return rc;
}
