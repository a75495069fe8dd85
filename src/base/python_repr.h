/* Values as Python's repr() prints them. */
#ifndef PTOOL_BASE_PYTHON_REPR_H
#define PTOOL_BASE_PYTHON_REPR_H

#include "base/buf.h"
#include "base/str.h"

/*
 * 'text': quotes chosen and characters escaped as Python does, but for those that
 * Unicode has assigned to nothing, which are printed.
 */
void python_repr_text(struct buf *out, struct str text);
/* The shortest decimal that reads as the same double: 0.1, 1e-05, 1.0, inf, nan. */
void python_repr_real(struct buf *out, double value);

#endif
