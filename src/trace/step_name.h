/* What names of slices mean: a step of training, a range of a communication backend. */
#ifndef PTOOL_TRACE_STEP_NAME_H
#define PTOOL_TRACE_STEP_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* True for "ProfilerStep#N" with its N. */
bool step_name_number(struct str name, int64_t *number);

/* Does it mark a step of any number: of PyTorch's profiler, or of an engine's? */
bool step_name_is_mark(struct str name);

/* Ranges of torch.distributed's backends: "gloo:all_reduce". */
enum comm_backend {
	COMM_BACKEND_NONE,  /* the name is none of a range */
	COMM_BACKEND_HOST,  /* gloo, MPI, UCC: the range is the communication */
	COMM_BACKEND_DEVICE /* NCCL and its kin: the range launches it */
};

/* *collective is what stands behind "<backend>:". */
enum comm_backend comm_range_backend(struct str name, struct str *collective);

#endif
