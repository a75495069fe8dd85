/* Misspelt names: see suggest.h. */
#include "cli/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

#define WORD_MAX 64
/* Long enough to recognise what was typed, short enough to leave room for the list. */
#define SHOWN_MAX 100
#define MORE      "..."

/* Optimal string alignment keeps three rows of the distance matrix. */
struct rows {
	size_t before[WORD_MAX + 1], last[WORD_MAX + 1], current[WORD_MAX + 1];
};

static int fold(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_swap(const char *a, const char *b, size_t i, size_t j)
{
	return i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
	       fold(a[i - 2]) == fold(b[j - 1]);
}

static void fill_row(struct rows *rows, const char *a, size_t i, const char *b,
		     size_t b_len)
{
	rows->current[0] = i;
	for (size_t j = 1; j <= b_len; j++) {
		size_t cost = fold(a[i - 1]) == fold(b[j - 1]) ? 0 : 1;
		size_t best = smaller(rows->last[j], rows->current[j - 1]) + 1;
		best = smaller(best, rows->last[j - 1] + cost);
		if (is_swap(a, b, i, j))
			best = smaller(best, rows->before[j - 2] + 1);
		rows->current[j] = best;
	}
}

size_t suggest_distance(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);
	struct rows rows;

	if (a_len > WORD_MAX || b_len > WORD_MAX)
		return a_len > b_len ? a_len : b_len;
	for (size_t j = 0; j <= b_len; j++)
		rows.before[j] = rows.last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		fill_row(&rows, a, i, b, b_len);
		memcpy(rows.before, rows.last, sizeof(rows.last));
		memcpy(rows.last, rows.current, sizeof(rows.current));
	}
	return rows.last[b_len];
}

/* "cum" for "cumulative": a beginning is as near as one slip of the finger. */
static bool is_beginning(const char *wrong, const char *name)
{
	size_t letters = strlen(wrong + strspn(wrong, "-"));

	return letters >= 2 && strncmp(wrong, name, strlen(wrong)) == 0;
}

static size_t shared_beginning(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && fold(a[n]) == fold(b[n]))
		n++;
	return n;
}

/* "limt" is rather "limit" than "list", "chrom" rather "chrome" than "chrometrace". */
static bool begins_nearer(const char *wrong, const char *name, const char *nearest)
{
	size_t shared = shared_beginning(wrong, name);
	size_t before = shared_beginning(wrong, nearest);

	return shared > before || (shared == before && strlen(name) < strlen(nearest));
}

/* Of equally near ones that which begins alike the longest, then the shortest. */
const char *suggest_nearest(const char *wrong, const char *const *names)
{
	size_t letters = strlen(wrong + strspn(wrong, "-"));
	/* one more than may still be meant: of three letters two others are another word */
	size_t best = letters <= 3 ? 2 : letters / 3 + 2;
	const char *nearest = NULL;

	for (size_t i = 0; names[i]; i++) {
		size_t distance = suggest_distance(wrong, names[i]);
		if (distance > 1 && is_beginning(wrong, names[i]))
			distance = 1;
		bool is_nearer =
			distance < best || (nearest && distance == best &&
					    begins_nearer(wrong, names[i], nearest));
		if (!is_nearer || distance >= letters)
			continue;
		best = distance;
		nearest = names[i];
	}
	return nearest;
}

/* As many names as fit before `end`, then MORE. */
static void list_names(char *at, const char *end, const char *const *names)
{
	const char *comma = "";

	for (size_t i = 0; names[i]; i++) {
		size_t reserve = sizeof(", " MORE ")");
		size_t room = (size_t)(end - at);
		if (strlen(comma) + strlen(names[i]) + reserve > room) {
			snprintf(at, room, "%s" MORE ")", comma);
			return;
		}
		at += snprintf(at, room, "%s%s", comma, names[i]);
		comma = ", ";
	}
	snprintf(at, (size_t)(end - at), ")");
}

int suggest_unknown(struct err *err, const char *what, const char *wrong,
		    const char *const *names)
{
	const char *nearest = suggest_nearest(wrong, names);
	char valid[ERR_TEXT_MAX * 2 / 3];
	char meant[WORD_MAX + 32] = "";

	if (nearest)
		snprintf(meant, sizeof(meant), "; did you mean '%s'?", nearest);
	list_names(valid, valid + sizeof(valid), names);
	return err_set(err, ERR_USAGE, "unknown %s '%.*s'%s (valid: %s", what, SHOWN_MAX,
		       wrong, meant, valid);
}
