/*
 * How long a call of an operator can take on a CPU that works on nothing else, by the
 * shapes of its inputs: what takes longer waits.
 */
#ifndef PTOOL_QUERY_CALL_NEEDS_H
#define PTOOL_QUERY_CALL_NEEDS_H

#include <stdint.h>

#include "base/str.h"

/*
 * Nanoseconds: 50 us, 50 ns for each element, and 1 ns for two multiplications of a
 * product of matrices or a convolution: one core does it without vector instructions.  -1: the
 * operator is none of those known, or the shapes do not say.  `shapes` is a text as
 * "[[8, 3], []]".
 */
int64_t call_needs_ns(struct str name, struct str shapes);

#endif
