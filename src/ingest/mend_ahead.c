/*
 * What lies ahead in JSON that is mended: keys, the text between them, and where a
 * string ends whose quotes were not escaped (every torch until 2026 wrote such names):
 * at the first quote behind which its object can go on.  See mender.h.
 */
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

static enum ends unseen_end(const struct mender *m)
{
	return m->last ? ENDS_CONTAINER : ENDS_UNSEEN;
}

/* Behind a string and its comma. */
static enum ends ends_before_key(const struct mender *m, const char *p)
{
	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen_end(m);
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
		return unseen_end(m);
	if (mender_level(m) != MEND_OF_EVENT)
		return *p == ',' || *p == '}' || *p == ']' ? ENDS_CONTAINER : ENDS_NOT;
	if (*p == ',')
		p = mender_gap(m, p + 1);
	if (p >= m->end)
		return unseen_end(m);
	return *p == '{' || *p == ']' ? ENDS_CONTAINER : ENDS_NOT;
}

/* The end of the line that p is in, if it is near. */
static const char *line_end(struct mender *m, const char *p)
{
	const char *end = m->end - p > LINE_MAX ? p + LINE_MAX : m->end;

	if (p < m->line.from || p > m->line.to)
		m->line = (struct mender_ahead){ p, p };
	if (m->line.to < end && *m->line.to != '\n') {
		size_t left = (size_t)(end - m->line.to);
		const char *found = memchr(m->line.to, '\n', left);
		m->line.to = found ? found : end;
	}
	return m->line.to < end ? m->line.to : NULL;
}

/* What the next line begins with. */
static enum mend_key key_behind(struct mender *m, const char *line)
{
	if (m->line_end != line || m->line_level != mender_level(m)) {
		m->line_end = line;
		m->line_level = mender_level(m);
		m->line_key = mender_key_at(m, mender_gap(m, line));
	}
	return m->line_key;
}

/* Behind a string that another damage parts from the next member. */
static enum ends ends_before_stray(struct mender *m, const char *p)
{
	enum mend_key key = mender_key_at(m, p);

	if (key == MEND_NO_KEY && m->mode.stray) {
		p = mender_gap(m, p + (*p == ','));
		const char *line = line_end(m, p);
		if (!line)
			return m->last || m->end - p >= LINE_MAX ? ENDS_NOT : ENDS_UNSEEN;
		key = key_behind(m, line);
	}
	if (key == MEND_UNSEEN_KEY)
		return ENDS_UNSEEN;
	return key == MEND_KNOWN_KEY ? ENDS_SURELY : ENDS_NOT;
}

static enum ends ends_member(struct mender *m, const char *p)
{
	enum ends ends;

	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen_end(m);
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
		return unseen_end(m);
	return *p && strchr(closes ? ",]}" : "\"'{[-0123456789tfnNTF]", *p)
		       ? ENDS_CONTAINER
		       : ENDS_NOT;
}

static enum ends ends_key(const struct mender *m, const char *p)
{
	p = mender_gap(m, p);
	if (p >= m->end)
		return unseen_end(m);
	return *p == ':' ? ENDS_SURELY : ENDS_NOT;
}

/* Does a string end with the quote before p? */
static enum ends ends_at(struct mender *m, const char *p, enum mend_place place)
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

static bool is_ph(const char *p)
{
	return mender_is_quote(*p) && p[1] == 'p' && p[2] == 'h' && p[3] == *p;
}

/* Does the object whose first key is at p have a ph early on? */
static bool has_phase(struct mender *m, const char *p)
{
	const char *end = m->end - p > PHASE_WITHIN ? p + PHASE_WITHIN : m->end;

	if (p < m->phase.from || p > m->phase.to)
		m->phase = (struct mender_ahead){ p, p };
	while (m->phase.to < end && *m->phase.to != '}' && !is_ph(m->phase.to))
		m->phase.to++;
	p = m->phase.to;
	if (end - p < 4 || *p == '}')
		return false;
	for (p += 4; p < end && (json_is_blank(*p) || !*p);)
		p++;
	return p < end && *p == ':';
}

enum mend_start { MEND_NO_START, MEND_START, MEND_START_UNSEEN };

/* Does the '"' or '\'' at p open the first key of the list's next event? */
static enum mend_start mender_starts_event(struct mender *m, const char *p)
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
	const char *stop;  /* how far it is looked for */
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
static void refuse(const struct mender *m, struct search *s, const char *p,
		   enum ends ends, bool escaped)
{
	size_t may_look = mender_may_look(m);

	if (ends != ENDS_NOT && !s->weak)
		s->weak = p;
	if (escaped || s->first)
		return;
	s->first = p;
	if (may_look < (size_t)(m->end - p))
		s->stop = p + may_look;
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

/* From *at on, which is then how far that looked. */
static const char *find_end(struct mender *m, enum mend_place place, const char **at)
{
	struct search s = { .stop = m->end };
	char quote = *m->p;

	for (; *at < s.stop; (*at)++) {
		bool escaped = **at == '\\';
		s.open += bracket(**at);
		if (escaped && ++*at == m->end)
			break;
		const char *p = *at;
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
		refuse(m, &s, p, ends, escaped);
	}
	if (s.stop < m->end) {
		mender_fail(m);
		return NULL;
	}
	return m->last && s.weak ? s.weak : no_end(m);
}

/* The quote that ends the string at m->p, if some in it were not escaped. */
static const char *likely_end(struct mender *m, enum mend_place place)
{
	const char *at = m->p + 1, *end = find_end(m, place, &at);

	mender_looked(m, (size_t)(at - (end ? end : m->p)));
	return end;
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
			mender_looked(m, (size_t)(p - m->p));
			return NULL;
		}
		if (*p == quote)
			return p;
		p += *p == '\\';
	}
	mender_looked(m, (size_t)(m->end - m->p));
	return no_end(m);
}

const char *mender_string_end(struct mender *m, enum mend_place place)
{
	return m->mode.quotes ? likely_end(m, place) : plain_end(m);
}
