/* Answers of a size: see budget.h. */
#include "cli/budget.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/units.h"
#include "cli/message.h"

size_t budget_bytes(int64_t tokens)
{
	return tokens > INT64_MAX / 7 ? SIZE_MAX : (size_t)(tokens * 7 / 2);
}

/* A table whose first rows are kept; `m` is drawn with fewer. */
struct part {
	struct memtable *m; /* owned */
	const char **notes; /* owned: of all of it */
	size_t nrows, nnotes;
	int64_t total_rows;
	const char *share;
};

struct answer {
	const struct renderer *renderer;
	const struct render_opts *opts;
	struct part *parts; /* owned */
	size_t n, cap;
	size_t rows, notes; /* that a part may have */
	char *text;         /* of the last try; owned */
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

/* A row has a byte at least: more than `bytes` of them are only counted. */
static int take_part(struct answer *a, struct table *from, size_t bytes, struct err *err)
{
	struct memtable *m = memtable_new(from->columns, from->ncolumns);
	struct cell *cells = xcalloc(from->ncolumns, sizeof(*cells));
	int rc;

	while ((rc = from->next(from, cells, err)) > 0)
		if (m->nrows < bytes)
			memtable_add_row(m, cells);
	free(cells);
	copy_looks(m, from);
	struct part *p = ARRAY_PUSH(a->parts, a->n, a->cap);
	*p = (struct part){ .m = m,
			    .nrows = m->nrows,
			    .nnotes = m->nnotes,
			    .notes = xcalloc(m->nnotes + 1, sizeof(*p->notes)),
			    .total_rows = from->total_rows,
			    .share = from->share };
	for (size_t i = 0; i < m->nnotes; i++)
		p->notes[i] = m->notes[i];
	if (p->nrows > a->rows)
		a->rows = p->nrows;
	if (p->nnotes > a->notes)
		a->notes = p->nnotes;
	return rc;
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Every part begins again, with so many rows and notes; how many are left out. */
static size_t set_parts(struct answer *a)
{
	size_t left_out = 0;

	for (size_t i = 0; i < a->n; i++) {
		struct part *p = &a->parts[i];
		p->m->nrows = lesser(p->nrows, a->rows);
		p->m->at = 0;
		p->m->nnotes = lesser(p->nnotes, a->notes);
		for (size_t at = 0; at < p->m->nnotes; at++)
			p->m->notes[at] = p->notes[at];
		if (p->m->notes)
			p->m->notes[p->m->nnotes] = NULL;
		p->m->table.total_rows = p->total_rows;
		p->m->table.share = p->m->nrows < p->nrows ? NULL : p->share;
		left_out += p->nrows - p->m->nrows + p->nnotes - p->m->nnotes;
	}
	return left_out;
}

static int draw_parts(struct answer *a, FILE *out, struct err *err)
{
	for (size_t i = 0; i < a->n; i++) {
		if (i)
			putc('\n', out);
		if (a->renderer->render(&a->parts[i].m->table, a->opts, out, err) < 0)
			return -1;
	}
	return 0;
}

/* The note of what was left out, which the last part gets. */
static void add_note(struct answer *a, int64_t tokens)
{
	const struct part *first = &a->parts[0], *last = &a->parts[a->n - 1];
	struct memtable *m = last->m;
	char shown[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];
	int64_t total = first->total_rows;

	if (total < (int64_t)first->nrows)
		total = (int64_t)first->nrows;
	struct str some =
		units_text(UNIT_COUNT, cell_int((int64_t)first->m->nrows), shown);
	struct str of = units_text(UNIT_COUNT, cell_int(total), all);
	if (m->table.is_prose)
		memtable_add_note(
			m, "... cut to %" PRId64 " tokens; --budget 0 shows all", tokens);
	else
		memtable_add_note(m,
				  "cut to " STR_FMT " of " STR_FMT
				  " rows, for --budget %" PRId64
				  ": other rows by --sort, --focus or --limit, all by "
				  "--budget 0",
				  STR_ARG(some), STR_ARG(of), tokens);
}

/* Draws what set_parts() is told; 1: it fits, 0, or -1. */
static int try_parts(struct answer *a, int64_t tokens, struct err *err)
{
	bool is_cut = set_parts(a) > 0;

	if (is_cut && a->renderer->has_notes)
		add_note(a, tokens);
	free(a->text);
	a->text = NULL;
	FILE *memory = open_memstream(&a->text, &a->ntext);
	if (!memory)
		return err_set(err, ERR_IO, "out of memory");
	int rc = draw_parts(a, memory, err);
	if (fclose(memory) != 0 && rc == 0)
		rc = err_set(err, ERR_IO, "out of memory");
	return rc < 0 ? -1 : a->ntext <= budget_bytes(tokens);
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
 * The most rows that fit, one at least, and where that is too much, fewer notes.  A part
 * of prose has no rows: its notes are its text.
 */
static int fit(struct answer *a, int64_t tokens, struct err *err)
{
	int fits = try_parts(a, tokens, err);

	if (fits == 0 && a->rows)
		fits = find_most(a, 1, &a->rows, tokens, err);
	if (fits == 0 && a->notes)
		fits = find_most(a, 0, &a->notes, tokens, err);
	return fits < 0 ? -1 : 0;
}

static void tell(const struct answer *a, int64_t tokens)
{
	const struct part *p = &a->parts[0];

	if (!a->renderer->has_notes && p->m->nrows < p->nrows)
		message_note(a->opts->command, NULL,
			     "cut to %zu rows, for --budget %" PRId64
			     ": --budget 0 writes all",
			     p->m->nrows, tokens);
}

int budget_draw(const struct renderer *renderer, struct table *t,
		const struct render_opts *opts, int64_t tokens, struct budget_text *out,
		struct err *err)
{
	struct answer a = { .renderer = renderer, .opts = opts };
	int rc = 0;

	for (; rc == 0 && t; t = t->more)
		rc = take_part(&a, t, budget_bytes(tokens), err);
	if (rc == 0)
		rc = fit(&a, tokens, err);
	if (rc == 0)
		tell(&a, tokens);
	*out = (struct budget_text){ a.text, a.ntext };
	for (size_t i = 0; i < a.n; i++) {
		table_free(&a.parts[i].m->table);
		free(a.parts[i].notes);
	}
	free(a.parts);
	return rc;
}
