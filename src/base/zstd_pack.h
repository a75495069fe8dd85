/* A block of bytes as one frame of zstd. */
#ifndef PTOOL_BASE_ZSTD_PACK_H
#define PTOOL_BASE_ZSTD_PACK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Adds the frame to the buffer; -1 with an ERR_IO where memory or the buffer's room runs out. */
int zstd_pack(struct str bytes, struct buf *to, struct err *err);
/*
 * One frame, and nothing after it, into at most `room` bytes; how many it had.  -1 with an
 * ERR_INPUT: it is none, or has more.
 */
int zstd_unpack(struct str frame, char *to, size_t room, size_t *n, struct err *err);

#endif
