/* Names of kernels, C++ most of them, made short by what tells them apart. */
#ifndef PTOOL_QUERY_SHORT_KERNEL_H
#define PTOOL_QUERY_SHORT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * "_ZN2ns1fI3intEE...": as C++, or, where it is newer than what demangles it, its last
 * nested name alone, "f".  The name itself when it is not mangled; borrowed, or of `text`.
 */
struct str short_plain(struct str name, struct buf *text);
/* "void ns::f<...>(...)" without the type that it returns, and without the arguments. */
struct str short_bare_kernel(struct str name);
/* "f<int>", not "<lambda>" or "f.<locals>.g". */
bool short_is_template(struct str name);
/* Adds a template's name in at most `cells` cells: "elementwise_kernel<MulFunctor>". */
void short_add_kernel(struct buf *out, struct str name, size_t cells);
/* The same of Tensile's names, AMD's matrix products; false where it is none of them. */
bool short_add_tensile(struct buf *out, struct str name, size_t cells);

#endif
