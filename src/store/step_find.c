/* Which slices are steps: see steps.h. */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "base/decimal.h"
#include "base/regex.h"
#include "base/sparse.h"
#include "store/steps.h"
#include "trace/step_name.h"

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

static bool may_be_step(const struct slice_rec *s)
{
	return (s->class == CLASS_OP || s->class == CLASS_ANNOTATION ||
		s->class == CLASS_PYTHON) &&
	       s->phase == PHASE_COMPLETE;
}

static struct str name_of(const struct model *m, uint32_t row)
{
	return intern_str(m->texts, model_slice(m, row)->name);
}

static const struct step_mark *find_mark(const struct model *m, uint32_t row)
{
	const struct step_mark key = { .slice = row };

	return m->nstep_marks ? bsearch(&key, m->step_marks, m->nstep_marks, sizeof(key),
					by_slice)
			      : NULL;
}

/* The step that the row is: by its name in PyTorch's traces, by its args in xprof's. */
static bool is_step(const struct model *m, uint32_t row, int64_t *number)
{
	if (step_name_number(name_of(m, row), number))
		return true;
	const struct step_mark *mark = find_mark(m, row);
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
	struct str name = name_of(m, row), digits;
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
	struct regex *regex; /* owned; NULL: by known names */
	MODEL_ARRAY(struct step_mark, marks);
	/* what engines wrote, and what any program may: rows */
	MODEL_ARRAY(uint32_t, engines);
	MODEL_ARRAY(uint32_t, labels);
	MODEL_ARRAY(struct step_mark,
		    frames); /* of Python, where nothing else is a step */
	/* uint8_t by text, 1: it names no step, and no frame that is one.  Owned; there are few
	 * names and many rows. */
	struct sparse others, other_frames;
};

struct step_search {
	struct model *m;
	size_t nparts;
	struct found_steps *parts;
};

static void look_at_frame(const struct model *m, uint32_t row, struct found_steps *found)
{
	uint8_t *is_other =
		SPARSE_AT(&found->other_frames, uint8_t, model_slice(m, row)->name);
	struct engine_step told;
	int64_t number = NUMBER_NONE;

	if (*is_other)
		return;
	if (found->regex ? is_named_step(m, found->regex, row, &number)
			 : engine_frame_parse(name_of(m, row), &told))
		*APPEND(found, frames) = (struct step_mark){ number, row };
	else
		*is_other = 1;
}

static void look_at(const struct model *m, uint32_t row, struct found_steps *found)
{
	uint8_t *is_other = SPARSE_AT(&found->others, uint8_t, model_slice(m, row)->name);
	struct engine_step told;
	int64_t number;

	if (*is_other && !m->nstep_marks)
		return;
	if (found->regex ? is_named_step(m, found->regex, row, &number)
			 : is_step(m, row, &number))
		*APPEND(found, marks) = (struct step_mark){ number, row };
	else if (found->regex || !engine_step_parse(name_of(m, row), &told))
		*is_other = 1;
	else if (!told.is_label)
		*APPEND(found, engines) = row;
	else if (model_slice(m, row)->class == CLASS_ANNOTATION)
		*APPEND(found, labels) = row;
}

static void search_part(void *to, size_t part)
{
	const struct step_search *search = to;
	const struct model *m = search->m;
	uint32_t end = (uint32_t)crew_cut(m->nrows, search->nparts, part + 1);

	for (uint32_t row = (uint32_t)crew_cut(m->nrows, search->nparts, part); row < end;
	     row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (!may_be_step(s))
			continue;
		if (s->class == CLASS_PYTHON)
			look_at_frame(m, row, &search->parts[part]);
		else
			look_at(m, row, &search->parts[part]);
	}
}

static void add_step(struct model *m, uint32_t row, struct step_rec step)
{
	const struct slice_rec *s = model_slice(m, row);

	if (m->nsteps >= m->limits->steps) {
		model_finding(m, FINDING_MANY_STEPS, s->offset, STR_LIT(""),
			      intern_str(m->texts, s->name));
		return;
	}
	step.ts_ns = s->ts_ns;
	step.end_ns = slice_end(s);
	step.row = row;
	struct step_rec *place = APPEND(m, steps);
	assert(place);
	*place = step;
}

static void add_mark(struct model *m, const struct step_mark *mark)
{
	struct step_rec step = { .number = mark->number, .told = engine_step_unknown() };
	int64_t number;

	step.source = m->step_name ? "--step-name"
		      : step_name_number(name_of(m, mark->slice), &number)
			      ? "ProfilerStep"
			      : "step_num";
	if (m->step_name && engine_step_parse(name_of(m, mark->slice), &step.told) &&
	    step.number == NUMBER_NONE)
		step.number = step.told.number;
	add_step(m, mark->slice, step);
}

/* Rows come by track and time: of annotations within each other the outermost is first. */
static bool is_within(const struct model *m, uint32_t row, uint32_t outer)
{
	const struct slice_rec *s = model_slice(m, row), *o = model_slice(m, outer);

	return row > outer && s->track == o->track && s->ts_ns < slice_end(o);
}

static void add_engine_step(struct model *m, uint32_t row)
{
	struct step_rec *last = m->nsteps ? &m->steps[m->nsteps - 1] : NULL;
	struct step_rec step = { .is_engines = true };

	if (!engine_step_parse(name_of(m, row), &step.told))
		(void)engine_frame_parse(name_of(m, row), &step.told);
	if (last && is_within(m, row, last->row)) {
		engine_step_merge(&last->told, &step.told);
		/* SGLang's stand within one that is spelled as vLLM's. */
		last->source = step.told.engine;
		return;
	}
	step.number = step.told.number;
	step.source = step.told.engine;
	add_step(m, row, step);
}

/* Where the walk over annotations within other steps has come to. */
struct telling {
	size_t step;    /* whose annotations come */
	uint32_t outer; /* the newest in it that is in no other; ROW_NONE */
	bool is_single; /* and no other was in it */
};

/* What an engine says within another's step is told of it, unless it holds several. */
static void tell_step(struct model *m, uint32_t row, struct telling *t)
{
	struct engine_step told;
	struct step_rec *step;

	for (; t->step + 1 < m->nsteps && m->steps[t->step + 1].row < row; t->step++)
		t->outer = ROW_NONE;
	step = &m->steps[t->step];
	if (!is_within(m, row, step->row) || !engine_step_parse(name_of(m, row), &told))
		return;
	if (t->outer == ROW_NONE || !is_within(m, row, t->outer)) {
		t->is_single = t->outer == ROW_NONE;
		t->outer = row;
	}
	if (t->is_single)
		engine_step_merge(&step->told, &told);
	else
		step->told = engine_step_unknown();
}

/* One label in a file whose name tells its step says the same again: all of it is the step. */
static bool labels_count(const struct model *m, const struct step_search *search)
{
	size_t n = 0;

	for (size_t i = 0; i < search->nparts; i++)
		n += search->parts[i].nlabels;
	return m->file_step == NUMBER_NONE || n > 1;
}

static void add_frames(struct model *m, const struct found_steps *found)
{
	for (size_t i = 0; i < found->nframes; i++)
		if (found->regex)
			add_mark(m, &found->frames[i]);
		else
			add_engine_step(m, found->frames[i].slice);
}

/* ProfilerSteps, else what engines wrote, else what any program may, else frames. */
static void add_found(struct model *m, const struct step_search *search)
{
	struct telling telling = { .outer = ROW_NONE };

	for (size_t i = 0; i < search->nparts; i++)
		for (size_t k = 0; k < search->parts[i].nmarks; k++)
			add_mark(m, &search->parts[i].marks[k]);
	bool has_marks = m->nsteps > 0;
	for (size_t i = 0; i < search->nparts; i++)
		for (size_t k = 0; k < search->parts[i].nengines; k++)
			if (has_marks)
				tell_step(m, search->parts[i].engines[k], &telling);
			else
				add_engine_step(m, search->parts[i].engines[k]);
	bool has_steps = m->nsteps > 0 || !labels_count(m, search);
	for (size_t i = 0; i < search->nparts && !has_steps; i++)
		for (size_t k = 0; k < search->parts[i].nlabels; k++)
			add_engine_step(m, search->parts[i].labels[k]);
	has_steps = m->nsteps > 0;
	for (size_t i = 0; i < search->nparts && !has_steps; i++)
		add_frames(m, &search->parts[i]);
}

void steps_find(struct model *m)
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
	add_found(m, &search);
	for (size_t i = 0; i < search.nparts; i++) {
		regex_free(search.parts[i].regex);
		spill_free(m->spill, search.parts[i].marks);
		spill_free(m->spill, search.parts[i].engines);
		spill_free(m->spill, search.parts[i].labels);
		spill_free(m->spill, search.parts[i].frames);
		sparse_release(&search.parts[i].others);
		sparse_release(&search.parts[i].other_frames);
	}
	free(search.parts);
	if (m->nsteps)
		qsort(m->steps, m->nsteps, sizeof(*m->steps), by_start);
}
