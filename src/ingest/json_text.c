/*
 * The text of JSON strings: UTF-8 checked and escapes undone (json.h).  Apart
 * from the tokenizer because only names that need it come here.
 */
#include <stdint.h>

#include "ingest/json.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * Length of the UTF-8 sequence at p, 0 when it is none (Unicode 15, table 3-7:
 * the second byte's range depends on the first).
 */
static size_t sequence_length(const unsigned char *p, size_t left)
{
	unsigned char lead = p[0], low = 0x80, high = 0xbf;
	size_t n;

	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		n = 2;
	else if (lead >= 0xe0 && lead <= 0xef)
		n = 3;
	else if (lead >= 0xf0 && lead <= 0xf4)
		n = 4;
	else
		return 0;
	if (lead == 0xe0)
		low = 0xa0;
	else if (lead == 0xed)
		high = 0x9f;
	else if (lead == 0xf0)
		low = 0x90;
	else if (lead == 0xf4)
		high = 0x8f;
	if (left < n || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

bool json_is_utf8(struct str text)
{
	const unsigned char *p = (const unsigned char *)text.p;

	for (size_t i = 0; i < text.n;) {
		size_t n = sequence_length(p + i, text.n - i);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

static void add_code_point(struct buf *into, uint32_t c)
{
	unsigned char out[4];
	size_t n;

	if (c < 0x80) {
		out[0] = (unsigned char)c;
		n = 1;
	} else if (c < 0x800) {
		out[0] = (unsigned char)(0xc0 | c >> 6);
		n = 2;
	} else if (c < 0x10000) {
		out[0] = (unsigned char)(0xe0 | c >> 12);
		n = 3;
	} else {
		out[0] = (unsigned char)(0xf0 | c >> 18);
		n = 4;
	}
	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (unsigned char)(0x80 | (c & 0x3f));
	buf_add(into, out, n);
}

/* Four hex digits at p, or -1. */
static int32_t code_unit(const char *p, const char *end)
{
	int32_t unit = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const char *hex = "0123456789abcdef";
		char c = p[i] >= 'A' && p[i] <= 'F' ? (char)(p[i] + 32) : p[i];
		const char *at = c ? strchr(hex, c) : NULL;
		if (!at)
			return -1;
		unit = unit * 16 + (int32_t)(at - hex);
	}
	return unit;
}

/* p is behind "\u"; returns where the escape ends. */
static const char *unicode_escape(const char *p, const char *end, struct buf *into)
{
	int32_t unit = code_unit(p, end);

	if (unit < 0) {
		buf_add_text(into, "\\u");
		return p;
	}
	p += 4;
	if (unit < 0xd800 || unit > 0xdfff) {
		add_code_point(into, (uint32_t)unit);
		return p;
	}
	int32_t low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? code_unit(p + 2, end) : -1;
	if (unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
		add_code_point(into, 0x10000 + (uint32_t)((unit - 0xd800) << 10) +
					     (uint32_t)(low - 0xdc00));
		return p + 6;
	}
	buf_add_text(into, REPLACEMENT);
	return p;
}

/* p is behind a backslash.  An unknown escape keeps both of its characters. */
static const char *escape(const char *p, const char *end, struct buf *into)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

	if (p == end) {
		buf_add_char(into, '\\');
		return p;
	}
	if (*p == 'u')
		return unicode_escape(p + 1, end, into);
	const char *at = *p ? strchr(from, *p) : NULL;
	if (!at) {
		buf_add_char(into, '\\');
		return p;
	}
	buf_add_char(into, to[at - from]);
	return p + 1;
}

struct str json_unescape(struct str text, struct buf *into)
{
	const char *p = text.p, *end = text.p + text.n;

	if ((!text.n || !memchr(p, '\\', text.n)) && json_is_utf8(text))
		return text;
	buf_clear(into);
	while (p < end) {
		if (*p == '\\') {
			p = escape(p + 1, end, into);
			continue;
		}
		size_t n = sequence_length((const unsigned char *)p, (size_t)(end - p));
		if (n)
			buf_add(into, p, n);
		else
			buf_add_text(into, REPLACEMENT);
		p += n ? n : 1;
	}
	return buf_str(into);
}
