/* Kernels: see short_kernel.h. */
#include "query/short_kernel.h"

#include <ctype.h>
#include <string.h>

#include "base/demangle.h"
#include "base/utf8.h"
#include "query/short_cut.h"

#define FUNCTION_LEAST ((size_t)10)
#define WORDS_MAX      4096 /* bytes; each word is looked for in those before it */

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
struct str short_bare_kernel(struct str name)
{
	size_t arguments = short_arguments_at(name);

	if (arguments == SIZE_MAX || arguments == 0 ||
	    !(short_is_ident(name.p[arguments - 1]) || name.p[arguments - 1] == '>'))
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
		if (!short_is_ident(name.p[i]))
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
		while (end < name.n && short_is_ident(name.p[end]))
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
		short_add_or_cut(out, function, cells - room);
		short_add_or_cut(out, words, room);
	} else if (words.n) {
		short_add_head(out, name, cells);
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

void short_add_kernel(struct buf *out, struct str name, size_t cells)
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

/* "f<int>", not "<lambda>" or "f.<locals>.g". */
bool short_is_template(struct str name)
{
	const char *open = memchr(name.p, '<', name.n);

	return open && open > name.p && short_is_ident(open[-1]);
}

/* Tensile's names of AMD: the layout and the tile tell them apart. */
bool short_add_tensile(struct buf *out, struct str name, size_t cells)
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
	buf_add_text(out, SHORT_ELLIPSIS);
	buf_add_str(out, (struct str){ name.p + at + 1, end - at - 1 });
	return true;
}

/*
 * "_ZN2ns1fI3intEE...": as C++, or, where it is newer than what demangles it, its last
 * nested name alone, "f".  The name itself when it is not mangled.
 */
struct str short_plain(struct str name, struct buf *text)
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
