/*
 * ptool steps --mfu: what share of the device's peak each step reaches: the operations
 * of a step, the sum of those that are known or as the user says, over the step's time.
 */
#ifndef PTOOL_QUERY_STEP_MFU_H
#define PTOOL_QUERY_STEP_MFU_H

#include "query/steps/steps.h"

struct mfu_request {
	bool is_asked;
	const char *peaks;   /* --peak; or NULL */
	int64_t model_flops; /* of a step on each device; 0: the sum of known operators */
};

extern const struct view step_mfu_view;

/* In place of steps_open(); all else as there. */
int step_mfu_open(struct store *store, const struct scope *scope,
		  const struct steps_request *request, const struct mfu_request *mfu,
		  struct table **out, struct err *err);

#endif
