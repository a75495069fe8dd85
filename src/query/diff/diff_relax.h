/*
 * How rows are renamed from one recording to the next.  A kernel: chosen for another
 * architecture or other tile sizes, which are digits in its name; or the only one of its
 * base name, which is what is left without template arguments and parameters.  A
 * function: on another line, or with another address in its name.  An operator: the
 * iterator of a DataLoader, which is another class for another number of workers; and
 * between CUDA and HIP a call of the runtime or the driver.
 */
#ifndef PTOOL_QUERY_DIFF_RELAX_H
#define PTOOL_QUERY_DIFF_RELAX_H

#include "query/diff/diff_match.h"

extern const struct diff_relaxing diff_loader_relaxings[];
/* The same, and calls of CUDA and HIP: for sides of which each has called one of these. */
extern const struct diff_relaxing diff_call_relaxings[];
extern const struct diff_relaxing diff_kernel_relaxings[];
extern const struct diff_relaxing diff_function_relaxings[];

#endif
