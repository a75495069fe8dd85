/*
 * Steps: ProfilerStep#N, or what says its number; where there is none, what an inference
 * engine or a training loop calls one (trace/engine_step.h); or what model.step_name
 * matches.  And which host rows belong to which.  A row belongs to the step that holds its
 * start, on any thread: of its own process, or of any process where its own has none.
 * Without any the file may be a step as a whole: model.file_step.
 */
#ifndef PTOOL_STORE_STEPS_H
#define PTOOL_STORE_STEPS_H

#include "store/model.h"

/* Sets steps, by start, and whose they are. */
void steps_of_rows(struct model *m);
/* For that: sets steps, by start (step_find.c). */
void steps_find(struct model *m);
/*
 * Sets their windows, once device work knows its step.  That of an engine's step, whose
 * annotation is around its launches, ends with the last device work that it launched; it
 * begins where the host's range does, or with its work, but not before the window before
 * it ends; the first of a process begins with its first device work.  Others, and those
 * without device work, have the host's range.
 */
void steps_move(struct model *m);

/* Tells the steps of rows, fast when it is asked in their order. */
struct step_cursor {
	const struct model *m;          /* borrowed */
	const struct owned_step *steps; /* those that a row of the track may be in */
	size_t n, next;
	uint32_t track; /* of the newest row */
	/* A start from here to there on that track has the same answer. */
	int64_t from_ns, until_ns;
	uint32_t step;
};

/* Behind steps_of_rows(), or before and first asked behind it. */
struct step_cursor step_cursor(const struct model *m);
/* By the start of the row alone: index, or ROW_NONE. */
uint32_t step_by_start(struct step_cursor *c, const struct slice_rec *s);

/* Index, or ROW_NONE. */
static inline uint32_t step_of_row(struct step_cursor *c, uint32_t row)
{
	const struct slice_rec *s = model_slice(c->m, row);

	if (class_is_device_work(s->class) &&
	    slice_device(c->m, s)->step != STEP_BY_START)
		return slice_device(c->m, s)->step;
	if (s->track == c->track && s->ts_ns >= c->from_ns && s->ts_ns < c->until_ns)
		return c->step;
	return step_by_start(c, s);
}
/* Gives device work that has no launch, but a group, the step of that group. */
void steps_of_groups(struct model *m);

#endif
