/* What names of slices mean: a step of training, a range of a communication backend. */
#ifndef PTOOL_TRACE_STEP_NAME_H
#define PTOOL_TRACE_STEP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* True for "ProfilerStep#N" with its N. */
bool step_name_number(struct str name, int64_t *number);

/* Does it mark a step of any number: of PyTorch's profiler, or of an engine's? */
bool step_name_is_mark(struct str name);

/*
 * What the steps of a kind are called together: "ProfilerStep*", or an engine's annotation
 * without what is in brackets and with * for each number but 0, so that steps without
 * prompts, say, stay apart from others: "execute_*_context_0_generation_*".  False: it marks no step, and nothing was added.
 */
bool step_name_of_all(struct str name, struct buf *out);

/* Ranges of torch.distributed's backends: "gloo:all_reduce". */
enum comm_backend {
	COMM_BACKEND_NONE,  /* the name is none of a range */
	COMM_BACKEND_HOST,  /* gloo, MPI, UCC: the range is the communication */
	COMM_BACKEND_DEVICE /* NCCL and its kin: the range launches it */
};

/* *collective is what stands behind "<backend>:". */
enum comm_backend comm_range_backend(struct str name, struct str *collective);

#endif
