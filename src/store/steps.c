/* Steps of training and of engines: see steps.h. */
#include "store/steps.h"

#include <stdlib.h>

#include "base/idmap.h"
#include "base/search.h"
#include "trace/step_name.h"

/* Steps that may be open at once within one process: more is no program. */
#define OPEN_MAX 8
/* A step that nothing began in is shorter than such a part of the step before it. */
#define EMPTY_STEP_PARTS 10

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
	*APPEND(m, steps) = (struct step_rec){ .number = m->file_step,
					       .ts_ns = m->start_ns,
					       .end_ns = m->end_ns,
					       .row = ROW_NONE,
					       .source = "file name",
					       .told = engine_step_unknown() };
}

/* Did step_of_file() make the step?  A device and the host are in it alike. */
static bool is_step_of_file(const struct model *m)
{
	return m->file_step != NUMBER_NONE && m->nsteps && m->steps[0].row == ROW_NONE;
}

/* Do the names of these steps tell no number, or only of some? */
static bool lacks_numbers(const struct model *m, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (m->steps[m->step_owners[i].step].number == NUMBER_NONE)
			return true;
	return false;
}

/* Has a step of this number another phase?  The first of each number is kept. */
static bool is_of_two(const struct model *m, struct idmap *numbered, uint32_t step)
{
	size_t probe = idmap_first(numbered, m->steps[step].number);
	uint32_t first = idmap_next(numbered, &probe);

	if (first != UINT32_MAX)
		return m->steps[first].told.phase != m->steps[step].told.phase;
	idmap_add(numbered, m->steps[step].number, step);
	return false;
}

/*
 * Is one number that of labels of different phases, or of one and none, in a process: of
 * "decode_step_0" and "train_step_0"?  A ProfilerStep keeps its own.
 */
static bool labels_share_numbers(const struct model *m, size_t from, size_t to)
{
	bool share = false;
	struct idmap numbered;

	idmap_init_in(&numbered, to - from, m->spill);
	for (size_t i = from; i < to && !share; i++)
		share = m->steps[m->step_owners[i].step].is_engines &&
			is_of_two(m, &numbered, m->step_owners[i].step);
	idmap_release(&numbered);
	return share;
}

/* Is one number that of steps of different phases?  One that tells none is another rank's. */
static bool phases_share_numbers(const struct model *m)
{
	bool share = false;
	struct idmap told;

	idmap_init_in(&told, m->nsteps, m->spill);
	for (uint32_t i = 0; i < m->nsteps && !share; i++)
		share = m->steps[i].told.phase != ENGINE_UNTOLD && is_of_two(m, &told, i);
	idmap_release(&told);
	return share;
}

/*
 * By their place in the process, from 0: "prefill" says no number, and the first
 * "decode_step_0" after it is step 1, as two steps 0 could not be asked for apart.  Nor
 * could phases of several processes that share a number: then by their place in the file.
 */
static void number_steps(struct model *m)
{
	for (size_t from = 0, to; from < m->nsteps; from = to) {
		to = first_of_process(m, m->step_owners[from].process + 1);
		if (!lacks_numbers(m, from, to) && !labels_share_numbers(m, from, to))
			continue;
		for (size_t i = from; i < to; i++)
			m->steps[m->step_owners[i].step].number = (int64_t)(i - from);
	}
	if (phases_share_numbers(m))
		for (size_t i = 0; i < m->nsteps; i++)
			m->steps[i].number = (int64_t)i;
}

/* Of each the newest before it that ends later: its place among these, ROW_NONE for none. */
static void find_around(const struct model *m, struct owned_step *steps, size_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t around = i ? i - 1 : ROW_NONE;
		while (around != ROW_NONE && m->steps[steps[around].step].end_ns <=
						     m->steps[steps[i].step].end_ns)
			around = steps[around].around;
		steps[i].around = around;
	}
}

/* Sets whose the steps are. */
static void own_steps(struct model *m)
{
	spill_free(m->spill, m->step_owners);
	m->step_owners = spill_alloc(m->spill, 2 * m->nsteps, sizeof(*m->step_owners));
	for (uint32_t i = 0; i < m->nsteps; i++) {
		uint32_t track = model_slice(m, m->steps[i].row)->track;
		m->step_owners[i] =
			(struct owned_step){ m->tracks[track].process, i, ROW_NONE };
		m->step_owners[m->nsteps + i] = m->step_owners[i];
	}
	qsort(m->step_owners, m->nsteps, sizeof(*m->step_owners), by_process);
	for (size_t from = 0, to; from < m->nsteps; from = to) {
		to = first_of_process(m, m->step_owners[from].process + 1);
		find_around(m, m->step_owners + from, to - from);
	}
	find_around(m, m->step_owners + m->nsteps, m->nsteps);
}

/* By its length: is the i-th of the owned steps the last of its process, and a short one? */
static bool may_be_empty(const struct model *m, size_t i)
{
	const struct owned_step *owned = &m->step_owners[i];
	const struct step_rec *step = &m->steps[owned->step], *before;
	int64_t number;

	if (i == 0 || owned[-1].process != owned->process ||
	    (i + 1 < m->nsteps && owned[1].process == owned->process))
		return false;
	before = &m->steps[owned[-1].step];
	return step_name_number(intern_str(m->texts, model_slice(m, step->row)->name),
				&number) &&
	       step->end_ns - step->ts_ns <
		       (before->end_ns - before->ts_ns) / EMPTY_STEP_PARTS;
}

/* Does a slice of this class make a step of what it begins in?  The profiler's own frames do not. */
static bool is_of_step(enum slice_class class)
{
	return class == CLASS_OP || class == CLASS_RUNTIME || class == CLASS_DRIVER ||
	       class == CLASS_ANNOTATION;
}

/*
 * The profiler begins a step at each step(), also after the last one: what is left until
 * it stops is no step, and would halve the mean of two.
 */
static void leave_out_empty(struct model *m)
{
	uint8_t *is_empty = spill_alloc(m->spill, m->nsteps, sizeof(*is_empty));
	struct step_cursor cursor = step_cursor(m);
	size_t nempty = 0, nkept = 0;

	for (size_t i = 0; i < m->nsteps; i++) {
		is_empty[m->step_owners[i].step] = may_be_empty(m, i);
		nempty += is_empty[m->step_owners[i].step];
	}
	for (uint32_t row = 0; row < m->nrows && nempty; row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		uint32_t step =
			is_of_step(s->class) ? step_by_start(&cursor, s) : ROW_NONE;
		if (step != ROW_NONE && is_empty[step] && row != m->steps[step].row) {
			is_empty[step] = 0;
			nempty--;
		}
	}
	for (size_t i = 0; i < m->nsteps && nempty; i++) {
		const struct slice_rec *s = model_slice(m, m->steps[i].row);
		if (is_empty[i])
			model_finding(m, FINDING_EMPTY_STEP, s->offset, STR_LIT(""),
				      intern_str(m->texts, s->name));
		else
			m->steps[nkept++] = m->steps[i];
	}
	spill_free(m->spill, is_empty);
	if (nempty) {
		m->nsteps = nkept;
		own_steps(m);
	}
}

void steps_of_rows(struct model *m)
{
	steps_find(m);
	if (m->nsteps == 0) {
		step_of_file(m);
		return;
	}
	own_steps(m);
	leave_out_empty(m);
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
	if ((track->kind != TRACK_THREAD && track->kind != TRACK_ASYNC) ||
	    !m->step_owners)
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
		return is_step_of_file(m) ? 0 : ROW_NONE;
	go_to_time(c, ts_ns);
	if (c->next < c->n)
		c->until_ns = start_of(c, c->next);
	uint32_t k = c->next ? (uint32_t)c->next - 1 : ROW_NONE;
	for (int open = 0; k != ROW_NONE && open < OPEN_MAX;
	     open++, k = c->steps[k].around) {
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

/* When the device ran what a step launched: the first start and the last end. */
struct step_work {
	int64_t first_ns, last_ns;
};

/* Work that has a correlation, but no call with it: an operator's, or nobody's. */
static bool lacks_launch(const struct model *m, const struct slice_rec *s)
{
	int64_t key = slice_key(m, s);

	return slice_device(m, s)->launch == ROW_NONE && key != NUMBER_NONE && key != 0;
}

static struct step_work *work_of_steps(const struct model *m)
{
	struct step_work *work = spill_alloc(m->spill, m->nsteps, sizeof(*work));

	for (size_t i = 0; i < m->nsteps; i++)
		work[i] = (struct step_work){ INT64_MAX, INT64_MIN };
	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (!class_is_device_work(s->class))
			continue;
		uint32_t step = slice_device(m, s)->step;
		if (step >= m->nsteps || lacks_launch(m, s))
			continue;
		if (s->ts_ns < work[step].first_ns)
			work[step].first_ns = s->ts_ns;
		if (slice_end(s) > work[step].last_ns)
			work[step].last_ns = slice_end(s);
	}
	return work;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Of a process, whose step before ended at *reached_ns; NUMBER_NONE: there was none. */
static void move_window(struct step_rec *step, const struct step_work *work,
			int64_t *reached_ns)
{
	if (work->last_ns == INT64_MIN) {
		if (*reached_ns == NUMBER_NONE)
			*reached_ns = step->ts_ns;
		return;
	}
	int64_t start_ns = work->first_ns < step->ts_ns ? work->first_ns : step->ts_ns;
	/* what the device did before the first is not in the recording */
	step->from_ns = *reached_ns == NUMBER_NONE ? work->first_ns
						   : later(*reached_ns, start_ns);
	step->to_ns = later(step->from_ns, work->last_ns);
	*reached_ns = step->to_ns;
}

void steps_move(struct model *m)
{
	int64_t reached_ns = NUMBER_NONE;
	bool is_moved = false;

	for (size_t i = 0; i < m->nsteps; i++) {
		m->steps[i].from_ns = m->steps[i].ts_ns;
		m->steps[i].to_ns = m->steps[i].end_ns;
		is_moved |= m->steps[i].is_engines;
	}
	if (!is_moved)
		return;
	struct step_work *work = work_of_steps(m);
	for (size_t i = 0; i < m->nsteps; i++) {
		if (i && m->step_owners[i].process != m->step_owners[i - 1].process)
			reached_ns = NUMBER_NONE;
		uint32_t step = m->step_owners[i].step;
		move_window(&m->steps[step], &work[step], &reached_ns);
	}
	spill_free(m->spill, work);
}
