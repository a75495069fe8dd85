/* Names cut to boxes: see flame_name.h. */
#include "query/calls/flame_name.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "query/short_name.h"

#define ENOUGH 24 /* cells in which a name with its file says something */

/* Where a number ends that begins there. */
static size_t digits_end(struct str name, size_t at)
{
	while (at < name.n && isdigit((unsigned char)name.p[at]))
		at++;
	return at;
}

/*
 * "f" of "module.py(12): f", "module.py:12(f)" and "f (module.py)", the places of
 * Python's profilers.
 */
static struct str function_of(struct str name)
{
	for (size_t i = 0; i + 3 < name.n; i++) {
		/* looked at first: a name may be one long number */
		if (name.p[i] != '(' && name.p[i] != ':')
			continue;
		size_t end = digits_end(name, i + 1);
		struct str rest = str_behind(name, end);
		if (end == i + 1)
			continue;
		if (name.p[i] == '(' && str_starts_with(rest, STR_LIT("): ")))
			return str_behind(rest, 3);
		if (name.p[i] == ':' && rest.n > 2 && rest.p[0] == '(' &&
		    rest.p[rest.n - 1] == ')')
			return (struct str){ rest.p + 1, rest.n - 2 };
	}
	size_t blank = 0;
	while (blank < name.n && name.p[blank] != ' ')
		blank++;
	bool has_file = blank > 0 && blank + 2 < name.n && name.p[blank + 1] == '(' &&
			name.p[name.n - 1] == ')';
	return has_file ? (struct str){ name.p, blank } : name;
}

static struct str without_head(struct str name)
{
	static const char *const heads[] = { "nn.Module: ",
					     "autograd::engine::evaluate_function: " };
	static const char *const built_in[] = { "<built-in method ",
						"<built-in function ",
						"{built-in method ", "{method '",
						"<method '" };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (str_starts_with(name, str_of(heads[i])))
			return str_behind(name, strlen(heads[i]));
	for (size_t i = 0; i < sizeof(built_in) / sizeof(*built_in); i++) {
		if (!str_starts_with(name, str_of(built_in[i])))
			continue;
		struct str rest = str_behind(name, strlen(built_in[i]));
		while (n < rest.n && !strchr(" '>}", rest.p[n]))
			n++;
		return n ? (struct str){ rest.p, n } : rest;
	}
	return name;
}

/* "conv2d" of "aten::conv2d". */
static struct str without_namespace(struct str name)
{
	size_t word = 0;

	while (word < name.n &&
	       (isalnum((unsigned char)name.p[word]) || name.p[word] == '_'))
		word++;
	bool is_namespace =
		word > 0 && word + 2 < name.n && memcmp(name.p + word, "::", 2) == 0;
	return is_namespace ? str_behind(name, word + 2) : name;
}

void flame_name_add(struct buf *out, struct str name, size_t cells)
{
	if (utf8_width(name) > cells)
		name = without_head(function_of(name));
	if (utf8_width(name) > cells && cells < ENOUGH)
		name = without_namespace(name);
	short_name_add(out, name, cells);
}
