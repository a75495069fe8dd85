/*
 * Numbers as traces and users spell them, against the same arithmetic done digit
 * by digit on text: exact, half to even, held to 64 bits.  Corpus only.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "ingest/unpadded.h"
#include "query/filter.h"

/* Beyond it the simple way is too slow; longer numbers are only read, not compared. */
#define COMPARED_MAX 60

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number as digits around a point: "12.5e-1" is 1.25. */
struct plain {
	bool is_number, is_negative;
	char digits[COMPARED_MAX];
	int n, point; /* digits before the point; may be below 0 or beyond n */
};

static size_t span(struct str text, size_t at, struct plain *to)
{
	for (; at < text.n && is_digit(text.p[at]); at++)
		if (to)
			to->digits[to->n++] = text.p[at];
	return at;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str without_blanks(struct str text)
{
	while (text.n && is_blank(*text.p))
		text = str_behind(text, 1);
	while (text.n && is_blank(text.p[text.n - 1]))
		text.n--;
	return text;
}

/* [+-] digits behind the e; where they end.  Too large ones are all the same. */
static size_t read_exponent(struct str text, size_t at, struct plain *p)
{
	int exponent = 0;
	bool down = at < text.n && text.p[at] == '-';

	at += at < text.n && (text.p[at] == '-' || text.p[at] == '+');
	size_t end = span(text, at, NULL);
	for (p->is_number = end > at; at < end; at++)
		if (exponent < 10000)
			exponent = exponent * 10 + text.p[at] - '0';
	p->point += down ? -exponent : exponent;
	return at;
}

/* [+-] digits [. digits] [e [+-] digits], blanks around it. */
static struct plain plain_of(struct str text)
{
	struct plain p = { .is_number = false };

	text = without_blanks(text);
	size_t at = text.n && (*text.p == '-' || *text.p == '+');
	p.is_negative = text.n && *text.p == '-';
	at = span(text, at, &p);
	p.point = p.n;
	if (at < text.n && text.p[at] == '.')
		at = span(text, at + 1, &p);
	if (p.n && at < text.n && (text.p[at] == 'e' || text.p[at] == 'E'))
		at = read_exponent(text, at + 1, &p);
	else
		p.is_number = p.n > 0;
	p.is_number = p.is_number && at == text.n;
	return p;
}

/* The digit at 10^-i behind the point, or before it. */
static int digit_at(const struct plain *p, int i)
{
	return i >= 0 && i < p->n ? p->digits[i] - '0' : 0;
}

/* The number times 10^shift, rounded half to even. */
static enum decimal_status rounded(const struct plain *p, int shift, int64_t *value,
				   bool *exact)
{
	int point = p->point + shift, zeros = 0;
	const uint64_t most = (uint64_t)INT64_MAX + p->is_negative;
	uint64_t n = 0;

	while (zeros < p->n && p->digits[zeros] == '0')
		zeros++;
	/* Nineteen digits and what rounding adds are less than 2^64. */
	bool is_zero = zeros == p->n, is_big = !is_zero && point - zeros > 19;
	*exact = true;
	for (int i = zeros; !is_zero && !is_big && i < point; i++)
		n = n * 10 + (uint64_t)digit_at(p, i);
	int first = is_zero || is_big ? 0 : digit_at(p, point);
	bool rest = false;
	for (int i = point < -1 ? 0 : point + 1; !is_zero && i < p->n; i++)
		rest |= p->digits[i] != '0';
	*exact = is_zero || is_big || (first == 0 && !rest);
	n += first > 5 || (first == 5 && (rest || (n & 1)));
	if (is_big || n > most) {
		*value = p->is_negative ? INT64_MIN : INT64_MAX;
		return DECIMAL_TOO_BIG;
	}
	*value = p->is_negative ? (int64_t)(0 - n) : (int64_t)n;
	return DECIMAL_OK;
}

static void compare(struct str text)
{
	struct plain p = plain_of(text);
	int64_t expected, value = 0;
	bool exact;

	enum decimal_status status = decimal_us_to_ns(text, &value);
	must((status == DECIMAL_BAD) == !p.is_number);
	if (p.is_number)
		must(rounded(&p, 3, &expected, &exact) == status && value == expected);
	status = decimal_int(text, &value);
	if (!p.is_number) {
		must(status == DECIMAL_BAD);
		return;
	}
	enum decimal_status wanted = rounded(&p, 0, &expected, &exact);
	if (wanted == DECIMAL_OK && !exact)
		wanted = DECIMAL_BAD;
	must(status == wanted && (status == DECIMAL_BAD || value == expected));
	double real;
	if (decimal_real(text, &real) && exact && expected > -1000000 &&
	    expected < 1000000)
		must(real == (double)expected);
}

/* 5.7 is 5.007 us: the digits behind the point are nanoseconds. */
static void compare_unpadded(struct str text)
{
	const char *point = memchr(text.p, '.', text.n);
	size_t n = point ? (size_t)(text.p + text.n - point - 1) : 0, i = 0;
	int64_t ns = 0, us = 0;

	enum decimal_status status = unpadded_us_to_ns(text, &ns);
	while (i < n && is_digit(point[1 + i]))
		i++;
	if (n == 0 || n > 2 || i < n || point - text.p > 12 || *text.p == '-' ||
	    !is_digit(*text.p)) {
		must(n < 3 || status == decimal_us_to_ns(text, &us));
		return;
	}
	struct str whole = { text.p, (size_t)(point - text.p) };
	for (i = 0; i < whole.n && is_digit(whole.p[i]); i++)
		us = us * 10 + (whole.p[i] - '0');
	must((status == DECIMAL_OK) == (i == whole.n));
	if (status == DECIMAL_OK)
		must(ns == us * 1000 + strtol(point + 1, NULL, 10));
}

/* Texts of one's own length say the same, and a unit scales it. */
static void compare_texts(struct str text)
{
	int64_t window = 0, alone = 0, ns = -1;

	if (text.n > DECIMAL_TEXT_MAX) {
		must(decimal_text_int(text, &alone) == DECIMAL_BAD);
		return;
	}
	must(decimal_int(text, &window) == decimal_text_int(text, &alone));
	must(window == alone);
	must(decimal_us_to_ns(text, &window) == decimal_text_us_to_ns(text, &alone));
	must(window == alone);
	must(!filter_parse_time(text, &ns) || ns >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its exact size, so that sanitizers see each overrun. */
	char *copy = xcalloc(1, size + DECIMAL_PADDING);
	struct str text = { copy, size };
	int64_t id = -1;

	if (size)
		memcpy(copy, data, size);
	compare_texts(text);
	if (size <= COMPARED_MAX)
		compare(text);
	if (size)
		compare_unpadded(text);
	must(!decimal_id(text, &id) ||
	     (size > 1 && (copy[1] | 0x20) == 'x' ? id >= 0 : true));
	struct bytes head = { (const uint8_t *)copy, size };
	/* More of a trace can only take doubt away. */
	must(!unpadded_has(head, true) || size > 20);
	free(copy);
	return 0;
}
