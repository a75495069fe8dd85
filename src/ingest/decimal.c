/* Exact decimal numbers: see decimal.h. */
#include "ingest/decimal.h"

#include <stdlib.h>

#define DIGITS_MAX 400 /* beyond this an exponent decides anyway */

/* sign * digits * 10^exponent; digits without leading zeros. */
struct decimal {
	bool negative;
	int exponent;
	size_t ndigits;
	char digits[DIGITS_MAX];
	bool sticky; /* digits that did not fit were not all zero */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
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

/* The exponent behind 'e', held within +-100000; NULL when it has no digits. */
static const char *scan_exponent(const char *p, const char *end, int *exponent)
{
	bool negative = p < end && *p == '-';
	int value = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end || !is_digit(*p))
		return NULL;
	for (; p < end && is_digit(*p); p++)
		if (value < 100000)
			value = value * 10 + (*p - '0');
	*exponent = negative ? -value : value;
	return p;
}

static bool scan(struct str text, struct decimal *d)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t seen = 0;
	int exponent = 0;

	d->ndigits = 0;
	d->exponent = 0;
	d->sticky = false;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	d->negative = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (; p < end && is_digit(*p); p++, seen++)
		add_digit(d, *p, false);
	if (p < end && *p == '.')
		for (p++; p < end && is_digit(*p); p++, seen++)
			add_digit(d, *p, true);
	if (seen == 0)
		return false;
	if (p < end && (*p == 'e' || *p == 'E')) {
		p = scan_exponent(p + 1, end, &exponent);
		if (!p)
			return false;
	}
	d->exponent += exponent;
	return p == end;
}

/* Rounds half to even; *exact is false when digits were lost. */
static enum decimal_status to_int(const struct decimal *d, int64_t *value, bool *exact)
{
	int keep = (int)d->ndigits + d->exponent; /* digits left of the point */
	uint64_t n = 0;

	*exact = true;
	*value = 0;
	if (d->ndigits == 0)
		return DECIMAL_OK;
	if (keep > 19)
		return DECIMAL_TOO_BIG;
	for (int i = 0; i < keep; i++)
		n = n * 10 + (uint64_t)(i < (int)d->ndigits ? d->digits[i] - '0' : 0);
	if (keep < (int)d->ndigits) {
		int first = keep < 0 ? 0 : d->digits[keep] - '0';
		bool rest = d->sticky;
		for (size_t i = keep < 0 ? 0 : (size_t)keep + 1; i < d->ndigits; i++)
			rest = rest || d->digits[i] != '0';
		*exact = first == 0 && !rest;
		n += first > 5 || (first == 5 && (rest || (n & 1)));
	}
	if (n > (uint64_t)INT64_MAX + (d->negative ? 1 : 0))
		return DECIMAL_TOO_BIG;
	*value = d->negative ? (int64_t)(0 - n) : (int64_t)n;
	return DECIMAL_OK;
}

enum decimal_status decimal_us_to_ns(struct str text, int64_t *ns)
{
	const char *p = text.p, *end = text.p + text.n;
	uint64_t n = 0;
	struct decimal d;
	bool exact;

	/* The usual spelling: up to 15 digits and, if a point, three behind it. */
	while (p < end && is_digit(*p))
		n = n * 10 + (uint64_t)(*p++ - '0');
	size_t whole = (size_t)(p - text.p);
	if (whole > 0 && whole <= 15) {
		if (p == end) {
			*ns = (int64_t)(n * 1000);
			return DECIMAL_OK;
		}
		if (end - p == 4 && *p == '.' && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3])) {
			*ns = (int64_t)(n * 1000 + (uint64_t)((p[1] - '0') * 100 + (p[2] - '0') * 10 +
							      (p[3] - '0')));
			return DECIMAL_OK;
		}
	}
	if (!scan(text, &d))
		return DECIMAL_BAD;
	d.exponent += 3;
	return to_int(&d, ns, &exact);
}

enum decimal_status decimal_int(struct str text, int64_t *value)
{
	const char *p = text.p, *end = text.p + text.n;
	uint64_t n = 0;
	struct decimal d;
	bool exact;

	bool negative = p < end && *p == '-';
	p += negative;
	const char *first = p;
	while (p < end && is_digit(*p))
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (p == end && p > first && p - first <= 18) {
		*value = negative ? -(int64_t)n : (int64_t)n;
		return DECIMAL_OK;
	}
	if (!scan(text, &d))
		return DECIMAL_BAD;
	enum decimal_status status = to_int(&d, value, &exact);
	return status == DECIMAL_OK && !exact ? DECIMAL_BAD : status;
}

bool decimal_real(struct str text, double *value)
{
	char copy[64];
	char *end;

	if (text.n == 0 || text.n >= sizeof(copy))
		return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	*value = strtod(copy, &end);
	return end == copy + text.n && *value - *value == 0.0;
}
