/* Sets of keys: see member.h. */
#include "ingest/member.h"

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
