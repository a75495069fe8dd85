/*
 * Strings of JSON that is mended: where one ends whose quotes were not escaped
 * (every torch until 2026 wrote such names), and what it says.
 */
#include "base/utf8.h"
#include "ingest/event.h"
#include "ingest/mender.h"

#define STRING_MAX    ((size_t)32 << 20)
#define LINE_MAX      4096 /* bytes of a log's line */
#define PHASE_WITHIN  512  /* bytes of an event in which its ph stands */
#define EVENT_KEY_MAX 10   /* bytes of the longest key of an event */

/* Can a string end at a quote? */
enum ends {
	ENDS_NOT,
	ENDS_SURELY,
	ENDS_UNKNOWN_KEY, /* what follows may be a member, or the string's own text */
	ENDS_CONTAINER,   /* what follows may be the container's end */
	ENDS_UNSEEN       /* the window ends too early to tell */
};

static enum ends unseen(const struct mender *m)
{
	return m->last ? ENDS_CONTAINER : ENDS_UNSEEN;
}

/* Behind a string and its comma. */
static enum ends ends_before_key(const struct mender *m, const char *p)
{
	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen(m);
	if (*p == '}')
		return ENDS_CONTAINER;
	switch (mender_key_at(m, p)) {
	case MEND_KNOWN_KEY:
		return ENDS_SURELY;
	case MEND_ANY_KEY:
		return ENDS_UNKNOWN_KEY;
	case MEND_UNSEEN_KEY:
		return ENDS_UNSEEN;
	case MEND_NO_KEY:
		break;
	}
	return ENDS_NOT;
}

/* Behind a string in the last member of an object, and its '}'. */
static enum ends ends_before_brace(const struct mender *m, const char *p)
{
	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen(m);
	if (mender_level(m) != MEND_OF_EVENT)
		return *p == ',' || *p == '}' || *p == ']' ? ENDS_CONTAINER : ENDS_NOT;
	if (*p == ',')
		p = mender_gap(m, p + 1);
	if (p >= m->end)
		return unseen(m);
	return *p == '{' || *p == ']' ? ENDS_CONTAINER : ENDS_NOT;
}

/* Behind a string that another damage parts from the next member. */
static enum ends ends_before_stray(const struct mender *m, const char *p)
{
	enum mend_key key = mender_key_at(m, p);

	if (key == MEND_NO_KEY && m->mode.stray) {
		p = mender_gap(m, p + (*p == ','));
		size_t left = (size_t)(m->end - p);
		const char *line = memchr(p, '\n', left < LINE_MAX ? left : LINE_MAX);
		if (!line)
			return m->last || left >= LINE_MAX ? ENDS_NOT : ENDS_UNSEEN;
		key = mender_key_at(m, mender_gap(m, line));
	}
	if (key == MEND_UNSEEN_KEY)
		return ENDS_UNSEEN;
	return key == MEND_KNOWN_KEY ? ENDS_SURELY : ENDS_NOT;
}

static enum ends ends_member(const struct mender *m, const char *p)
{
	enum ends ends;

	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen(m);
	if (*p == '}')
		return ends_before_brace(m, p + 1);
	ends = *p == ',' ? ends_before_key(m, p + 1) : ENDS_NOT;
	return ends == ENDS_NOT ? ends_before_stray(m, p) : ends;
}

static enum ends ends_element(const struct mender *m, const char *p)
{
	bool closes;

	p = mender_gap(m, p);
	closes = p < m->end && *p == ']';
	if (p < m->end && *p != ',' && !closes)
		return ENDS_NOT;
	p = mender_gap(m, p + 1);
	if (p >= m->end)
		return unseen(m);
	return *p && strchr(closes ? ",]}" : "\"'{[-0123456789tfnNTF]", *p)
		       ? ENDS_CONTAINER
		       : ENDS_NOT;
}

static enum ends ends_key(const struct mender *m, const char *p)
{
	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen(m);
	return *p == ':' ? ENDS_SURELY : ENDS_NOT;
}

/* Does a string end with the quote before p? */
static enum ends ends_at(const struct mender *m, const char *p, enum mend_place place)
{
	if (place == MEND_KEY)
		return ends_key(m, p);
	return place == MEND_MEMBER ? ends_member(m, p) : ends_element(m, p);
}

static const char *back_over_gap(const struct mender *m, const char *p)
{
	while (p > m->start && (json_is_blank(p[-1]) || !p[-1]))
		p--;
	return p;
}

/* Does the object whose first key is at p have a ph early on? */
static bool has_phase(const struct mender *m, const char *p)
{
	const char *end = m->end - p > PHASE_WITHIN ? p + PHASE_WITHIN : m->end;

	for (; p < end && *p != '}'; p++) {
		if (!mender_is_quote(*p) || end - p < 4 || p[1] != 'p' || p[2] != 'h' ||
		    p[3] != *p)
			continue;
		for (p += 4; p < end && (json_is_blank(*p) || !*p);)
			p++;
		return p < end && *p == ':';
	}
	return false;
}

enum mend_start mender_starts_event(const struct mender *m, const char *p)
{
	const char *key = p + 1, *before = back_over_gap(m, p);
	bool comma;

	if (before == m->start || before[-1] != '{')
		return MEND_NO_START;
	before = back_over_gap(m, before - 1);
	comma = before > m->start && before[-1] == ',';
	if (comma)
		before = back_over_gap(m, before - 1);
	bool closed = before > m->start && before[-1] == '}';
	if (!closed && !comma)
		return MEND_NO_START;
	if (!m->last && m->end - p < PHASE_WITHIN)
		return MEND_START_UNSEEN;
	/* The event before it may be cut off. */
	if (!closed && !has_phase(m, p))
		return MEND_NO_START;
	size_t left = (size_t)(m->end - key);
	const char *quote = memchr(key, *p, left < EVENT_KEY_MAX ? left : EVENT_KEY_MAX);
	return quote && event_is_key((struct str){ key, (size_t)(quote - key) })
		       ? MEND_START
		       : MEND_NO_START;
}

/* What is known of a string while its end is looked for. */
struct search {
	const char *first; /* its first quote that is not escaped */
	const char *weak;  /* the first one at which it may end */
	int64_t open;      /* brackets in it that were not closed yet */
};

/* Is the quote at p the end, as that answer has it? */
static bool is_end(const struct mender *m, const struct search *s, enum ends ends)
{
	if (ends == ENDS_SURELY)
		return true;
	if (ends != ENDS_UNKNOWN_KEY && ends != ENDS_CONTAINER)
		return false;
	/* Until a quote was refused nothing says that the string is damaged. */
	if (!s->first)
		return true;
	if (ends == ENDS_UNKNOWN_KEY && mender_level(m) == MEND_OF_EVENT)
		return false;
	return s->open == 0;
}

/* Remembers a quote that is not the end, as far as can be told. */
static void refuse(struct search *s, const char *p, enum ends ends, bool escaped)
{
	if (ends != ENDS_NOT && !s->weak)
		s->weak = p;
	if (!escaped && !s->first)
		s->first = p;
}

static int64_t bracket(char c)
{
	if (c == '{' || c == '[' || c == '(')
		return 1;
	return c == '}' || c == ']' || c == ')' ? -1 : 0;
}

static const char *no_end(struct mender *m)
{
	mender_at_end(m);
	return NULL;
}

/* The best of the quotes that were seen. */
static const char *best_end(struct mender *m, const struct search *s)
{
	if (s->weak)
		return s->weak;
	if (!s->first)
		mender_fail(m);
	return s->first;
}

/* The quote that ends the string at m->p, if some in it were not escaped. */
static const char *likely_end(struct mender *m, enum mend_place place)
{
	struct search s = { 0 };
	char quote = *m->p;

	for (const char *p = m->p + 1; p < m->end; p++) {
		bool escaped = *p == '\\';
		s.open += bracket(*p);
		if (escaped && ++p == m->end)
			break;
		enum mend_start start = escaped || !mender_is_quote(*p)
						? MEND_NO_START
						: mender_starts_event(m, p);
		if (start == MEND_START)
			return best_end(m, &s);
		if (start == MEND_START_UNSEEN)
			return no_end(m);
		if (*p != quote)
			continue;
		enum ends ends = ends_at(m, p + 1, place);
		if (ends == ENDS_UNSEEN)
			return no_end(m);
		if (is_end(m, &s, ends))
			return p;
		refuse(&s, p, ends, escaped);
	}
	return m->last && s.weak ? s.weak : no_end(m);
}

/* The quote that ends it if none in it is bare. */
static const char *plain_end(struct mender *m)
{
	char quote = *m->p;

	for (const char *p = m->p + 1; p < m->end; p++) {
		enum mend_start start =
			mender_is_quote(*p) ? mender_starts_event(m, p) : MEND_NO_START;
		if (start != MEND_NO_START) {
			start == MEND_START ? mender_fail(m) : mender_at_end(m);
			return NULL;
		}
		if (*p == quote)
			return p;
		p += *p == '\\';
	}
	return no_end(m);
}

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
	const char *start = m->p + 1, *bad,
		   *close = m->mode.quotes ? likely_end(m, place) : plain_end(m);

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
