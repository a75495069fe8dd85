/*
 * Numbers as people read them: see units.h.  printf's decimal point is the C
 * locale's: ptool never sets LC_NUMERIC.
 */
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* From here on %f would print digits that no double holds. */
#define FIXED_LIMIT 1e15

#define DECIMALS_MAX 3 /* of any scale */

struct rung {
	double size;
	const char *label;
};

static const struct rung ns_rungs[] = {
	{ 1, "ns" },
	{ 1e3, "us" },
	{ 1e6, "ms" },
	{ 1e9, "s" },
};
static const struct rung byte_rungs[] = {
	{ 1, "B" },
	{ 1024, "KiB" },
	{ 1048576, "MiB" },
	{ 1073741824, "GiB" },
};
static const struct rung flop_rungs[] = {
	{ 1, "FLOP" },    { 1e3, "kFLOP" },  { 1e6, "MFLOP" },
	{ 1e9, "GFLOP" }, { 1e12, "TFLOP" },
};
static const struct rung plain[] = { { 1, "" } };
static const struct rung percent[] = { { 1, "%" } };

/* By enum unit. */
static const struct unit_rule {
	const char *word;
	const struct rung *rungs;
	size_t nrungs;
	int decimals;
	bool is_number;
	bool hides_zeros; /* no decimals on the first rung while all are integers */
} rules[] = {
	[UNIT_TEXT] = { "text", plain, COUNT(plain), 0, false, false },
	[UNIT_COUNT] = { "count", plain, COUNT(plain), 2, true, true },
	[UNIT_ID] = { "count", plain, COUNT(plain), 2, true, true },
	[UNIT_NS] = { "ns", ns_rungs, COUNT(ns_rungs), 3, true, true },
	[UNIT_TIME] = { "time", ns_rungs, COUNT(ns_rungs), 3, true, true },
	[UNIT_BYTES] = { "bytes", byte_rungs, COUNT(byte_rungs), 2, true, true },
	[UNIT_PERCENT] = { "percent", percent, COUNT(percent), 2, true, false },
	[UNIT_RATIO] = { "ratio", plain, COUNT(plain), 3, true, false },
	[UNIT_BOOL] = { "bool", plain, COUNT(plain), 0, false, false },
	[UNIT_FLOPS] = { "flops", flop_rungs, COUNT(flop_rungs), 3, true, true },
	[UNIT_ANY] = { "any", plain, COUNT(plain), 0, false, false },
};

const char *units_word(enum unit unit)
{
	return rules[unit].word;
}

bool units_is_number(enum unit unit)
{
	return rules[unit].is_number;
}

bool units_has_rungs(enum unit unit)
{
	return rules[unit].nrungs > 1;
}

struct scale units_scale(enum unit unit, double largest, bool has_fractions)
{
	const struct unit_rule *rule = &rules[unit];
	double half_digit = 0.5 / pow(10, rule->decimals);
	size_t at = 0;

	/* What would round up to 1000.000 us is 1.000 ms. */
	while (at + 1 < rule->nrungs &&
	       largest / rule->rungs[at].size + half_digit >=
		       rule->rungs[at + 1].size / rule->rungs[at].size)
		at++;
	bool is_whole = at == 0 && rule->hides_zeros && !has_fractions;
	return (struct scale){
		.unit = unit,
		.divisor = rule->rungs[at].size,
		.label = rule->rungs[at].label,
		.decimals = is_whole ? 0 : rule->decimals,
	};
}

/* How digits are written: "-1,234,567.25". */
struct writing {
	bool is_negative, has_commas;
	int decimals; /* of the digits, the last ones */
};

static struct str write_digits(uint64_t digits, struct writing how,
			       char out[UNITS_TEXT_MAX])
{
	char text[UNITS_TEXT_MAX], *end = text + sizeof(text), *p = end;

	for (int i = 0; i < how.decimals; i++, digits /= 10)
		*--p = (char)('0' + digits % 10);
	if (how.decimals)
		*--p = '.';
	for (int place = 0; place == 0 || digits; place++, digits /= 10) {
		if (how.has_commas && place && place % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + digits % 10);
	}
	if (how.is_negative)
		*--p = '-';
	size_t n = (size_t)(end - p);
	memcpy(out, p, n);
	out[n] = '\0';
	return (struct str){ out, n };
}

static struct str write_integer(int64_t value, bool has_commas, char out[UNITS_TEXT_MAX])
{
	struct writing how = { .is_negative = value < 0, .has_commas = has_commas };

	return write_digits(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, how, out);
}

/*
 * value * 10^decimals as printf's %f rounds it: exactly, half to even.  The value is
 * mantissa / 2^shift with 53 bits of mantissa, and below 2^50, so shift is above 0.
 */
static uint64_t scaled_digits(double value, int decimals)
{
	static const uint64_t powers[DECIMALS_MAX + 1] = { 1, 10, 100, 1000 };
	int exponent;
	double fraction = frexp(value, &exponent);
	int shift = 53 - exponent;

	if (shift > 63)
		return 0; /* less than a half: the product is below 2^63 */
	uint64_t product = (uint64_t)ldexp(fraction, 53) * powers[decimals];
	uint64_t digits = product >> shift, half = UINT64_C(1) << (shift - 1);
	uint64_t rest = product & (2 * half - 1);
	return digits + (rest > half || (rest == half && digits % 2));
}

static struct str format_scaled(struct scale scale, double value,
				char out[UNITS_TEXT_MAX])
{
	value /= scale.divisor;
	if (fabs(value) >= FIXED_LIMIT) {
		snprintf(out, UNITS_TEXT_MAX, "%.6g", value);
		return str_of(out);
	}
	uint64_t digits = scaled_digits(fabs(value), scale.decimals);
	struct writing how = { .is_negative = value < 0 && digits, /* no "-0.000" */
			       .has_commas = scale.unit == UNIT_COUNT,
			       .decimals = scale.decimals };
	return write_digits(digits, how, out);
}

static struct str format_integer(struct scale scale, int64_t value,
				 char out[UNITS_TEXT_MAX])
{
	if (scale.unit == UNIT_BOOL)
		return value ? STR_LIT("yes") : STR_LIT("no");
	if (scale.decimals == 0)
		return write_integer(value, scale.unit == UNIT_COUNT, out);
	return format_scaled(scale, (double)value, out);
}

static struct str format_real(struct scale scale, double value, char out[UNITS_TEXT_MAX])
{
	if (isnan(value))
		return STR_LIT("-");
	if (isinf(value) || !units_is_number(scale.unit))
		return units_shortest(value, out);
	return format_scaled(scale, value, out);
}

struct str units_cell(struct scale scale, struct cell cell, char out[UNITS_TEXT_MAX])
{
	switch (cell.type) {
	case CELL_TEXT:
		return cell.as.text;
	case CELL_INT:
		return format_integer(scale, cell.as.integer, out);
	case CELL_REAL:
		return format_real(scale, cell.as.real, out);
	case CELL_NULL:
		break;
	}
	return STR_LIT("-");
}

/* `space`: what stands before a label that is no "%". */
static struct str labelled(enum unit unit, struct cell cell, const char *space,
			   char out[UNITS_TEXT_MAX])
{
	double value = cell.type == CELL_INT    ? (double)cell.as.integer
		       : cell.type == CELL_REAL ? cell.as.real
						: 0;
	struct scale scale = units_scale(unit, fabs(value), value != floor(value));
	struct str text = units_cell(scale, cell, out);

	if (text.p != out || !scale.label[0])
		return text; /* no number, or one without a unit */
	if (scale.label[0] == '%')
		space = "";
	snprintf(out + text.n, UNITS_TEXT_MAX - text.n, "%s%s", space, scale.label);
	return str_of(out);
}

struct str units_text(enum unit unit, struct cell cell, char out[UNITS_TEXT_MAX])
{
	return labelled(unit, cell, " ", out);
}

struct str units_short(enum unit unit, struct cell cell, char out[UNITS_TEXT_MAX])
{
	bool is_zero = (cell.type == CELL_INT && cell.as.integer == 0) ||
		       (cell.type == CELL_REAL && cell.as.real == 0);

	return is_zero ? STR_LIT("0") : labelled(unit, cell, "", out);
}

struct str units_integer(int64_t value, char out[UNITS_TEXT_MAX])
{
	return write_integer(value, false, out);
}

struct str units_raw(enum unit unit, struct cell cell, char out[UNITS_TEXT_MAX])
{
	switch (cell.type) {
	case CELL_TEXT:
		return cell.as.text;
	case CELL_INT:
		return units_integer(
			unit == UNIT_BOOL ? cell.as.integer != 0 : cell.as.integer, out);
	case CELL_REAL:
		if (!isnan(cell.as.real))
			return units_shortest(cell.as.real, out);
		break;
	case CELL_NULL:
		break;
	}
	return STR_LIT("");
}

struct str units_shortest(double value, char out[UNITS_TEXT_MAX])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, UNITS_TEXT_MAX, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return str_of(out);
}

bool units_parse_bytes(struct str text, int64_t *bytes)
{
	static const char letters[] = "KMGT";
	const char *letter = text.n ? strchr(letters, text.p[text.n - 1]) : NULL;
	int shift = 0;

	if (letter && *letter) {
		shift = 10 * (int)(letter - letters + 1);
		text.n--;
	}
	if (text.n == 0)
		return false;
	*bytes = 0;
	for (size_t i = 0; i < text.n; i++) {
		int digit = text.p[i] - '0';
		if (digit < 0 || digit > 9 || *bytes > (INT64_MAX - digit) / 10)
			return false;
		*bytes = *bytes * 10 + digit;
	}
	if (*bytes > INT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}
