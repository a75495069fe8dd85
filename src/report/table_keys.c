/* Names of columns, each another: see table_keys.h. */
#include "report/table_keys.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
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

/* Taken by a key before `at`, or kept for a column after it that is named so. */
static bool is_taken(const char *const *names, const char *const *keys, size_t n,
		     size_t at, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (i != at && strcmp(i < at ? keys[i] : names[i], key) == 0)
			return true;
	return false;
}

const char **table_keys(struct arena *arena, const struct table *t)
{
	const char **names = arena_alloc(arena, t->ncolumns * sizeof(*names));
	const char **keys = arena_alloc(arena, t->ncolumns * sizeof(*keys));

	for (size_t i = 0; i < t->ncolumns; i++)
		names[i] = valid(arena, t->columns[i].name);
	for (size_t i = 0; i < t->ncolumns; i++) {
		size_t nsame = 1;
		for (size_t k = 0; k < i; k++)
			nsame += strcmp(names[k], names[i]) == 0;
		keys[i] = names[i];
		for (; nsame > 1 && is_taken(names, keys, t->ncolumns, i, keys[i]);
		     nsame++)
			keys[i] = arena_printf(arena, "%s_%zu", names[i], nsame);
	}
	return keys;
}
