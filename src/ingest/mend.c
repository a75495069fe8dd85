/* The structure and the strings of JSON that is mended: see mend.h and mender.h. */
#include "ingest/mend.h"

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

/* The string whose quote is at p, in double quotes, into the text. */
static bool mender_string(struct mender *m, enum mend_place place)
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

#define TEXT_MAX ((size_t)256 << 20)

/* Bytes that are looked at in vain, however few were passed. */
#define VAIN_MAX ((uint64_t)4 << 20)

/*
 * In the order of how much they assume: the first one that gives a whole value
 * is taken, so that one kind of damage is not read as another.
 */
static const struct mend_mode modes[MEND_ATTEMPTS] = {
	{ false, MEND_NO_STRAY },   { false, MEND_STRAY_LINES }, { true, MEND_NO_STRAY },
	{ true, MEND_STRAY_LINES }, { false, MEND_ANY_STRAY },   { true, MEND_ANY_STRAY },
};

void mend_init(struct mend *m)
{
	m->nflaws = 0;
	m->in_vain = 0;
	m->known = NULL;
	buf_init(&m->text, TEXT_MAX);
	buf_init(&m->python, TEXT_MAX);
	buf_init(&m->plain, TEXT_MAX);
	buf_init(&m->quoted, TEXT_MAX);
}

void mend_release(struct mend *m)
{
	buf_release(&m->text);
	buf_release(&m->python);
	buf_release(&m->plain);
	buf_release(&m->quoted);
}

bool mender_fail(struct mender *m)
{
	m->status = JSON_BAD;
	return false;
}

void mender_looked(struct mender *m, size_t n)
{
	m->out->in_vain += n;
}

size_t mender_may_look(const struct mender *m)
{
	uint64_t most = VAIN_MAX + MEND_VAIN_FOR_EACH * (uint64_t)(m->p - m->start);

	return m->out->in_vain < most ? (size_t)(most - m->out->in_vain) : 0;
}

bool mender_at_end(struct mender *m)
{
	m->ended = m->last;
	m->status = m->last ? JSON_BAD : JSON_MORE;
	return false;
}

void mender_note(struct mender *m, enum finding finding, const char *at)
{
	struct mend *out = m->out;

	for (size_t i = 0; i < out->nflaws; i++)
		if (out->flaws[i].finding == finding)
			return;
	if (out->nflaws < MEND_FLAWS_MAX)
		out->flaws[out->nflaws++] =
			(struct mend_flaw){ finding, (size_t)(at - m->start) };
}

const char *mender_gap(const struct mender *m, const char *p)
{
	while (p < m->end && (json_is_blank(*p) || !*p))
		p++;
	return p;
}

static bool is_in_object(const struct mender *m)
{
	unsigned at = m->depth - 1;

	return (m->bits[at >> 6] >> (at & 63)) & 1;
}

enum mend_level mender_level(const struct mender *m)
{
	if (!m->is_event || m->depth < 1 || m->depth > 2)
		return MEND_OF_OTHER;
	if (m->depth == 1)
		return MEND_OF_EVENT;
	return m->in_args ? MEND_OF_ARGS : MEND_OF_OTHER;
}

static bool add(struct mender *m, const char *text, size_t n)
{
	return buf_add(&m->out->text, text, n) || mender_fail(m);
}

static void begin(struct mender *m, struct mend *out, const char *start,
		  const struct json *j, struct mend_mode mode)
{
	m->out = out;
	m->start = m->p = start;
	m->end = j->end;
	m->last = j->last;
	m->is_event = m->in_args = m->python = m->ended = false;
	m->mode = mode;
	m->status = JSON_OK;
	m->depth = 0;
	m->line = m->phase = (struct mender_ahead){ start, start };
	m->line_end = NULL;
	buf_clear(&out->text);
	out->nflaws = 0;
}

static bool push(struct mender *m, bool object)
{
	if (m->depth == JSON_DEPTH_MAX)
		return mender_fail(m);
	uint64_t bit = UINT64_C(1) << (m->depth & 63);
	uint64_t *word = &m->bits[m->depth++ >> 6];
	/* The words are not set before they are used: a new one begins as zero. */
	*word = bit == 1 ? object : object ? *word | bit : *word & ~bit;
	return true;
}

/* Passes over blanks and zero bytes. */
static bool pass_gap(struct mender *m)
{
	const char *zero = json_skip_blanks(m->p);

	m->p = mender_gap(m, zero);
	if (m->p > zero)
		mender_note(m, FINDING_NUL_BYTES, zero);
	return m->p < m->end || mender_at_end(m);
}

/* Can a member or an element begin at p? */
static bool is_entry(const struct mender *m, bool comma)
{
	if (!is_in_object(m))
		return true;
	if (mender_is_quote(*m->p))
		return comma || !m->mode.stray || mender_key_at(m, m->p) != MEND_NO_KEY;
	return !m->mode.stray;
}

/* Passes over what is no JSON at p, unless it is a key without its quotes. */
static bool pass_stray(struct mender *m)
{
	const char *start = m->p;
	size_t n = m->out->text.n;

	if (mender_bare_key(m)) {
		/* It will be read again, as a key. */
		m->out->text.n = n;
		m->p = start;
		return true;
	}
	if (m->status != JSON_BAD || m->ended)
		return false;
	m->status = JSON_OK;
	return mender_stray_text(m);
}

/*
 * What stands before the next entry.  *comma: a comma, or nothing where none is
 * wanted; *done: the closing bracket, which is not passed.
 */
static bool pass_separator(struct mender *m, bool *comma, bool *done)
{
	char closing = is_in_object(m) ? '}' : ']';
	const char *last_comma = NULL;

	for (*done = false; pass_gap(m);) {
		if (*m->p == closing) {
			if (last_comma)
				mender_note(m, FINDING_EXTRA_COMMA, last_comma);
			*done = true;
			return true;
		}
		if (*m->p == ',') {
			if (*comma)
				mender_note(m, FINDING_EXTRA_COMMA, m->p);
			*comma = true;
			last_comma = m->p++;
			continue;
		}
		if (is_entry(m, *comma))
			return true;
		const char *at = m->p;
		if (!pass_stray(m))
			return false;
		if (m->p == at)
			return true;
	}
	return false;
}

/* The key at p, and its colon. */
static bool pass_key(struct mender *m, bool comma)
{
	size_t before = m->out->text.n;
	bool is_quoted = mender_is_quote(*m->p) && !mender_is_unclosed_key(m);

	if (!is_quoted && !comma)
		return mender_fail(m);
	if (!(is_quoted ? mender_string(m, MEND_KEY) : mender_bare_key(m)))
		return false;
	struct str key = { m->out->text.p + before, m->out->text.n - before };
	if (m->depth == 1)
		m->in_args = str_is(key, "\"args\"");
	if (!pass_gap(m))
		return false;
	if (*m->p != ':')
		return mender_fail(m);
	m->p++;
	return add(m, ":", 1) && pass_gap(m);
}

/* To the value of the next entry; *done: the closing bracket was passed instead. */
static bool pass_entry(struct mender *m, bool first, bool *done)
{
	bool comma = first;

	if (!pass_separator(m, &comma, done))
		return false;
	if (*done)
		return add(m, m->p++, 1);
	if (!comma)
		mender_note(m, FINDING_MISSING_COMMA, m->p);
	if (!first && !add(m, ",", 1))
		return false;
	return !is_in_object(m) || pass_key(m, comma);
}

/* RFC 8259 wants digits on both sides of the point, no plus and no leading zeros. */
static bool add_number(struct mender *m, struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	if (*p == '-' && !add(m, "-", 1))
		return false;
	p += *p == '-' || *p == '+';
	while (end - p > 1 && *p == '0' && p[1] >= '0' && p[1] <= '9')
		p++;
	if (*p == '.' && !add(m, "0", 1))
		return false;
	const char *point = memchr(p, '.', (size_t)(end - p));
	if (!point)
		return add(m, p, (size_t)(end - p));
	bool lacks = point + 1 == end || point[1] < '0' || point[1] > '9';
	return add(m, p, (size_t)(point + 1 - p)) && (!lacks || add(m, "0", 1)) &&
	       add(m, point + 1, (size_t)(end - point - 1));
}

/* What stands where a number or a word should, up to where the container goes on. */
static bool stray_value(struct mender *m)
{
	const char *p = m->p;

	while (p < m->end && *p != ',' && *p != '}' && *p != ']' && *p != '\n' &&
	       !mender_is_quote(*p) && *p != '{' && *p != '[')
		p++;
	if (p == m->end)
		return mender_at_end(m);
	if (m->mode.stray != MEND_ANY_STRAY || p == m->p)
		return mender_fail(m);
	mender_note(m, FINDING_STRAY_TEXT, m->p);
	m->p = p;
	return add(m, "null", 4);
}

/* A number or a word. */
static bool pass_word(struct mender *m)
{
	static const char *const words[] = {
		[JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null"
	};
	struct json j = { .p = m->p, .end = m->end, .last = m->last };
	struct json_value value;

	enum json_status status = json_value(&j, &value);
	if (status == JSON_MORE || j.ended)
		return mender_at_end(m);
	if (status == JSON_BAD || (j.p < m->end && mender_is_word(*j.p)))
		return stray_value(m);
	if (j.flaws & JSON_FLAW_NOT_FINITE)
		mender_note(m, FINDING_NOT_FINITE, m->p);
	if (j.flaws & (JSON_FLAW_NUMBER | JSON_FLAW_WORD))
		mender_note(m, FINDING_NUMBER_SYNTAX, m->p);
	m->p = j.p;
	if (value.type != JSON_NUMBER)
		return add(m, words[value.type], strlen(words[value.type]));
	/* An exponent without digits has no reading. */
	char end = value.text.p[value.text.n - 1];
	if (j.flaws & JSON_FLAW_NUMBER && end != '.' && (end < '0' || end > '9'))
		return add(m, "null", 4);
	return add_number(m, value.text);
}

static bool pass_scalar(struct mender *m)
{
	bool element = m->depth && !is_in_object(m);

	if (mender_is_quote(*m->p))
		return mender_string(m, element ? MEND_ELEMENT : MEND_MEMBER);
	return pass_word(m);
}

/* The value at p, whatever it is. */
static bool pass_value(struct mender *m)
{
	bool first = false, done = false;

	do {
		if (*m->p == '{' || *m->p == '[') {
			first = true;
			if (!push(m, *m->p == '{') || !add(m, m->p++, 1))
				return false;
		} else if (!pass_scalar(m)) {
			return false;
		}
		while (m->depth && pass_entry(m, first, &done) && done) {
			m->depth--;
			first = false;
		}
		if (m->status != JSON_OK)
			return false;
		first = false;
	} while (m->depth);
	return true;
}

/* Does an object go on behind the string that was its member's value? */
static bool check_follower(struct mender *m)
{
	const char *next = mender_gap(m, m->p);

	if (next >= m->end)
		return m->last || mender_at_end(m);
	enum mend_key key = mender_key_at(m, next);
	if (key == MEND_UNSEEN_KEY)
		return mender_at_end(m);
	if (*next == ',' || *next == '}' || key != MEND_NO_KEY)
		return true;
	return (m->mode.stray && memchr(m->p, '\n', (size_t)(next - m->p))) ||
	       mender_fail(m);
}

/* The bytes that a window has behind it. */
static void pad(struct mend *out)
{
	static const char zeros[JSON_PADDING];

	if (buf_add(&out->text, zeros, sizeof(zeros)))
		out->text.n -= sizeof(zeros);
}

/* Says in *j how an attempt ended: true when no other is wanted. */
static bool is_decided(const struct mender *m, struct json *j)
{
	if (m->p > j->p)
		j->p = m->p < m->end ? m->p : m->end;
	if (m->status == JSON_OK)
		pad(m->out);
	j->ended |= m->ended;
	return m->status != JSON_BAD;
}

static enum json_status mend(struct mend *out, struct json *j, bool is_event)
{
	const char *start = j->p;
	struct mender m;

	j->ended = false;
	out->in_vain = 0;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		begin(&m, out, start, j, modes[i]);
		m.is_event = is_event;
		if (pass_gap(&m) && pass_value(&m) && start[0] == '"')
			check_follower(&m);
		if (is_decided(&m, j))
			return m.status;
	}
	return JSON_BAD;
}

enum json_status mend_value(struct mend *m, struct json *j)
{
	return mend(m, j, false);
}

enum json_status mend_event(struct mend *m, struct json *j)
{
	return mend(m, j, true);
}

enum json_status mend_member(struct mend *out, struct json *j, bool first,
			     struct str *key, bool *done)
{
	const char *start = j->p;
	struct mender m;

	j->ended = false;
	out->in_vain = 0;
	m.status = JSON_BAD;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		/* No key is known here that could end such a text. */
		if (modes[i].stray == MEND_ANY_STRAY)
			break;
		begin(&m, out, start, j, modes[i]);
		push(&m, true);
		pass_entry(&m, first, done);
		if (is_decided(&m, j))
			break;
	}
	if (m.status == JSON_OK && !*done) {
		/* ,"key": */
		size_t before = first ? 1 : 2;
		*key = (struct str){ out->text.p + before, out->text.n - before - 2 };
	}
	return m.status;
}
