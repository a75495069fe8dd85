/* Python's marshal: see marshal_put.h.  The codes are those of CPython's marshal.c. */
#include "report/marshal_put.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"

#define LIMB_BITS 15
#define LIMB      (UINT32_C(1) << LIMB_BITS)
#define LIMBS_I64 5 /* that hold any int64 */
#define FLAG_REF  0x80
#define ESCAPED_N 3 /* bytes of a surrogate */

static void put_u16(FILE *out, uint32_t value)
{
	putc((int)(value & 0xff), out);
	putc((int)(value >> 8 & 0xff), out);
}

static void put_u32(FILE *out, uint32_t value)
{
	put_u16(out, value & 0xffff);
	put_u16(out, value >> 16);
}

void marshal_put_dict(FILE *out)
{
	putc('{', out);
}

void marshal_put_end(FILE *out)
{
	putc('0', out);
}

void marshal_put_tuple(FILE *out, uint32_t n)
{
	putc('(', out);
	put_u32(out, n);
}

/* Bytes that are no UTF-8, each of which takes two more as a surrogate. */
static size_t count_escaped(struct str text)
{
	size_t escaped = 0;
	uint32_t code;

	while (text.n) {
		size_t n = utf8_decode(text, &code);
		if (code == UTF8_INVALID)
			escaped++;
		text = str_behind(text, code == UTF8_INVALID ? 1 : n);
	}
	return escaped;
}

/* U+DC00 + byte, as the three bytes that "surrogatepass" makes of it. */
static void put_escaped(FILE *out, unsigned char byte)
{
	putc(0xed, out);
	putc(0xb0 | byte >> 6, out);
	putc(0x80 | (byte & 0x3f), out);
}

static void put_text(FILE *out, int type, struct str text)
{
	size_t escaped = count_escaped(text);
	uint32_t code;

	putc(type, out);
	put_u32(out, (uint32_t)(text.n + escaped * (ESCAPED_N - 1)));
	if (!escaped) {
		fwrite(text.p, 1, text.n, out);
		return;
	}
	while (text.n) {
		size_t n = utf8_decode(text, &code);
		if (code == UTF8_INVALID) {
			put_escaped(out, (unsigned char)*text.p);
			n = 1;
		} else {
			fwrite(text.p, 1, n, out);
		}
		text = str_behind(text, n);
	}
}

void marshal_put_text(FILE *out, struct str text)
{
	put_text(out, 't', text);
}

void marshal_put_shared(FILE *out, struct str text)
{
	put_text(out, 't' | FLAG_REF, text);
}

void marshal_put_ref(FILE *out, uint32_t n)
{
	putc('r', out);
	put_u32(out, n);
}

/* The magnitude's limbs, least first; their number carries the sign. */
static void put_long(FILE *out, const uint16_t *limbs, size_t n, bool is_negative)
{
	while (n && limbs[n - 1] == 0)
		n--;
	putc('l', out);
	put_u32(out, is_negative ? (uint32_t) - (int32_t)n : (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		put_u16(out, limbs[i]);
}

void marshal_put_int(FILE *out, int64_t value)
{
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint16_t limbs[LIMBS_I64];

	if (value >= INT32_MIN && value <= INT32_MAX) {
		putc('i', out);
		put_u32(out, (uint32_t)(int32_t)value);
		return;
	}
	for (size_t i = 0; i < LIMBS_I64; i++, left >>= LIMB_BITS)
		limbs[i] = (uint16_t)(left & (LIMB - 1));
	put_long(out, limbs, LIMBS_I64, value < 0);
}

void marshal_put_digits(FILE *out, struct str digits)
{
	bool is_negative = digits.n && digits.p[0] == '-';
	size_t nlimbs = digits.n / 4 + 1; /* 15 bits hold more than 4 digits */
	uint16_t *limbs = xcalloc(nlimbs, sizeof(*limbs));

	for (size_t at = is_negative; at < digits.n; at++) {
		uint32_t carry = (uint32_t)(unsigned char)(digits.p[at] - '0');
		for (size_t i = 0; i < nlimbs; i++) {
			carry += limbs[i] * UINT32_C(10);
			limbs[i] = (uint16_t)(carry % LIMB);
			carry /= LIMB;
		}
	}
	put_long(out, limbs, nlimbs, is_negative);
	free(limbs);
}

void marshal_put_real(FILE *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	putc('g', out);
	put_u32(out, (uint32_t)bits);
	put_u32(out, (uint32_t)(bits >> 32));
}
