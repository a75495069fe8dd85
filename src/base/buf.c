/* Growable bytes with a ceiling: see buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/varint.h"

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .max = b->max };
}

void buf_clear(struct buf *b)
{
	b->n = 0;
}

static bool reserve(struct buf *b, size_t n)
{
	if (n > b->max || b->n > b->max - n)
		return false;
	b->p = xgrow(b->p, &b->cap, b->n + n + 1, 1);
	return true;
}

bool buf_add(struct buf *b, const void *p, size_t n)
{
	if (!reserve(b, n))
		return false;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
	return true;
}

bool buf_add_str(struct buf *b, struct str s)
{
	return buf_add(b, s.p, s.n);
}

bool buf_add_text(struct buf *b, const char *text)
{
	return buf_add(b, text, strlen(text));
}

bool buf_add_char(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

bool buf_add_varint(struct buf *b, uint64_t value)
{
	uint8_t bytes[VARINT_MAX];

	return buf_add(b, bytes, (size_t)(varint_put(bytes, value) - bytes));
}

bool buf_add_blanks(struct buf *b, size_t n)
{
	if (!reserve(b, n))
		return false;
	memset(b->p + b->n, ' ', n);
	b->n += n;
	b->p[b->n] = '\0';
	return true;
}

bool buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list args, again;
	bool ok = false;

	va_start(args, fmt);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len >= 0 && reserve(b, (size_t)len)) {
		vsnprintf(b->p + b->n, (size_t)len + 1, fmt, again);
		b->n += (size_t)len;
		ok = true;
	}
	va_end(again);
	return ok;
}

struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}
