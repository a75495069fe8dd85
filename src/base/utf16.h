/*
 * UTF-16 of either byte order, as UTF-8: what begins with a byte order mark
 * (which is not passed on), or is JSON without one.  Halves of characters that
 * stand alone, and a last odd byte, become U+FFFD.  It is never damaged.
 */
#ifndef PTOOL_BASE_UTF16_H
#define PTOOL_BASE_UTF16_H

#include "base/decoder.h"

extern const struct decoder utf16_decoder;

#endif
