/*
 * One attempt at mending a text, shared by its structure and strings (mend.c) and what
 * lies ahead in it (mend_ahead.c).  Functions return false when the attempt ends here,
 * with the status set.
 */
#ifndef PTOOL_INGEST_MENDER_H
#define PTOOL_INGEST_MENDER_H

#include <stdint.h>

#include "ingest/mend.h"

/* What an attempt takes for possible beside damage that nothing else explains. */
struct mend_mode {
	bool quotes; /* a string may have quotes in it that are not escaped */
	/* Text that is no JSON may stand between members. */
	enum mend_stray { MEND_NO_STRAY, MEND_STRAY_LINES, MEND_ANY_STRAY } stray;
};

/* Where a string stands, which says what may follow it. */
enum mend_place { MEND_KEY, MEND_MEMBER, MEND_ELEMENT };

/* Whose members are read: of two kinds of objects the keys are known. */
enum mend_level { MEND_OF_EVENT, MEND_OF_ARGS, MEND_OF_OTHER };

/* What a key with its colon is. */
enum mend_key {
	MEND_NO_KEY,
	MEND_ANY_KEY,
	MEND_KNOWN_KEY, /* events, or their args, have it */
	MEND_UNSEEN_KEY /* the window ends too early to tell */
};

/*
 * How far something was looked for: it is not between the two places.  What
 * every quote asks for is looked for once.
 */
struct mender_ahead {
	const char *from, *to;
};

struct mender {
	struct mend *out;
	const char *start, *p, *end; /* borrowed window */
	bool last;                   /* as in struct json */
	bool is_event, in_args, python;
	struct mend_mode mode;
	enum json_status status;
	bool ended;
	struct mender_ahead line, phase;
	/* What stands behind the line's end, on that level; the place may be NULL. */
	const char *line_end;
	enum mend_level line_level;
	enum mend_key line_key;
	/* The containers around p, a bit each: is it an object? */
	unsigned depth;
	uint64_t bits[JSON_DEPTH_MAX / 64];
};

/* The text has no reading at p. */
bool mender_fail(struct mender *m);
/* The window ends: more may come, or the input ended. */
bool mender_at_end(struct mender *m);
/*
 * So many bytes were looked at and not passed, which the text may make the
 * mender do again at every byte: it has a limit.
 */
void mender_looked(struct mender *m, size_t n);
/* How many more of them there may be. */
size_t mender_may_look(const struct mender *m);
void mender_note(struct mender *m, enum finding finding, const char *at);
/* Behind the blanks and zero bytes at p; at most the window's end. */
const char *mender_gap(const struct mender *m, const char *p);
enum mend_level mender_level(const struct mender *m);

static inline bool mender_is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* The quote that ends the string at m->p; NULL: the attempt ends. */
const char *mender_string_end(struct mender *m, enum mend_place place);

/* Can it be a part of a number, a word, or a key that stands without quotes? */
bool mender_is_word(char c);
/* The one in quotes at p. */
enum mend_key mender_key_at(const struct mender *m, const char *p);
/* The key at p without its opening quote, or without both, into the text. */
bool mender_bare_key(struct mender *m);
/* The key at p lacks its closing quote. */
bool mender_is_unclosed_key(const struct mender *m);
/* Passes over text that is no JSON, to where a member may begin. */
bool mender_stray_text(struct mender *m);

#endif
