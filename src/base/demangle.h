/* Mangled C++ names, with a limit on what one may cost. */
#ifndef PTOOL_BASE_DEMANGLE_H
#define PTOOL_BASE_DEMANGLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Spells a mangled name or type as abi::__cxa_demangle does: "PKc" is
 * "char const*".  False, with nothing in `plain`, when the text is neither, or
 * when its plain form is out of proportion: a name of 300 bytes can stand for
 * gigabytes.  Initialises `plain`; the caller releases it, also after false.
 */
bool demangle(struct str mangled, struct buf *plain);

#endif
