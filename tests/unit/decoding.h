/* For the tests of inputs and decoders: bytes as views, and reading them to the end. */
#ifndef PTOOL_TESTS_DECODING_H
#define PTOOL_TESTS_DECODING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/decoder.h"
#include "base/input.h"

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })
#define VIEW(p, n)  ((struct bytes){ (p), (n) })

static inline void assert_padded(struct bytes b)
{
	for (size_t i = 0; i < INPUT_PADDING; i++)
		assert_int_equal(0, b.p[b.n + i]);
}

/* Reads on to the end; the bytes are the next of `plain`.  How many there were. */
static inline size_t read_to_end(struct input *in, struct bytes plain)
{
	struct err err = ERR_INIT;
	struct bytes got;
	size_t n = 0;

	while ((got = input_peek(in, 1, &err)).n) {
		assert_true(got.n <= plain.n - n);
		assert_memory_equal(got.p, plain.p + n, got.n);
		n += got.n;
		input_skip(in, got.n);
	}
	assert_padded(got);
	assert_int_equal(ERR_NONE, err.kind);
	return n;
}

/* A source that gives at most `most` bytes at once. */
struct dribble {
	struct bytes left;
	size_t most;
};

static inline ssize_t dribble_read(void *source, uint8_t *to, size_t n, struct err *err)
{
	struct dribble *d = source;

	(void)err;
	n = n < d->most ? n : d->most;
	n = n < d->left.n ? n : d->left.n;
	memcpy(to, d->left.p, n);
	d->left.p += n;
	d->left.n -= n;
	return (ssize_t)n;
}

/* The decoder makes `plain` of the source, read by at most `room` bytes at once. */
static inline void assert_decodes(const struct decoder *decoder, struct dribble source,
				  size_t room, struct bytes plain)
{
	struct err err = ERR_INIT;
	void *d = decoder->open(dribble_read, &source);
	uint8_t *out = xmalloc(room);
	size_t n = 0;
	ssize_t got;

	while ((got = decoder->read(d, out, room, &err)) > 0) {
		assert_in_range(got, 1, room);
		assert_true((size_t)got <= plain.n - n);
		assert_memory_equal(out, plain.p + n, (size_t)got);
		n += (size_t)got;
	}
	assert_int_equal(0, got);
	assert_int_equal(plain.n, n);
	assert_null(decoder->damage(d));
	decoder->close(d);
	free(out);
}

#endif
