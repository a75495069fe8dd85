/* How torch.profiler names a step of training. */
#ifndef PTOOL_TRACE_STEP_NAME_H
#define PTOOL_TRACE_STEP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* True for "ProfilerStep#N" with its N. */
bool step_name_number(struct str name, int64_t *number);

#endif
