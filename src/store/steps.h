/*
 * Steps of training: ProfilerStep#N, or what says its number, and which host rows belong to which.  A
 * row belongs to the step that holds its start, on any thread: of its own
 * process, or of any process where its own has none.  Without any the file may be
 * a step as a whole: model.file_step.
 */
#ifndef PTOOL_STORE_STEPS_H
#define PTOOL_STORE_STEPS_H

#include "store/model.h"

/* True for "ProfilerStep#N" with its N. */
bool steps_number(struct str name, int64_t *number);
/* Sets steps, by start, and the step of every row of a thread. */
void steps_of_rows(struct model *m);
/* Gives device work that has no launch, but a group, the step of that group. */
void steps_of_groups(struct model *m);

#endif
