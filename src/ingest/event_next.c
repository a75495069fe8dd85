/*
 * Finds where the list of events goes on behind damage: at the next event, or at the end of
 * the list if there is none.
 */
#include "ingest/chrome.h"

/*
 * A place is judged by so many bytes behind it, which the window then holds: by the first
 * key, whether an event begins there; by the text behind a ']', whether the list ends.
 */
#define AHEAD ((size_t)64 << 10)

#define KEY_MAX 16   /* bytes of the longest key of an event, and its quote */
#define STRETCH 4096 /* bytes in which a place to cut at is looked for */

/* p is behind a quote: is what follows a key of events? */
static bool is_event_key(const char *p, size_t left, char quote)
{
	const char *end = memchr(p, quote, left < KEY_MAX ? left : KEY_MAX);

	return end && event_is_key((struct str){ p, (size_t)(end - p) });
}

/* In front of a place: the last byte that is not blank, and whether a line ends behind it. */
struct before {
	int last; /* or NOTHING */
	bool has_line_end;
};

#define NOTHING (-1)

static const struct before nothing_before = { NOTHING, false };

/* The same of p.  `known` is what stands before `from`, where the text at hand begins. */
static struct before before_of(const char *from, struct before known, const char *p)
{
	const char *blanks = p;

	while (blanks > from && json_is_blank(blanks[-1]))
		blanks--;
	bool has_line_end = p > blanks && memchr(blanks, '\n', (size_t)(p - blanks));
	if (blanks == from)
		return (struct before){ known.last, known.has_line_end || has_line_end };
	return (struct before){ (unsigned char)blanks[-1], has_line_end };
}

/* Does the '{' at p stand where an event can begin, before a key that events have? */
static bool looks_like_event(const char *from, struct before known, const char *p,
			     const char *end)
{
	struct before before = before_of(from, known, p);
	const char *key = p + 1;

	if (before.last == NOTHING ||
	    (!strchr(",}[", before.last) && !before.has_line_end))
		return false;
	while (key < end && json_is_blank(*key))
		key++;
	return key < end && (*key == '"' || *key == '\'') &&
	       is_event_key(key + 1, (size_t)(end - key - 1), *key);
}

/* The next place before `to` that looks like an event, or NULL; the text ends at `end`. */
static const char *next_candidate(const char *from, struct before before, const char *to,
				  const char *end)
{
	for (const char *p = from; p < to; p++) {
		p = memchr(p, '{', (size_t)(to - p));
		if (!p || looks_like_event(from, before, p, end))
			return p;
	}
	return NULL;
}

enum json_status event_list_parse(struct json *j, void *event)
{
	return event_parse(j, event);
}

/*
 * Is there an event at j.p?  One of more than `most` bytes counts, too.  An object in the
 * args of a broken event looks like one but has no ph, and what the input's end cuts is
 * none.  1: yes; 0: no, look on at *from; -1: err is set.
 */
static int is_event(struct chrome *c, size_t most, const char **from, struct err *err)
{
	struct json *j = &c->window.j;
	const char *start;

	int status =
		window_parse(&c->window, event_list_parse, &c->event, most, &start, err);
	if (status < 0)
		return -1;
	c->wasted += (uint64_t)(j->p - start);
	*from = start + 1;
	if (status == JSON_OK ? !event_has(&c->event, FIELD_PH) : j->ended)
		return 0;
	j->p = start;
	return 1;
}

/* What goes to the next event. */
struct search {
	const char *from;     /* where to look for it */
	struct before before; /* what stands there */
	const char *counted;  /* as far as brackets were counted; not behind `from` */
	struct skipped brackets;
	bool may_close; /* no event was seen to follow */
	bool hurry;
};

/*
 * Does the list end at the ']' at p, which closes nothing that the damage opened?  Then the
 * trace goes on behind it, or ends, and no event begins in the bytes ahead, which the
 * window has.  1: yes; 0: no; -1: err is set.
 */
static int is_close(struct chrome *c, struct search *s, const char *p, struct err *err)
{
	struct window *w = &c->window;
	struct json j = w->j;
	const char *from = p, *end = (size_t)(j.end - p) > AHEAD ? p + AHEAD : j.end;
	struct json_value key;
	bool done = !c->is_object;

	j.p = p + 1;
	if (c->is_object && json_member(&j, false, &key, &done) != JSON_OK)
		return 0;
	if ((done && json_blanks(&j) != JSON_BAD) || j.p > end)
		return 0;
	if (s->hurry)
		return 1;
	c->wasted += (uint64_t)(end - p);
	while ((w->j.p = next_candidate(from, nothing_before, end, end))) {
		int rc = is_event(c, (size_t)(end - w->j.p), &from, err);
		if (rc < 0)
			return -1;
		if (rc > 0) {
			s->may_close = false;
			return 0;
		}
	}
	return 1;
}

/* Goes to the list's end if that is before `to`: 1; 0: it is not; -1: err is set. */
static int find_close(struct chrome *c, struct search *s, const char *to, struct err *err)
{
	const char *p = s->counted;

	for (; s->may_close && (p = chrome_list_close(&s->brackets, p, to)); p++) {
		int rc = is_close(c, s, p, err);
		c->window.j.p = p;
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Sees to it that the window has the bytes ahead. */
static int look_ahead(struct window *w, struct search *s, struct err *err)
{
	size_t behind = (size_t)(s->from - s->counted);

	if (w->j.last || (size_t)(w->j.end - s->from) > AHEAD)
		return 0;
	if (window_move(w, s->counted, behind + w->size + AHEAD + 1, err) < 0)
		return -1;
	s->counted = w->start;
	s->from = w->start + behind;
	return 0;
}

int event_list_go_on(struct chrome *c, const char *start, bool hurry, struct err *err)
{
	struct window *w = &c->window;
	struct search s = { .from = hurry ? w->j.p : start + 1,
			    .before = nothing_before,
			    .counted = start,
			    .may_close = true,
			    .hurry = hurry };

	for (;;) {
		if (look_ahead(w, &s, err) < 0)
			return -1;
		const char *to = w->j.last ? w->j.end : w->j.end - AHEAD;
		const char *p = next_candidate(s.from, s.before, to, w->j.end);
		int rc = find_close(c, &s, p ? p + 1 : to, err);
		if (rc != 0)
			return rc;
		w->j.p = p ? p : to;
		if (p) {
			rc = is_event(c, event_max(c), &s.from, err);
			if (rc != 0)
				return rc;
			s.before = nothing_before;
		} else if (w->j.last) {
			return 0;
		} else {
			s.before = before_of(s.from, s.before, to);
			s.from = to;
		}
		s.counted = s.from;
	}
}

size_t event_list_cut(struct str text)
{
	for (size_t i = text.n, looked = text.n; i-- > 1;) {
		const char *p = text.p + i;
		if (i < looked) { /* memchr() is fast where there is none, as in blanks */
			looked = i > STRETCH ? i - STRETCH : 0;
			if (!memchr(text.p + looked, '{', i + 1 - looked)) {
				i = looked;
				continue;
			}
		}
		if (*p != '{' ||
		    !looks_like_event(text.p, nothing_before, p, text.p + text.n))
			continue;
		while (json_is_blank(p[-1]))
			p--;
		if (p[-1] == ',')
			return i;
	}
	return 0;
}
