/* Keys of JSON that is mended, and the text between them: see mender.h. */
#include "ingest/event.h"
#include "ingest/mender.h"

#define KEY_MAX   128   /* bytes of a key that is looked for */
#define STRAY_MAX 65536 /* bytes between two members */

static bool knows(const struct mender *m, struct str key)
{
	const struct intern *known = m->out->known;

	switch (mender_level(m)) {
	case MEND_OF_EVENT:
		return event_is_key(key) ||
		       (known && intern_has(&known[MEMBER_OF_EVENT], key));
	case MEND_OF_ARGS:
		return known && intern_has(&known[MEMBER_OF_ARGS], key);
	case MEND_OF_OTHER:
		break;
	}
	return false;
}

static enum mend_key unseen(const struct mender *m)
{
	return m->last ? MEND_NO_KEY : MEND_UNSEEN_KEY;
}

enum mend_key mender_key_at(const struct mender *m, const char *p)
{
	const char *key = p + 1;

	if (p >= m->end)
		return unseen(m);
	if (!mender_is_quote(*p))
		return MEND_NO_KEY;
	for (char quote = *p++; p < m->end; p++) {
		if (*p == '\n' || *p == '\\' || p - key == KEY_MAX)
			return MEND_NO_KEY;
		if (*p != quote)
			continue;
		const char *colon = mender_gap(m, p + 1);
		if (colon >= m->end)
			return unseen(m);
		if (*colon != ':')
			return MEND_NO_KEY;
		return knows(m, (struct str){ key, (size_t)(p - key) }) ? MEND_KNOWN_KEY
									: MEND_ANY_KEY;
	}
	return unseen(m);
}

bool mender_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.' || c == '-';
}

static bool is_in_key(char c)
{
	return (unsigned char)c >= 0x20 && !strchr("\"'{}[],:\\", c);
}

/* Behind the word at p. */
static const char *word_end(const struct mender *m, const char *p)
{
	while (p < m->end && mender_is_word(*p))
		p++;
	return p;
}

/* Where the string or the word at p ends; NULL: it has no reading. */
static const char *leaf_end(const struct mender *m, const char *p)
{
	struct json j = { .p = p, .end = m->end, .last = m->last };
	struct json_value value;

	if (mender_is_quote(*p)) {
		const char *quote = memchr(p + 1, *p, (size_t)(m->end - p - 1));
		return quote ? quote + 1 : m->end;
	}
	enum json_status status = json_value(&j, &value);
	return status == JSON_OK ? j.p : status == JSON_MORE ? m->end : NULL;
}

/*
 * Is what stands behind a colon a member's value?  "INFO: 2024-01-01 ..." is a
 * line of a log.
 */
static bool is_member_value(struct mender *m, const char *p)
{
	p = mender_gap(m, p);
	if (p >= m->end)
		return mender_at_end(m);
	if (*p == '{' || *p == '[' || (m->mode.quotes && mender_is_quote(*p)))
		return true;
	p = leaf_end(m, p);
	if (!p)
		return mender_fail(m);
	const char *next = mender_gap(m, p);
	if (next >= m->end)
		return m->last || mender_at_end(m);
	return *next == ',' || *next == '}' || memchr(p, '\n', (size_t)(next - p)) ||
	       mender_fail(m);
}

bool mender_bare_key(struct mender *m)
{
	const char *from = m->p + mender_is_quote(*m->p), *p = from;

	while (p < m->end && p - from < KEY_MAX && is_in_key(*p))
		p++;
	if (p == m->end)
		return mender_at_end(m);
	bool closed = from == m->p && mender_is_quote(*p);
	const char *colon = mender_gap(m, p + closed), *key_end = p;
	if (colon >= m->end)
		return mender_at_end(m);
	while (!closed && key_end > from && json_is_blank(key_end[-1]))
		key_end--;
	struct str key = { from, (size_t)(key_end - from) };
	if (*colon != ':' || !key.n)
		return mender_fail(m);
	if (!closed && word_end(m, from) < key_end)
		return mender_fail(m);
	if (!closed && !is_member_value(m, colon + 1))
		return false;
	mender_note(m, FINDING_BARE_KEY, m->p);
	m->p = p + closed;
	json_quote(key, &m->out->quoted);
	return buf_add_str(&m->out->text, buf_str(&m->out->quoted)) || mender_fail(m);
}

bool mender_is_unclosed_key(const struct mender *m)
{
	const char *p = word_end(m, m->p + 1);

	return p > m->p + 1 && p < m->end && *p == ':' &&
	       mender_key_at(m, m->p) == MEND_NO_KEY;
}

/* Does a line begin at p? */
static bool is_line(const struct mender *m, const char *p)
{
	while (p > m->start && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r'))
		p--;
	return p > m->start && p[-1] == '\n';
}

/* What the text that is passed over has at p. */
enum stray { STRAY_GOES_ON, STRAY_ENDS, STRAY_IN_EVENT, STRAY_UNSEEN };

/* A member may begin at a key that is known, the object may end at its bracket. */
static enum stray stray_at(const struct mender *m, const char *p)
{
	bool brace = *p == '{';
	const char *next = brace || *p == '}' ? mender_gap(m, p + 1) : p;

	if (next >= m->end)
		return STRAY_UNSEEN;
	if (*p == '}')
		return strchr(",]}", *next) ? STRAY_ENDS : STRAY_GOES_ON;
	switch (mender_key_at(m, next)) {
	case MEND_KNOWN_KEY:
		return brace ? STRAY_IN_EVENT : STRAY_ENDS;
	case MEND_UNSEEN_KEY:
		return STRAY_UNSEEN;
	case MEND_ANY_KEY:
	case MEND_NO_KEY:
		break;
	}
	return STRAY_GOES_ON;
}

bool mender_stray_text(struct mender *m)
{
	const char *from = m->p, *p = from;
	bool only_lines = m->mode.stray == MEND_STRAY_LINES;

	if (m->mode.stray == MEND_NO_STRAY || (only_lines && !is_line(m, p)))
		return mender_fail(m);
	for (; p < m->end && p - from < STRAY_MAX && *p != '\n'; p++) {
		enum stray stray = stray_at(m, p);
		if (stray == STRAY_UNSEEN)
			return mender_at_end(m);
		if (stray == STRAY_IN_EVENT) {
			mender_looked(m, (size_t)(p - from));
			return mender_fail(m);
		}
		if (stray == STRAY_ENDS && !only_lines)
			break;
	}
	if (p == m->end)
		return mender_at_end(m);
	if (p - from == STRAY_MAX) {
		mender_looked(m, STRAY_MAX);
		return mender_fail(m);
	}
	mender_note(m, FINDING_STRAY_TEXT, from);
	m->p = p;
	return true;
}
