/* UTF-8 for drawing: see utf8.h. */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "base/unicode.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* More marks on one character are a disguise; Vietnamese and Thai have two. */
#define MARKS_MAX 2

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
	return code == UTF8_INVALID ? 1 : unicode_cells(code);
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

bool utf8_is_drawn(struct utf8_marks *marks, uint32_t code)
{
	if (code >= 0x20 && code < 0x7f) {
		bool is_letter = (code | 0x20) - 'a' < 26 || code - '0' < 10;
		marks->room = is_letter ? MARKS_MAX : 0;
		return true;
	}
	if (code != UTF8_INVALID && unicode_is_mark(code)) {
		bool has_room = marks->room > 0;
		marks->room -= has_room;
		return has_room;
	}
	bool is_drawn = code != UTF8_INVALID && !unicode_is_hidden(code);
	marks->room = is_drawn ? MARKS_MAX : 0;
	return is_drawn;
}

/* No control but those that lines of text are made of, no invalid byte. */
static bool is_inert(uint32_t code)
{
	if (code < 0x20)
		return code == '\n' || code == '\t' || code == '\r';
	return code != UTF8_INVALID && (code < 0x7f || code > 0x9f);
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
			buf_addf(out, code > 0xffff ? "\\U%08x" : "\\u%04x",
				 (unsigned int)code);
	}
}

void utf8_add_visible(struct buf *out, struct str text)
{
	size_t at = plain_start(text), plain = 0; /* start of the run not yet added */
	struct utf8_marks marks = { 0 };
	uint32_t code;

	/* the last of them may have marks */
	for (at -= at > 0; at < text.n;) {
		size_t len = utf8_decode(str_from(text, at), &code);
		if (!utf8_is_drawn(&marks, code)) {
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

bool utf8_is_inert(struct str text)
{
	uint32_t code;

	for (size_t at = plain_start(text); at < text.n;) {
		at += utf8_decode(str_from(text, at), &code);
		if (!is_inert(code))
			return false;
	}
	return true;
}

void utf8_add_inert(struct buf *out, struct str text)
{
	uint32_t code;

	for (size_t at = 0; at < text.n;) {
		size_t len = utf8_decode(str_from(text, at), &code);
		if (is_inert(code))
			buf_add(out, text.p + at, len);
		else
			add_escaped(out, (unsigned char)text.p[at], code);
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

/* A sequence has 3 bytes behind its first at most. */
struct str utf8_cut(struct str text, uint64_t most)
{
	size_t n = (size_t)most;

	if (text.n <= most)
		return text;
	for (int i = 0; i < 3 && n && (text.p[n] & 0xc0) == 0x80; i++)
		n--;
	return (struct str){ text.p, n };
}
