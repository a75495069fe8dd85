/* Hints with their operand: see hints.h. */
#include "cli/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/buf.h"

#define OPENS "'ptool "

/*
 * Does it need another operand?  Capitals at the end are a word for what the user has to
 * choose, "ingest FILE", and ranks are other files.
 */
static bool needs_another(struct str line)
{
	size_t at = line.n;

	while (at > 0 && line.p[at - 1] != ' ')
		at--;
	return (at < line.n && line.p[at] >= 'A' && line.p[at] <= 'Z') ||
	       str_starts_with(line, STR_LIT("help")) ||
	       str_starts_with(line, STR_LIT("ingest")) ||
	       str_contains(line, STR_LIT("--ranks"));
}

static bool is_one_word(const char *operand)
{
	return operand && strcmp(operand, "-") != 0 &&
	       !operand[strcspn(operand, " \t\n'\"\\$`&;|<>()*?[]{}!#~")];
}

static void complete(const char *text, const char *operand, struct buf *out)
{
	const char *open, *close;

	while ((open = strstr(text, OPENS)) && (close = strchr(open + 1, '\''))) {
		const char *line = open + strlen(OPENS);
		buf_add(out, text, (size_t)(close - text));
		if (!needs_another((struct str){ line, (size_t)(close - line) }))
			buf_addf(out, " %s", operand);
		text = close;
		if (*text == '\'')
			buf_add_char(out, *text++);
	}
	buf_add_text(out, text);
}

static const char *completed(const char *text, const char *operand, struct arena *arena)
{
	struct buf out;

	if (!text || !strstr(text, OPENS))
		return text;
	buf_init(&out, SIZE_MAX);
	complete(text, operand, &out);
	text = arena_copy(arena, buf_str(&out)).p;
	buf_release(&out);
	return text;
}

static const char *const *all_completed(const char *const *lines, const char *operand,
					struct arena *arena)
{
	size_t n = 0;

	if (!lines)
		return NULL;
	while (lines[n])
		n++;
	const char **copies = arena_alloc(arena, (n + 1) * sizeof(*copies));
	for (size_t i = 0; i < n; i++)
		copies[i] = completed(lines[i], operand, arena);
	copies[n] = NULL;
	return copies;
}

static int hinted_next(struct table *t, struct cell *cells, struct err *err);
static void hinted_free(struct table *t);

/* A table that hands on another's rows, and its words with their hints completed. */
struct hinted {
	struct table table;
	struct table *from; /* owned */
	const char *operand;
	struct arena arena;
};

/* What `from` says by now; some know it only after their last row. */
static void take_words(struct hinted *h)
{
	struct table *t = &h->table, *more = t->more;

	*t = *h->from;
	t->next = hinted_next;
	t->free = hinted_free;
	t->more = more;
	t->caption = completed(t->caption, h->operand, &h->arena);
	t->empty = completed(t->empty, h->operand, &h->arena);
	t->under = all_completed(t->under, h->operand, &h->arena);
	t->notes = all_completed(t->notes, h->operand, &h->arena);
}

static int hinted_next(struct table *t, struct cell *cells, struct err *err)
{
	struct hinted *h = (struct hinted *)t;
	int rc = h->from->next(h->from, cells, err);

	if (rc <= 0)
		take_words(h);
	return rc;
}

static void hinted_free(struct table *t)
{
	struct hinted *h = (struct hinted *)t;

	table_free(h->from);
	arena_release(&h->arena);
	free(h);
}

struct table *hints_complete(struct table *t, const char *operand)
{
	if (!t || !is_one_word(operand))
		return t;
	struct hinted *h = xcalloc(1, sizeof(*h));
	h->from = t;
	h->operand = operand;
	h->table.more = hints_complete(t->more, operand);
	t->more = NULL;
	take_words(h);
	return &h->table;
}

void hints_complete_error(struct err *err, const char *operand)
{
	struct arena arena = { 0 };

	if (is_one_word(operand))
		snprintf(err->text, sizeof(err->text), "%s",
			 completed(arena_strdup(&arena, err->text), operand, &arena));
	arena_release(&arena);
}
