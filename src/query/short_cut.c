/* Cutting texts: see short_cut.h. */
#include "query/short_cut.h"

#include <ctype.h>

#include "base/utf8.h"

bool short_is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The place of the '(' that the last ')' of the name closes; SIZE_MAX: it ends otherwise. */
size_t short_arguments_at(struct str name)
{
	size_t depth = 0;

	if (name.n == 0 || name.p[name.n - 1] != ')')
		return SIZE_MAX;
	for (size_t i = name.n; i-- > 0;) {
		if (name.p[i] == ')')
			depth++;
		else if (name.p[i] == '(' && --depth == 0)
			return i;
	}
	return SIZE_MAX;
}

struct str short_without_folders(struct str name)
{
	size_t from = 0;

	for (size_t i = 0; i < name.n && name.p[i] != '('; i++)
		if (name.p[i] == '/' || name.p[i] == '\\')
			from = i + 1;
	return str_behind(name, from);
}

/* The beginning, and a sign that there was more. */
void short_add_head(struct buf *out, struct str name, size_t cells)
{
	size_t used = 0, at = 0;
	uint32_t code;

	while (at < name.n) {
		size_t n = utf8_decode(str_behind(name, at), &code);
		used += utf8_width((struct str){ name.p + at, n });
		if (used > cells - 1)
			break;
		at += n;
	}
	buf_add_str(out, (struct str){ name.p, at });
	buf_add_text(out, SHORT_ELLIPSIS);
}

void short_add_or_cut(struct buf *out, struct str name, size_t cells)
{
	if (utf8_width(name) <= cells)
		buf_add_str(out, name);
	else
		short_add_head(out, name, cells);
}
