/* Fractions without zeros: see unpadded.h. */
#include "ingest/unpadded.h"

#include "ingest/json.h"

#define VALUES_WANTED 50 /* that many without one 0 behind the point: no chance */
#define EPOCH_DIGITS  15 /* microseconds since 1970 have more */

/* What the numbers of a trace's beginning are like. */
struct fractions {
	size_t n, nshort;
	bool is_decimal;  /* one is as only decimal fractions are */
	bool is_relative; /* a time does not count from 1970 */
	bool has_epoch;
};

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* A number that the text's end may cut says nothing. */
static void note_fraction(struct fractions *f, const char *p, const char *end)
{
	const char *behind = skip_digits(p, end);
	size_t n = (size_t)(behind - p);

	if (n == 0 || behind == end)
		return;
	f->n++;
	f->nshort += n < 3;
	f->is_decimal |=
		n > 3 || (n > 1 && *p == '0') || *behind == 'e' || *behind == 'E';
}

/* The value of a "ts" or "dur" behind its key. */
static void note_value(struct fractions *f, const char *p, const char *end, bool is_time)
{
	while (p < end && (json_is_blank(*p) || *p == ':'))
		p++;
	const char *point = skip_digits(p, end);
	bool is_epoch = point - p >= EPOCH_DIGITS;

	if (is_time && point < end && point > p && *p != '0') {
		f->is_relative |= !is_epoch;
		f->has_epoch |= is_epoch;
	}
	if (point < end && *point == '.')
		note_fraction(f, point + 1, end);
}

static struct fractions note_all(struct str text)
{
	struct fractions f = { 0 };
	const char *p = text.p, *end = text.p + text.n;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		p++;
		struct str rest = { p, (size_t)(end - p) };
		if (str_starts_with(rest, STR_LIT("ts\"")))
			note_value(&f, p + 3, end, true);
		else if (str_starts_with(rest, STR_LIT("dur\"")))
			note_value(&f, p + 4, end, false);
	}
	return f;
}

bool unpadded_has(struct bytes head, bool whole)
{
	struct str text = { (const char *)head.p, head.n };

	if (!str_contains(text, STR_LIT("\"schemaVersion\"")) ||
	    str_contains(text, STR_LIT("\"baseTimeNanoseconds\"")))
		return false;
	struct fractions f = note_all(text);
	if (f.nshort == 0 || f.is_decimal || f.is_relative || !f.has_epoch)
		return false;
	return str_contains(text, STR_LIT("\"displayTimeUnit\": \"ns\"")) ||
	       str_contains(text, STR_LIT("\"displayTimeUnit\":\"ns\"")) ||
	       (!whole && f.n >= VALUES_WANTED);
}

enum decimal_status unpadded_us_to_ns(struct str text, int64_t *ns)
{
	const char *end = text.p + text.n;
	const char *point = memchr(text.p, '.', text.n);
	char padded[32] = { 0 };

	if (!point)
		return decimal_us_to_ns(text, ns);
	size_t whole = (size_t)(point + 1 - text.p), n = (size_t)(end - point - 1);
	if (n == 0 || n >= 3 || skip_digits(point + 1, end) != end ||
	    whole + 3 > sizeof(padded) - DECIMAL_PADDING)
		return decimal_us_to_ns(text, ns);
	memcpy(padded, text.p, whole);
	memset(padded + whole, '0', 3 - n);
	memcpy(padded + whole + 3 - n, point + 1, n);
	return decimal_us_to_ns((struct str){ padded, whole + 3 }, ns);
}
