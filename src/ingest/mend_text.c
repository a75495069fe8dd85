/* Strings of JSON that is mended: what they say, in the spelling of JSON. */
#include "base/utf8.h"
#include "ingest/mender.h"

#define STRING_MAX ((size_t)32 << 20)

/* The value of n hexadecimal digits at p, or -1. */
static int64_t hex_value(const char *p, const char *end, size_t n)
{
	int64_t value = 0;

	if ((size_t)(end - p) < n)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *digits = "0123456789abcdef", *at;
		char c = p[i];
		if (c >= 'A' && c <= 'F')
			c = (char)(c + ('a' - 'A'));
		if (!c || !(at = strchr(digits, c)))
			return -1;
		value = value * 16 + (at - digits);
	}
	return value;
}

/* What Python's repr writes behind a backslash and JSON does not; behind it, or NULL. */
static const char *python_escape(const char *p, const char *end, struct buf *into)
{
	int64_t code = -1;
	const char *next = p + 1;

	if (p == end)
		return NULL;
	if (*p == '\'') {
		buf_add_char(into, '\'');
		return next;
	}
	if (*p == 'x' && (code = hex_value(next, end, 2)) >= 0) {
		buf_addf(into, "\\u%04x", (unsigned)code);
		return next + 2;
	}
	if (*p != 'U' || (code = hex_value(next, end, 8)) < 0 || code > 0x10ffff)
		return NULL;
	if (code < 0x10000) {
		buf_addf(into, "\\u%04x", (unsigned)code);
		return next + 8;
	}
	unsigned pair = (unsigned)code - 0x10000;
	buf_addf(into, "\\u%04x\\u%04x", 0xd800 + (pair >> 10), 0xdc00 + (pair & 0x3ff));
	return next + 8;
}

/* Python's escapes as JSON's; borrowed from `into`. */
static struct str python_text(struct str text, struct buf *into)
{
	const char *end = text.p + text.n;

	buf_clear(into);
	for (const char *p = text.p; p < end;) {
		const char *next = *p == '\\' ? python_escape(p + 1, end, into) : NULL;
		if (next) {
			p = next;
			continue;
		}
		size_t n = *p == '\\' && p + 1 < end ? 2 : 1;
		buf_add(into, p, n);
		p += n;
	}
	return buf_str(into);
}

/* Notes what JSON does not allow in the text between two quotes. */
static void note_text(struct mender *m, struct str text, char quote)
{
	const char *end = text.p + text.n, *bad;

	for (const char *p = text.p; p < end; p++) {
		if (*p == quote)
			mender_note(m, FINDING_NAME_REPAIRED, p);
		else if ((unsigned char)*p < 0x20)
			mender_note(m, FINDING_CONTROL_CHARACTER, p);
		p += *p == '\\';
	}
	if ((bad = json_bad_utf8(text)))
		mender_note(m, FINDING_UTF8, bad);
}

bool mender_string(struct mender *m, enum mend_place place)
{
	struct mend *out = m->out;
	char quote = *m->p;
	const char *start = m->p + 1, *bad, *close = mender_string_end(m, place);

	if (!close)
		return false;
	struct str text = { start, (size_t)(close - start) };
	if (text.n > STRING_MAX)
		return mender_fail(m);
	if (quote == '\'') {
		mender_note(m, FINDING_SINGLE_QUOTES, m->p);
		m->python = true;
	}
	note_text(m, text, quote);
	if (m->python)
		text = python_text(text, &out->python);
	if ((bad = json_bad_escape(text)))
		mender_note(m, FINDING_ESCAPE, m->python ? start : bad);
	json_quote(json_unescape(text, &out->plain), &out->quoted);
	m->p = close + 1;
	return buf_add_str(&out->text, buf_str(&out->quoted)) || mender_fail(m);
}
