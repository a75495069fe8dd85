/* Answers of a size: see budget.h. */
#include "cli/budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/message.h"

#define TEXT_LEAST ((size_t)64)        /* bytes that a text keeps */
#define TEXT_MOST  ((size_t)64 * 1024) /* that a text may have, or those of the answer */

size_t budget_bytes(int64_t tokens)
{
	return tokens > INT64_MAX / 7 ? SIZE_MAX : (size_t)(tokens * 7 / 2);
}

/* A table whose first rows are kept; `m` is drawn with fewer. */
struct part {
	struct memtable *m; /* owned */
	struct cell *first; /* owned: its first row, whole */
	const char **notes; /* owned: of all of it */
	size_t nrows, nnotes;
	int64_t pulled, total_rows; /* rows of the table */
	const char *share;
};

struct answer {
	const struct renderer *renderer;
	const struct render_opts *opts;
	size_t bytes;       /* that it may have */
	struct part *parts; /* owned */
	size_t n, cap;
	size_t ntables, first_bytes; /* of all; at least, of the parts' first rows */
	size_t shown;                /* parts that are drawn */
	size_t rows, notes;          /* that a part may have */
	size_t text_bytes;           /* that a text of the first row may have */
	char *text;                  /* of the last try; owned */
	size_t ntext;
};

/* Facts of people's tables that next() does not give. */
static void copy_looks(struct memtable *m, const struct table *from)
{
	table_copy_facts(&m->table, from);
	m->table.fields = from->fields;
	m->table.empty = from->empty;
	m->table.status = from->status;
	m->table.drops_zeros = from->drops_zeros;
	m->table.is_form = from->is_form;
	m->table.is_prose = from->is_prose;
	m->table.strips = from->strips;
	m->table.notes = NULL;
	for (size_t i = 0; from->notes && from->notes[i]; i++)
		memtable_add_note(m, "%s", from->notes[i]);
}

/* A text that is longer ends there, and says so. */
static struct cell cut(struct arena *arena, struct cell cell, size_t most)
{
	static const char mark[] = " [cut]";

	if (cell.type != CELL_TEXT || cell.as.text.n <= most)
		return cell;
	struct str text = utf8_cut(cell.as.text, most);
	char *copy = arena_alloc(arena, text.n + sizeof(mark));
	memcpy(copy, text.p, text.n);
	memcpy(copy + text.n, mark, sizeof(mark));
	return cell_text((struct str){ copy, text.n + sizeof(mark) - 1 });
}

/*
 * What the row takes at least: people's texts are shortened, their columns left out, and
 * what is packed may take nothing for rows that repeat.
 */
static size_t least_bytes(const struct answer *a, const struct table *t,
			  const struct cell *cells)
{
	size_t bytes = t->ncolumns;

	if (a->renderer->is_for_people || a->renderer->is_binary)
		return 1;
	for (size_t i = 0; i < t->ncolumns; i++)
		bytes += cells[i].type == CELL_TEXT ? cells[i].as.text.n : 0;
	return bytes;
}

/*
 * Keeps the first row, and as many as the answer can have if it shows one of each part;
 * the others are only counted.
 */
static int take_rows(struct answer *a, struct part *p, struct table *from,
		     struct err *err)
{
	struct cell *cells = xcalloc(from->ncolumns, sizeof(*cells));
	size_t bytes = a->first_bytes, most = a->bytes > TEXT_MOST ? a->bytes : TEXT_MOST;
	struct arena texts = { 0 };
	int rc;

	while ((rc = from->next(from, cells, err)) > 0) {
		bytes += least_bytes(a, from, cells);
		if (p->pulled++ == 0)
			a->first_bytes = bytes;
		else if (bytes > a->bytes)
			continue;
		for (size_t i = 0; i < from->ncolumns; i++)
			cells[i] = cut(&texts, cells[i], most);
		memtable_add_row(p->m, cells);
		arena_release(&texts);
	}
	free(cells);
	return rc;
}

/* A table has a byte at least, too. */
static int take_part(struct answer *a, struct table *from, struct err *err)
{
	struct memtable *m = memtable_new(from->columns, from->ncolumns);
	struct part p = { .m = m };
	int rc = take_rows(a, &p, from, err);

	if (a->ntables++ >= a->bytes) {
		table_free(&m->table);
		return rc;
	}
	copy_looks(m, from);
	p.nrows = m->nrows;
	p.nnotes = m->nnotes;
	p.total_rows = from->total_rows;
	p.share = from->share;
	p.first = xcalloc(from->ncolumns, sizeof(*p.first));
	for (size_t i = 0; m->nrows && i < from->ncolumns; i++)
		p.first[i] = m->cells[i];
	p.notes = xcalloc(m->nnotes + 1, sizeof(*p.notes));
	for (size_t i = 0; i < m->nnotes; i++)
		p.notes[i] = m->notes[i];
	if (p.nrows > a->rows)
		a->rows = p.nrows;
	if (p.nnotes > a->notes)
		a->notes = p.nnotes;
	*ARRAY_PUSH(a->parts, a->n, a->cap) = p;
	a->shown = a->n;
	return rc;
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Begins again, with so many rows and notes; how many are left out. */
static size_t set_part(const struct answer *a, struct part *p)
{
	struct memtable *m = p->m;

	m->nrows = lesser(p->nrows, a->rows);
	m->at = 0;
	for (size_t i = 0; m->nrows && i < m->table.ncolumns; i++)
		m->cells[i] = cut(&m->arena, p->first[i], a->text_bytes);
	m->nnotes = lesser(p->nnotes, a->notes);
	for (size_t at = 0; at < m->nnotes; at++)
		m->notes[at] = p->notes[at];
	if (m->notes)
		m->notes[m->nnotes] = NULL;
	m->table.total_rows = p->total_rows;
	size_t left_out = (size_t)p->pulled - m->nrows;
	m->table.share = left_out ? NULL : p->share;
	return left_out + p->nnotes - m->nnotes;
}

static size_t set_parts(struct answer *a)
{
	size_t left_out = a->ntables - a->shown;

	for (size_t i = 0; i < a->shown; i++)
		left_out += set_part(a, &a->parts[i]);
	return left_out;
}

static int draw_parts(struct answer *a, FILE *out, struct err *err)
{
	for (size_t i = 0; i < a->shown; i++) {
		if (i)
			putc('\n', out);
		if (a->renderer->render(&a->parts[i].m->table, a->opts, out, err) < 0)
			return -1;
	}
	return 0;
}

/* Rows of the parts that lost some: shown, and all. */
struct cut_rows {
	int64_t shown, all;
};

static struct cut_rows count_cut(const struct answer *a)
{
	struct cut_rows cut = { 0, 0 };

	for (size_t i = 0; i < a->shown; i++) {
		const struct part *p = &a->parts[i];
		if ((int64_t)p->m->nrows == p->pulled)
			continue;
		cut.shown += (int64_t)p->m->nrows;
		cut.all += p->total_rows > p->pulled ? p->total_rows : p->pulled;
	}
	return cut;
}

/* What shows all of them; --limit cut some before. */
static const char *all_by(const struct answer *a)
{
	for (size_t i = 0; i < a->shown; i++)
		if (a->parts[i].total_rows > a->parts[i].pulled)
			return "--limit 0 --budget 0";
	return "--budget 0";
}

/* "cut to 14 of 41 rows, for --budget 700"; NULL: only notes are left out. */
static const char *cut_text(const struct answer *a, int64_t tokens, struct arena *arena)
{
	char shown[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];
	struct cut_rows cut = count_cut(a);

	if (a->shown < a->ntables)
		return arena_printf(arena,
				    "cut to %zu of %zu tables, for --budget %" PRId64,
				    a->shown, a->ntables, tokens);
	if (cut.all == 0)
		return NULL;
	struct str some = units_text(UNIT_COUNT, cell_int(cut.shown), shown);
	struct str of = units_text(UNIT_COUNT, cell_int(cut.all), all);
	return arena_printf(
		arena, "cut to " STR_FMT " of " STR_FMT " rows, for --budget %" PRId64,
		STR_ARG(some), STR_ARG(of), tokens);
}

/* "other rows by --sort, --limit; ", of what the command has. */
static const char *other_rows(const struct answer *a, struct arena *arena)
{
	static const char *const names[] = { "sort", "focus", "limit" };
	const struct command *command = command_find(a->opts->command);
	const char *text = "";

	if (!command || a->shown < a->ntables)
		return text;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (opt_find(command->groups, str_of(names[i])).opt)
			text = arena_printf(arena, "%s%s--%s", text,
					    *text ? ", " : "other rows by ", names[i]);
	return *text ? arena_printf(arena, "%s; ", text) : text;
}

/* The note of what was left out, which the last part gets. */
static void add_note(struct answer *a, int64_t tokens)
{
	struct memtable *m = a->parts[a->shown - 1].m;
	const char *cut = cut_text(a, tokens, &m->arena);

	if (m->table.is_prose)
		memtable_add_note(
			m, "... cut to %" PRId64 " tokens; --budget 0 shows all", tokens);
	else if (cut)
		memtable_add_note(m, "%s: %sall by %s", cut, other_rows(a, &m->arena),
				  all_by(a));
	else
		memtable_add_note(m,
				  "some notes are left out, for --budget %" PRId64
				  ": all by --budget 0",
				  tokens);
}

/* Draws what set_parts() is told; 1: it fits, 0, or -1. */
static int try_parts(struct answer *a, int64_t tokens, struct err *err)
{
	bool is_cut = set_parts(a) > 0;

	if (is_cut && a->renderer->has_notes)
		add_note(a, tokens);
	free(a->text);
	a->text = NULL;
	FILE *memory = xopen_memory(&a->text, &a->ntext);
	int rc = draw_parts(a, memory, err);
	fclose(memory);
	return rc < 0 ? -1 : a->ntext <= a->bytes;
}

/* The most of [least, *most] that fits, or `least`; as try_parts(). */
static int find_most(struct answer *a, size_t least, size_t *most, int64_t tokens,
		     struct err *err)
{
	size_t high = *most;
	int fits;

	*most = least;
	fits = try_parts(a, tokens, err);
	if (fits <= 0)
		return fits;
	for (size_t low = least; low < high;) {
		*most = high - (high - low) / 2;
		fits = try_parts(a, tokens, err);
		if (fits < 0)
			return -1;
		if (fits)
			low = *most;
		else
			high = *most - 1;
		*most = low;
	}
	return try_parts(a, tokens, err);
}

/*
 * The most rows that fit, one at least, and where that is too much, fewer notes, then
 * shorter texts, then fewer tables.  A part of prose has no rows: its notes are its text.
 */
static int fit(struct answer *a, int64_t tokens, struct err *err)
{
	int fits = try_parts(a, tokens, err);

	if (fits == 0 && a->rows)
		fits = find_most(a, 1, &a->rows, tokens, err);
	if (fits == 0 && a->notes)
		fits = find_most(a, 0, &a->notes, tokens, err);
	a->text_bytes = a->bytes;
	if (fits == 0 && a->rows)
		fits = find_most(a, TEXT_LEAST, &a->text_bytes, tokens, err);
	if (fits == 0 && a->n > 1)
		fits = find_most(a, 1, &a->shown, tokens, err);
	return fits < 0 ? -1 : 0;
}

static void tell(const struct answer *a, int64_t tokens)
{
	const char *cut = cut_text(a, tokens, &a->parts[0].m->arena);

	if (cut && !a->renderer->has_notes)
		message_note(a->opts->command, NULL, "%s: %s writes all", cut, all_by(a));
}

int budget_draw(const struct renderer *renderer, struct table *t,
		const struct render_opts *opts, int64_t tokens, struct budget_text *out,
		struct err *err)
{
	struct answer a = { .renderer = renderer,
			    .opts = opts,
			    .bytes = budget_bytes(tokens),
			    .text_bytes = SIZE_MAX };
	int rc = 0;

	for (; rc == 0 && t; t = t->more)
		rc = take_part(&a, t, err);
	if (rc == 0)
		rc = fit(&a, tokens, err);
	if (rc == 0)
		tell(&a, tokens);
	*out = (struct budget_text){ a.text, a.ntext };
	for (size_t i = 0; i < a.n; i++) {
		table_free(&a.parts[i].m->table);
		free(a.parts[i].first);
		free(a.parts[i].notes);
	}
	free(a.parts);
	return rc;
}
