/*
 * What a worker's part of a pipeline's timeline (trace/pipeline_op.h) does not say in one
 * place: who takes part in its collectives, and when its steps are.
 */
#ifndef PTOOL_STORE_PIPELINE_H
#define PTOOL_STORE_PIPELINE_H

#include "store/model.h"

bool pipeline_is(const struct model *m);
/* Work on a thread of a pipeline that has several at a time: any but that of computing. */
bool pipeline_is_side_by_side(const struct model *m, const struct slice_rec *work);
/* After axes_find(): names the groups of collectives by the worker's place. */
void pipeline_groups(struct model *m);
/*
 * After order_rows(), unless there are steps already: adds the steps.  Each lasts from the
 * first start to the last end of the work that has its number.
 */
void pipeline_steps(struct model *m);

#endif
