/*
 * The element type that a kernel's name tells: "void at::native::...<BinaryFunctor<float,
 * ...>>".  Of lists of tensors a recording has shapes, but no types.
 */
#ifndef PTOOL_QUERY_KERNEL_DTYPE_H
#define PTOOL_QUERY_KERNEL_DTYPE_H

#include <stdbool.h>

#include "base/str.h"
#include "trace/dtype.h"

/* NULL: it tells none; *several: it tells more than one, of which the first is given. */
const struct dtype *kernel_dtype(struct str name, bool *several);

#endif
