/*
 * Names cut to a width by what they mean: kernels lose their return type and arguments,
 * then namespaces, then what template arguments have in common with those of every
 * kernel; Python functions lose their folders, labels of torch the part before '#'; of
 * "a => b" both names are cut.
 */
#ifndef PTOOL_QUERY_SHORT_NAME_H
#define PTOOL_QUERY_SHORT_NAME_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Adds the name in at most `cells` cells (at least 1).  One that fits is as it is, but for
 * addresses of objects, "<built-in method mm of Tensor object at 0x7f...>", which go.
 */
void short_name_add(struct buf *out, struct str name, size_t cells);

#endif
