/*
 * Steps added up by the place of their ranks in an axis: `ptool steps --by tp` and so on.
 * Of each place a row: how many ranks and steps, how long these were, what they went to.
 */
#ifndef PTOOL_QUERY_STEPS_BY_AXIS_H
#define PTOOL_QUERY_STEPS_BY_AXIS_H

#include "query/steps/steps.h"

extern const struct view steps_by_axis_view;

/* For steps_open(), in place of steps_table().  Moves the steps. */
int steps_by_axis_table(const struct scope *scope, struct steps *s,
			const struct steps_request *request, struct table **out,
			struct err *err);

#endif
