/*
 * Who belongs to whom: slices to steps, device work to the call that launched
 * it and to the operator it was launched for, memory events to operators.
 */
#ifndef PTOOL_STORE_LINK_H
#define PTOOL_STORE_LINK_H

#include "store/model.h"

/* Sets steps, step, launch, op and device_ns; behind nest_rows(). */
void link_rows(struct model *m);

/* True for "ProfilerStep#N" with its N. */
bool link_step_number(struct str name, int64_t *number);

#endif
