/* Element types in kernels' names: see kernel_dtype.h. */
#include "query/roofline/kernel_dtype.h"

#include <string.h>

static bool is_part_of_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_' || c == ':';
}

/* Types of which only the size is known: of moved elements. */
static const struct dtype *opaque(struct str digits)
{
	static const struct dtype sizes[] = {
		{ "1 byte", 1 },  { "2 bytes", 2 },   { "4 bytes", 4 },
		{ "8 bytes", 8 }, { "16 bytes", 16 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct str name = str_of(sizes[i].name);
		if (str_starts_with(name, digits) && name.p[digits.n] == ' ')
			return &sizes[i];
	}
	return NULL;
}

/* A word of floating point: integers are also what counts elements. */
static const struct dtype *type_of(struct str word)
{
	static const struct {
		const char *word, *dtype;
	} types[] = {
		{ "float", "float32" },           { "double", "float64" },
		{ "c10::Half", "float16" },       { "__half", "float16" },
		{ "c10::BFloat16", "bfloat16" },  { "__nv_bfloat16", "bfloat16" },
		{ "__hip_bfloat16", "bfloat16" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (str_is(word, types[i].word))
			return dtype_find(str_of(types[i].dtype));
	return NULL;
}

/* What is between the brackets behind "Functor", or all of it. */
static struct str functor_of(struct str name)
{
	const char *at = name.n ? memmem(name.p, name.n, "Functor<", 8) : NULL;
	const char *end = name.p + name.n, *p;
	int open = 1;

	if (!at)
		return name;
	for (p = at + 8; p < end && open; p++)
		open += (*p == '<') - (*p == '>');
	return (struct str){ at + 8, (size_t)(p - at - 8) };
}

const struct dtype *kernel_dtype(struct str name, bool *several)
{
	struct str text = functor_of(name);
	const struct dtype *first = NULL;

	*several = false;
	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		while (i < text.n && is_part_of_word(text.p[i]))
			i++;
		struct str word = { text.p + from, i - from };
		const struct dtype *type = type_of(word);
		if (str_ends_with(word, STR_LIT("OpaqueType")) && i < text.n) {
			for (from = ++i;
			     i < text.n && text.p[i] >= '0' && text.p[i] <= '9';)
				i++;
			type = opaque((struct str){ text.p + from, i - from });
		}
		*several |= type && first && type != first;
		first = first ? first : type;
		i += i < text.n;
	}
	return first;
}
