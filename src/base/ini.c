/* Files of sections and keys: see ini.h. */
#include "base/ini.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"

#define BOM "\xef\xbb\xbf"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str trim(struct str s)
{
	while (s.n && is_blank(s.p[0]))
		s = str_behind(s, 1);
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

/* `names` gives the sections' numbers. */
static int add_section(struct ini *ini, struct intern *names, struct str name, int line,
		       struct err *err)
{
	if (name.n == 0)
		return err_set(err, ERR_USAGE, "a section without a name");
	uint32_t at = intern_add(names, name);
	if (at < ini->n)
		return err_set(err, ERR_USAGE, "section [%s] is in line %d already",
			       ini->sections[at].name, ini->sections[at].line);
	*ARRAY_PUSH(ini->sections, ini->n, ini->cap) =
		(struct ini_section){ .name = arena_copy(&ini->arena, name).p,
				      .line = line };
	return 0;
}

static int add_entry(struct ini *ini, struct str line, int number, struct err *err)
{
	const char *equals = memchr(line.p, '=', line.n);

	if (!equals)
		return err_set(err, ERR_USAGE,
			       "neither [SECTION] nor KEY = VALUE: '%.*s'",
			       (int)(line.n < 100 ? line.n : 100), line.p);
	struct str key = trim((struct str){ line.p, (size_t)(equals - line.p) });
	struct str value = trim(str_behind(line, (size_t)(equals + 1 - line.p)));
	if (key.n == 0 || value.n == 0)
		return err_set(err, ERR_USAGE, "a %s is missing",
			       key.n ? "value behind '='" : "key before '='");
	if (ini->n == 0)
		return err_set(err, ERR_USAGE,
			       "'%.*s' is in no section; write [NAME] above it",
			       (int)(key.n < 100 ? key.n : 100), key.p);
	struct ini_section *s = &ini->sections[ini->n - 1];
	*ARRAY_PUSH(s->entries, s->n, s->cap) =
		(struct ini_entry){ arena_copy(&ini->arena, key).p,
				    arena_copy(&ini->arena, value).p, number };
	return 0;
}

static int add_line(struct ini *ini, struct intern *names, struct str line, int number,
		    struct err *err)
{
	line = trim(line);
	if (memchr(line.p, '\0', line.n))
		return err_set(err, ERR_USAGE, "a NUL byte: this is no text");
	if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';')
		return 0;
	if (line.p[0] != '[')
		return add_entry(ini, line, number, err);
	if (line.p[line.n - 1] != ']')
		return err_set(err, ERR_USAGE, "a section that no ']' ends");
	return add_section(ini, names, trim((struct str){ line.p + 1, line.n - 2 }),
			   number, err);
}

int ini_read(struct str text, struct ini *out, int *line, struct err *err)
{
	struct intern names;
	int rc = 0;

	*out = (struct ini){ .n = 0 };
	*line = 0;
	intern_init(&names);
	if (str_starts_with(text, STR_LIT(BOM)))
		text = str_behind(text, sizeof(BOM) - 1);
	while (rc == 0 && text.n) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end ? (size_t)(end - text.p) : text.n;
		++*line;
		rc = add_line(out, &names, (struct str){ text.p, n }, *line, err);
		text = str_behind(text, n + (end ? 1 : 0));
	}
	intern_release(&names);
	return rc;
}

void ini_release(struct ini *ini)
{
	for (size_t i = 0; i < ini->n; i++)
		free(ini->sections[i].entries);
	free(ini->sections);
	arena_release(&ini->arena);
	*ini = (struct ini){ .n = 0 };
}
