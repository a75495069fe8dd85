/* Names cut to a width by what they mean: see short_name.h. */
#include "query/short_name.h"

#include <ctype.h>
#include <string.h>

#include "base/demangle.h"
#include "base/utf8.h"

#define ELLIPSIS       "\xe2\x80\xa6"
#define ELLIPSIS_CELLS 1
#define FUNCTION_LEAST ((size_t)10)
#define RENAMED_LEAST  20   /* cells for the two names of a row */
#define WORDS_MAX      4096 /* bytes; each word is looked for in those before it */
#define FILE_LEAST     4    /* cells of a file's name that say something */

static bool is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The place of the '(' that the last ')' of the name closes; SIZE_MAX: it ends otherwise. */
static size_t arguments_at(struct str name)
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

/* "file.py:12(f)", "file.py(12): f": where Python's name of a place begins. */
static bool is_function_of_python(struct str name)
{
	size_t at = arguments_at(name);
	bool has_line =
		at != SIZE_MAX && at > 0 && isdigit((unsigned char)name.p[at - 1]);

	return has_line || str_contains(name, STR_LIT(".py("));
}

static struct str without_folders(struct str name)
{
	size_t from = 0;

	for (size_t i = 0; i < name.n && name.p[i] != '('; i++)
		if (name.p[i] == '/' || name.p[i] == '\\')
			from = i + 1;
	return str_behind(name, from);
}

/* The beginning, and a sign that there was more. */
static void add_head(struct buf *out, struct str name, size_t cells)
{
	size_t used = 0, at = 0;
	uint32_t code;

	while (at < name.n) {
		size_t n = utf8_decode(str_behind(name, at), &code);
		used += utf8_width((struct str){ name.p + at, n });
		if (used > cells - ELLIPSIS_CELLS)
			break;
		at += n;
	}
	buf_add_str(out, (struct str){ name.p, at });
	buf_add_text(out, ELLIPSIS);
}

static void add_or_cut(struct buf *out, struct str name, size_t cells)
{
	if (utf8_width(name) <= cells)
		buf_add_str(out, name);
	else
		add_head(out, name, cells);
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

/* The function stays whole: the file's name gives way, then its suffix and line. */
static void add_python(struct buf *out, struct str name, size_t cells)
{
	name = without_folders(name);
	size_t at = function_at(name);
	struct str place = { name.p, at }, rest = str_behind(name, at);

	if (utf8_width(name) <= cells || at == name.n) {
		utf8_add_shortened(out, name, cells);
		return;
	}
	if (utf8_width(rest) + FILE_LEAST > cells)
		rest = function_alone(rest);
	if (utf8_width(rest) + FILE_LEAST <= cells) {
		add_head(out, place, cells - utf8_width(rest));
		buf_add_str(out, rest);
	} else {
		add_or_cut(out, rest, cells);
	}
}

/* Where the name begins behind "std::enable_if<(n) > 0, void>::type "; 0: at its head. */
static size_t behind_return_type(struct str name)
{
	size_t depth = 0;

	for (size_t i = name.n; i-- > 0;) {
		char c = name.p[i];
		if (c == '>' || c == ')')
			depth++;
		else if ((c == '<' || c == '(') && depth)
			depth--;
		else if (c == ' ' && !depth)
			return i + 1;
	}
	return 0;
}

/* "void ns::f<...>(...)" without the type that it returns, and without the arguments. */
static struct str bare_kernel(struct str name)
{
	size_t arguments = arguments_at(name);

	if (arguments == SIZE_MAX || arguments == 0 ||
	    !(is_ident(name.p[arguments - 1]) || name.p[arguments - 1] == '>'))
		return str_starts_with(name, STR_LIT("void ")) ? str_behind(name, 5)
							       : name;
	name.n = arguments;
	if (name.p[name.n - 1] == '>') /* templates alone say what they return */
		return str_behind(name, behind_return_type(name));
	return str_starts_with(name, STR_LIT("void ")) ? str_behind(name, 5) : name;
}

/* Without any "word::"; "(anonymous namespace)::" is one. */
static void add_without_namespaces(struct buf *out, struct str name)
{
	static const struct str anonymous = { "(anonymous namespace)::", 23 };
	size_t word = out->n;

	for (size_t i = 0; i < name.n; i++) {
		if (str_starts_with(str_behind(name, i), anonymous)) {
			i += anonymous.n - 1;
			continue;
		}
		if (name.p[i] == ':' && i + 1 < name.n && name.p[i + 1] == ':') {
			out->n = word;
			i++;
			continue;
		}
		buf_add_char(out, name.p[i]);
		if (!is_ident(name.p[i]))
			word = out->n;
	}
}

/* What the templates of libraries say of every kernel: types, wrappers and sizes. */
static const char *const common_words[] = { "anonymous",
					    "namespace",
					    "lambda",
					    "operator",
					    "const",
					    "unsigned",
					    "signed",
					    "char",
					    "short",
					    "int",
					    "long",
					    "float",
					    "double",
					    "bool",
					    "void",
					    "decltype",
					    "nullptr",
					    "half",
					    "half_t",
					    "bfloat16_t",
					    "Half",
					    "BFloat16",
					    "complex",
					    "array",
					    "Array",
					    "tuple",
					    "true",
					    "false",
					    "TensorIteratorBase",
					    "TensorIterator",
					    "TensorListMetadata",
					    "gpu_kernel_impl",
					    "gpu_kernel_impl_nocast",
					    "BinaryFunctor",
					    "AUnaryFunctor",
					    "BUnaryFunctor",
					    "OpaqueType",
					    "ReduceOp",
					    "func_wrapper_t",
					    "OffsetCalculator",
					    "TrivialOffsetCalculator",
					    "LoadWithoutCast",
					    "StoreWithoutCast",
					    NULL };

static bool is_common(struct str word)
{
	for (size_t i = 0; common_words[i]; i++)
		if (str_is(word, common_words[i]))
			return true;
	return isdigit((unsigned char)word.p[0]);
}

/* Is the word among those that were added from `from` on? */
static bool is_told(const struct buf *out, size_t from, struct str word)
{
	return str_contains(str_behind(buf_str(out), from), word);
}

/*
 * The function's name, and those words of its template arguments that tell it from
 * others: "elementwise_kernel<MulFunctor>".  Ends where no terminal has room.
 */
static void add_words(struct buf *out, struct str name)
{
	const char *open = memchr(name.p, '<', name.n);
	size_t at = open ? (size_t)(open - name.p) : name.n, from;
	bool is_first = true;

	add_without_namespaces(out, (struct str){ name.p, at });
	from = out->n;
	while (at < name.n && out->n - from < WORDS_MAX) {
		size_t end = at;
		while (end < name.n && is_ident(name.p[end]))
			end++;
		struct str word = { name.p + at, end - at };
		bool is_space = str_starts_with(str_behind(name, end), STR_LIT("::"));
		at = end > at ? end : at + 1;
		if (word.n == 0 || is_space || is_common(word) ||
		    is_told(out, from, word))
			continue;
		buf_add_text(out, is_first ? "<" : ", ");
		buf_add_str(out, word);
		is_first = false;
	}
	if (!is_first)
		buf_add_char(out, '>');
}

/* "vectorized_element…<MulFunctor>": what tells it from others is at both ends. */
static void add_function(struct buf *out, struct str name, size_t cells)
{
	const char *open = memchr(name.p, '<', name.n);
	struct str function = { name.p, open ? (size_t)(open - name.p) : name.n };
	struct str words = str_behind(name, function.n);

	if (utf8_width(name) <= cells) {
		buf_add_str(out, name);
	} else if (words.n && cells >= FUNCTION_LEAST * 2) {
		size_t least = utf8_width(function) < cells / 2 ? utf8_width(function)
								: cells / 2;
		size_t room = utf8_width(words) < cells - least ? utf8_width(words)
								: cells - least;
		add_or_cut(out, function, cells - room);
		add_or_cut(out, words, room);
	} else if (words.n) {
		add_head(out, name, cells);
	} else {
		utf8_add_shortened(out, name, cells);
	}
}

/* Kernels that are named by their template's argument alone. */
static bool is_wrapper(struct str function)
{
	return str_is(function, "Kernel") || str_is(function, "Kernel2") ||
	       str_is(function, "device_kernel");
}

/* "Kernel<cutlass_80_tensorop_...>": what is in it. */
static struct str unwrapped(struct str name)
{
	const char *open = memchr(name.p, '<', name.n);
	size_t at = open ? (size_t)(open - name.p) : name.n;

	if (!open || at + 2 >= name.n || !is_wrapper((struct str){ name.p, at }))
		return name;
	return (struct str){ open + 1, name.n - at - 2 };
}

static void add_kernel(struct buf *out, struct str name, size_t cells)
{
	struct buf bare;

	buf_init(&bare, SIZE_MAX);
	add_without_namespaces(&bare, name);
	if (utf8_width(buf_str(&bare)) > cells) {
		buf_clear(&bare);
		add_words(&bare, name);
	}
	add_function(out, unwrapped(buf_str(&bare)), cells);
	buf_release(&bare);
}

/* "Optimizer.step#SGD.step": the part after '#' tells it from others. */
static struct str behind_hash(struct str name)
{
	const char *hash = memchr(name.p, '#', name.n);
	size_t at = hash ? (size_t)(hash - name.p) + 1 : 0;

	return at < name.n && (isalpha((unsigned char)name.p[at]) || name.p[at] == '_')
		       ? str_behind(name, at)
		       : name;
}

/* "f<int>", not "<lambda>" or "f.<locals>.g". */
static bool has_template(struct str name)
{
	const char *open = memchr(name.p, '<', name.n);

	return open && open > name.p && is_ident(open[-1]);
}

/*
 * pstats' "{built-in method m.f}" and "{method 'f' of 'C' objects}": the words that all
 * of them have give way, "{m.f}" and "{f of C}".
 */
static struct str built_in_of_pstats(struct str name, struct buf *text)
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

/* "<built-in method mm of Tensor object at 0x7f...>": the object is another each time. */
static struct str without_addresses(struct str name, struct buf *text)
{
	if (!str_contains(name, STR_LIT(" at 0x")))
		return name;
	for (size_t i = 0; i < name.n; i++) {
		i += address_length(str_behind(name, i));
		buf_add_char(text, name.p[i]);
	}
	return buf_str(text);
}

/* "<built-in method mm of Tensor object>": "<built-in method mm>", then "<mm>". */
static struct str built_in(struct str name, size_t cells, struct buf *text)
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

/* Tensile's names of AMD: the layout and the tile tell them apart. */
static bool add_tensile(struct buf *out, struct str name, size_t cells)
{
	static const struct str prefix = { "Cijk_", 5 }, tile = { "_MT", 3 };
	size_t layout = prefix.n, at = 0, end;

	if (!str_starts_with(name, prefix))
		return false;
	for (int parts = 0; layout < name.n && parts < 2; layout++)
		parts += name.p[layout] == '_';
	while (at < name.n && !str_starts_with(str_behind(name, at), tile))
		at++;
	for (end = at + 1; end < name.n && name.p[end] != '_';)
		end++;
	if (at >= name.n || layout > at || layout + end - at > cells)
		return false;
	buf_add_str(out, (struct str){ name.p, layout - 1 });
	buf_add_text(out, ELLIPSIS);
	buf_add_str(out, (struct str){ name.p + at + 1, end - at - 1 });
	return true;
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
	if (has_template(name)) {
		add_kernel(out, name, cells);
	} else if (!add_tensile(out, name, cells)) {
		struct str behind = behind_hash(name);
		if (behind.n < name.n && utf8_width(behind) > cells)
			add_head(out, behind, cells);
		else
			utf8_add_shortened(out, behind, cells);
	}
}

/*
 * "_ZN2ns1fI3intEE...": as C++, or, where it is newer than what demangles it, its last
 * nested name alone, "f".  The name itself when it is not mangled.
 */
static struct str plain_of(struct str name, struct buf *text)
{
	struct str last = name;
	size_t at = strlen("_ZN");

	if (!str_starts_with(name, STR_LIT("_Z")))
		return name;
	struct buf plain;
	if (demangle(name, &plain))
		buf_add_str(text, buf_str(&plain));
	buf_release(&plain);
	if (text->n)
		return buf_str(text);
	while (str_starts_with(name, STR_LIT("_ZN")) && at < name.n) {
		size_t digits = at, n = 0;
		while (at < name.n && isdigit((unsigned char)name.p[at]) && n <= name.n)
			n = 10 * n + (size_t)(name.p[at++] - '0');
		if (at == digits || n == 0 || n > name.n - at)
			break;
		last = (struct str){ name.p + at, n };
		at += n;
	}
	return last;
}

/* "/logs/rank0.json": what is long about a path is its folders. */
static struct str path_alone(struct str name)
{
	bool is_path = name.n && name.p[0] == '/' && !memchr(name.p, '(', name.n) &&
		       !memchr(name.p, '<', name.n);
	struct str last = is_path ? without_folders(name) : name;

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
	name = without_addresses(name, &named);
	if (indent && indent < cells) {
		buf_add_str(out, (struct str){ name.p, indent });
		name = str_behind(name, indent);
		cells -= indent;
	}
	if (utf8_width(name) > cells)
		name = path_alone(plain_of(name, &plain));
	bool is_python = is_function_of_python(name);
	if (utf8_width(name) > cells && name.n && name.p[0] == '{')
		name = built_in_of_pstats(name, &text);
	else if (utf8_width(name) > cells && !is_python)
		name = built_in(bare_kernel(name), cells, &text);
	if (utf8_width(name) <= cells)
		buf_add_str(out, name);
	else if (is_python)
		add_python(out, name, cells);
	else
		add_by_meaning(out, name, cells);
	buf_release(&text);
	buf_release(&plain);
	buf_release(&named);
}
