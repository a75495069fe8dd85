/*
 * gzip framing (RFC 1952) around raw deflate: see decoder.h.  The engine is
 * igzip, more than twice as fast as zlib, or zlib.  igzip's own gzip mode is
 * not used: it has one code for every wrong checksum or length, and it refuses
 * a header with a checksum that comes in two pieces (2.30).
 */
#include "base/decoder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/igzip.h"

#ifdef HAVE_IGZIP
#include <isa-l/crc.h>
#endif

#define GZIP_ID1       0x1f
#define GZIP_ID2       0x8b
#define METHOD_DEFLATE 8
#define FLAG_HCRC      0x02
#define FLAG_EXTRA     0x04
#define FLAG_NAME      0x08
#define FLAG_COMMENT   0x10
#define FLAGS_RESERVED 0xe0

/* The most compressed bytes that are asked of the source at once. */
#define CHUNK ((size_t)128 * 1024)
/* Room for the bytes that an engine took too many and gives back at its end. */
#define GIVE_BACK_MAX sizeof(uint64_t)

enum state { STATE_HEADER, STATE_DATA, STATE_TRAILER, STATE_BETWEEN, STATE_END };
enum step { STEP_MORE, STEP_END, STEP_CORRUPT };

struct inflate {
	input_read_fn *read;
	void *from; /* borrowed */
	enum state state;
	const char *damage;
	uint32_t crc;      /* of the header, then of the member's bytes so far */
	uint32_t member_n; /* the member's bytes so far, modulo 2^32 as in its trailer */
	uint8_t *to;       /* the caller's, for `room` bytes, of which `made` are there */
	size_t room, made;
	uint8_t *next; /* compressed bytes not yet taken, within chunk */
	size_t avail;
#ifdef HAVE_IGZIP
	struct inflate_state engine;
#else
	z_stream engine;
#endif
	uint8_t chunk[GIVE_BACK_MAX + CHUNK];
};

#ifdef HAVE_IGZIP

/* A match that reaches too far back is counted as made, its bytes not written. */
#define UNWRITTEN_MAX 258

static void engine_start(struct inflate *z)
{
	isal_inflate_init(&z->engine);
}

static uint32_t crc_add(uint32_t crc, const uint8_t *p, size_t n)
{
	return crc32_gzip_refl(crc, p, n);
}

static enum step engine_run(struct inflate *z)
{
	struct inflate_state *e = &z->engine;

	if (isal_inflate(e) < 0)
		return STEP_CORRUPT;
	if (e->block_state != ISAL_BLOCK_FINISH)
		return STEP_MORE;
	/* Whole bytes behind the last block wait in its bit buffer. */
	uint32_t ahead = (uint32_t)e->read_in_length / 8;
	e->next_in -= ahead;
	e->avail_in += ahead;
	return STEP_END;
}

#else

#define UNWRITTEN_MAX 0

static void engine_start(struct inflate *z)
{
	const int raw = -MAX_WBITS;
	bool first = !z->engine.state;

	if ((first ? inflateInit2(&z->engine, raw) : inflateReset(&z->engine)) != Z_OK)
		xdie_of_memory(); /* the only reason but for a wrong library */
}

static uint32_t crc_add(uint32_t crc, const uint8_t *p, size_t n)
{
	return (uint32_t)crc32_z(crc, p, n);
}

static enum step engine_run(struct inflate *z)
{
	int rc = inflate(&z->engine, Z_NO_FLUSH);

	if (rc == Z_STREAM_END)
		return STEP_END;
	return rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE : STEP_CORRUPT;
}

#endif

/* Turns what is in the chunk into bytes for the caller. */
static enum step engine_step(struct inflate *z)
{
	z->engine.next_in = z->next;
	z->engine.avail_in = (uint32_t)z->avail;
	z->engine.next_out = z->to;
	z->engine.avail_out = (uint32_t)z->room;
	enum step step = engine_run(z);
	z->next = z->engine.next_in;
	z->avail = z->engine.avail_in;
	z->made = (size_t)(z->engine.next_out - z->to);
	if (step == STEP_CORRUPT)
		z->made -= UNWRITTEN_MAX < z->made ? UNWRITTEN_MAX : z->made;
	return step;
}

static bool inflate_knows(struct bytes head)
{
	return head.n >= 2 && head.p[0] == GZIP_ID1 && head.p[1] == GZIP_ID2;
}

static void *inflate_open(input_read_fn *read, void *from)
{
	struct inflate *z = xcalloc(1, sizeof(*z));

	z->read = read;
	z->from = from;
	z->next = z->chunk + GIVE_BACK_MAX;
	return z;
}

static void inflate_close(void *state)
{
	struct inflate *z = state;

#ifndef HAVE_IGZIP
	inflateEnd(&z->engine);
#endif
	free(z);
}

static const char *inflate_damage(const void *state)
{
	return ((const struct inflate *)state)->damage;
}

/* -1, as everything below returns when the stream cannot go on: damage or err says why. */
static int stop_damaged(struct inflate *z, const char *damage)
{
	z->damage = damage;
	z->state = STATE_END;
	return -1;
}

/* 1: compressed bytes are there; 0: the source is at its end; -1: it failed. */
static int refill(struct inflate *z, struct err *err)
{
	if (z->avail)
		return 1;
	memmove(z->chunk, z->next - GIVE_BACK_MAX, GIVE_BACK_MAX);
	z->next = z->chunk + GIVE_BACK_MAX;
	ssize_t n = z->read(z->from, z->next, CHUNK, err);
	if (n < 0)
		return -1;
	z->avail = (size_t)n;
	return n > 0;
}

static int refill_or_stop(struct inflate *z, struct err *err)
{
	int rc = refill(z, err);

	return rc == 0 ? stop_damaged(z, "gzip stream ends early") : rc;
}

/* The next n bytes of header or trailer; `to` may be NULL. */
static int take(struct inflate *z, uint8_t *to, size_t n, struct err *err)
{
	while (n) {
		if (refill_or_stop(z, err) < 0)
			return -1;
		size_t part = n < z->avail ? n : z->avail;
		z->crc = crc_add(z->crc, z->next, part);
		if (to) {
			memcpy(to, z->next, part);
			to += part;
		}
		z->next += part;
		z->avail -= part;
		n -= part;
	}
	return 0;
}

static int take_extra(struct inflate *z, struct err *err)
{
	uint8_t len[2];

	if (take(z, len, sizeof(len), err) < 0)
		return -1;
	return take(z, NULL, (size_t)len[0] | (size_t)len[1] << 8, err);
}

static int take_text(struct inflate *z, struct err *err)
{
	uint8_t c;

	do {
		if (take(z, &c, 1, err) < 0)
			return -1;
	} while (c);
	return 0;
}

static int check_header_crc(struct inflate *z, struct err *err)
{
	uint32_t want = z->crc & 0xffff;
	uint8_t crc[2];

	if (take(z, crc, sizeof(crc), err) < 0)
		return -1;
	if (((uint32_t)crc[0] | (uint32_t)crc[1] << 8) != want)
		return stop_damaged(z, "gzip header checksum does not match");
	return 0;
}

static int read_header(struct inflate *z, struct err *err)
{
	uint8_t id[2], fixed[8]; /* method, flags, time (4), extra flags, system */

	z->crc = 0;
	if (take(z, id, sizeof(id), err) < 0)
		return -1;
	if (id[0] != GZIP_ID1 || id[1] != GZIP_ID2)
		return stop_damaged(z, "gzip stream is followed by garbage");
	if (take(z, fixed, sizeof(fixed), err) < 0)
		return -1;
	if (fixed[0] != METHOD_DEFLATE)
		return stop_damaged(z, "gzip method is not deflate");
	if (fixed[1] & FLAGS_RESERVED)
		return stop_damaged(z, "gzip header has unknown flags");
	if ((fixed[1] & FLAG_EXTRA) && take_extra(z, err) < 0)
		return -1;
	if ((fixed[1] & FLAG_NAME) && take_text(z, err) < 0)
		return -1;
	if ((fixed[1] & FLAG_COMMENT) && take_text(z, err) < 0)
		return -1;
	if ((fixed[1] & FLAG_HCRC) && check_header_crc(z, err) < 0)
		return -1;
	engine_start(z);
	z->crc = 0;
	z->member_n = 0;
	z->state = STATE_DATA;
	return 0;
}

static int read_data(struct inflate *z, struct err *err)
{
	size_t before = z->avail;
	enum step step = engine_step(z);

	z->crc = crc_add(z->crc, z->to, z->made);
	z->member_n += (uint32_t)z->made;
	if (step == STEP_END)
		z->state = STATE_TRAILER;
	else if (step == STEP_CORRUPT || (z->made == 0 && before && z->avail == before))
		return stop_damaged(z, "gzip stream is corrupt");
	else if (z->made == 0)
		return refill_or_stop(z, err) < 0 ? -1 : 0;
	return 0;
}

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static int check_trailer(struct inflate *z, struct err *err)
{
	uint32_t crc = z->crc;
	uint8_t trailer[8];

	if (take(z, trailer, sizeof(trailer), err) < 0)
		return -1;
	if (le32(trailer) != crc)
		return stop_damaged(z, "gzip checksum does not match");
	if (le32(trailer + 4) != z->member_n)
		return stop_damaged(z, "gzip length does not match");
	z->state = STATE_BETWEEN;
	return 0;
}

/* After a member: another one, the end, or what does not belong there. */
static int find_member(struct inflate *z, struct err *err)
{
	bool padded = false;
	int rc;

	while ((rc = refill(z, err)) == 1 && *z->next == 0) {
		padded = true;
		z->next++;
		z->avail--;
	}
	if (rc < 0)
		return -1;
	if (padded)
		return stop_damaged(z, rc == 0 ? "gzip stream is followed by zero bytes"
					       : "gzip stream is followed by garbage");
	z->state = rc == 1 ? STATE_HEADER : STATE_END;
	return 0;
}

static ssize_t inflate_read(void *state, uint8_t *to, size_t n, struct err *err)
{
	struct inflate *z = state;
	static int (*const parts[])(struct inflate *, struct err *) = {
		[STATE_HEADER] = read_header,
		[STATE_DATA] = read_data,
		[STATE_TRAILER] = check_trailer,
		[STATE_BETWEEN] = find_member,
	};
	int rc = 0;

	assert(n > 0 && n <= DECODER_READ_MAX);
	z->to = to;
	z->room = n;
	z->made = 0;
	while (rc == 0 && z->made == 0 && z->state != STATE_END)
		rc = parts[z->state](z, err);
	return rc < 0 && !z->damage ? -1 : (ssize_t)z->made;
}

const struct decoder inflate_decoder = {
	.knows = inflate_knows,
	.open = inflate_open,
	.read = inflate_read,
	.damage = inflate_damage,
	.close = inflate_close,
};
