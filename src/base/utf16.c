/* UTF-16 to UTF-8 by iconv(3): see decoder.h. */
#include "base/decoder.h"

#include <assert.h>
#include <errno.h>
#include <iconv.h>
#include <stdlib.h>

#include "base/alloc.h"

#define CHUNK ((size_t)64 * 1024)
#define MARK  0xfeff
/* Bytes of U+FFFD, and of a character at most, in either encoding. */
#define REPLACEMENT_BYTES ((size_t)3)
#define CHARACTER_BYTES   ((size_t)4)
/* What a caller with less room gets a part of: a character, or two U+FFFD. */
#define MADE_BYTES (2 * REPLACEMENT_BYTES)

struct utf16 {
	input_read_fn *read;
	void *from; /* borrowed */
	iconv_t iconv;
	bool began, ended;
	size_t at, n; /* the bytes not yet taken, within chunk */
	size_t made_at, made_n;
	uint8_t made[MADE_BYTES]; /* for a caller with less room */
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
	struct utf16 *u = state;

	if (u->iconv)
		iconv_close(u->iconv);
	free(u);
}

static const char *utf16_damage(const void *state)
{
	(void)state;
	return NULL;
}

/* A character at least in the chunk, unless the source has ended. */
static int refill(struct utf16 *u, struct err *err)
{
	while (u->n - u->at < CHARACTER_BYTES && !u->ended) {
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
	bool is_big = u->n >= 2 && (u->chunk[0] == 0 || unit(u->chunk, true) == MARK);
	iconv_t iconv = iconv_open("UTF-8", is_big ? "UTF-16BE" : "UTF-16LE");
	if ((intptr_t)iconv == -1)
		return err_set(err, ERR_IO, "iconv(3) of this system knows no UTF-16");
	u->iconv = iconv;
	u->began = true;
	if (u->n >= 2 && unit(u->chunk, is_big) == MARK)
		u->at = 2;
	return 0;
}

/* U+FFFD instead of the next `n` bytes. */
static void replace(struct utf16 *u, size_t n, char **to, size_t *room)
{
	memcpy(*to, "\xef\xbf\xbd", REPLACEMENT_BYTES);
	*to += REPLACEMENT_BYTES;
	*room -= REPLACEMENT_BYTES;
	u->at += n;
}

/* `room` is at least MADE_BYTES. */
static ssize_t fill(struct utf16 *u, uint8_t *made, size_t room, struct err *err)
{
	char *to = (char *)made;

	while (to == (char *)made) {
		if (refill(u, err) < 0)
			return -1;
		if (u->at == u->n)
			break;
		char *from = (char *)u->chunk + u->at;
		size_t left = u->n - u->at;
		errno = 0;
		iconv(u->iconv, &from, &left, &to, &room);
		int why = errno;
		u->at = u->n - left;
		if (why == EILSEQ && room >= REPLACEMENT_BYTES)
			replace(u, 2, &to, &room);
		/* Half a character at the end, or half a half. */
		while (why == EINVAL && u->ended && u->at < u->n &&
		       room >= REPLACEMENT_BYTES)
			replace(u, u->n - u->at > 1 ? 2 : 1, &to, &room);
	}
	return to - (char *)made;
}

static ssize_t utf16_read(void *state, uint8_t *to, size_t n, struct err *err)
{
	struct utf16 *u = state;

	assert(n > 0);
	if (!u->began && begin(u, err) < 0)
		return -1;
	if (u->made_at == u->made_n && n >= MADE_BYTES)
		return fill(u, to, n, err);
	if (u->made_at == u->made_n) {
		ssize_t made = fill(u, u->made, MADE_BYTES, err);
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
