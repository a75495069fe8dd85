/* Names of kernels for tables of names: see kernel_name.h. */
#include "query/kernels/kernel_name.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"

/* Up to the first argument of a template or of the function. */
static struct str head_of(struct str name)
{
	static const struct str unnamed = { "(anonymous namespace)", 21 };
	size_t n = 0;

	while (n < name.n && name.p[n] != '<') {
		if (name.p[n] != '(')
			n++;
		else if (str_starts_with(str_behind(name, n), unnamed))
			n += unnamed.n;
		else
			break;
	}
	return (struct str){ name.p, n };
}

static unsigned pair_at(const char *p)
{
	return ((unsigned char)p[0] * 31U + (unsigned char)p[1]) % KERNEL_NAME_PAIRS;
}

static void note_pairs(struct str text, uint64_t *pairs)
{
	for (size_t i = 0; i + 1 < text.n; i++)
		pairs[pair_at(text.p + i) / 64] |= 1ULL << (pair_at(text.p + i) % 64);
}

/*
 * Blanks the substitutions (S_, SA_, S1B_) of a mangled name that could not be demangled,
 * such as one that was cut: "NSA_" would read as a word.
 */
static void blank_substitutions(struct str name, char *word)
{
	for (size_t i = 0; i < name.n; i++) {
		size_t end = i + 1;

		while (name.p[i] == 'S' && end < name.n && end < i + 3 &&
		       ((name.p[end] >= '0' && name.p[end] <= '9') ||
			(name.p[end] >= 'A' && name.p[end] <= 'Z')))
			end++;
		if (name.p[i] == 'S' && end < name.n && name.p[end] == '_')
			memset(word + i, ' ', end - i);
	}
}

void kernel_name_read(struct str name, struct kernel_name *out)
{
	/* AMD's tools name the kernel's descriptor */
	if (name.n > 3 && memcmp(name.p + name.n - 3, ".kd", 3) == 0)
		name.n -= 3;
	buf_init(&out->plain, SIZE_MAX);
	if (str_starts_with(name, STR_LIT("_Z")) && demangle(name, &out->plain))
		name = buf_str(&out->plain);
	if (str_starts_with(name, STR_LIT("void ")))
		name = str_behind(name, 5);
	out->whole = name;
	out->head = head_of(name);
	out->word = xmalloc(out->head.n + 1);
	for (size_t i = 0; i < out->head.n; i++)
		out->word[i] = str_lower(out->head.p[i]);
	if (str_starts_with(name, STR_LIT("_Z")))
		blank_substitutions(out->head, out->word);
	memset(out->pairs, 0, sizeof(out->pairs));
	note_pairs(out->whole, out->pairs[0]);
	note_pairs((struct str){ out->word, out->head.n }, out->pairs[1]);
}

void kernel_name_release(struct kernel_name *n)
{
	free(n->word);
	buf_release(&n->plain);
}

static struct str text_at(const struct kernel_name *n, enum kernel_name_place place)
{
	if (place == NAME_WORD)
		return (struct str){ n->word, n->head.n };
	return place == NAME_HEAD ? n->head : n->whole;
}

/* False: no text with these pairs has the part, whose first pair tells. */
static bool may_have(const uint64_t *pairs, const char *part, size_t n)
{
	return n < 2 || (pairs[pair_at(part) / 64] >> (pair_at(part) % 64) & 1);
}

bool kernel_name_has(const struct kernel_name *n, enum kernel_name_place place,
		     const char *parts)
{
	struct str text = text_at(n, place);
	const uint64_t *pairs = n->pairs[place == NAME_WORD];

	for (;;) {
		size_t length = (size_t)(strchrnul(parts, '|') - parts);

		if (place == NAME_START
			    ? text.n >= length && memcmp(text.p, parts, length) == 0
			    : may_have(pairs, parts, length) &&
				      memmem(text.p, text.n, parts, length))
			return true;
		if (!parts[length])
			return false;
		parts += length + 1;
	}
}
