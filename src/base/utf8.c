/*
 * UTF-8 for drawing: see utf8.h.  Ranges are from Unicode 15's DerivedCombining
 * Class and EastAsianWidth, joined where the characters between are unassigned
 * or rare in names.
 */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

struct range {
	uint32_t first, last;
};

/* Drawn over the character before them. */
static const struct range zero_width[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 },   { 0x0591, 0x05bd },
	{ 0x0610, 0x061a }, { 0x064b, 0x065f },   { 0x0e34, 0x0e3a },
	{ 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff },   { 0x1dc0, 0x1dff },
	{ 0x200b, 0x200d }, { 0x2060, 0x2064 },   { 0x20d0, 0x20f0 },
	{ 0x302a, 0x302d }, { 0xfe00, 0xfe0f },   { 0xfe20, 0xfe2f },
	{ 0xfeff, 0xfeff }, { 0x1f3fb, 0x1f3ff }, { 0xe0100, 0xe01ef },
};

static const struct range two_wide[] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x2329, 0x232a },
	{ 0x23e9, 0x23ec },   { 0x2705, 0x2705 },   { 0x274c, 0x274c },
	{ 0x2e80, 0x303e },   { 0x3041, 0x4dbf },   { 0x4e00, 0xa4c6 },
	{ 0xa960, 0xa97c },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f },   { 0xff01, 0xff60 },   { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f320 }, { 0x1f32d, 0x1f64f }, { 0x1f680, 0x1f6fc },
	{ 0x1f900, 0x1faff }, { 0x20000, 0x3fffd },
};

/* C1 controls, line separators, and what reorders the text around it. */
static const struct range unsafe[] = {
	{ 0x0080, 0x009f }, { 0x061c, 0x061c }, { 0x200e, 0x200f },
	{ 0x2028, 0x202e }, { 0x2066, 0x206f }, { 0xfff9, 0xfffb },
};

static bool is_in(uint32_t code, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

#define IS_IN(code, ranges) is_in((code), (ranges), sizeof(ranges) / sizeof((ranges)[0]))

static struct str str_from(struct str text, size_t at)
{
	return (struct str){ text.p + at, text.n - at };
}

size_t utf8_decode(struct str text, uint32_t *code)
{
	const unsigned char *p = (const unsigned char *)text.p;

	*code = UTF8_INVALID;
	if (text.n == 0)
		return 0;
	if (p[0] < 0x80) {
		*code = p[0];
		return 1;
	}
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || text.n < len)
		return 1;
	uint32_t value = p[0] & (0xffU >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (p[i] & 0x3fU);
	}
	bool is_overlong = (len == 3 && value < 0x800) || (len == 4 && value < 0x10000);
	bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
	if (is_overlong || is_surrogate || value > 0x10ffff)
		return 1;
	*code = value;
	return len;
}

static size_t cells_of(uint32_t code)
{
	if (code < 0x300 || code == UTF8_INVALID)
		return 1;
	if (IS_IN(code, zero_width))
		return 0;
	return IS_IN(code, two_wide) ? 2 : 1;
}

/*
 * Bytes at the beginning that are printable ASCII, which stand for themselves and take
 * a cell each: eight at a time, for most texts are nothing else.
 */
static size_t plain_start(struct str text)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t at = 0;
	uint64_t word;

	for (; text.n - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, text.p + at, sizeof(word));
		/* a byte's high bit says: not ASCII, below a blank, or DEL */
		if ((word | (word - ones * 0x20) | (word + ones)) & ones * 0x80)
			break;
	}
	while (at < text.n && text.p[at] >= 0x20 && text.p[at] < 0x7f)
		at++;
	return at;
}

size_t utf8_width(struct str text)
{
	size_t width = plain_start(text);
	uint32_t code;

	for (size_t at = width; at < text.n;) {
		at += utf8_decode(str_from(text, at), &code);
		width += cells_of(code);
	}
	return width;
}

static bool is_plain(uint32_t code)
{
	if (code < 0x80)
		return code >= 0x20 && code != 0x7f;
	return code != UTF8_INVALID && !IS_IN(code, unsafe);
}

static void add_escaped(struct buf *out, unsigned char byte, uint32_t code)
{
	switch (code) {
	case '\n':
		buf_add_text(out, "\\n");
		break;
	case '\t':
		buf_add_text(out, "\\t");
		break;
	case '\r':
		buf_add_text(out, "\\r");
		break;
	default:
		if (code == UTF8_INVALID || code < 0x80)
			buf_addf(out, "\\x%02x", byte);
		else
			buf_addf(out, "\\u%04x", (unsigned int)code);
	}
}

void utf8_add_visible(struct buf *out, struct str text)
{
	size_t plain = 0; /* start of the run not yet added */
	uint32_t code;

	for (size_t at = plain_start(text); at < text.n;) {
		size_t len = utf8_decode(str_from(text, at), &code);
		if (!is_plain(code)) {
			buf_add(out, text.p + plain, at - plain);
			add_escaped(out, (unsigned char)text.p[at], code);
			plain = at + len;
		}
		at += len;
	}
	buf_add(out, text.p + plain, text.n - plain);
}

bool utf8_is_plain(struct str text)
{
	return plain_start(text) == text.n;
}

bool utf8_is_valid(struct str text)
{
	uint32_t code;

	for (size_t at = plain_start(text); at < text.n;) {
		at += utf8_decode(str_from(text, at), &code);
		if (code == UTF8_INVALID)
			return false;
	}
	return true;
}

void utf8_add_valid(struct buf *out, struct str text)
{
	uint32_t code;

	for (size_t at = 0; at < text.n;) {
		size_t len = utf8_decode(str_from(text, at), &code);
		if (code == UTF8_INVALID)
			add_escaped(out, (unsigned char)text.p[at], code);
		else
			buf_add(out, text.p + at, len);
		at += len;
	}
}

/* Bytes of the longest beginning that takes at most `cells` cells. */
static size_t head_bytes(struct str text, size_t cells)
{
	size_t at = 0, used = 0;
	uint32_t code;

	while (at < text.n) {
		size_t len = utf8_decode(str_from(text, at), &code);
		used += cells_of(code);
		if (used > cells)
			break;
		at += len;
	}
	return at;
}

void utf8_add_shortened(struct buf *out, struct str text, size_t cells)
{
	size_t width = utf8_width(text);

	if (width <= cells) {
		buf_add_str(out, text);
		return;
	}
	size_t kept = cells > 0 ? cells - 1 : 0;
	size_t tail_cells = kept / 2;
	size_t head = head_bytes(text, kept - tail_cells);

	/* The end that fits starts behind the first width - tail_cells cells. */
	size_t tail = head_bytes(text, width - tail_cells);
	if (utf8_width(str_from(text, tail)) > tail_cells) {
		uint32_t code; /* a wide character lies across the cut: it goes too */
		tail += utf8_decode(str_from(text, tail), &code);
		tail += head_bytes(str_from(text, tail), 0);
	}
	buf_add(out, text.p, head);
	buf_add_text(out, ELLIPSIS);
	buf_add_str(out, str_from(text, tail));
}
