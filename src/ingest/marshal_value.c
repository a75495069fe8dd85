/* Marshalled objects where they stand, their texts and large numbers: see marshal.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/bignum.h"
#include "base/utf8.h"
#include "ingest/marshal.h"
#include "ingest/marshal_walk.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define DIGITS_MAX  65 /* of 15 bits: those of BIGNUM_DIGITS_MAX decimal ones */
#define LIMBS       36 /* that hold them, nine decimal digits each */
#define LIMB        UINT64_C(1000000000)
#define LIMB_DIGITS 9

/* Half of a pair, which Python writes as three bytes ("surrogatepass"). */
static bool is_surrogate(struct str text)
{
	const unsigned char *p = (const unsigned char *)text.p;

	return text.n >= 3 && p[0] == 0xed && p[1] >= 0xa0 && p[1] <= 0xbf &&
	       p[2] >= 0x80 && p[2] <= 0xbf;
}

/* Python's UTF-8, in which halves of pairs may stand. */
static bool is_utf8(struct str text, bool *has_surrogates)
{
	uint32_t code;

	while (text.n) {
		size_t n = utf8_decode(text, &code);
		if (code == UTF8_INVALID && !is_surrogate(text))
			return false;
		*has_surrogates |= code == UTF8_INVALID;
		text = str_behind(text, code == UTF8_INVALID ? 3 : n);
	}
	return true;
}

static bool is_all_ascii(struct str text)
{
	unsigned char all = 0;

	for (size_t i = 0; i < text.n; i++)
		all |= (unsigned char)text.p[i];
	return all < 0x80;
}

static void add_latin1(struct str text, struct buf *out)
{
	if (is_all_ascii(text)) {
		buf_add_str(out, text);
		return;
	}
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c >= 0x80)
			buf_add_char(out, (char)(0xc0U | (unsigned)c >> 6));
		buf_add_char(out, (char)(c < 0x80 ? c : 0x80U | (c & 0x3fU)));
	}
}

static void add_repaired(struct str text, struct buf *out)
{
	uint32_t code;

	while (text.n) {
		size_t n = utf8_decode(text, &code);
		if (code != UTF8_INVALID)
			buf_add(out, text.p, n);
		else
			buf_add_text(out, REPLACEMENT);
		text = str_behind(text, is_surrogate(text) ? 3 : n);
	}
}

bool marshal_add_text(const struct marshal_value *string, struct buf *out)
{
	bool is_ascii = strchr("aAzZ", string->code) != NULL, has_surrogates = false;
	bool is_text = !is_ascii && is_utf8(string->bytes, &has_surrogates);

	if (is_text && !has_surrogates) {
		buf_add_str(out, string->bytes);
		return true;
	}
	if (is_text || string->code == 'u') {
		add_repaired(string->bytes, out);
		return false;
	}
	add_latin1(string->bytes, out);
	return true;
}

bool marshal_add_file_name(const struct marshal_value *string, struct buf *out)
{
	struct str text = string->bytes;
	const struct str mark = STR_LIT("\xed\xb2"), mark_high = STR_LIT("\xed\xb3");
	bool has_any = false;

	if (strchr("aAzZ", string->code))
		return false;
	for (size_t i = 0; i + 2 < text.n && !has_any; i++)
		has_any = str_starts_with(str_behind(text, i), mark) ||
			  str_starts_with(str_behind(text, i), mark_high);
	while (text.n && has_any) {
		bool is_byte = is_surrogate(text) && (str_starts_with(text, mark) ||
						      str_starts_with(text, mark_high));
		/* U+DC80 + k, as ED B2 80 + k and on from ED B3 80 */
		if (is_byte)
			buf_add_char(out, (char)((text.p[1] == mark.p[1] ? 0x80 : 0xc0) |
						 (text.p[2] & 0x3f)));
		else
			buf_add_char(out, text.p[0]);
		text = str_behind(text, is_byte ? 3 : 1);
	}
	return has_any;
}

bool marshal_add_digits(const struct marshal *m, const struct marshal_value *big,
			struct buf *out)
{
	const uint8_t *digits = m->text.p + big->at + 5;
	uint64_t limbs[LIMBS] = { 0 };
	size_t n = 1;

	if (big->n > DIGITS_MAX)
		return false;
	for (size_t i = big->n; i-- > 0;) {
		uint64_t carry = (uint64_t)digits[2 * i] | (uint64_t)digits[2 * i + 1]
								   << 8;
		for (size_t k = 0; k < n; k++) {
			carry += limbs[k] << 15;
			limbs[k] = carry % LIMB;
			carry /= LIMB;
		}
		if (carry)
			limbs[n++] = carry;
	}
	char highest[24];
	size_t ndigits =
		(size_t)snprintf(highest, sizeof(highest), "%" PRIu64, limbs[n - 1]) +
		LIMB_DIGITS * (n - 1);
	if (ndigits > BIGNUM_DIGITS_MAX)
		return false;
	if (big->number < 0)
		buf_add_char(out, '-');
	buf_add_text(out, highest);
	while (n-- > 1)
		buf_addf(out, "%09" PRIu64, limbs[n - 1]);
	return true;
}

const char *marshal_type_name(enum marshal_type type)
{
	static const char *const names[] = {
		[MARSHAL_NULL] = "nothing",
		[MARSHAL_NONE] = "None",
		[MARSHAL_BOOL] = "a truth value",
		[MARSHAL_INT] = "an integer",
		[MARSHAL_FLOAT] = "a float",
		[MARSHAL_COMPLEX] = "a complex number",
		[MARSHAL_STRING] = "a string",
		[MARSHAL_TUPLE] = "a tuple",
		[MARSHAL_LIST] = "a list",
		[MARSHAL_SET] = "a set",
		[MARSHAL_DICT] = "a dict",
		[MARSHAL_CODE] = "a code object",
		[MARSHAL_OTHER] = "an object of a type that profiles do not contain",
	};

	return names[type];
}

/* Of so many the highest is not 0, so that no double holds them. */
#define REAL_DIGITS 70

const struct marshal_kind marshal_kinds[MARSHAL_CODES] = {
	['0'] = { MARSHAL_SHAPE_NONE, MARSHAL_NULL, 0 },
	['N'] = { MARSHAL_SHAPE_NONE, MARSHAL_NONE, 0 },
	['F'] = { MARSHAL_SHAPE_NONE, MARSHAL_BOOL, 0 },
	['T'] = { MARSHAL_SHAPE_NONE, MARSHAL_BOOL, 0 },
	['S'] = { MARSHAL_SHAPE_NONE, MARSHAL_OTHER, 0 },
	['.'] = { MARSHAL_SHAPE_NONE, MARSHAL_OTHER, 0 },
	['i'] = { MARSHAL_SHAPE_FIXED, MARSHAL_INT, 4 },
	['I'] = { MARSHAL_SHAPE_FIXED, MARSHAL_INT, 8 },
	['l'] = { MARSHAL_SHAPE_DIGITS, MARSHAL_INT, 0 },
	['g'] = { MARSHAL_SHAPE_FIXED, MARSHAL_FLOAT, 8 },
	['f'] = { MARSHAL_SHAPE_SHORT, MARSHAL_FLOAT, 0 },
	['y'] = { MARSHAL_SHAPE_FIXED, MARSHAL_COMPLEX, 16 },
	['x'] = { MARSHAL_SHAPE_PAIR, MARSHAL_COMPLEX, 0 },
	['s'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['t'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['u'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['a'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['A'] = { MARSHAL_SHAPE_LONG, MARSHAL_STRING, 0 },
	['z'] = { MARSHAL_SHAPE_SHORT, MARSHAL_STRING, 0 },
	['Z'] = { MARSHAL_SHAPE_SHORT, MARSHAL_STRING, 0 },
	[')'] = { MARSHAL_SHAPE_SMALL, MARSHAL_TUPLE, 0 },
	['('] = { MARSHAL_SHAPE_MANY, MARSHAL_TUPLE, 0 },
	['['] = { MARSHAL_SHAPE_MANY, MARSHAL_LIST, 0 },
	['<'] = { MARSHAL_SHAPE_MANY, MARSHAL_SET, 0 },
	['>'] = { MARSHAL_SHAPE_MANY, MARSHAL_SET, 0 },
	['{'] = { MARSHAL_SHAPE_DICT, MARSHAL_DICT, 0 },
	[':'] = { MARSHAL_SHAPE_THREE, MARSHAL_OTHER, 0 },
	['c'] = { MARSHAL_SHAPE_CODE, MARSHAL_CODE, 0 },
};

bool marshal_parse_real(struct str in, double *real)
{
	char text[256], *end;

	if (in.n == 0 || in.n >= sizeof(text))
		return false;
	for (size_t i = 0; i < in.n; i++)
		if (!strchr("0123456789+-.eEinfatyINFATY", in.p[i]) || in.p[i] == '\0')
			return false;
	memcpy(text, in.p, in.n);
	text[in.n] = '\0';
	*real = strtod(text, &end);
	return *end == '\0';
}

/* Where the object stands that a reference means. */
static size_t follow(const struct marshal *m, size_t at)
{
	char code = (char)(m->text.p[at] & ~MARSHAL_FLAG_REF);

	if (code != 'r' && code != 'R')
		return at;
	size_t number = (size_t)marshal_number(m, at + 1, 4);
	return code == 'r' ? m->refs[number] : m->interned[number];
}

static struct str text_of(const struct marshal *m, size_t at, size_t n)
{
	return (struct str){ (const char *)m->text.p + at, n };
}

/* The highest 64 bits of a number so far, and how many bits are behind them. */
struct highest {
	uint64_t bits;
	int behind;
	bool is_more; /* one of those is not 0 */
};

static void add_digit(struct highest *h, uint64_t digit)
{
	int room = h->bits ? __builtin_clzll(h->bits) : MARSHAL_SHIFT;
	int left = room < MARSHAL_SHIFT ? MARSHAL_SHIFT - room : 0;

	h->bits = h->bits << (MARSHAL_SHIFT - left) | digit >> left;
	h->is_more |= (digit & ((UINT64_C(1) << left) - 1)) != 0;
	h->behind += left;
}

/* Below 2^63 by its digits, else the largest and is_big. */
static void read_long(const struct marshal *m, struct marshal_value *v)
{
	int64_t count = (int32_t)(uint32_t)marshal_number(m, v->at + 1, 4);
	size_t n = (size_t)(count < 0 ? -count : count);
	struct highest h = { 0 };

	v->n = n;
	/* Whoever refers to it looks at it again, so its length must not matter. */
	if (n >= REAL_DIGITS) {
		v->is_big = true;
		v->real = count < 0 ? -(double)INFINITY : (double)INFINITY;
		v->number = count < 0 ? -INT64_MAX : INT64_MAX;
		return;
	}
	for (size_t i = n; i-- > 0;)
		add_digit(&h, marshal_number(m, v->at + 5 + 2 * i, 2));
	v->is_big = h.behind || h.bits > INT64_MAX;
	v->number = v->is_big ? INT64_MAX : (int64_t)h.bits;
	/* a double has fewer bits: the lowest only says on which side of a tie it is */
	v->real = ldexp((double)(h.bits | h.is_more), h.behind);
	if (count < 0) {
		v->number = -v->number;
		v->real = -v->real;
	}
}

static void read_int(const struct marshal *m, struct marshal_value *v)
{
	if (v->code == 'l') {
		read_long(m, v);
		return;
	}
	v->number = v->code == 'i' ? (int32_t)(uint32_t)marshal_number(m, v->at + 1, 4)
				   : (int64_t)marshal_number(m, v->at + 1, 8);
	v->real = (double)v->number;
}

static void read_real(const struct marshal *m, struct marshal_value *v)
{
	uint64_t bits;

	if (v->code == 'f') {
		marshal_parse_real(text_of(m, v->at + 2, m->text.p[v->at + 1]), &v->real);
		return;
	}
	bits = marshal_number(m, v->at + 1, 8);
	memcpy(&v->real, &bits, sizeof(bits));
}

struct marshal_value marshal_at(const struct marshal *m, size_t at)
{
	struct marshal_value v = { .at = follow(m, at) };

	v.code = (char)(m->text.p[v.at] & ~MARSHAL_FLAG_REF);
	const struct marshal_kind kind = marshal_kinds[(unsigned char)v.code];
	v.type = kind.type;
	size_t head =
		kind.shape == MARSHAL_SHAPE_SMALL || kind.shape == MARSHAL_SHAPE_SHORT ? 2
		: kind.shape == MARSHAL_SHAPE_MANY || kind.shape == MARSHAL_SHAPE_LONG
			? 5
			: 1;
	if (head > 1)
		v.n = (size_t)marshal_number(m, v.at + 1, head - 1);
	v.items = v.at + head;
	if (v.type == MARSHAL_STRING)
		v.bytes = text_of(m, v.items, v.n);
	else if (v.type == MARSHAL_INT)
		read_int(m, &v);
	else if (v.type == MARSHAL_FLOAT)
		read_real(m, &v);
	else if (v.type == MARSHAL_BOOL)
		v.real = (double)(v.number = v.code == 'T');
	return v;
}
