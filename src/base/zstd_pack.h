/* A block of bytes as one frame of zstd. */
#ifndef PTOOL_BASE_ZSTD_PACK_H
#define PTOOL_BASE_ZSTD_PACK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Adds the frame to the buffer; -1 with an ERR_IO where memory runs out. */
int zstd_pack(struct str bytes, struct buf *to, struct err *err);

#endif
