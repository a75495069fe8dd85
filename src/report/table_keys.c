/* Names of columns, each another: see table_keys.h. */
#include "report/table_keys.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/utf8.h"

/* Those of `ptool sql` can have any bytes. */
static const char *valid(struct arena *arena, const char *name)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	utf8_add_valid(&text, str_of(name));
	const char *copy = arena_copy(arena, buf_str(&text)).p;
	buf_release(&text);
	return copy;
}

/* The name with the first number from *suffix on that makes a new key of it. */
static const char *free_key(struct arena *arena, struct intern *taken, const char *name,
			    size_t *suffix)
{
	struct buf key;

	buf_init(&key, SIZE_MAX);
	buf_addf(&key, "%s_%zu", name, *suffix);
	while (intern_has(taken, buf_str(&key))) {
		buf_clear(&key);
		buf_addf(&key, "%s_%zu", name, ++*suffix);
	}
	intern_add(taken, buf_str(&key));
	const char *copy = arena_copy(arena, buf_str(&key)).p;
	buf_release(&key);
	return copy;
}

const char **table_keys(struct arena *arena, const struct table *t)
{
	const char **keys = arena_alloc(arena, t->ncolumns * sizeof(*keys));
	/* by number of a name, which come before those of new keys: the suffix used last */
	size_t *suffixes = xcalloc(t->ncolumns + 1, sizeof(*suffixes));
	struct intern taken; /* all names, and keys made of them */

	intern_init(&taken);
	for (size_t i = 0; i < t->ncolumns; i++) {
		keys[i] = valid(arena, t->columns[i].name);
		intern_add(&taken, str_of(keys[i]));
	}
	for (size_t i = 0; i < t->ncolumns; i++) {
		size_t *suffix = &suffixes[intern_add(&taken, str_of(keys[i]))];
		if (++*suffix > 1)
			keys[i] = free_key(arena, &taken, keys[i], suffix);
	}
	intern_release(&taken);
	free(suffixes);
	return keys;
}
