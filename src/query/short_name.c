/* Names cut to a width by what they mean: see short_name.h. */
#include "query/short_name.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "query/short_cut.h"
#include "query/short_kernel.h"
#include "query/short_python.h"

#define RENAMED_LEAST 20 /* cells for the two names of a row */

/* "Optimizer.step#SGD.step": the part after '#' tells it from others. */
static struct str behind_hash(struct str name)
{
	const char *hash = memchr(name.p, '#', name.n);
	size_t at = hash ? (size_t)(hash - name.p) + 1 : 0;

	return at < name.n && (isalpha((unsigned char)name.p[at]) || name.p[at] == '_')
		       ? str_behind(name, at)
		       : name;
}

/* Blanks before a name are its depth in a tree, and a number in brackets if it is deep. */
static size_t indent_of(struct str name)
{
	size_t n = 0, end;

	while (n < name.n && name.p[n] == ' ')
		n++;
	for (end = n + 1; n && end < name.n && isdigit((unsigned char)name.p[end]);)
		end++;
	bool is_deep = end + 1 < name.n && name.p[n] == '[' && name.p[end] == ']' &&
		       name.p[end + 1] == ' ';
	return is_deep ? end + 2 : n;
}

static void add_by_meaning(struct buf *out, struct str name, size_t cells)
{
	if (short_is_template(name)) {
		short_add_kernel(out, name, cells);
	} else if (!short_add_tensile(out, name, cells)) {
		struct str behind = behind_hash(name);
		if (behind.n < name.n && utf8_width(behind) > cells)
			short_add_head(out, behind, cells);
		else
			utf8_add_shortened(out, behind, cells);
	}
}

/* "thread 4242 (python3)", as PyTorch names threads: the first word says nothing. */
static struct str thread_alone(struct str name)
{
	const struct str thread = STR_LIT("thread ");

	return str_starts_with(name, thread) && name.n > thread.n &&
			       isdigit((unsigned char)name.p[thread.n])
		       ? str_behind(name, thread.n)
		       : name;
}

/* "/logs/rank0.json": what is long about a path is its folders. */
static struct str path_alone(struct str name)
{
	bool is_path = name.n && name.p[0] == '/' && !memchr(name.p, '(', name.n) &&
		       !memchr(name.p, '<', name.n);
	struct str last = is_path ? short_without_folders(name) : name;

	return last.n ? last : name;
}

/* "a => b", a row that was renamed: both keep about half of the cells. */
static bool add_renamed(struct buf *out, struct str name, size_t cells)
{
	const struct str became = STR_LIT(" => ");
	size_t at = 0;

	while (at < name.n && !str_starts_with(str_behind(name, at), became))
		at++;
	if (at == name.n || cells < RENAMED_LEAST)
		return false;
	struct str old = { name.p, at }, new = str_behind(name, at + became.n);
	size_t room = cells - became.n, half = room / 2;
	size_t old_width = utf8_width(old), new_width = utf8_width(new);
	size_t kept = new_width < room - half ? room - new_width : half;
	if (old_width < kept)
		kept = old_width;
	short_name_add(out, old, kept);
	buf_add_str(out, became);
	short_name_add(out, new, room - kept);
	return true;
}

void short_name_add(struct buf *out, struct str name, size_t cells)
{
	size_t indent = indent_of(name);
	struct buf text, plain, named;

	if (utf8_width(name) > cells && add_renamed(out, name, cells))
		return;
	buf_init(&text, SIZE_MAX);
	buf_init(&plain, SIZE_MAX);
	buf_init(&named, SIZE_MAX);
	name = short_without_addresses(name, &named);
	if (indent && indent < cells) {
		buf_add_str(out, (struct str){ name.p, indent });
		name = str_behind(name, indent);
		cells -= indent;
	}
	if (utf8_width(name) > cells)
		name = thread_alone(path_alone(short_plain(name, &plain)));
	bool is_python = short_is_python(name);
	if (utf8_width(name) > cells && name.n && name.p[0] == '{')
		name = short_built_in_of_pstats(name, &text);
	else if (utf8_width(name) > cells && !is_python)
		name = short_built_in(short_bare_kernel(name), cells, &text);
	if (utf8_width(name) <= cells)
		buf_add_str(out, name);
	else if (is_python)
		short_add_python(out, name, cells);
	else
		add_by_meaning(out, name, cells);
	buf_release(&text);
	buf_release(&plain);
	buf_release(&named);
}
