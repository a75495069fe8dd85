/* UTF-8 for drawing: see utf8.h. */
#include "base/utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Properties of characters that drawing them needs, whatever the locale. */

/*
 * Properties of characters: see utf8.c.  The ranges are those of Unicode 14, joined
 * where the characters between are unassigned, each list in order.
 */

struct range {
	uint32_t first, last;
};

/* clang-format off */
/* Drawn over the character before them: categories Mn and Me. */
static const struct range mark_ranges[] = {
	{ 0x0300, 0x034e }, { 0x0350, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd },
	{ 0x05bf, 0x05bf }, { 0x05c1, 0x05c2 }, { 0x05c4, 0x05c5 }, { 0x05c7, 0x05c7 },
	{ 0x0610, 0x061a }, { 0x064b, 0x065f }, { 0x0670, 0x0670 }, { 0x06d6, 0x06dc },
	{ 0x06df, 0x06e4 }, { 0x06e7, 0x06e8 }, { 0x06ea, 0x06ed }, { 0x0711, 0x0711 },
	{ 0x0730, 0x074a }, { 0x07a6, 0x07b0 }, { 0x07eb, 0x07f3 }, { 0x07fd, 0x07fd },
	{ 0x0816, 0x0819 }, { 0x081b, 0x0823 }, { 0x0825, 0x0827 }, { 0x0829, 0x082d },
	{ 0x0859, 0x085b }, { 0x0898, 0x089f }, { 0x08ca, 0x08e1 }, { 0x08e3, 0x0902 },
	{ 0x093a, 0x093a }, { 0x093c, 0x093c }, { 0x0941, 0x0948 }, { 0x094d, 0x094d },
	{ 0x0951, 0x0957 }, { 0x0962, 0x0963 }, { 0x0981, 0x0981 }, { 0x09bc, 0x09bc },
	{ 0x09c1, 0x09c4 }, { 0x09cd, 0x09cd }, { 0x09e2, 0x09e3 }, { 0x09fe, 0x0a02 },
	{ 0x0a3c, 0x0a3c }, { 0x0a41, 0x0a51 }, { 0x0a70, 0x0a71 }, { 0x0a75, 0x0a75 },
	{ 0x0a81, 0x0a82 }, { 0x0abc, 0x0abc }, { 0x0ac1, 0x0ac8 }, { 0x0acd, 0x0acd },
	{ 0x0ae2, 0x0ae3 }, { 0x0afa, 0x0b01 }, { 0x0b3c, 0x0b3c }, { 0x0b3f, 0x0b3f },
	{ 0x0b41, 0x0b44 }, { 0x0b4d, 0x0b56 }, { 0x0b62, 0x0b63 }, { 0x0b82, 0x0b82 },
	{ 0x0bc0, 0x0bc0 }, { 0x0bcd, 0x0bcd }, { 0x0c00, 0x0c00 }, { 0x0c04, 0x0c04 },
	{ 0x0c3c, 0x0c3c }, { 0x0c3e, 0x0c40 }, { 0x0c46, 0x0c56 }, { 0x0c62, 0x0c63 },
	{ 0x0c81, 0x0c81 }, { 0x0cbc, 0x0cbc }, { 0x0cbf, 0x0cbf }, { 0x0cc6, 0x0cc6 },
	{ 0x0ccc, 0x0ccd }, { 0x0ce2, 0x0ce3 }, { 0x0d00, 0x0d01 }, { 0x0d3b, 0x0d3c },
	{ 0x0d41, 0x0d44 }, { 0x0d4d, 0x0d4d }, { 0x0d62, 0x0d63 }, { 0x0d81, 0x0d81 },
	{ 0x0dca, 0x0dca }, { 0x0dd2, 0x0dd6 }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a },
	{ 0x0e47, 0x0e4e }, { 0x0eb1, 0x0eb1 }, { 0x0eb4, 0x0ebc }, { 0x0ec8, 0x0ecd },
	{ 0x0f18, 0x0f19 }, { 0x0f35, 0x0f35 }, { 0x0f37, 0x0f37 }, { 0x0f39, 0x0f39 },
	{ 0x0f71, 0x0f7e }, { 0x0f80, 0x0f84 }, { 0x0f86, 0x0f87 }, { 0x0f8d, 0x0fbc },
	{ 0x0fc6, 0x0fc6 }, { 0x102d, 0x1030 }, { 0x1032, 0x1037 }, { 0x1039, 0x103a },
	{ 0x103d, 0x103e }, { 0x1058, 0x1059 }, { 0x105e, 0x1060 }, { 0x1071, 0x1074 },
	{ 0x1082, 0x1082 }, { 0x1085, 0x1086 }, { 0x108d, 0x108d }, { 0x109d, 0x109d },
	{ 0x135d, 0x135f }, { 0x1712, 0x1714 }, { 0x1732, 0x1733 }, { 0x1752, 0x1753 },
	{ 0x1772, 0x1773 }, { 0x17b7, 0x17bd }, { 0x17c6, 0x17c6 }, { 0x17c9, 0x17d3 },
	{ 0x17dd, 0x17dd }, { 0x1885, 0x1886 }, { 0x18a9, 0x18a9 }, { 0x1920, 0x1922 },
	{ 0x1927, 0x1928 }, { 0x1932, 0x1932 }, { 0x1939, 0x193b }, { 0x1a17, 0x1a18 },
	{ 0x1a1b, 0x1a1b }, { 0x1a56, 0x1a56 }, { 0x1a58, 0x1a60 }, { 0x1a62, 0x1a62 },
	{ 0x1a65, 0x1a6c }, { 0x1a73, 0x1a7f }, { 0x1ab0, 0x1b03 }, { 0x1b34, 0x1b34 },
	{ 0x1b36, 0x1b3a }, { 0x1b3c, 0x1b3c }, { 0x1b42, 0x1b42 }, { 0x1b6b, 0x1b73 },
	{ 0x1b80, 0x1b81 }, { 0x1ba2, 0x1ba5 }, { 0x1ba8, 0x1ba9 }, { 0x1bab, 0x1bad },
	{ 0x1be6, 0x1be6 }, { 0x1be8, 0x1be9 }, { 0x1bed, 0x1bed }, { 0x1bef, 0x1bf1 },
	{ 0x1c2c, 0x1c33 }, { 0x1c36, 0x1c37 }, { 0x1cd0, 0x1cd2 }, { 0x1cd4, 0x1ce0 },
	{ 0x1ce2, 0x1ce8 }, { 0x1ced, 0x1ced }, { 0x1cf4, 0x1cf4 }, { 0x1cf8, 0x1cf9 },
	{ 0x1dc0, 0x1dff }, { 0x20d0, 0x20f0 }, { 0x2cef, 0x2cf1 }, { 0x2d7f, 0x2d7f },
	{ 0x2de0, 0x2dff }, { 0x302a, 0x302d }, { 0x3099, 0x309a }, { 0xa66f, 0xa672 },
	{ 0xa674, 0xa67d }, { 0xa69e, 0xa69f }, { 0xa6f0, 0xa6f1 }, { 0xa802, 0xa802 },
	{ 0xa806, 0xa806 }, { 0xa80b, 0xa80b }, { 0xa825, 0xa826 }, { 0xa82c, 0xa82c },
	{ 0xa8c4, 0xa8c5 }, { 0xa8e0, 0xa8f1 }, { 0xa8ff, 0xa8ff }, { 0xa926, 0xa92d },
	{ 0xa947, 0xa951 }, { 0xa980, 0xa982 }, { 0xa9b3, 0xa9b3 }, { 0xa9b6, 0xa9b9 },
	{ 0xa9bc, 0xa9bd }, { 0xa9e5, 0xa9e5 }, { 0xaa29, 0xaa2e }, { 0xaa31, 0xaa32 },
	{ 0xaa35, 0xaa36 }, { 0xaa43, 0xaa43 }, { 0xaa4c, 0xaa4c }, { 0xaa7c, 0xaa7c },
	{ 0xaab0, 0xaab0 }, { 0xaab2, 0xaab4 }, { 0xaab7, 0xaab8 }, { 0xaabe, 0xaabf },
	{ 0xaac1, 0xaac1 }, { 0xaaec, 0xaaed }, { 0xaaf6, 0xaaf6 }, { 0xabe5, 0xabe5 },
	{ 0xabe8, 0xabe8 }, { 0xabed, 0xabed }, { 0xfb1e, 0xfb1e }, { 0xfe20, 0xfe2f },
	{ 0x101fd, 0x101fd }, { 0x102e0, 0x102e0 }, { 0x10376, 0x1037a }, { 0x10a01, 0x10a0f },
	{ 0x10a38, 0x10a3f }, { 0x10ae5, 0x10ae6 }, { 0x10d24, 0x10d27 }, { 0x10eab, 0x10eac },
	{ 0x10f46, 0x10f50 }, { 0x10f82, 0x10f85 }, { 0x11001, 0x11001 }, { 0x11038, 0x11046 },
	{ 0x11070, 0x11070 }, { 0x11073, 0x11074 }, { 0x1107f, 0x11081 }, { 0x110b3, 0x110b6 },
	{ 0x110b9, 0x110ba }, { 0x110c2, 0x110c2 }, { 0x11100, 0x11102 }, { 0x11127, 0x1112b },
	{ 0x1112d, 0x11134 }, { 0x11173, 0x11173 }, { 0x11180, 0x11181 }, { 0x111b6, 0x111be },
	{ 0x111c9, 0x111cc }, { 0x111cf, 0x111cf }, { 0x1122f, 0x11231 }, { 0x11234, 0x11234 },
	{ 0x11236, 0x11237 }, { 0x1123e, 0x1123e }, { 0x112df, 0x112df }, { 0x112e3, 0x112ea },
	{ 0x11300, 0x11301 }, { 0x1133b, 0x1133c }, { 0x11340, 0x11340 }, { 0x11366, 0x11374 },
	{ 0x11438, 0x1143f }, { 0x11442, 0x11444 }, { 0x11446, 0x11446 }, { 0x1145e, 0x1145e },
	{ 0x114b3, 0x114b8 }, { 0x114ba, 0x114ba }, { 0x114bf, 0x114c0 }, { 0x114c2, 0x114c3 },
	{ 0x115b2, 0x115b5 }, { 0x115bc, 0x115bd }, { 0x115bf, 0x115c0 }, { 0x115dc, 0x115dd },
	{ 0x11633, 0x1163a }, { 0x1163d, 0x1163d }, { 0x1163f, 0x11640 }, { 0x116ab, 0x116ab },
	{ 0x116ad, 0x116ad }, { 0x116b0, 0x116b5 }, { 0x116b7, 0x116b7 }, { 0x1171d, 0x1171f },
	{ 0x11722, 0x11725 }, { 0x11727, 0x1172b }, { 0x1182f, 0x11837 }, { 0x11839, 0x1183a },
	{ 0x1193b, 0x1193c }, { 0x1193e, 0x1193e }, { 0x11943, 0x11943 }, { 0x119d4, 0x119db },
	{ 0x119e0, 0x119e0 }, { 0x11a01, 0x11a0a }, { 0x11a33, 0x11a38 }, { 0x11a3b, 0x11a3e },
	{ 0x11a47, 0x11a47 }, { 0x11a51, 0x11a56 }, { 0x11a59, 0x11a5b }, { 0x11a8a, 0x11a96 },
	{ 0x11a98, 0x11a99 }, { 0x11c30, 0x11c3d }, { 0x11c3f, 0x11c3f }, { 0x11c92, 0x11ca7 },
	{ 0x11caa, 0x11cb0 }, { 0x11cb2, 0x11cb3 }, { 0x11cb5, 0x11cb6 }, { 0x11d31, 0x11d45 },
	{ 0x11d47, 0x11d47 }, { 0x11d90, 0x11d91 }, { 0x11d95, 0x11d95 }, { 0x11d97, 0x11d97 },
	{ 0x11ef3, 0x11ef4 }, { 0x16af0, 0x16af4 }, { 0x16b30, 0x16b36 }, { 0x16f4f, 0x16f4f },
	{ 0x16f8f, 0x16f92 }, { 0x16fe4, 0x16fe4 }, { 0x1bc9d, 0x1bc9e }, { 0x1cf00, 0x1cf46 },
	{ 0x1d167, 0x1d169 }, { 0x1d17b, 0x1d182 }, { 0x1d185, 0x1d18b }, { 0x1d1aa, 0x1d1ad },
	{ 0x1d242, 0x1d244 }, { 0x1da00, 0x1da36 }, { 0x1da3b, 0x1da6c }, { 0x1da75, 0x1da75 },
	{ 0x1da84, 0x1da84 }, { 0x1da9b, 0x1daaf }, { 0x1e000, 0x1e02a }, { 0x1e130, 0x1e136 },
	{ 0x1e2ae, 0x1e2ae }, { 0x1e2ec, 0x1e2ef }, { 0x1e8d0, 0x1e8d6 }, { 0x1e944, 0x1e94a },
};

/* East_Asian_Width W and F. */
static const struct range two_wide[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2329, 0x232a }, { 0x23e9, 0x23ec },
	{ 0x23f0, 0x23f0 }, { 0x23f3, 0x23f3 }, { 0x25fd, 0x25fe }, { 0x2614, 0x2615 },
	{ 0x2648, 0x2653 }, { 0x267f, 0x267f }, { 0x2693, 0x2693 }, { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab }, { 0x26bd, 0x26be }, { 0x26c4, 0x26c5 }, { 0x26ce, 0x26ce },
	{ 0x26d4, 0x26d4 }, { 0x26ea, 0x26ea }, { 0x26f2, 0x26f3 }, { 0x26f5, 0x26f5 },
	{ 0x26fa, 0x26fa }, { 0x26fd, 0x26fd }, { 0x2705, 0x2705 }, { 0x270a, 0x270b },
	{ 0x2728, 0x2728 }, { 0x274c, 0x274c }, { 0x274e, 0x274e }, { 0x2753, 0x2755 },
	{ 0x2757, 0x2757 }, { 0x2795, 0x2797 }, { 0x27b0, 0x27b0 }, { 0x27bf, 0x27bf },
	{ 0x2b1b, 0x2b1c }, { 0x2b50, 0x2b50 }, { 0x2b55, 0x2b55 }, { 0x2e80, 0x303e },
	{ 0x3041, 0x3247 }, { 0x3250, 0x4dbf }, { 0x4e00, 0xa4c6 }, { 0xa960, 0xa97c },
	{ 0xac00, 0xd7a3 }, { 0xf900, 0xfad9 }, { 0xfe10, 0xfe6b }, { 0xff01, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x16fe0, 0x1b2fb }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf },
	{ 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 }, { 0x1f32d, 0x1f335 },
	{ 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 },
	{ 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 },
	{ 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e }, { 0x1f550, 0x1f567 },
	{ 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f },
	{ 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 }, { 0x1f6d5, 0x1f6df },
	{ 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1f93a },
	{ 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faf6 }, { 0x20000, 0x3fffd },
};

/*
 * C1 controls, blanks beside U+0020 and U+3000, line separators, what reorders the text
 * around it, Default_Ignorable_Code_Point, noncharacters.
 */
static const struct range hidden[] = {
	{ 0x0080, 0x00a0 }, { 0x00ad, 0x00ad }, { 0x034f, 0x034f }, { 0x061c, 0x061c },
	{ 0x115f, 0x1160 }, { 0x1680, 0x1680 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
	{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x2800, 0x2800 },
	{ 0x3164, 0x3164 }, { 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

/* clang-format on */

/* Emoji modifiers: a colour of the emoji before them. */
#define SKIN_FIRST 0x1f3fb
#define SKIN_LAST  0x1f3ff

static bool is_in(uint32_t code, const struct range *ranges, size_t n)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;
		if (code > ranges[middle].last)
			low = middle + 1;
		else
			n = middle;
	}
	return ranges[low].first <= code && code <= ranges[low].last;
}

/* A code above the last range is in none, which saves is_in() the end of the list. */
#define IS_IN(code, ranges)                                                   \
	((code) <= (ranges)[sizeof(ranges) / sizeof((ranges)[0]) - 1].last && \
	 is_in((code), (ranges), sizeof(ranges) / sizeof((ranges)[0])))

/* Drawn over the character before it: accents, vowel signs. */
static bool unicode_is_mark(uint32_t code)
{
	return code >= 0x300 && IS_IN(code, mark_ranges);
}

/*
 * Without a shape of its own, or a blank that looks like U+0020: controls, characters
 * of no width, those that reorder a line, soft hyphens, tags, variation selectors.
 */
static bool unicode_is_hidden(uint32_t code)
{
	return code < 0x20 || code == 0x7f ||
	       (code >= 0x80 && ((code & 0xfffe) == 0xfffe || IS_IN(code, hidden)));
}

/* Of a terminal: wide East Asian characters and emoji 2, marks 0, all else 1. */
static size_t unicode_cells(uint32_t code)
{
	if (code < 0x300)
		return 1;
	if ((code >= SKIN_FIRST && code <= SKIN_LAST) || unicode_is_mark(code) ||
	    unicode_is_hidden(code))
		return 0;
	return IS_IN(code, two_wide) ? 2 : 1;
}

#define ELLIPSIS    "\xe2\x80\xa6"
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Ends of lines for JavaScript, and so for speedscope. */
#define LINE_SEPARATOR      0x2028
#define PARAGRAPH_SEPARATOR 0x2029

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
	buf_add(out, text.n ? text.p + plain : "", text.n - plain);
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

bool utf8_add_valid(struct buf *out, struct str text)
{
	bool is_whole = true;
	uint32_t code;

	while (text.n && is_whole) {
		size_t room = out->max - out->n;
		size_t n = plain_start(
			(struct str){ text.p, text.n < room ? text.n : room });
		if (n > 0) {
			buf_add(out, text.p, n); /* there is room for these */
		} else {
			n = utf8_decode(text, &code);
			is_whole = code == UTF8_INVALID ? buf_add_text(out, REPLACEMENT)
							: buf_add(out, text.p, n);
		}
		text = str_from(text, n);
	}
	return is_whole;
}

bool utf8_add_blanked(struct buf *out, struct str text)
{
	bool has_bad = false;
	uint32_t code;

	for (size_t at = 0; at < text.n;) {
		size_t len = utf8_decode(str_from(text, at), &code);
		bool is_bad = code < ' ' || !is_inert(code) || code == LINE_SEPARATOR ||
			      code == PARAGRAPH_SEPARATOR;
		has_bad |= is_bad;
		buf_add(out, is_bad ? " " : text.p + at, is_bad ? 1 : len);
		at += len;
	}
	return has_bad;
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

void utf8_add(struct buf *into, uint32_t c)
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
