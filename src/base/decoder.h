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

#endif
