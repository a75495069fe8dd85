/* Places of the browser: see place.h. */
#include "screen/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/shell_word.h"
#include "base/units.h"

#define FIRST_LIMIT 500
#define WORD_MAX    ((size_t)1024 * 1024)

static void add(struct words *w, const char *word)
{
	if (w->n < PLACE_WORDS)
		w->items[w->n++] = word;
}

static struct place *new_place(const char *title)
{
	struct place *p = xcalloc(1, sizeof(*p));

	p->wish.limit = FIRST_LIMIT;
	p->title = arena_strdup(&p->arena, title);
	return p;
}

static void set_command(struct place *p, const char *command)
{
	p->command = command;
	p->habit = habit_of(command);
}

/*
 * As part of a regular expression.  A '*' at the end is a name's that stands for several
 * which end in '#' and a number: "ProfilerStep*".
 */
static void add_escaped(struct buf *out, struct str text)
{
	bool is_several = text.n > 1 && text.p[text.n - 1] == '*';

	text.n -= is_several;
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("\\^$.|?*+()[]{}", text.p[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, text.p[i]);
	}
	if (is_several)
		buf_add_text(out, "(\\*|#[0-9]+)");
}

static size_t digits_of(struct str text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return n;
}

static const char *filled(struct arena *arena, struct str word, struct str text)
{
	const char *mark = memchr(word.p, '%', word.n);
	struct buf out;

	if (!mark || mark + 1 == word.p + word.n)
		return arena_copy(arena, word).p;
	buf_init(&out, WORD_MAX);
	buf_add(&out, word.p, (size_t)(mark - word.p));
	if (mark[1] == 'e')
		add_escaped(&out, text);
	else if (mark[1] == 'd')
		buf_add(&out, text.p, digits_of(text));
	else
		buf_add_str(&out, text);
	buf_add_str(&out, str_behind(word, (size_t)(mark - word.p) + 2));
	const char *copy = arena_copy(arena, buf_str(&out)).p;
	buf_release(&out);
	return copy;
}

/* The words of a line, with marks filled in by the text. */
static void add_filled(struct words *w, const char *line, struct str text,
		       struct arena *arena)
{
	while (line && *line) {
		size_t n = strcspn(line, " ");
		add(w, filled(arena, (struct str){ line, n }, text));
		line += n;
		line += strspn(line, " ");
	}
}

static void take_command(struct place *p)
{
	set_command(p, p->own.items[0]);
	p->own.n--;
	memmove(p->own.items, p->own.items + 1, p->own.n * sizeof(p->own.items[0]));
}

struct place *place_of_section(const struct section *section)
{
	struct place *p = new_place(section->title);

	add_filled(&p->own, section->line, STR_LIT(""), &p->arena);
	take_command(p);
	return p;
}

void place_free(struct place *p)
{
	sheet_release(&p->sheet);
	table_free(p->answer);
	arena_release(&p->arena);
	free(p->folded);
	free(p->shown);
	free(p);
}

static bool has_word(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->items[i], word) == 0)
			return true;
	return false;
}

/* A name less the blanks that say how deep it lies. */
static struct str unindented(struct str text)
{
	while (text.n && text.p[0] == ' ')
		text = str_behind(text, 1);
	return text;
}

static bool has_mark(const struct way *way, const char *mark)
{
	return strstr(way->line, mark) || (way->filter && strstr(way->filter, mark));
}

/* "(3 more)": what a tree has summed up. */
static bool is_sum(const struct place *p, struct str text)
{
	static const struct str end = { " more)", 6 };

	return p->habit->tree && text.n > end.n && text.p[0] == '(' &&
	       str_equal(str_behind(text, text.n - end.n), end);
}

bool place_has_way(const struct place *p, const struct screen *screen,
		   const struct way *way, size_t at, struct str *text)
{
	struct cell cell;

	*text = STR_LIT("");
	if (strcmp(way->from, p->command) != 0 ||
	    (way->word && !has_word(&p->own, way->word)) ||
	    (way->kinds && !(way->kinds & screen->kinds)) ||
	    !sheet_cell(&p->sheet, at, way->column, &cell))
		return false;
	if (cell.type == CELL_TEXT)
		*text = unindented(cell.as.text);
	if (has_mark(way, "%d") && !digits_of(*text))
		return false;
	return cell.type == CELL_INT || (cell.type == CELL_TEXT && !is_sum(p, *text));
}

/* "--step" of "--step=3" and "--step". */
static struct str option_name(const char *word)
{
	return (struct str){ word, strcspn(word, "=") };
}

/* Filters that both have are the way's. */
static void keep_filters(struct place *p, const struct place *from,
			 const struct screen *screen)
{
	for (size_t i = 0; i < from->filters.n; i++) {
		const char *word = from->filters.items[i];
		struct str name = option_name(word);
		char option[64];
		bool is_set = false;

		for (size_t j = 0; j < p->filters.n; j++)
			is_set |= str_equal(option_name(p->filters.items[j]), name);
		if (is_set || name.n < 3 || name.n >= sizeof(option))
			continue;
		memcpy(option, name.p + 2, name.n - 2);
		option[name.n - 2] = '\0';
		if (screen->source->has_option(screen->source, p->command, option))
			add(&p->filters, arena_strdup(&p->arena, word));
	}
}

struct str place_way_title(const struct way *way)
{
	static const char *const ends[] = { ":", " of", " from", " in" };
	struct str title = str_of(way->title);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t n = strlen(ends[i]);
		if (title.n > n && memcmp(title.p + title.n - n, ends[i], n) == 0)
			title.n -= n;
	}
	return title;
}

/* Not of all rows alike. */
static bool is_of_row(const struct way *way)
{
	return way->finds || strchr(way->line, '%') || way->filter;
}

void place_name_way(const struct way *way, struct str text, struct buf *out)
{
	if (is_of_row(way))
		buf_addf(out, "%s " STR_FMT, way->title, STR_ARG(text));
	else
		buf_add_str(out, place_way_title(way));
}

struct place *place_of_way(const struct place *from, const struct way *way, size_t at,
			   const struct screen *screen)
{
	char number[UNITS_TEXT_MAX];
	struct cell cell;
	struct str text;
	struct buf title;

	if (!place_has_way(from, screen, way, at, &text) ||
	    !sheet_cell(&from->sheet, at, way->column, &cell))
		return NULL;
	if (cell.type == CELL_INT)
		text = units_integer(cell.as.integer, number);
	buf_init(&title, WORD_MAX);
	place_name_way(way, text, &title);
	struct place *p = new_place(title.p ? title.p : way->title);
	buf_release(&title);
	add_filled(&p->own, way->line, text, &p->arena);
	add_filled(&p->filters, way->filter, text, &p->arena);
	take_command(p);
	if (is_of_row(way) && sheet_cell(&from->sheet, at, "rank", &cell) &&
	    cell.type == CELL_INT)
		add(&p->filters,
		    arena_printf(&p->arena, "--rank=%" PRId64, cell.as.integer));
	keep_filters(p, from, screen);
	p->wish.wide = from->wish.wide;
	p->wish.whole = from->wish.whole;
	if (way->finds)
		p->wish.only = arena_copy(&p->arena, text).p;
	return p;
}

static void push(struct arena *arena, char **argv, int *n, const char *word)
{
	argv[(*n)++] = arena_strdup(arena, word);
}

/* Of rows of one rank the rank is said by the row's way. */
static bool is_filtered(const struct place *p, const char *scope)
{
	for (size_t i = 0; i < p->filters.n; i++)
		if (str_equal(option_name(p->filters.items[i]), option_name(scope)))
			return true;
	return false;
}

int place_argv(const struct place *p, const struct screen *screen, int width,
	       struct arena *arena, char ***argv)
{
	const struct place_wish *w = &p->wish;
	const struct screen_source *source = screen->source;
	char **words;
	int n = 0;
	size_t nscope = 0;

	while (screen->scope && screen->scope[nscope])
		nscope++;
	words = arena_alloc(arena,
			    ((size_t)2 * PLACE_WORDS + nscope + 16) * sizeof(*words));
	push(arena, words, &n, p->command);
	for (size_t i = 0; i < p->own.n; i++)
		push(arena, words, &n, p->own.items[i]);
	for (size_t i = 0; i < p->filters.n; i++)
		push(arena, words, &n, p->filters.items[i]);
	if (w->focus)
		push(arena, words, &n, arena_printf(arena, "--focus=%s", w->focus));
	if (w->sort)
		push(arena, words, &n, arena_printf(arena, "--sort=%s", w->sort));
	if (w->reverse)
		push(arena, words, &n, "--reverse");
	if (!p->habit->is_whole && source->has_option(source, p->command, "limit"))
		push(arena, words, &n, arena_printf(arena, "--limit=%" PRId64, w->limit));
	for (size_t i = 0; i < nscope; i++)
		if (!is_filtered(p, screen->scope[i]))
			push(arena, words, &n, screen->scope[i]);
	if (w->wide || w->whole)
		push(arena, words, &n, "--wide");
	else if (width > 0)
		push(arena, words, &n, arena_printf(arena, "--width=%d", width));
	if (screen->operand)
		push(arena, words, &n, screen->operand);
	words[n] = NULL;
	*argv = words;
	return n;
}

void place_line(const struct place *p, const struct screen *screen, struct buf *out)
{
	struct arena arena = { 0 };
	char **argv;
	int n = place_argv(p, screen, 0, &arena, &argv);

	shell_word_add(out, "ptool");
	for (int i = 0; i < n; i++)
		shell_word_add(out, argv[i]);
	if (p->wish.only) {
		buf_add_text(out, strpbrk(p->wish.only, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
					  ? " | grep -F"
					  : " | grep -iF");
		shell_word_add(out, p->wish.only);
	}
	arena_release(&arena);
}
