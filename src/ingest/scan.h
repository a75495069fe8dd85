/*
 * The innermost loops of reading JSON: to the end of a string, over a number.
 * Inline, for the tokenizer (json.c) and for events of a known layout (event.c).
 * They read up to SCAN_PADDING bytes behind what they pass.
 */
#ifndef PTOOL_INGEST_SCAN_H
#define PTOOL_INGEST_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/digits.h"
#include "ingest/json.h"

#define SCAN_PADDING 16 /* at most JSON_PADDING */
/* Of a number that is converted while it is read: digits, and what has three more. */
#define SCAN_WHOLE_MAX 18
#define SCAN_MILLI_MAX (INT64_MAX / 1000 - 1)

#ifdef __SSE2__
/* The first '"', '\\' or control character from p on; *high collects bits of non-ASCII. */
static inline const char *scan_text(const char *p, uint64_t *high)
{
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);

	for (;; p += sizeof(__m128i)) {
		__m128i text = _mm_loadu_si128((const void *)p);
		__m128i found = _mm_or_si128(_mm_cmpeq_epi8(text, quote),
					     _mm_cmpeq_epi8(text, slash));
		found = _mm_or_si128(found,
				     _mm_cmpeq_epi8(_mm_min_epu8(text, control), text));
		unsigned bits = (unsigned)_mm_movemask_epi8(found);
		*high |= (unsigned)_mm_movemask_epi8(text);
		if (bits)
			return p + __builtin_ctz(bits);
	}
}
#else
/*
 * The lowest set bit is the high bit of the first byte that is '"', '\\' or
 * below 0x20; those above it may be wrong.
 */
static inline uint64_t scan_specials(uint64_t word)
{
	uint64_t quote = word ^ (BYTES_OF_ONE * '"');
	uint64_t slash = word ^ (BYTES_OF_ONE * '\\');

	return (((quote - BYTES_OF_ONE) & ~quote) | ((slash - BYTES_OF_ONE) & ~slash) |
		((word - BYTES_OF_ONE * 0x20) & ~word)) &
	       BYTES_OF_HIGH;
}

static inline const char *scan_text(const char *p, uint64_t *high)
{
	for (;; p += sizeof(uint64_t)) {
		uint64_t word = word_at(p), special = scan_specials(word);
		*high |= word & BYTES_OF_HIGH;
		if (special)
			return p + (__builtin_ctzll(special) >> 3);
	}
}
#endif

/* How many of the sixteen bytes at p are digits before the first other one. */
static inline unsigned scan_count(const char *p)
{
#ifdef __SSE2__
	__m128i digits =
		_mm_sub_epi8(_mm_loadu_si128((const void *)p), _mm_set1_epi8('0'));
	__m128i same = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);

	return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(same));
#else
	unsigned n = digits_count(digits_at(p));

	return n < 8 ? n : 8 + digits_count(digits_at(p + 8));
#endif
}

/* Behind the digits at p, which are *number when they are SCAN_WHOLE_MAX at most. */
static inline const char *scan_digits(const char *p, uint64_t *number)
{
	unsigned n = scan_count(p);

	if (n <= 8) {
		*number = n ? digits_number(digits_at(p), n) : 0;
		return p + n;
	}
	*number = digits_number(digits_at(p), n - 8) * 100000000 +
		  digits_number(digits_at(p + n - 8), 8);
	p += n;
	while (n >= 16 && *p >= '0' && *p <= '9')
		*number = *number * 10 + (uint64_t)(*p++ - '0');
	return p;
}

/*
 * A fraction of three digits, whose point is at p, goes on with *number.  The place
 * behind it; NULL when it is none.
 */
static inline const char *scan_thousandths(const char *p, uint64_t *number)
{
	uint64_t digits = digits_at(p + 1);

	if (digits_count(digits) != 3)
		return NULL;
	*number = *number * 1000 + digits_number(digits, 3);
	return p + 4;
}

/*
 * The number at p when it is spelt as JSON wants and no longer than most: the place behind
 * it, and its value in *out.  Else NULL.  Whether the window ends there is to be asked.
 */
static inline const char *scan_plain_number(const char *p, struct json_value *out)
{
	const char *start = p, *whole = p + (*p == '-');
	uint64_t number = 0;

	p = scan_digits(whole, &number);
	size_t n = (size_t)(p - whole);
	if (n - 1 >= SCAN_WHOLE_MAX || (*whole == '0' && n > 1))
		return NULL;
	out->plain = JSON_PLAIN_INT;
	if (*p == '.') {
		p = number <= SCAN_MILLI_MAX ? scan_thousandths(p, &number) : NULL;
		if (!p)
			return NULL;
		out->plain = JSON_PLAIN_MILLI;
	}
	if ((*p | 0x20) == 'e' || *p == '.')
		return NULL;
	out->type = JSON_NUMBER;
	out->text = (struct str){ start, (size_t)(p - start) };
	out->escaped = false;
	out->number = (int64_t)(start == whole ? number : 0 - number);
	return p;
}

#endif
