/* Exact decimal numbers: see decimal.h. */
#include "base/decimal.h"

#include <stdlib.h>

#include "base/digits.h"

#define DIGITS_MAX   400 /* beyond this an exponent decides anyway */
#define EXPONENT_MAX 100000
#define REAL_MAX     64 /* longest text of a real number */

/* sign * digits * 10^exponent; digits without leading zeros. */
struct decimal {
	bool negative;
	int64_t exponent;
	size_t ndigits;
	char digits[DIGITS_MAX];
	bool sticky; /* digits that did not fit were not all zero */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_sign(char c)
{
	return c == '-' || c == '+';
}

static struct str trim(struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct str){ p, (size_t)(end - p) };
}

static void add_digit(struct decimal *d, char c, bool fraction)
{
	if (d->ndigits == 0 && c == '0') {
		d->exponent -= fraction;
		return;
	}
	if (d->ndigits == DIGITS_MAX) {
		d->sticky |= c != '0';
		d->exponent += !fraction;
		return;
	}
	d->digits[d->ndigits++] = c;
	d->exponent -= fraction;
}

static const char *scan_digits(const char *p, const char *end, struct decimal *d,
			       bool fraction)
{
	for (; p < end && is_digit(*p); p++)
		add_digit(d, *p, fraction);
	return p;
}

/* The exponent behind 'e', held within bounds; NULL when it has no digits. */
static const char *scan_exponent(const char *p, const char *end, struct decimal *d)
{
	bool negative = p < end && *p == '-';
	int value = 0;

	if (p < end && is_sign(*p))
		p++;
	if (p == end || !is_digit(*p))
		return NULL;
	for (; p < end && is_digit(*p); p++)
		if (value < EXPONENT_MAX)
			value = value * 10 + (*p - '0');
	d->exponent += negative ? -value : value;
	return p;
}

static bool scan(struct str text, struct decimal *d)
{
	text = trim(text);
	const char *p = text.p, *end = text.p + text.n;

	d->negative = p < end && *p == '-';
	d->exponent = 0;
	d->ndigits = 0;
	d->sticky = false;
	if (p < end && is_sign(*p))
		p++;
	const char *first = p;
	p = scan_digits(p, end, d, false);
	bool has_digits = p > first;
	if (p < end && *p == '.') {
		first = ++p;
		p = scan_digits(p, end, d, true);
		has_digits = has_digits || p > first;
	}
	if (has_digits && p < end && (*p == 'e' || *p == 'E'))
		p = scan_exponent(p + 1, end, d);
	return has_digits && p == end;
}

/*
 * Half to even: must the digits kept, whose number is odd or not, go up?
 * keep: digits left of the point.  *exact is false when any was lost.
 */
static bool rounds_up(const struct decimal *d, int64_t keep, bool odd, bool *exact)
{
	int first = keep < 0 ? 0 : d->digits[keep] - '0';
	bool rest = d->sticky;

	for (size_t i = keep < 0 ? 0 : (size_t)keep + 1; i < d->ndigits; i++)
		rest = rest || d->digits[i] != '0';
	*exact = first == 0 && !rest;
	return first > 5 || (first == 5 && (rest || odd));
}

static enum decimal_status too_big(bool negative, int64_t *value)
{
	*value = negative ? INT64_MIN : INT64_MAX;
	return DECIMAL_TOO_BIG;
}

/* *exact is false when digits were lost. */
static enum decimal_status to_int(const struct decimal *d, int64_t *value, bool *exact)
{
	int64_t keep = (int64_t)d->ndigits + d->exponent; /* digits left of the point */
	uint64_t n = 0;

	*exact = true;
	*value = 0;
	if (d->ndigits == 0)
		return DECIMAL_OK;
	if (keep > 19)
		return too_big(d->negative, value);
	for (int64_t i = 0; i < keep; i++)
		n = n * 10 + (uint64_t)(i < (int64_t)d->ndigits ? d->digits[i] - '0' : 0);
	if (keep < (int64_t)d->ndigits)
		n += rounds_up(d, keep, n & 1, exact);
	if (n > (uint64_t)INT64_MAX + (d->negative ? 1 : 0))
		return too_big(d->negative, value);
	*value = d->negative ? (int64_t)(0 - n) : (int64_t)n;
	return DECIMAL_OK;
}

/* The n (at most 8) digits at p, all at once; false when some byte is none. */
static inline bool digits8(const char *p, size_t n, uint64_t *value)
{
	uint64_t digits;

	if (n == 0) {
		*value = 0;
		return true;
	}
	digits = digits_at(p);
	if (digits_count(digits) < n)
		return false;
	*value = digits_number(digits, (unsigned)n);
	return true;
}

/* The same for at most 18 digits and at least one. */
static inline bool digits18(const char *p, size_t n, uint64_t *value)
{
	uint64_t part;

	if (n - 1 >= 18 || !digits8(p, n & 7, value))
		return false;
	for (size_t at = n & 7; at < n; at += 8) {
		if (!digits8(p + at, 8, &part))
			return false;
		*value = *value * 100000000 + part;
	}
	return true;
}

enum decimal_status decimal_us_to_ns(struct str text, int64_t *ns)
{
	const uint64_t whole_max = INT64_MAX / 1000 - 1;
	uint64_t whole, fraction = 0;
	struct decimal d;
	bool exact;

	/* The usual spelling: microseconds and, if there is a point, three digits behind it. */
	bool has_point = text.n > 4 && text.p[text.n - 4] == '.';
	size_t nwhole = has_point ? text.n - 4 : text.n;
	if (digits18(text.p, nwhole, &whole) && whole <= whole_max &&
	    (!has_point || digits8(text.p + nwhole + 1, 3, &fraction))) {
		*ns = (int64_t)(whole * 1000 + fraction);
		return DECIMAL_OK;
	}
	if (!scan(text, &d))
		return DECIMAL_BAD;
	d.exponent += 3;
	return to_int(&d, ns, &exact);
}

enum decimal_status decimal_scaled(struct str text, int digits, int64_t *value)
{
	struct decimal d;
	bool exact;

	if (!scan(text, &d))
		return DECIMAL_BAD;
	d.exponent += digits;
	return to_int(&d, value, &exact);
}

enum decimal_status decimal_int(struct str text, int64_t *value)
{
	size_t sign = text.n && text.p[0] == '-';
	struct decimal d;
	uint64_t n;
	bool exact;

	if (digits18(text.p + sign, text.n - sign, &n)) {
		*value = sign ? -(int64_t)n : (int64_t)n;
		return DECIMAL_OK;
	}
	if (!scan(text, &d))
		return DECIMAL_BAD;
	enum decimal_status status = to_int(&d, value, &exact);
	return status == DECIMAL_OK && !exact ? DECIMAL_BAD : status;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool decimal_id(struct str text, int64_t *value)
{
	uint64_t n = 0;

	if (text.n < 3 || text.p[0] != '0' || (text.p[1] | 0x20) != 'x')
		return decimal_int(text, value) == DECIMAL_OK;
	for (size_t i = 2; i < text.n; i++) {
		int digit = hex_digit(text.p[i]);
		if (digit < 0 || n > (uint64_t)INT64_MAX >> 4)
			return false;
		n = n * 16 + (uint64_t)digit;
	}
	*value = (int64_t)n;
	return true;
}

/* Digits and one point, few enough for a double to hold both them and the power of ten. */
static bool short_real(struct str text, double *value)
{
	static const double powers[] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	size_t point = text.n;
	int64_t n = 0;

	if (text.n == 0 || text.n > 15)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (is_digit(text.p[i]))
			n = n * 10 + (text.p[i] - '0');
		else if (text.p[i] == '.' && point == text.n)
			point = i;
		else
			return false;
	}
	*value = (double)n / powers[point == text.n ? 0 : text.n - point - 1];
	return point != 0 || text.n > 1;
}

bool decimal_real(struct str text, double *value)
{
	char copy[REAL_MAX];
	char *end;

	text = trim(text);
	if (short_real(text, value))
		return true;
	if (text.n == 0 || text.n >= sizeof(copy))
		return false;
	/* strtod also reads "0x1p3", "inf" and "nan". */
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.p[i]) && (!text.p[i] || !strchr("+-.eE", text.p[i])))
			return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	*value = strtod(copy, &end);
	return end == copy + text.n && *value - *value == 0.0;
}

/* The text with DECIMAL_PADDING bytes behind it; false when it is too long. */
static bool pad(struct str text, char copy[DECIMAL_TEXT_MAX + DECIMAL_PADDING],
		struct str *padded)
{
	if (text.n > DECIMAL_TEXT_MAX)
		return false;
	memset(copy, 0, DECIMAL_TEXT_MAX + DECIMAL_PADDING);
	if (text.n)
		memcpy(copy, text.p, text.n);
	*padded = (struct str){ copy, text.n };
	return true;
}

enum decimal_status decimal_text_us_to_ns(struct str text, int64_t *ns)
{
	char copy[DECIMAL_TEXT_MAX + DECIMAL_PADDING];
	struct str padded;

	return pad(text, copy, &padded) ? decimal_us_to_ns(padded, ns) : DECIMAL_BAD;
}

enum decimal_status decimal_text_int(struct str text, int64_t *value)
{
	char copy[DECIMAL_TEXT_MAX + DECIMAL_PADDING];
	struct str padded;

	return pad(text, copy, &padded) ? decimal_int(padded, value) : DECIMAL_BAD;
}
