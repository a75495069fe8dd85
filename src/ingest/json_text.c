/*
 * The text of JSON strings: UTF-8 checked and escapes undone (json.h).  Apart
 * from the tokenizer because only names that need it come here.
 */
#include <stdint.h>

#include "base/utf8.h"
#include "ingest/json.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const char escape_letters[] = "\"\\/bfnrt", escape_values[] = "\"\\/\b\f\n\r\t";

const char *json_bad_utf8(struct str text)
{
	const char *end = text.p + text.n;
	uint32_t code;

	for (const char *p = text.p; p < end;) {
		if ((unsigned char)*p < 0x80) {
			p++;
			continue;
		}
		size_t n = utf8_decode((struct str){ p, (size_t)(end - p) }, &code);
		if (code == UTF8_INVALID)
			return p;
		p += n;
	}
	return NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The code unit whose four hex digits are at p, or -1. */
static int32_t code_unit(const char *p, const char *end)
{
	int32_t unit = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

static bool is_high_surrogate(int32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low_surrogate(int32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

/* The code unit of the "\\uXXXX" at p, or -1. */
static int32_t escaped_unit(const char *p, const char *end)
{
	return end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? code_unit(p + 2, end) : -1;
}

const char *json_bad_escape(struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
		int32_t unit = escaped_unit(p, end);
		if (unit < 0 && (end - p < 2 || !p[1] || !strchr(escape_letters, p[1])))
			return p;
		if (is_low_surrogate(unit) ||
		    (is_high_surrogate(unit) &&
		     !is_low_surrogate(escaped_unit(p + 6, end))))
			return p;
		p += unit < 0 ? 2 : is_high_surrogate(unit) ? 12 : 6;
	}
	return NULL;
}

/* p is behind "\u"; returns where the escape ends. */
static const char *unicode_escape(const char *p, const char *end, struct buf *into)
{
	int32_t unit = code_unit(p, end);

	if (unit < 0) {
		buf_add_text(into, "\\u");
		return p;
	}
	p += 4;
	if (!is_high_surrogate(unit) && !is_low_surrogate(unit)) {
		utf8_add(into, (uint32_t)unit);
		return p;
	}
	int32_t low = escaped_unit(p, end);
	if (is_high_surrogate(unit) && is_low_surrogate(low)) {
		utf8_add(into, 0x10000 + (uint32_t)((unit - 0xd800) << 10) +
				       (uint32_t)(low - 0xdc00));
		return p + 6;
	}
	buf_add_text(into, REPLACEMENT);
	return p;
}

/* p is behind a backslash.  An unknown escape keeps both of its characters. */
static const char *escape(const char *p, const char *end, struct buf *into)
{
	if (p == end) {
		buf_add_char(into, '\\');
		return p;
	}
	if (*p == 'u')
		return unicode_escape(p + 1, end, into);
	const char *at = *p ? strchr(escape_letters, *p) : NULL;
	if (!at) {
		buf_add_char(into, '\\');
		return p;
	}
	buf_add_char(into, escape_values[at - escape_letters]);
	return p + 1;
}

struct str json_unescape(struct str text, struct buf *into)
{
	const char *p = text.p, *end = text.p + text.n;
	uint32_t code;

	if ((!text.n || !memchr(p, '\\', text.n)) && !json_bad_utf8(text))
		return text;
	buf_clear(into);
	while (p < end) {
		if (*p == '\\') {
			p = escape(p + 1, end, into);
			continue;
		}
		size_t n = utf8_decode((struct str){ p, (size_t)(end - p) }, &code);
		if (code == UTF8_INVALID)
			buf_add_text(into, REPLACEMENT);
		else
			buf_add(into, p, n);
		p += n;
	}
	return buf_str(into);
}

void json_quote(struct str text, struct buf *out)
{
	const char *end = text.p + text.n;
	uint32_t code;
	size_t n;

	buf_clear(out);
	buf_add_char(out, '"');
	for (const char *p = text.p; p < end; p += n) {
		n = utf8_decode((struct str){ p, (size_t)(end - p) }, &code);
		if (code == UTF8_INVALID)
			buf_add_text(out, REPLACEMENT);
		else if (code < 0x20)
			buf_addf(out, "\\u%04x", (unsigned)code);
		else if (code == '"' || code == '\\')
			buf_add(out, (char[]){ '\\', *p }, 2);
		else
			buf_add(out, p, n);
	}
	buf_add_char(out, '"');
}

/* The text of a value as it stands: a string with its quotes. */
static struct str whole_text(const struct json_value *value)
{
	size_t quote = value->type == JSON_STRING;

	return (struct str){ value->text.p - quote, value->text.n + 2 * quote };
}

unsigned json_flaws(const struct json_value *value)
{
	struct json j = json_of(whole_text(value));
	struct json_value again;

	json_value(&j, &again);
	return j.flaws | (json_bad_utf8(value->text) ? JSON_FLAW_UTF8 : 0);
}

struct str json_valid(const struct json_value *value, unsigned flaws, struct buf *into)
{
	if ((flaws & ~(unsigned)JSON_FLAW_LONG) == 0)
		return whole_text(value);
	json_quote(whole_text(value), into);
	return buf_str(into);
}

struct str json_valid_text(struct str text, struct buf *into)
{
	bool has_control = false;

	for (size_t i = 0; i < text.n; i++)
		has_control |= (unsigned char)text.p[i] < ' ';
	if (!has_control && !json_bad_utf8(text) && !json_bad_escape(text))
		return text;
	json_quote(text, into);
	return (struct str){ into->p + 1, into->n - 2 };
}

struct str json_cut(struct str text, size_t max)
{
	struct str cut = utf8_cut(text, max);
	const char *bad = cut.n < text.n ? json_bad_escape(cut) : NULL;

	/* a bad one that is whole is not the cut's */
	if (bad && cut.p + cut.n - bad < 12)
		cut.n = (size_t)(bad - cut.p);
	return cut;
}
