/*
 * Members of objects that one producer prints again and again: the text between
 * two values ('", "tid": ') is compared with what stood there before, which is
 * several times faster than reading it.  A text that is new is read by
 * json_member and remembered.
 */
#ifndef PTOOL_INGEST_MEMBER_H
#define PTOOL_INGEST_MEMBER_H

#include <stdint.h>

#include "base/intern.h"
#include "ingest/json.h"
#include "ingest/same_text.h"

#define MEMBERS_MAX     512
#define MEMBER_TEXT_MAX 48 /* longer ones are not remembered; at most JSON_PADDING */
#define MEMBER_NEXT     4
#define MEMBER_KEYS_MAX 65536

/* Which objects are alike: a key means something else in each. */
enum member_level { MEMBER_OF_EVENT, MEMBER_OF_ARGS, NLEVELS };

struct member {
	char text
		[MEMBER_TEXT_MAX]; /* from the value before it, or the '{', to its own value */
	uint8_t n;
	uint8_t key_at, key_n; /* the key within the text */
	uint8_t level;
	bool done;       /* the text is that of the object's end */
	uint8_t meaning; /* the caller's, for its key; 0 at first, and while n is 0 */
	uint16_t value;  /* the caller's too: the newest of its values (again.h) */
	uint16_t next
		[MEMBER_NEXT]; /* what followed it, the newest first; 0: nothing yet */
};

/*
 * Zeroed is empty.  The first NLEVELS stand for '{', the next ones for members
 * that are not remembered.
 */
struct members {
	struct member all[MEMBERS_MAX];
	unsigned n, nresets;
	struct intern *
		keys; /* NLEVELS of them, borrowed: every key that was read; may be NULL */
};

/* NLEVELS sets of keys, of at most MEMBER_KEYS_MAX each: the first ones count. */
void member_keys_init(struct intern *keys);
void member_keys_release(struct intern *keys);
void member_keys_add(struct intern *keys, const struct intern *more);
/* Makes room when there is none: between two events, as it forgets meanings. */
void members_renew(struct members *m);
/* What stands before the first member of an object. */
static inline struct member *members_start(struct members *m, enum member_level level)
{
	return &m->all[level];
}

/* members_next where the member is not the one that followed the last time. */
enum json_status members_find(struct members *m, struct json *j, enum member_level level,
			      struct member **at, struct str *key);

/* Does the member's text stand at p? */
static inline bool member_is_at(const struct member *member, const char *p)
{
	return member->n && same_text(member->text, member->n, p);
}

static inline void member_pass(struct member *member, struct json *j, struct member **at,
			       struct str *key)
{
	*key = (struct str){ j->p + member->key_at, member->key_n };
	j->p += member->n;
	*at = member;
}

/*
 * The member behind *at, as json_member: sets *at to it, the key, and j->p to
 * its value.  When (*at)->done is true, the '}' was passed instead.
 */
static inline enum json_status members_next(struct members *m, struct json *j,
					    enum member_level level, struct member **at,
					    struct str *key)
{
	struct member *likely = &m->all[(*at)->next[0]];

	if (!member_is_at(likely, j->p))
		return members_find(m, j, level, at, key);
	member_pass(likely, j, at, key);
	return JSON_OK;
}

#endif
