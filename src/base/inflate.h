/*
 * gzip (RFC 1952) as a stream that is pulled: several members are one stream.
 * Raw deflate is igzip's work where its header is found at build time, else
 * zlib's (-DPTOOL_USE_ZLIB forces zlib); the framing is read here, so that
 * both say the same about a damaged stream.
 */
#ifndef PTOOL_BASE_INFLATE_H
#define PTOOL_BASE_INFLATE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

#define GZIP_ID1 0x1f
#define GZIP_ID2 0x8b
/* The most bytes that can be asked of inflate_read at once: engines count in 32 bits. */
#define INFLATE_READ_MAX ((size_t)1 << 31)
/* The most compressed bytes that are asked of the source at once. */
#define INFLATE_CHUNK ((size_t)128 * 1024)

struct inflate;

/* 1 to n bytes at `to`, and how many; 0 at the end; -1 with err set. */
typedef ssize_t inflate_source_fn(void *source, uint8_t *to, size_t n, struct err *err);

/*
 * `head` are the stream's first bytes, already read (at most INFLATE_CHUNK,
 * copied); the source, borrowed, gives what follows.  Never NULL.
 */
struct inflate *inflate_new(inflate_source_fn *read, void *source, struct bytes head);
/* Accepts NULL. */
void inflate_free(struct inflate *z);
/*
 * 1 to n decompressed bytes at `to`, and how many; 0 at the end, which is also
 * where damage begins; -1 when the source failed: then it is not to be called again.
 * Of the bytes before damage igzip may keep back two when the stream ends early,
 * and the last few hundred when it is corrupt.
 */
ssize_t inflate_read(struct inflate *z, uint8_t *to, size_t n, struct err *err);
/* NULL, or what is wrong with the stream, in one line of static text. */
const char *inflate_damage(const struct inflate *z);

#endif
