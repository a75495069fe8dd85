/* Steps of training: see steps.h. */
#include "store/steps.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/decimal.h"

/* Steps that may be open at once within one process: more is no program. */
#define OPEN_MAX 8

bool steps_number(struct str name, int64_t *number)
{
	const struct str prefix = STR_LIT("ProfilerStep#");

	if (!str_starts_with(name, prefix))
		return false;
	struct str digits = { name.p + prefix.n, name.n - prefix.n };
	return decimal_text_int(digits, number) == DECIMAL_OK;
}

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
	const struct group_mark key = { .slice = m->order[row] };

	return bsearch(&key, m->group_marks, m->ngroup_marks, sizeof(key),
		       by_group_slice);
}

/* The step that the row is: by its name in PyTorch's traces, by its args in xprof's. */
static bool is_step(const struct model *m, uint32_t row, int64_t *number)
{
	const struct slice_rec *s = model_slice(m, row);
	const struct step_mark key = { .slice = m->order[row] };

	if ((s->class != CLASS_OP && s->class != CLASS_ANNOTATION) ||
	    s->phase != PHASE_COMPLETE)
		return false;
	if (steps_number(intern_str(m->texts, s->name), number))
		return true;
	const struct step_mark *mark =
		m->nstep_marks ? bsearch(&key, m->step_marks, m->nstep_marks, sizeof(key),
					 by_slice)
			       : NULL;
	if (mark)
		*number = mark->number;
	return mark != NULL;
}

static void find_steps(struct model *m)
{
	int64_t number;

	for (uint32_t row = 0; row < m->nrows; row++) {
		const struct slice_rec *s = model_slice(m, row);
		if (!is_step(m, row, &number))
			continue;
		m->steps =
			xgrow(m->steps, &m->steps_cap, m->nsteps + 1, sizeof(*m->steps));
		m->steps[m->nsteps++] =
			(struct step_rec){ number, s->ts_ns, slice_end(s), row };
	}
	if (m->nsteps)
		qsort(m->steps, m->nsteps, sizeof(*m->steps), by_start);
}

/* A step and whose it is. */
struct owned_step {
	uint32_t process, step;
};

/* Steps by (process, start), or by start alone. */
struct step_list {
	const struct owned_step *at;
	size_t n;
};

static int by_process(const void *a, const void *b)
{
	const struct owned_step *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

static size_t first_of_process(struct step_list all, uint32_t process)
{
	size_t low = 0, high = all.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (all.at[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The newest step that holds the row's start: rows and steps are by time. */
static void mark_track(struct model *m, const struct track *t, struct step_list steps)
{
	size_t next = 0; /* first step that begins behind the row */

	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		int64_t ts_ns = model_slice(m, row)->ts_ns;
		while (next < steps.n && m->steps[steps.at[next].step].ts_ns <= ts_ns)
			next++;
		size_t back = next > OPEN_MAX ? next - OPEN_MAX : 0;
		for (size_t k = next; k-- > back;)
			if (ts_ns < m->steps[steps.at[k].step].end_ns) {
				m->step[row] = steps.at[k].step;
				break;
			}
	}
}

static bool is_host(const struct track *t)
{
	return t->kind == TRACK_THREAD || t->kind == TRACK_ASYNC;
}

/* A file of one step, whose name tells which (train_step_3.json): all of it is the step. */
static void step_of_file(struct model *m)
{
	if (m->file_step == NUMBER_NONE || !m->has_time)
		return;
	m->steps = xgrow(m->steps, &m->steps_cap, 1, sizeof(*m->steps));
	m->steps[m->nsteps++] =
		(struct step_rec){ m->file_step, m->start_ns, m->end_ns, ROW_NONE };
	for (size_t t = 0; t < m->ntracks; t++)
		for (size_t i = 0; is_host(&m->tracks[t]) && i < m->tracks[t].n; i++)
			m->step[m->tracks[t].first + i] = 0;
}

void steps_of_rows(struct model *m)
{
	find_steps(m);
	if (m->nsteps == 0) {
		step_of_file(m);
		return;
	}
	struct owned_step *owned = xrealloc_array(NULL, m->nsteps, sizeof(*owned));
	struct owned_step *any = xrealloc_array(NULL, m->nsteps, sizeof(*any));
	for (uint32_t i = 0; i < m->nsteps; i++) {
		uint32_t track = model_slice(m, m->steps[i].row)->track;
		owned[i] = (struct owned_step){ m->tracks[track].process, i };
		any[i] = owned[i];
	}
	qsort(owned, m->nsteps, sizeof(*owned), by_process);
	for (size_t t = 0; t < m->ntracks; t++) {
		const struct track *track = &m->tracks[t];
		if (!is_host(track))
			continue;
		struct step_list all = { owned, m->nsteps };
		size_t from = first_of_process(all, track->process);
		size_t to = first_of_process(all, track->process + 1);
		mark_track(m, track,
			   from < to ? (struct step_list){ owned + from, to - from }
				     : (struct step_list){ any, m->nsteps });
	}
	free(owned);
	free(any);
}

void steps_of_groups(struct model *m)
{
	const struct group_mark *mark;
	struct idmap steps;

	if (m->ngroup_marks == 0 || m->nsteps == 0)
		return;
	idmap_init(&steps, m->nsteps);
	for (uint32_t i = 0; i < m->nsteps; i++)
		if ((mark = find_group(m, m->steps[i].row)))
			idmap_add(&steps, mark->group, i);
	for (uint32_t row = 0; row < m->nrows; row++) {
		if (!class_is_device_work(model_slice(m, row)->class) ||
		    m->launch[row] != ROW_NONE || !(mark = find_group(m, row)))
			continue;
		size_t probe = idmap_first(&steps, mark->group);
		uint32_t step = idmap_next(&steps, &probe);
		if (step != UINT32_MAX)
			m->step[row] = step;
	}
	idmap_release(&steps);
}
