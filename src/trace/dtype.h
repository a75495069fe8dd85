/*
 * Element types of tensors: torch's name for each spelling that a trace has, and how
 * many bytes one element takes.
 */
#ifndef PTOOL_TRACE_DTYPE_H
#define PTOOL_TRACE_DTYPE_H

#include <stdint.h>

#include "base/str.h"

struct dtype {
	const char *name; /* "float32", as in torch.float32 */
	int64_t bytes;
};

/*
 * Of c10's name ("Float"), C++'s ("float", "c10::BFloat16", "long int"), torch's
 * ("float32") or NCCL's ("f32"); NULL when it is none of them.
 */
const struct dtype *dtype_find(struct str spelling);

#endif
