/* UTF-16 to UTF-8: see utf16.h. */
#include "base/utf16.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

#define CHUNK       ((size_t)64 * 1024)
#define MARK        0xfeff
#define REPLACEMENT 0xfffd
/* The bytes that one more code unit can make: a lone half's and its own. */
#define UNIT_MAKES ((size_t)6)

struct utf16 {
	input_read_fn *read;
	void *from; /* borrowed */
	bool began, ended, is_big;
	uint16_t high; /* the first half of a character, or 0 */
	size_t at, n;  /* the bytes not yet taken, within chunk */
	size_t made_at, made_n;
	uint8_t made[UNIT_MAKES]; /* for a caller with less room */
	uint8_t chunk[CHUNK];
};

static uint16_t unit(const uint8_t *p, bool is_big)
{
	return (uint16_t)(is_big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

/* The unit at *at that is no blank, behind which it moves *at; 0 at the end. */
static uint16_t next_unit(struct bytes head, size_t *at, bool is_big)
{
	while (head.n - *at >= 2) {
		uint16_t u = unit(head.p + *at, is_big);
		*at += 2;
		if (u != ' ' && u != '\t' && u != '\n' && u != '\r')
			return u;
	}
	return 0;
}

/* An object's or an array's bracket, and what may stand behind it in a trace. */
static bool is_json(struct bytes head, bool is_big)
{
	size_t at = 0;
	uint16_t bracket = next_unit(head, &at, is_big);
	uint16_t behind = next_unit(head, &at, is_big);

	if (bracket != '{' && bracket != '[')
		return false;
	return behind && behind < 0x80 && strchr("\"'{}[]", behind);
}

static bool utf16_knows(struct bytes head)
{
	if (head.n < 2)
		return false;
	if (unit(head.p, true) == MARK)
		return true;
	if (unit(head.p, false) == MARK) /* the mark of UTF-32 begins alike */
		return head.n < 4 || head.p[2] || head.p[3];
	return is_json(head, false) || is_json(head, true);
}

static void *utf16_open(input_read_fn *read, void *from)
{
	struct utf16 *u = xcalloc(1, sizeof(*u));

	u->read = read;
	u->from = from;
	return u;
}

static void utf16_close(void *state)
{
	free(state);
}

static const char *utf16_damage(const void *state)
{
	(void)state;
	return NULL;
}

/* A unit at least in the chunk, unless it has ended. */
static int refill(struct utf16 *u, struct err *err)
{
	while (u->n - u->at < 2 && !u->ended) {
		size_t left = u->n - u->at;
		memmove(u->chunk, u->chunk + u->at, left);
		u->at = 0;
		u->n = left;
		ssize_t got = u->read(u->from, u->chunk + left, CHUNK - left, err);
		if (got < 0)
			return -1;
		u->n += (size_t)got;
		u->ended = got == 0;
	}
	return 0;
}

/* The byte order: by the mark, or because the text begins in ASCII. */
static int begin(struct utf16 *u, struct err *err)
{
	if (refill(u, err) < 0)
		return -1;
	u->began = true;
	if (u->n < 2)
		return 0;
	u->is_big = u->chunk[0] == 0 || unit(u->chunk, true) == MARK;
	if (unit(u->chunk, u->is_big) == MARK)
		u->at = 2;
	return 0;
}

static size_t encode(uint32_t code, uint8_t *to)
{
	if (code < 0x80) {
		to[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (uint8_t)(0xc0 | code >> 6);
		to[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (uint8_t)(0xe0 | code >> 12);
		to[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		to[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (uint8_t)(0xf0 | code >> 18);
	to[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	to[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	to[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}

/* What one more unit makes: UNIT_MAKES bytes at most, or none yet. */
static size_t convert(struct utf16 *u, uint16_t next, uint8_t *to)
{
	size_t n = 0;
	bool is_low = next >= 0xdc00 && next < 0xe000;

	if (u->high && is_low) {
		uint32_t code = 0x10000 + ((u->high & 0x3ffu) << 10) + (next & 0x3ffu);
		u->high = 0;
		return encode(code, to);
	}
	if (u->high)
		n = encode(REPLACEMENT, to);
	u->high = 0;
	if (next >= 0xd800 && next < 0xdc00) {
		u->high = next;
		return n;
	}
	return n + encode(is_low ? REPLACEMENT : next, to + n);
}

/* What half a character at the end makes. */
static size_t convert_end(struct utf16 *u, uint8_t *to)
{
	size_t n = u->high ? encode(REPLACEMENT, to) : 0;

	if (u->at < u->n)
		n += encode(REPLACEMENT, to + n);
	u->high = 0;
	u->at = u->n;
	return n;
}

/* `room` is at least UNIT_MAKES. */
static ssize_t fill(struct utf16 *u, uint8_t *to, size_t room, struct err *err)
{
	size_t made = 0;

	while (made == 0) {
		if (refill(u, err) < 0)
			return -1;
		if (u->n - u->at < 2)
			return (ssize_t)convert_end(u, to);
		while (u->n - u->at >= 2 && room - made >= UNIT_MAKES) {
			made += convert(u, unit(u->chunk + u->at, u->is_big), to + made);
			u->at += 2;
		}
	}
	return (ssize_t)made;
}

static ssize_t utf16_read(void *state, uint8_t *to, size_t n, struct err *err)
{
	struct utf16 *u = state;

	assert(n > 0);
	if (!u->began && begin(u, err) < 0)
		return -1;
	if (u->made_at == u->made_n && n >= UNIT_MAKES)
		return fill(u, to, n, err);
	if (u->made_at == u->made_n) {
		ssize_t made = fill(u, u->made, UNIT_MAKES, err);
		if (made < 0)
			return -1;
		u->made_at = 0;
		u->made_n = (size_t)made;
	}
	if (n > u->made_n - u->made_at)
		n = u->made_n - u->made_at;
	memcpy(to, u->made + u->made_at, n);
	u->made_at += n;
	return (ssize_t)n;
}

const struct decoder utf16_decoder = {
	.knows = utf16_knows,
	.open = utf16_open,
	.read = utf16_read,
	.damage = utf16_damage,
	.close = utf16_close,
};
