/*
 * Numbers of a profile of a speedscope file: texts in the unit that it names become
 * nanoseconds, bytes or counts, exactly.
 */
#include "base/decimal.h"
#include "ingest/speedscope_profile.h"

#define NS_DIGITS 9

static const struct speedscope_unit units[] = {
	{ "none", SAMPLE_COUNT, 0 },         { "nanoseconds", SAMPLE_NS, 0 },
	{ "microseconds", SAMPLE_NS, 3 },    { "milliseconds", SAMPLE_NS, 6 },
	{ "seconds", SAMPLE_NS, NS_DIGITS }, { "bytes", SAMPLE_BYTES, 0 },
};

/* Plain digits, maybe with a point, that fit: most numbers. */
static bool scale_plain(struct str text, int digits, int64_t *value)
{
	int64_t n = 0;
	int behind = -1;

	if (text.n == 0 || text.n > 18)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '.' && behind < 0) {
			behind = 0;
			continue;
		}
		if (!speedscope_is_digit(text.p[i]) ||
		    (behind >= digits && text.p[i] != '0'))
			return false;
		if (behind >= digits)
			continue;
		n = n * 10 + (text.p[i] - '0');
		behind += behind >= 0;
	}
	for (int i = behind < 0 ? 0 : behind; i < digits; i++)
		if (__builtin_mul_overflow(n, 10, &n))
			return false;
	*value = n;
	return true;
}

enum decimal_status speedscope_scale(const struct speedscope_profile *p, struct str text,
				     struct speedscope_number *out)
{
	int digits = p->unit->digits;

	out->decimals = 0;
	if (scale_plain(text, digits, &out->value))
		return DECIMAL_OK;
	if (p->unit->unit == SAMPLE_COUNT) {
		digits = DECIMALS_MAX;
		out->decimals = DECIMALS_MAX;
		if (!scale_plain(text, digits, &out->value) &&
		    decimal_scaled(text, digits, &out->value) != DECIMAL_OK) {
			out->decimals = 0;
			return decimal_scaled(text, 0, &out->value);
		}
		for (; out->decimals && out->value % 10 == 0; out->decimals--)
			out->value /= 10;
		return DECIMAL_OK;
	}
	return decimal_scaled(text, digits, &out->value);
}

/* A number without decimals, for times and ends: those of counts are rounded. */
bool speedscope_whole(const struct speedscope_profile *p, const struct buf *text,
		      int64_t *value)
{
	return p->unit && text->n &&
	       decimal_scaled(buf_str(text), p->unit->digits, value) == DECIMAL_OK;
}

static bool add_zeros(int64_t *value, unsigned n)
{
	int64_t more = *value;

	while (n--)
		if (__builtin_mul_overflow(more, 10, &more))
			return false;
	*value = more;
	return true;
}

/* Times of counts are compared with the one before: both get as many decimals. */
bool speedscope_same_digits(struct speedscope_profile *p, struct speedscope_number *at)
{
	if (at->decimals > p->decimals) {
		if (!add_zeros(&p->at, at->decimals - p->decimals))
			return false;
		p->decimals = at->decimals;
	}
	return add_zeros(&at->value, p->decimals - at->decimals);
}

const struct speedscope_unit *speedscope_unit(struct str name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (str_is(name, units[i].name))
			return &units[i];
	return NULL;
}
