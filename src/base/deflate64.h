/*
 * Bytes as raw deflate (RFC 1951) in base64 (RFC 4648, without line breaks): how a page of
 * HTML carries them.
 */
#ifndef PTOOL_BASE_DEFLATE64_H
#define PTOOL_BASE_DEFLATE64_H

#include <stdio.h>

#include "base/str.h"

/* A write that fails is known by ferror(). */
void deflate64_put(FILE *out, struct bytes bytes);

#endif
