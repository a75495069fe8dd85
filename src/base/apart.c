/* Short names that differ: see apart.h. */
#include "base/apart.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/demangle.h"
#include "base/sort.h"
#include "base/utf8.h"

#define ELLIPSIS      "\xe2\x80\xa6"
#define WORD_CELLS    ((size_t)24) /* of a word that comes back, at most */
#define NAME_CELLS    ((size_t)8)  /* of the name before it, at least */
#define MANGLED_BYTES ((size_t)12) /* of a mangled name that nothing reads */
#define PASSES        3            /* each adds a word to what still reads the same */

struct shortening {
	struct arena *arena;
	apart_shorten_fn *shorten;
	const struct str *whole;
	struct str *texts, *words; /* by row, in the arena */
	uint32_t *order;           /* rows by text, then by whole name; owned */
	struct buf text;
	size_t cells;
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct shortening *s = context;
	int order = str_compare(s->texts[a], s->texts[b]);

	return order ? order < 0 : str_compare(s->whole[a], s->whole[b]) < 0;
}

/* The name in at most so many cells, in s->text. */
static void shorten(struct shortening *s, struct str name, size_t cells)
{
	buf_clear(&s->text);
	if (s->shorten)
		s->shorten(&s->text, name, cells);
	else if (utf8_width(name) <= cells)
		buf_add_str(&s->text, name);
	else
		utf8_add_shortened(&s->text, name, cells);
}

static size_t common_prefix(struct str a, struct str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

static bool ends_with(struct str text, struct str end)
{
	return text.n >= end.n && str_equal(str_behind(text, text.n - end.n), end);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':' || (c & 0x80);
}

static bool is_ident(char c)
{
	return is_word(c) && c != ':';
}

static bool is_part(char c)
{
	return is_ident(c) && c != '_';
}

/* What `holds` around the byte at `at`. */
static struct str around(struct str name, size_t at, bool (*holds)(char c))
{
	size_t from = at, end = at;

	while (from > 0 && at < name.n && holds(name.p[from - 1]))
		from--;
	while (end < name.n && holds(name.p[end]))
		end++;
	return (struct str){ name.p + from, end - from };
}

/*
 * The word that the byte at `at` is in, or the next one, "c10::Half"; of a long one the
 * part between colons, then that between underscores, then a few bytes of a mangled one.
 * Empty after the last.
 */
static struct str word_at(struct str name, size_t at)
{
	while (at < name.n && !is_word(name.p[at]))
		at++;
	struct str word = around(name, at, is_word);
	if (utf8_width(word) <= WORD_CELLS)
		return word;
	while (at + 1 < name.n && name.p[at] == ':')
		at++;
	word = around(name, at, is_ident);
	if (utf8_width(word) <= WORD_CELLS)
		return word;
	while (at + 1 < name.n && name.p[at] == '_')
		at++;
	word = around(name, at, is_part);
	if (utf8_width(word) <= WORD_CELLS || !str_starts_with(name, STR_LIT("_Z")))
		return word;
	while (at > 0 && isdigit((unsigned char)name.p[at - 1]))
		at--;
	word = str_behind(name, at);
	return (struct str){ word.p, word.n < MANGLED_BYTES ? word.n : MANGLED_BYTES };
}

/* "jit/module.py(8): f": a name without its folders gets them back from `at` on. */
static bool add_folders(struct shortening *s, uint32_t row, size_t at)
{
	struct str whole = s->whole[row];

	if (!ends_with(whole, s->texts[row]))
		return false;
	while (at > 0 && whole.p[at - 1] != '/' && whole.p[at - 1] != '\\')
		at--;
	struct str rest = str_behind(whole, at);
	if (rest.n <= s->texts[row].n || utf8_width(rest) > s->cells)
		return false;
	s->texts[row] = rest;
	return true;
}

/* Blanks in front: how deep it stands in a tree. */
static size_t indent_of(struct str name)
{
	size_t n = 0;

	while (n < name.n && name.p[n] == ' ')
		n++;
	return n;
}

/* "elementwise_kernel<AddFunctor>…float" */
static void add_word(struct shortening *s, uint32_t row, struct str word)
{
	static const struct str ellipsis = { ELLIPSIS, sizeof(ELLIPSIS) - 1 };
	size_t used = utf8_width(s->words[row]) + 1 + utf8_width(word);
	size_t least = NAME_CELLS + indent_of(s->whole[row]);

	if (!word.n || utf8_width(word) > WORD_CELLS || used + least > s->cells ||
	    ends_with(s->words[row], word) || str_starts_with(word, STR_LIT("0x")))
		return;
	buf_clear(&s->text);
	buf_addf(&s->text, STR_FMT ELLIPSIS STR_FMT, STR_ARG(s->words[row]),
		 STR_ARG(word));
	s->words[row] = arena_copy(s->arena, buf_str(&s->text));
	shorten(s, s->whole[row], s->cells - used);
	bool is_cut = ends_with(buf_str(&s->text), ellipsis);
	buf_add_str(&s->text, str_behind(s->words[row], is_cut ? ellipsis.n : 0));
	s->texts[row] = arena_copy(s->arena, buf_str(&s->text));
}

/* Rows of one text: each name gets what it shares with neither of its neighbours. */
static bool tell_apart(struct shortening *s, size_t from, size_t end)
{
	struct str first = s->whole[s->order[from]], last = s->whole[s->order[end - 1]];
	size_t shared = 0;

	if (str_equal(first, last))
		return false;
	while (from < end) {
		struct str name = s->whole[s->order[from]];
		size_t next = from, behind = 0;
		while (next < end && str_equal(s->whole[s->order[next]], name))
			next++;
		if (next < end)
			behind = common_prefix(name, s->whole[s->order[next]]);
		size_t at = shared > behind ? shared : behind;
		for (; from < next; from++)
			if (!add_folders(s, s->order[from], at))
				add_word(s, s->order[from], word_at(name, at));
		shared = behind;
	}
	return true;
}

static bool tell_all_apart(struct shortening *s, size_t n)
{
	uint32_t *spare = xrealloc_array(NULL, n, sizeof(*spare));
	bool is_again = false;

	sort_indexes(s->order, n, spare, is_before, s);
	free(spare);
	for (size_t from = 0, end; from < n; from = end) {
		struct str text = s->texts[s->order[from]];
		for (end = from + 1; end < n; end++)
			if (!str_equal(s->texts[s->order[end]], text))
				break;
		is_again |= tell_apart(s, from, end);
	}
	return is_again;
}

/* "_ZN2ns1fIiEE" as "ns::f<int>", whose words can be read; others as they are. */
static struct str *plain_names(const struct str *whole, size_t n, struct arena *arena)
{
	struct str *plain = arena_alloc(arena, n * sizeof(*plain));
	struct buf text;

	for (size_t i = 0; i < n; i++) {
		plain[i] = whole[i];
		if (!str_starts_with(whole[i], STR_LIT("_Z")))
			continue;
		if (demangle(whole[i], &text))
			plain[i] = arena_copy(arena, buf_str(&text));
		buf_release(&text);
	}
	return plain;
}

void apart_shorten(const struct str *whole, size_t n, size_t cells, apart_shorten_fn *by,
		   struct arena *arena, struct str *texts)
{
	struct shortening s = { .arena = arena,
				.shorten = by,
				.whole = by ? plain_names(whole, n, arena) : whole,
				.texts = texts,
				.cells = cells };

	buf_init(&s.text, SIZE_MAX);
	s.words = arena_alloc(arena, n * sizeof(*s.words));
	s.order = xrealloc_array(NULL, n + 1, sizeof(*s.order));
	for (size_t i = 0; i < n; i++) {
		s.order[i] = (uint32_t)i;
		s.words[i] = STR_LIT("");
		shorten(&s, s.whole[i], cells);
		texts[i] = arena_copy(arena, buf_str(&s.text));
	}
	for (int pass = 0; pass < PASSES && n; pass++)
		if (!tell_all_apart(&s, n))
			break;
	free(s.order);
	buf_release(&s.text);
}
