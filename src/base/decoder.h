/*
 * A decoder sits between an input and its source of bytes: gzip, zstd, UTF-16.
 * Each is known by its first bytes and is itself a source, so that they stack
 * (base/input.c).  A new one is one file and one row there.
 */
#ifndef PTOOL_BASE_DECODER_H
#define PTOOL_BASE_DECODER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/*
 * A source: 1 to n bytes at `to`, and how many; 0 at the end; -1 with err set.
 * It is not called again once it gave 0 or -1.
 */
typedef ssize_t input_read_fn(void *from, uint8_t *to, size_t n, struct err *err);
/* NULL, or what is wrong with the source's bytes, in one line that lives as long as it. */
typedef const char *input_damage_fn(const void *from);

/* The first bytes that a decoder gets to see, if there are so many. */
#define DECODER_HEAD ((size_t)4096)
/* The most bytes that can be asked of a decoder at once. */
#define DECODER_READ_MAX ((size_t)1 << 31)

struct decoder {
	/* Do the bytes of such a stream begin like this?  Pure. */
	bool (*knows)(struct bytes head);
	/* The state, never NULL; it reads `from`, borrowed, from its first byte on. */
	void *(*open)(input_read_fn *read, void *from);
	/*
	 * Decoded bytes; the end is also where damage begins.  -1 only when the
	 * source failed, or memory did.
	 */
	input_read_fn *read;
	input_damage_fn *damage;
	void (*close)(void *state);
};

/*
 * gzip (RFC 1952) as a stream that is pulled: several members are one stream.
 * Raw deflate is igzip's work where its header is found at build time, else
 * zlib's (-DPTOOL_USE_ZLIB forces zlib); the framing is read here, so that
 * both say the same about a damaged stream.  Of the bytes before damage igzip
 * may keep back two when the stream ends early, and the last few hundred when
 * it is corrupt.
 */
extern const struct decoder inflate_decoder;

/*
 * zstd (RFC 8878) as a stream that is pulled: several frames are one stream,
 * and skippable ones are skipped.  Of the bytes before damage those of the
 * broken block (128 KiB at most) may be kept back.  A frame that wants a window
 * of more than 128 MiB (zstd --long=28 and beyond) counts as damage.
 */
extern const struct decoder unzstd_decoder;

/*
 * UTF-16 of either byte order, as UTF-8: what begins with a byte order mark
 * (which is not passed on), or is JSON without one.  Halves of characters that
 * stand alone, and a last odd byte, become U+FFFD.  It is never damaged.
 */
extern const struct decoder utf16_decoder;

#endif
