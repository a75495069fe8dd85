/* repr(): see python_repr.h.  CPython: Objects/unicodeobject.c, unicode_repr(). */
#include "base/python_repr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define DIGITS_MAX 17 /* that a double needs at most */

/* str.isprintable() is false: controls, formats, separators, private use. */
static const struct {
	uint32_t first, last;
} unprintable[] = { { 0x00, 0x1f },       { 0x7f, 0xa0 },       { 0xad, 0xad },
		    { 0x600, 0x605 },     { 0x61c, 0x61c },     { 0x6dd, 0x6dd },
		    { 0x70f, 0x70f },     { 0x890, 0x891 },     { 0x8e2, 0x8e2 },
		    { 0x1680, 0x1680 },   { 0x180e, 0x180e },   { 0x2000, 0x200f },
		    { 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x3000, 0x3000 },
		    { 0xd800, 0xf8ff },   { 0xfeff, 0xfeff },   { 0xfff0, 0xfffb },
		    { 0xfffe, 0xffff },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
		    { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		    { 0xe0000, 0xe00ff }, { 0xe01f0, 0x10ffff } };

static bool is_printable(uint32_t code)
{
	for (size_t i = 0; i < sizeof(unprintable) / sizeof(*unprintable); i++)
		if (code >= unprintable[i].first && code <= unprintable[i].last)
			return false;
	return true;
}

static void add_escaped(struct buf *out, uint32_t code)
{
	switch (code) {
	case '\n':
		buf_add_text(out, "\\n");
		break;
	case '\r':
		buf_add_text(out, "\\r");
		break;
	case '\t':
		buf_add_text(out, "\\t");
		break;
	default:
		if (code <= 0xff)
			buf_addf(out, "\\x%02x", (unsigned)code);
		else if (code <= 0xffff)
			buf_addf(out, "\\u%04x", (unsigned)code);
		else
			buf_addf(out, "\\U%08x", (unsigned)code);
		break;
	}
}

void python_repr_text(struct buf *out, struct str text)
{
	bool has_single = text.n && memchr(text.p, '\'', text.n);
	char quote = has_single && !memchr(text.p, '"', text.n) ? '"' : '\'';
	uint32_t code;

	buf_add_char(out, quote);
	for (size_t n; (n = utf8_decode(text, &code)) > 0; text = str_behind(text, n)) {
		if (code == UTF8_INVALID) /* as an argument's byte gets to Python */
			buf_addf(out, "\\udc%02x", (unsigned)(unsigned char)text.p[0]);
		else if (code == (uint32_t)quote || code == '\\')
			buf_addf(out, "\\%c", (int)code);
		else if (is_printable(code))
			buf_add(out, text.p, n);
		else
			add_escaped(out, code);
	}
	buf_add_char(out, quote);
}

void python_repr_real(struct buf *out, double value)
{
	char text[40];

	if (!isfinite(value)) {
		buf_add_text(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return;
	}
	if (fabs(value) >= 1e15 && fabs(value) < 1e16) {
		buf_addf(out, "%.1f", value); /* %g would take to exponents too early */
		return;
	}
	for (int digits = 1; digits <= DIGITS_MAX; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	buf_add_text(out, text);
	if (!strpbrk(text, ".e"))
		buf_add_text(out, ".0");
}
