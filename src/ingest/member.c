/* Remembered members: see member.h. */
#include "ingest/member.h"

#define RESETS_MAX \
	16 /* a producer that has more members than fit is not worth the while */

#define FIRST (2 * NLEVELS) /* of those that are remembered */

void member_keys_init(struct intern *keys)
{
	for (size_t level = 0; level < NLEVELS; level++)
		intern_init(&keys[level]);
}

void member_keys_release(struct intern *keys)
{
	for (size_t level = 0; level < NLEVELS; level++)
		intern_release(&keys[level]);
}

void member_keys_add(struct intern *keys, const struct intern *more)
{
	for (size_t level = 0; level < NLEVELS; level++)
		for (uint32_t i = 0; i < more[level].n; i++)
			if (keys[level].n < MEMBER_KEYS_MAX)
				intern_add(&keys[level], intern_str(&more[level], i));
}

static bool is_start(const struct members *m, const struct member *at)
{
	return at < m->all + NLEVELS;
}

void members_renew(struct members *m)
{
	if (m->n >= FIRST && m->n < MEMBERS_MAX)
		return;
	if (m->nresets++ == RESETS_MAX)
		return;
	m->n = FIRST;
	for (unsigned i = 0; i < FIRST; i++)
		memset(m->all[i].next, 0, sizeof(m->all[i].next));
}

/* The member with that text, which may be a new one; NULL when there is no room. */
static struct member *remember(struct members *m, enum member_level level,
			       struct str text)
{
	for (unsigned i = FIRST; i < m->n; i++) {
		struct member *known = &m->all[i];
		if (known->level == level &&
		    str_equal((struct str){ known->text, known->n }, text))
			return known;
	}
	if (m->n < FIRST || m->n == MEMBERS_MAX)
		return NULL;
	struct member *new = &m->all[m->n++];
	*new = (struct member){ .n = (uint8_t)text.n, .level = (uint8_t)level };
	memcpy(new->text, text.p, text.n);
	return new;
}

static void put_first(struct member *before, unsigned at, uint16_t number)
{
	for (; at > 0; at--)
		before->next[at] = before->next[at - 1];
	before->next[0] = number;
}

/* Reads the member at j->p, as if nothing was remembered. */
static enum json_status read_member(struct members *m, struct json *j,
				    enum member_level level, struct member **at,
				    struct str *key)
{
	const char *start = j->p;
	struct json_value value = { .text = { start, 0 } };
	bool done = false;

	enum json_status status = json_member(j, is_start(m, *at), &value, &done);
	if (status != JSON_OK)
		return status;
	struct str text = { start, (size_t)(j->p - start) };
	struct member *found = NULL;
	if (m->keys && !done && m->keys[level].n < MEMBER_KEYS_MAX)
		intern_add(&m->keys[level], value.text);
	if (text.n <= MEMBER_TEXT_MAX && j->flaws == 0)
		found = remember(m, level, text);
	if (found) {
		put_first(*at, MEMBER_NEXT - 1, (uint16_t)(found - m->all));
		found->key_at = (uint8_t)(value.text.p - start);
		found->key_n = (uint8_t)value.text.n;
	} else {
		found = &m->all[NLEVELS + level];
		found->meaning = 0;
	}
	found->done = done;
	*key = value.text;
	*at = found;
	return JSON_OK;
}

enum json_status members_find(struct members *m, struct json *j, enum member_level level,
			      struct member **at, struct str *key)
{
	struct member *before = *at;

	for (unsigned i = 1; i < MEMBER_NEXT && before->next[i]; i++) {
		uint16_t number = before->next[i];
		if (!member_is_at(&m->all[number], j->p))
			continue;
		put_first(before, i, number);
		member_pass(&m->all[number], j, at, key);
		return JSON_OK;
	}
	return read_member(m, j, level, at, key);
}
