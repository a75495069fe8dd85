/*
 * What the inputs of a range of torch.distributed ("gloo:all_reduce") say of the
 * collective, where no record_param_comms says more.
 */
#ifndef PTOOL_INGEST_COMM_ELEMENTS_H
#define PTOOL_INGEST_COMM_ELEMENTS_H

#include <stdint.h>

#include "base/str.h"

/*
 * The elements of all tensors among the inputs ("Input Dims" and "Input type", JSON
 * texts that stand in a window), and their type; NUMBER_NONE when there are none, they
 * are of several types, or of lists of tensors, which have no dims there.
 */
int64_t comm_elements(struct str dims, struct str types, struct str *type);

#endif
