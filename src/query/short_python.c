/* Names of Python: see short_python.h. */
#include "query/short_python.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "query/short_cut.h"

#define FILE_LEAST 4 /* cells of a file's name that say something */

static const struct str between_places = { "; ", 2 };

/* "lib/x.py", "x.py:12", "<frozen abc>", "/lib/x.so": a file, as profilers name one. */
static bool is_place(struct str place)
{
	static const struct str suffix = { ".py", 3 };
	size_t end = place.n;

	while (end > 0 && isdigit((unsigned char)place.p[end - 1]))
		end--;
	end = end > 0 && end < place.n && place.p[end - 1] == ':' ? end - 1 : place.n;
	return str_starts_with(place, STR_LIT("/")) ||
	       str_starts_with(place, STR_LIT("<frozen ")) ||
	       (end > suffix.n &&
		str_starts_with(str_behind(place, end - suffix.n), suffix));
}

/* "f (lib/x.py:12)", as samplers name a function: where its '(' is; else SIZE_MAX. */
static size_t place_at(struct str name)
{
	size_t at = short_arguments_at(name);

	if (at == SIZE_MAX || at < 2 || name.p[at - 1] != ' ' ||
	    !is_place((struct str){ name.p + at + 1, name.n - at - 2 }))
		return SIZE_MAX;
	return at;
}

/* "file.py:12(f)", "file.py(12): f", "f (file.py)": Python's names of functions. */
bool short_is_python(struct str name)
{
	size_t at = short_arguments_at(name);
	bool has_line =
		at != SIZE_MAX && at > 0 && isdigit((unsigned char)name.p[at - 1]);

	return has_line || str_contains(name, STR_LIT(".py(")) ||
	       place_at(name) != SIZE_MAX;
}

/* Where the part begins that says which function it is: ".py(12): f", ".py:12(f)". */
static size_t function_at(struct str name)
{
	static const struct str suffix = { ".py", 3 };

	for (size_t i = 0; i + suffix.n < name.n; i++)
		if (str_starts_with(str_behind(name, i), suffix) &&
		    (name.p[i + suffix.n] == '(' || name.p[i + suffix.n] == ':'))
			return i;
	return name.n;
}

/* "f" of ".py(12): f", "(f)" of ".py:12(f)"; the text itself where it is neither. */
static struct str function_alone(struct str rest)
{
	static const struct str colon = { "): ", 3 };

	for (size_t i = 1; i < rest.n; i++) {
		if (str_starts_with(str_behind(rest, i), colon))
			return str_behind(rest, i + colon.n);
		if (rest.p[i] == '(' && i > strlen(".py"))
			return str_behind(rest, i);
	}
	return rest;
}

/* The end of the path that begins with a folder or the file, and has `cells` at most. */
static struct str path_end(struct str path, size_t cells)
{
	struct str file = path;

	for (size_t i = path.n; i-- > 0;) {
		if (path.p[i] != '/' && path.p[i] != '\\')
			continue;
		if (file.n < path.n && utf8_width(str_behind(path, i + 1)) > cells)
			break;
		file = str_behind(path, i + 1);
	}
	return file;
}

/* "f (lib/x.py)": the function stays whole, outer folders go, then the file's end. */
static void add_placed(struct buf *out, struct str name, size_t at, size_t cells)
{
	struct str function = { name.p, at - 1 };
	struct str path = { name.p + at + 1, name.n - at - 2 };
	size_t used = utf8_width(function) + strlen(" ()");

	if (used + FILE_LEAST > cells) {
		short_add_or_cut(out, function, cells);
		return;
	}
	buf_addf(out, STR_FMT " (", STR_ARG(function));
	short_add_or_cut(out, path_end(path, cells - used), cells - used);
	buf_add_char(out, ')');
}

/* Where the first of several places ends, "a.py(12): f; b.py(7): g"; the name's end: one. */
static size_t first_end(struct str name)
{
	size_t at = 0;

	while (at < name.n && !str_starts_with(str_behind(name, at), between_places))
		at++;
	return at;
}

/* "a.py(12): f" as "a.py(12)": which line it is tells more than whose. */
static struct str without_function(struct str place)
{
	size_t at = 0;

	while (at < place.n && !str_starts_with(str_behind(place, at), STR_LIT("): ")))
		at++;
	return (struct str){ place.p, at < place.n ? at + 1 : at };
}

/* All without folders where there is room, else the first, and how many more there are. */
static void add_places(struct buf *out, struct str name, size_t cells)
{
	struct str first = { name.p, first_end(name) }, rest = name;
	struct buf all, more;
	size_t n = 0;

	buf_init(&all, SIZE_MAX);
	buf_init(&more, SIZE_MAX);
	for (; rest.n; n++) {
		struct str place = { rest.p, first_end(rest) };
		buf_addf(&all, "%s" STR_FMT, n ? "; " : "",
			 STR_ARG(short_without_folders(place)));
		rest = str_behind(rest, place.n);
		rest = str_behind(rest, rest.n ? between_places.n : 0);
	}
	buf_addf(&more, " +%zu", n - 1);
	if (utf8_width(buf_str(&all)) <= cells) {
		buf_add_str(out, buf_str(&all));
	} else if (more.n + FILE_LEAST > cells) {
		short_add_python(out, first, cells);
	} else {
		first = short_without_folders(first);
		if (utf8_width(first) > cells - more.n)
			first = without_function(first);
		short_add_python(out, first, cells - more.n);
		buf_add_str(out, buf_str(&more));
	}
	buf_release(&all);
	buf_release(&more);
}

/* The function stays whole: the file's name gives way, then its suffix and line. */
void short_add_python(struct buf *out, struct str name, size_t cells)
{
	size_t placed = place_at(name);

	if (first_end(name) < name.n) {
		add_places(out, name, cells);
		return;
	}
	if (placed != SIZE_MAX && utf8_width(name) > cells) {
		add_placed(out, name, placed, cells);
		return;
	}
	name = short_without_folders(name);
	size_t at = function_at(name);
	struct str place = { name.p, at }, rest = str_behind(name, at);

	if (utf8_width(name) <= cells || at == name.n) {
		utf8_add_shortened(out, name, cells);
		return;
	}
	if (utf8_width(rest) + FILE_LEAST > cells)
		rest = function_alone(rest);
	if (utf8_width(rest) + FILE_LEAST <= cells) {
		short_add_head(out, place, cells - utf8_width(rest));
		buf_add_str(out, rest);
	} else {
		short_add_or_cut(out, rest, cells);
	}
}

/*
 * pstats' "{built-in method m.f}" and "{method 'f' of 'C' objects}": the words that all
 * of them have give way, "{m.f}" and "{f of C}".
 */
struct str short_built_in_of_pstats(struct str name, struct buf *text)
{
	static const struct str plain = { "{built-in method ", 17 },
				method = { "{method '", 9 }, of = { "' of '", 6 },
				objects = { "' objects}", 10 };

	if (str_starts_with(name, plain)) {
		buf_addf(text, "{" STR_FMT, STR_ARG(str_behind(name, plain.n)));
		return buf_str(text);
	}
	if (!str_starts_with(name, method) || !str_contains(name, of) ||
	    name.n < method.n + objects.n ||
	    !str_equal(str_behind(name, name.n - objects.n), objects))
		return name;
	buf_add_char(text, '{');
	for (size_t i = method.n; i < name.n - objects.n; i++) {
		bool is_of = str_starts_with(str_behind(name, i), of);
		buf_add_str(text,
			    is_of ? STR_LIT(" of ") : (struct str){ name.p + i, 1 });
		i += is_of ? of.n - 1 : 0;
	}
	buf_add_char(text, '}');
	return buf_str(text);
}

/* " at 0x7f..." before the end of "<...>" or "{...}": its length, else 0. */
static size_t address_length(struct str name)
{
	static const struct str at = { " at 0x", 6 };
	size_t n = at.n;

	if (!str_starts_with(name, at))
		return 0;
	while (n < name.n && isxdigit((unsigned char)name.p[n]))
		n++;
	return n > at.n && n < name.n && strchr(">}", name.p[n]) ? n : 0;
}

/* Where `part` was last, from `from` on and before `end`; `end`: nowhere. */
static size_t last_at(struct str name, size_t from, size_t end, struct str part)
{
	for (size_t i = end; i > from; i--)
		if (i - 1 + part.n <= end &&
		    str_starts_with(str_behind(name, i - 1), part))
			return i - 1;
	return end;
}

/*
 * export_stacks() writes '_' for ' ': "<built-in_method_mm_of_Tensor_object_at_0x7f...>".
 * Adds it with the words that all of them have apart, without the address.
 */
static bool add_joined_built_in(struct str name, struct buf *text)
{
	static const struct str method = { "<built-in_method_", 17 },
				function = { "<built-in_function_", 19 };
	bool is_method = str_starts_with(name, method);

	if (!is_method && !str_starts_with(name, function))
		return false;
	size_t from = is_method ? method.n : function.n;
	size_t at = last_at(name, from, name.n, STR_LIT("_object_at_0x"));
	size_t of = last_at(name, from, at, STR_LIT("_of_"));
	buf_addf(text, "<built-in %s " STR_FMT, is_method ? "method" : "function",
		 STR_ARG(((struct str){ name.p + from, of - from })));
	if (of < at)
		buf_addf(text, " of " STR_FMT,
			 STR_ARG(((struct str){ name.p + of + 4, at - of - 4 })));
	if (at < name.n)
		buf_add_text(text, " object>");
	return true;
}

/* "<built-in method mm of Tensor object at 0x7f...>": the object is another each time. */
struct str short_without_addresses(struct str name, struct buf *text)
{
	if (add_joined_built_in(name, text))
		return buf_str(text);
	if (!str_contains(name, STR_LIT(" at 0x")))
		return name;
	for (size_t i = 0; i < name.n; i++) {
		i += address_length(str_behind(name, i));
		buf_add_char(text, name.p[i]);
	}
	return buf_str(text);
}

/* "<built-in method mm of Tensor object>": "<built-in method mm>", then "<mm>". */
struct str short_built_in(struct str name, size_t cells, struct buf *text)
{
	static const struct str of = { " of ", 4 }, object = { " object>", 8 };
	size_t kind = strlen("<built-in method "), end = name.n - 1;

	if (str_starts_with(name, STR_LIT("<built-in function ")))
		kind = strlen("<built-in function ");
	else if (!str_starts_with(name, STR_LIT("<built-in method ")))
		return name;
	for (size_t i = kind; i < name.n && str_contains(name, object); i++)
		if (str_starts_with(str_behind(name, i), of)) {
			end = i;
			break;
		}
	if (end <= kind)
		return name;
	buf_add(text, name.p, end);
	buf_add_char(text, '>');
	if (utf8_width(buf_str(text)) <= cells)
		return buf_str(text);
	buf_clear(text);
	buf_addf(text, "<" STR_FMT ">", (int)(end - kind), name.p + kind);
	return buf_str(text);
}
