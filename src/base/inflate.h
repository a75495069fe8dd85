/*
 * gzip (RFC 1952) as a stream that is pulled: several members are one stream.
 * Raw deflate is igzip's work where its header is found at build time, else
 * zlib's (-DPTOOL_USE_ZLIB forces zlib); the framing is read here, so that
 * both say the same about a damaged stream.  Of the bytes before damage igzip
 * may keep back two when the stream ends early, and the last few hundred when
 * it is corrupt.
 */
#ifndef PTOOL_BASE_INFLATE_H
#define PTOOL_BASE_INFLATE_H

#include "base/decoder.h"

extern const struct decoder inflate_decoder;

#endif
