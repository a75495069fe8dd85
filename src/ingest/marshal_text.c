/* Texts and large numbers of marshalled objects: see marshal.h. */
#include "ingest/marshal.h"

#include <inttypes.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define DIGITS_MAX  64             /* of 15 bits: no count has a tenth of that */
#define LIMBS       36             /* that hold them, nine decimal digits each */
#define LIMB        UINT64_C(1000000000)

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
	if (big->number < 0)
		buf_add_char(out, '-');
	buf_addf(out, "%" PRIu64, limbs[n - 1]);
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
		[MARSHAL_OTHER] = "an object that no profile has",
	};

	return names[type];
}
