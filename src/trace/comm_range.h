/* Ranges of torch.distributed's backends: "gloo:all_reduce". */
#ifndef PTOOL_TRACE_COMM_RANGE_H
#define PTOOL_TRACE_COMM_RANGE_H

#include <stdbool.h>

#include "base/str.h"

enum comm_backend {
	COMM_BACKEND_NONE,  /* the name is none of a range */
	COMM_BACKEND_HOST,  /* gloo, MPI, UCC: the range is the communication */
	COMM_BACKEND_DEVICE /* NCCL and its kin: the range launches it */
};

/* *collective is what stands behind "<backend>:". */
enum comm_backend comm_range_backend(struct str name, struct str *collective);

#endif
