/*
 * JSON that no reader takes is written again as JSON that every reader takes:
 * the slow road of what the tokenizer (json.h) stops at, for one event, one
 * entry or one key at a time.
 *
 * Read all the same: strings in single quotes with Python's escapes, quotes and
 * backslashes that were not escaped, keys without quotes, zero bytes, commas too
 * many or too few, and lines of a log between two members.
 */
#ifndef PTOOL_INGEST_MEND_H
#define PTOOL_INGEST_MEND_H

#include "base/buf.h"
#include "ingest/json.h"
#include "ingest/member.h"
#include "trace/finding.h"

#define MEND_FLAWS_MAX 16
#define MEND_ATTEMPTS  6 /* at a text, each of which may read all of it */
#define MEND_VAIN_FOR_EACH \
	16 /* bytes that may be looked at in vain for each that is passed */

/* What was mended, and how far behind the start of the text it stands first. */
struct mend_flaw {
	enum finding finding;
	size_t at;
};

struct mend {
	struct buf text; /* what was written, with JSON_PADDING bytes behind it */
	struct buf python, plain, quoted; /* of one string */
	struct mend_flaw flaws[MEND_FLAWS_MAX];
	size_t nflaws;
	/* Bytes that all attempts looked at and did not pass: see mender_looked. */
	uint64_t in_vain;
	/* The keys that the file's events have had so far; borrowed, may be NULL. */
	const struct intern *known; /* by enum member_level */
};

void mend_init(struct mend *m);
void mend_release(struct mend *m);
/*
 * The value at j->p into m->text, where json_value says JSON_BAD.  JSON_OK: j->p
 * is behind it, and m->text is JSON without a flaw.  JSON_BAD: it has no
 * reading; j->ended says whether the input ended within it.
 */
enum json_status mend_value(struct mend *m, struct json *j);
/* The same for an event: an object whose keys, and those of args, are known. */
enum json_status mend_event(struct mend *m, struct json *j);
/* As json_member, where that says JSON_BAD; the key is borrowed from out->text. */
enum json_status mend_member(struct mend *out, struct json *j, bool first,
			     struct str *key, bool *done);

#endif
