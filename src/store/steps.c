/* Steps of training: see steps.h. */
#include "store/steps.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "base/decimal.h"
#include "base/regex.h"
#include "base/search.h"
#include "trace/step_name.h"

/* Steps that may be open at once within one process: more is no program. */
#define OPEN_MAX 8

static int by_start(const void *a, const void *b)
{
	const struct step_rec *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static int by_slice(const void *a, const void *b)
{
	const struct step_mark *x = a, *y = b;

	return (x->slice > y->slice) - (x->slice < y->slice);
}

static int by_group_slice(const void *a, const void *b)
{
	const struct group_mark *x = a, *y = b;

	return (x->slice > y->slice) - (x->slice < y->slice);
}

static const struct group_mark *find_group(const struct model *m, uint32_t row)
{
	const struct group_mark key = { .slice = row };

	return bsearch(&key, m->group_marks, m->ngroup_marks, sizeof(key),
		       by_group_slice);
}

static bool may_be_step(const struct slice_rec *s)
{
	return (s->class == CLASS_OP || s->class == CLASS_ANNOTATION) &&
	       s->phase == PHASE_COMPLETE;
}

/* The step that the row is: by its name in PyTorch's traces, by its args in xprof's. */
static bool is_step(const struct model *m, uint32_t row, int64_t *number)
{
	const struct step_mark key = { .slice = row };

	if (step_name_number(intern_str(m->texts, model_slice(m, row)->name), number))
		return true;
	const struct step_mark *mark =
		m->nstep_marks ? bsearch(&key, m->step_marks, m->nstep_marks, sizeof(key),
					 by_slice)
			       : NULL;
	if (mark)
		*number = mark->number;
	return mark != NULL;
}

/*
 * By the expression that was given: the number is its first group, else to be counted.
 * What it takes too long for is none.
 */
static bool is_named_step(const struct model *m, const struct regex *regex, uint32_t row,
			  int64_t *number)
{
	struct str name = intern_str(m->texts, model_slice(m, row)->name), digits;
	struct err ignored = ERR_INIT;

	if (regex_match(regex, name, &ignored) <= 0)
		return false;
	if (!regex_group(regex, name, &digits) ||
	    decimal_text_int(digits, number) != DECIMAL_OK)
		*number = NUMBER_NONE;
	return true;
}

/* The steps among a part of the rows. */
struct found_steps {
	struct spill *spill;
	struct regex *regex; /* owned; NULL: by the names that producers give */
	MODEL_ARRAY(struct step_mark, marks);
};

struct step_search {
	struct model *m;
	size_t nparts;
	struct found_steps *parts;
};

static void search_part(void *to, size_t part)
{
	const struct step_search *search = to;
	struct found_steps *found = &search->parts[part];
	const struct model *m = search->m;
	uint32_t end = (uint32_t)crew_cut(m->nrows, search->nparts, part + 1);
	int64_t number;

	for (uint32_t row = (uint32_t)crew_cut(m->nrows, search->nparts, part); row < end;
	     row++) {
		model_tick(m, row);
		if (!may_be_step(model_slice(m, row)))
			continue;
		if (found->regex ? is_named_step(m, found->regex, row, &number)
				 : is_step(m, row, &number))
			*APPEND(found, marks) = (struct step_mark){ number, row };
	}
}

static void add_step(struct model *m, const struct step_mark *mark)
{
	const struct slice_rec *s = model_slice(m, mark->slice);

	if (m->nsteps >= m->limits->steps)
		model_finding(m, FINDING_MANY_STEPS, s->offset, STR_LIT(""),
			      intern_str(m->texts, s->name));
	else
		*APPEND(m, steps) = (struct step_rec){ mark->number, s->ts_ns,
						       slice_end(s), mark->slice };
}

static void find_steps(struct model *m)
{
	unsigned others = model_others(m, m->nrows);
	struct step_search search = { .m = m, .nparts = (size_t)others + 1 };
	struct err ignored = ERR_INIT; /* the expression was compiled before */

	search.parts = xcalloc(search.nparts, sizeof(*search.parts));
	for (size_t i = 0; i < search.nparts; i++) {
		search.parts[i].spill = m->spill;
		if (m->step_name)
			(void)regex_compile("--step-name", m->step_name,
					    &search.parts[i].regex, &ignored);
	}
	crew_run(others, search.nparts, search_part, &search);
	for (size_t i = 0; i < search.nparts; i++) {
		for (size_t k = 0; k < search.parts[i].nmarks; k++)
			add_step(m, &search.parts[i].marks[k]);
		regex_free(search.parts[i].regex);
		spill_free(m->spill, search.parts[i].marks);
	}
	free(search.parts);
	if (m->nsteps)
		qsort(m->steps, m->nsteps, sizeof(*m->steps), by_start);
}

static int by_process(const void *a, const void *b)
{
	const struct owned_step *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static size_t first_of_process(const struct model *m, uint32_t process)
{
	size_t at;

	SEARCH(at, 0, m->nsteps, m->step_owners[at].process < process);
	return at;
}

/* A file of one step, whose name tells which (train_step_3.json): all of it is the step. */
static void step_of_file(struct model *m)
{
	if (m->file_step == NUMBER_NONE || !m->has_time)
		return;
	*APPEND(m, steps) =
		(struct step_rec){ m->file_step, m->start_ns, m->end_ns, ROW_NONE };
}

/* Those whose names tell no number: by their place in the process, from 0. */
static void number_steps(struct model *m)
{
	int64_t place = 0;

	for (size_t i = 0; i < m->nsteps; i++, place++) {
		struct step_rec *step = &m->steps[m->step_owners[i].step];
		if (i && m->step_owners[i].process != m->step_owners[i - 1].process)
			place = 0;
		if (step->number == NUMBER_NONE)
			step->number = place;
	}
}

void steps_of_rows(struct model *m)
{
	find_steps(m);
	if (m->nsteps == 0) {
		step_of_file(m);
		return;
	}
	m->step_owners = spill_alloc(m->spill, 2 * m->nsteps, sizeof(*m->step_owners));
	for (uint32_t i = 0; i < m->nsteps; i++) {
		uint32_t track = model_slice(m, m->steps[i].row)->track;
		m->step_owners[i] = (struct owned_step){ m->tracks[track].process, i };
		m->step_owners[m->nsteps + i] = m->step_owners[i];
	}
	qsort(m->step_owners, m->nsteps, sizeof(*m->step_owners), by_process);
	number_steps(m);
}

struct step_cursor step_cursor(const struct model *m)
{
	return (struct step_cursor){ .m = m, .track = TEXT_NONE };
}

/* Those of the track's process, or of any where it has none; no host's has any. */
static void go_to_track(struct step_cursor *c, uint32_t at)
{
	const struct model *m = c->m;
	const struct track *track = &m->tracks[at];

	c->track = at;
	c->next = c->n = 0;
	c->is_host = track->kind == TRACK_THREAD || track->kind == TRACK_ASYNC;
	if (!c->is_host || !m->step_owners)
		return;
	size_t from = first_of_process(m, track->process);
	size_t to = first_of_process(m, track->process + 1);
	c->steps = m->step_owners + (from < to ? from : m->nsteps);
	c->n = from < to ? to - from : m->nsteps;
}

static int64_t start_of(const struct step_cursor *c, size_t i)
{
	return c->m->steps[c->steps[i].step].ts_ns;
}

/* To the first step that begins behind ts; it is near when rows are asked for in order. */
static void go_to_time(struct step_cursor *c, int64_t ts_ns)
{
	size_t low = 0, high = c->n;

	if (c->next == 0 || start_of(c, c->next - 1) <= ts_ns) {
		if (c->next == c->n || start_of(c, c->next) > ts_ns)
			return;
		low = c->next + 1;
	} else {
		high = c->next - 1;
	}
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (start_of(c, middle) <= ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	c->next = low;
}

/* The newest step that holds the start; what ends or begins first bounds the answer. */
static uint32_t newest_at(struct step_cursor *c, int64_t ts_ns)
{
	const struct model *m = c->m;

	c->until_ns = INT64_MAX;
	if (c->n == 0)
		return c->is_host && m->nsteps && m->steps[0].row == ROW_NONE ? 0
									      : ROW_NONE;
	go_to_time(c, ts_ns);
	if (c->next < c->n)
		c->until_ns = start_of(c, c->next);
	size_t back = c->next > OPEN_MAX ? c->next - OPEN_MAX : 0;
	for (size_t k = c->next; k-- > back;) {
		uint32_t step = c->steps[k].step;
		if (ts_ns >= m->steps[step].end_ns)
			continue;
		if (m->steps[step].end_ns < c->until_ns)
			c->until_ns = m->steps[step].end_ns;
		return step;
	}
	return ROW_NONE;
}

uint32_t step_by_start(struct step_cursor *c, const struct slice_rec *s)
{
	if (s->track != c->track)
		go_to_track(c, s->track);
	c->step = newest_at(c, s->ts_ns);
	c->from_ns = s->ts_ns;
	return c->step;
}

void steps_of_groups(struct model *m)
{
	const struct group_mark *mark;
	struct idmap steps;

	if (m->ngroup_marks == 0 || m->nsteps == 0)
		return;
	idmap_init_in(&steps, m->nsteps, m->spill);
	for (uint32_t i = 0; i < m->nsteps; i++)
		if ((mark = find_group(m, m->steps[i].row)))
			idmap_add(&steps, mark->group, i);
	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		if (!class_is_device_work(model_slice(m, row)->class) ||
		    row_launch(m, row) != ROW_NONE || !(mark = find_group(m, row)))
			continue;
		size_t probe = idmap_first(&steps, mark->group);
		uint32_t step = idmap_next(&steps, &probe);
		if (step != UINT32_MAX)
			slice_device(m, model_slice(m, row))->step = step;
	}
	idmap_release(&steps);
}
