/*
 * Whole numbers of any size: see bignum.h.  Long ones are added and compared digit
 * by digit: they are rare, and a handful of digits longer than int64.
 */
#include "base/bignum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INT64_TEXT ((size_t)24)

/* Digits without their sign. */
struct magnitude {
	const char *p;
	size_t n;
	bool is_negative;
};

static struct magnitude magnitude_of(struct bignum t, char room[INT64_TEXT])
{
	const char *text = t.digits;

	if (!text) {
		snprintf(room, INT64_TEXT, "%" PRId64, t.n);
		text = room;
	}
	bool is_negative = *text == '-';
	text += is_negative;
	return (struct magnitude){ text, strlen(text), is_negative };
}

static int compare_magnitudes(const struct magnitude *a, const struct magnitude *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	int order = memcmp(a->p, b->p, a->n);
	return order < 0 ? -1 : order > 0;
}

/* What fits becomes an int64 again, so that equal numbers look equal. */
static struct bignum settle(char *text)
{
	char *end;
	bool is_negative = *text == '-';
	const char *first = text + is_negative + strspn(text + is_negative, "0");
	size_t n = strlen(first);

	if (n < 19 ||
	    (n == 19 && strcmp(first, is_negative ? "9223372036854775808"
						  : "9223372036854775807") <= 0))
		return bignum_of(strtoll(text, &end, 10));
	memmove(text + is_negative, first, n + 1);
	return (struct bignum){ is_negative ? INT64_MIN : INT64_MAX, text };
}

struct bignum bignum_parse(struct arena *arena, struct str digits)
{
	bool is_negative = digits.n && digits.p[0] == '-';
	size_t at = is_negative;

	bool is_too_long = bignum_is_too_long(digits);

	while (!is_too_long && at < digits.n && digits.p[at] >= '0' &&
	       digits.p[at] <= '9')
		at++;
	if (is_too_long || at < digits.n || at == is_negative)
		return bignum_of(is_negative ? INT64_MIN : INT64_MAX);
	char *text = arena_alloc(arena, digits.n + 1);
	memcpy(text, digits.p, digits.n);
	text[digits.n] = '\0';
	return settle(text);
}

static int digit(const struct magnitude *m, size_t from_last)
{
	return from_last < m->n ? m->p[m->n - 1 - from_last] - '0' : 0;
}

/* |large| + |small|, or with minus |large| - |small|, under the sign of the large one. */
static struct bignum combine(struct arena *arena, const struct magnitude *large,
			     const struct magnitude *small, bool minus)
{
	size_t n = large->n + 1; /* room for a carry */
	char *text = arena_alloc(arena, n + 2);
	char *digits = text + large->is_negative;
	int carry = 0;

	text[0] = '-';
	digits[n] = '\0';
	for (size_t i = 0; i < n; i++) {
		int sum = digit(large, i) + carry +
			  (minus ? -digit(small, i) : digit(small, i));
		carry = sum < 0 ? -1 : sum / 10;
		digits[n - 1 - i] = (char)('0' + sum - 10 * carry);
	}
	return settle(text);
}

struct bignum bignum_add(struct arena *arena, struct bignum a, struct bignum b)
{
	char room_a[INT64_TEXT], room_b[INT64_TEXT];
	int64_t sum;

	if (!a.digits && !b.digits && !__builtin_add_overflow(a.n, b.n, &sum))
		return bignum_of(sum);
	struct magnitude left = magnitude_of(a, room_a), right = magnitude_of(b, room_b);
	bool minus = left.is_negative != right.is_negative;
	return compare_magnitudes(&left, &right) < 0
		       ? combine(arena, &right, &left, minus)
		       : combine(arena, &left, &right, minus);
}

int bignum_compare(struct bignum a, struct bignum b)
{
	char room_a[INT64_TEXT], room_b[INT64_TEXT];

	if (a.n != b.n || (!a.digits && !b.digits))
		return a.n < b.n ? -1 : a.n > b.n;
	struct magnitude left = magnitude_of(a, room_a), right = magnitude_of(b, room_b);
	int order = compare_magnitudes(&left, &right);
	return left.is_negative ? -order : order;
}

double bignum_real(struct bignum t)
{
	return t.digits ? strtod(t.digits, NULL) : (double)t.n;
}

void bignum_print(struct bignum t, struct buf *out)
{
	if (t.digits)
		buf_add_text(out, t.digits);
	else
		buf_addf(out, "%" PRId64, t.n);
}
