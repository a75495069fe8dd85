/* Hints with their operand: see hints.h. */
#include "cli/hints.h"

#include <stdio.h>
#include <string.h>

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

void hints_complete(struct table *t, const char *operand, struct arena *arena)
{
	for (; t && is_one_word(operand); t = t->more) {
		t->caption = completed(t->caption, operand, arena);
		t->empty = completed(t->empty, operand, arena);
		t->under = all_completed(t->under, operand, arena);
		t->notes = all_completed(t->notes, operand, arena);
	}
}

void hints_complete_error(struct err *err, const char *operand)
{
	struct arena arena = { 0 };

	if (is_one_word(operand))
		snprintf(err->text, sizeof(err->text), "%s",
			 completed(arena_strdup(&arena, err->text), operand, &arena));
	arena_release(&arena);
}
