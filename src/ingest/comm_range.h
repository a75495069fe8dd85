/*
 * Ranges of torch.distributed's backends, "gloo:all_reduce": what their inputs say of
 * the collective, where no record_param_comms says more.
 */
#ifndef PTOOL_INGEST_COMM_RANGE_H
#define PTOOL_INGEST_COMM_RANGE_H

#include <stdbool.h>

#include "ingest/sink.h"

enum comm_backend {
	COMM_BACKEND_NONE,  /* the name is none of a range */
	COMM_BACKEND_HOST,  /* gloo, MPI, UCC: the range is the communication */
	COMM_BACKEND_DEVICE /* NCCL and its kin: the range launches it */
};

/* *collective is what stands behind "<backend>:". */
enum comm_backend comm_range_backend(struct str name, struct str *collective);

/*
 * The elements of all tensors among the inputs ("Input Dims" and "Input type", JSON
 * texts that stand in a window), and their type; NUMBER_NONE when there are none, they
 * are of several types, or of lists of tensors, which have no dims there.
 */
int64_t comm_range_elements(struct str dims, struct str types, struct str *type);

#endif
