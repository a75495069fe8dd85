/*
 * Frames around libzstd's streaming decoder: see decoder.h.  A call that fails
 * gives nothing of what it has decoded, so each call gets one block, and none
 * while there is something of the last one.
 */
#include "base/decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"

#define CHUNK          ((size_t)128 * 1024)
#define MAX_WINDOW_LOG 27
#define MAGIC_LENGTH   4
/* What libzstd asks for may have the header of the next block behind it. */
#define BLOCK_HEADER 3

enum state { STATE_BETWEEN, STATE_FRAME, STATE_END };

struct unzstd {
	input_read_fn *read;
	void *from; /* borrowed */
	ZSTD_DCtx *engine;
	enum state state;
	const char *damage;
	bool full; /* the last call left no room: the engine may hold more */
	size_t hint;
	size_t at, n; /* the compressed bytes not yet taken, within chunk */
	uint8_t chunk[CHUNK];
};

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static bool unzstd_knows(struct bytes head)
{
	if (head.n < MAGIC_LENGTH)
		return false;
	uint32_t magic = le32(head.p);
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static void *unzstd_open(input_read_fn *read, void *from)
{
	struct unzstd *z = xcalloc(1, sizeof(*z));

	z->read = read;
	z->from = from;
	z->engine = ZSTD_createDCtx();
	if (!z->engine || ZSTD_isError(ZSTD_DCtx_setParameter(
				  z->engine, ZSTD_d_windowLogMax, MAX_WINDOW_LOG)))
		xdie_of_memory(); /* the only reason but for a wrong library */
	return z;
}

static void unzstd_close(void *state)
{
	struct unzstd *z = state;

	ZSTD_freeDCtx(z->engine);
	free(z);
}

static const char *unzstd_damage(const void *state)
{
	return ((const struct unzstd *)state)->damage;
}

static int stop_damaged(struct unzstd *z, const char *damage)
{
	z->damage = damage;
	z->state = STATE_END;
	return 0;
}

/* Adds to the bytes in the chunk.  1: there are more; 0: it was the end; -1: err is set. */
static int refill(struct unzstd *z, struct err *err)
{
	size_t left = z->n - z->at;

	assert(left < CHUNK);
	memmove(z->chunk, z->chunk + z->at, left);
	z->at = 0;
	z->n = left;
	ssize_t got = z->read(z->from, z->chunk + left, CHUNK - left, err);
	if (got < 0)
		return -1;
	z->n += (size_t)got;
	return got > 0;
}

/* What stands where a frame should is none, or only a part of its first bytes. */
static int stop_between(struct unzstd *z, struct err *err)
{
	static const uint8_t magic[MAGIC_LENGTH] = { 0x28, 0xb5, 0x2f, 0xfd };
	size_t left = z->n - z->at;
	int rc = 1;

	if (left < MAGIC_LENGTH && memcmp(z->chunk + z->at, magic, left) == 0)
		return stop_damaged(z, "zstd stream ends early");
	while (rc == 1) {
		while (z->at < z->n && z->chunk[z->at] == 0)
			z->at++;
		if (z->at < z->n)
			return stop_damaged(z, "zstd stream is followed by garbage");
		rc = refill(z, err);
	}
	return rc < 0 ? -1 : stop_damaged(z, "zstd stream is followed by zero bytes");
}

/* Another frame, the end, or what does not belong there. */
static int find_frame(struct unzstd *z, struct err *err)
{
	int rc = 1;

	while (rc == 1 && z->n - z->at < MAGIC_LENGTH)
		rc = refill(z, err);
	if (rc < 0)
		return -1;
	if (z->at == z->n) {
		z->state = STATE_END;
		return 0;
	}
	if (!unzstd_knows((struct bytes){ z->chunk + z->at, z->n - z->at }))
		return stop_between(z, err);
	z->hint = ZSTD_initDStream(z->engine);
	z->full = false;
	z->state = STATE_FRAME;
	return 0;
}

static int stop_failed(struct unzstd *z, size_t code)
{
	ZSTD_ErrorCode failure = ZSTD_getErrorCode(code);

	if (failure == ZSTD_error_memory_allocation)
		xdie_of_memory();
	if (failure == ZSTD_error_frameParameter_windowTooLarge)
		return stop_damaged(z, "zstd frame wants a window of more than 128 MiB "
				       "(compress it again without --long)");
	if (failure == ZSTD_error_dictionary_wrong)
		return stop_damaged(z, "zstd frame needs a dictionary");
	if (failure == ZSTD_error_checksum_wrong)
		return stop_damaged(z, "zstd checksum does not match");
	return stop_damaged(z, "zstd stream is corrupt");
}

/* Decodes at most one block into `out`. */
static int read_frame(struct unzstd *z, ZSTD_outBuffer *out, struct err *err)
{
	if (z->at == z->n && !z->full) {
		int rc = refill(z, err);
		if (rc <= 0)
			return rc < 0 ? -1 : stop_damaged(z, "zstd stream ends early");
	}
	size_t most = z->hint > BLOCK_HEADER ? z->hint - BLOCK_HEADER : z->hint;
	size_t left = z->full ? 0 : z->n - z->at;
	ZSTD_inBuffer in = { z->chunk + z->at, most < left ? most : left, 0 };
	size_t rc = ZSTD_decompressStream(z->engine, out, &in);
	if (ZSTD_isError(rc))
		return stop_failed(z, rc);
	z->at += in.pos;
	z->full = out->pos == out->size;
	z->hint = rc;
	if (rc == 0)
		z->state = STATE_BETWEEN;
	return 0;
}

static ssize_t unzstd_read(void *state, uint8_t *to, size_t n, struct err *err)
{
	struct unzstd *z = state;
	ZSTD_outBuffer out = { to, n, 0 };
	int rc = 0;

	assert(n > 0);
	while (rc == 0 && out.pos == 0 && z->state != STATE_END)
		rc = z->state == STATE_BETWEEN ? find_frame(z, err)
					       : read_frame(z, &out, err);
	return rc < 0 ? -1 : (ssize_t)out.pos;
}

const struct decoder unzstd_decoder = {
	.knows = unzstd_knows,
	.open = unzstd_open,
	.read = unzstd_read,
	.damage = unzstd_damage,
	.close = unzstd_close,
};
