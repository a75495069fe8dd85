/* Tables as bytes: see table_pack.h. */
#include "base/table_pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/field.h"
#include "base/memtable.h"
#include "base/strips.h"

#define NO_TEXT SIZE_MAX /* the length of a text that is NULL */

/*
 * Numbers are copied as they lie in memory, texts are a length and bytes.  No struct with
 * holes is written, whose bytes would be those that happen to be there.
 */
struct packed_column {
	enum unit unit;
	uint8_t flags, leaves, least, unused;
};

struct packed_facts {
	int64_t total_rows;
	bool drops_zeros, is_form, is_prose, has_strips, has_more, unused[3];
};

static void put(FILE *out, const void *p, size_t n)
{
	if (n) /* empty text may be NULL */
		fwrite(p, 1, n, out);
}

static void put_str(FILE *out, struct str text)
{
	put(out, &text.n, sizeof(text.n));
	put(out, text.p, text.n);
}

static void put_text(FILE *out, const char *text)
{
	const size_t none = NO_TEXT;

	if (text)
		put_str(out, str_of(text));
	else
		put(out, &none, sizeof(none));
}

/* NULL after the last. */
static void put_texts(FILE *out, const char *const *texts)
{
	for (size_t i = 0; texts && texts[i]; i++)
		put_text(out, texts[i]);
	put_text(out, NULL);
}

static void put_columns(FILE *out, const struct table *t)
{
	bool has_fields = t->fields != NULL;

	put(out, &t->ncolumns, sizeof(t->ncolumns));
	put(out, &has_fields, sizeof(has_fields));
	for (size_t i = 0; i < t->ncolumns; i++) {
		const struct field *f = has_fields ? t->fields[i] : NULL;
		struct packed_column c = { .unit = t->columns[i].unit };
		if (f) {
			c.flags = f->flags;
			c.leaves = f->leaves;
			c.least = f->least;
		}
		put(out, &c, sizeof(c));
		put_text(out, t->columns[i].name);
		put_text(out, t->columns[i].title);
	}
}

static void put_cell(FILE *out, const struct cell *cell)
{
	put(out, &cell->type, sizeof(cell->type));
	if (cell->type == CELL_TEXT)
		put_str(out, cell->as.text);
	else if (cell->type != CELL_NULL)
		put(out, &cell->as, sizeof(cell->as.integer)); /* or the real one */
}

static int put_rows(FILE *out, struct table *t, struct err *err)
{
	struct cell *cells = xcalloc(t->ncolumns + 1, sizeof(*cells));
	bool is_row = true;
	int rc;

	while ((rc = t->next(t, cells, err)) > 0 && !ferror(out)) {
		put(out, &is_row, sizeof(is_row));
		for (size_t i = 0; i < t->ncolumns; i++)
			put_cell(out, &cells[i]);
	}
	is_row = false;
	put(out, &is_row, sizeof(is_row));
	free(cells);
	return rc < 0 ? -1 : 0;
}

static void put_strip(FILE *out, const struct strip *strip, size_t ncells)
{
	put_str(out, strip->label);
	for (size_t i = 0; i < ncells; i++) {
		const struct strip_cell *cell = &strip->cells[i];
		put(out, &cell->share, sizeof(cell->share));
		put(out, &cell->kind, sizeof(cell->kind));
		put_str(out, cell->name);
	}
}

/* With their pointers, which are put in order where they are taken. */
static void put_strips(FILE *out, const struct strips *s)
{
	put(out, s, sizeof(*s));
	put_text(out, s->legend);
	for (size_t i = 0; i < s->nkinds; i++) {
		put(out, &s->kinds[i].letter, sizeof(s->kinds[i].letter));
		put(out, &s->kinds[i].color, sizeof(s->kinds[i].color));
		put_text(out, s->kinds[i].name);
	}
	for (size_t i = 0; i < s->n; i++)
		put_strip(out, &s->items[i], s->ncells);
}

int table_pack(struct table *t, FILE *out, struct err *err)
{
	for (; t; t = t->more) {
		put_columns(out, t);
		if (put_rows(out, t, err) < 0)
			return -1;
		const struct packed_facts facts = {
			t->total_rows,     t->drops_zeros,  t->is_form, t->is_prose,
			t->strips != NULL, t->more != NULL, { 0 }
		};
		put(out, &facts, sizeof(facts));
		put_text(out, t->caption);
		put_text(out, t->empty);
		put_text(out, t->share);
		put_texts(out, t->under);
		put_texts(out, t->notes);
		if (t->strips)
			put_strips(out, t->strips);
	}
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return err_set(err, ERR_IO, "the answer cannot be passed on");
}

/* What is left of the bytes; is_short: something was missing. */
struct unpacking {
	struct str left;
	bool is_short;
};

/* What is missing is zero. */
static void take(struct unpacking *u, void *into, size_t n)
{
	u->is_short |= u->left.n < n;
	if (u->is_short) {
		memset(into, 0, n);
		return;
	}
	if (n)
		memcpy(into, u->left.p, n);
	u->left = str_behind(u->left, n);
}

static struct str take_bytes(struct unpacking *u, size_t n)
{
	struct str text = { u->left.p, n };

	u->is_short |= u->left.n < n;
	if (u->is_short)
		return STR_LIT("");
	u->left = str_behind(u->left, n);
	return text;
}

static struct str take_str(struct unpacking *u)
{
	size_t n;

	take(u, &n, sizeof(n));
	return take_bytes(u, n);
}

static const char *take_text(struct unpacking *u, struct arena *arena)
{
	size_t n;

	take(u, &n, sizeof(n));
	if (u->is_short || n == NO_TEXT)
		return NULL;
	return arena_copy(arena, take_bytes(u, n)).p;
}

static const char *const *take_texts(struct unpacking *u, struct arena *arena)
{
	const char **texts = NULL, *text;
	size_t n = 0, cap = 0;

	while ((text = take_text(u, arena)) != NULL) {
		texts = xgrow(texts, &cap, n + 2, sizeof(*texts));
		texts[n++] = text;
		texts[n] = NULL;
	}
	if (!n)
		return NULL;
	const char **kept = arena_alloc(arena, (n + 1) * sizeof(*kept));
	memcpy(kept, texts, (n + 1) * sizeof(*kept));
	free(texts);
	return kept;
}

/* They outlive what they are made in: the arena is the table's from then on. */
static struct memtable *take_columns(struct unpacking *u)
{
	struct arena arena = { 0 };
	size_t n;
	bool has_fields;

	take(u, &n, sizeof(n));
	take(u, &has_fields, sizeof(has_fields));
	if (n > u->left.n / sizeof(struct packed_column)) {
		u->is_short = true;
		n = 0;
	}
	struct column *columns = arena_alloc(&arena, (n + 1) * sizeof(*columns));
	struct field *fields = arena_alloc(&arena, (n + 1) * sizeof(*fields));
	const struct field **list = arena_alloc(&arena, (n + 1) * sizeof(void *));
	for (size_t i = 0; i < n; i++) {
		struct packed_column c;
		take(u, &c, sizeof(c));
		const char *name = take_text(u, &arena), *title = take_text(u, &arena);
		columns[i] = (struct column){ name ? name : "", title, c.unit };
		fields[i] = (struct field){ .name = columns[i].name,
					    .title = title,
					    .unit = c.unit,
					    .flags = c.flags,
					    .leaves = c.leaves,
					    .least = c.least };
		list[i] = &fields[i];
	}
	struct memtable *m = memtable_new(columns, n);
	m->arena = arena;
	m->table.fields = has_fields ? list : NULL;
	return m;
}

static struct cell take_cell(struct unpacking *u)
{
	struct cell cell = cell_null();

	take(u, &cell.type, sizeof(cell.type));
	if (cell.type == CELL_TEXT)
		cell.as.text = take_str(u);
	else if (cell.type != CELL_NULL)
		take(u, &cell.as, sizeof(cell.as.integer));
	return cell;
}

static void take_rows(struct unpacking *u, struct memtable *m)
{
	size_t n = m->table.ncolumns;
	struct cell *cells = xcalloc(n + 1, sizeof(*cells));
	bool is_row;

	for (take(u, &is_row, sizeof(is_row)); is_row; take(u, &is_row, sizeof(is_row))) {
		for (size_t i = 0; i < n; i++)
			cells[i] = take_cell(u);
		memtable_add_row(m, cells);
	}
	free(cells);
}

/* Room for n of what takes at least a byte each; NULL where there are not so many bytes. */
static void *take_room(struct unpacking *u, size_t n, size_t size, struct arena *arena)
{
	u->is_short |= n > u->left.n;
	return u->is_short ? NULL : arena_alloc(arena, (n + 1) * size);
}

static const struct strip_kind *take_kinds(struct unpacking *u, size_t n,
					   struct arena *arena)
{
	struct strip_kind *kinds = take_room(u, n, sizeof(*kinds), arena);

	for (size_t i = 0; kinds && i < n; i++) {
		take(u, &kinds[i].letter, sizeof(kinds[i].letter));
		take(u, &kinds[i].color, sizeof(kinds[i].color));
		kinds[i].name = take_text(u, arena);
	}
	return kinds;
}

static const struct strip_cell *take_strip_cells(struct unpacking *u, size_t n,
						 struct arena *arena)
{
	struct strip_cell *cells = take_room(u, n, sizeof(*cells), arena);

	for (size_t i = 0; cells && i < n; i++) {
		take(u, &cells[i].share, sizeof(cells[i].share));
		take(u, &cells[i].kind, sizeof(cells[i].kind));
		cells[i].name = arena_copy(arena, take_str(u));
	}
	return cells;
}

static const struct strips *take_strips(struct unpacking *u, struct arena *arena)
{
	struct strips *s = arena_alloc(arena, sizeof(*s));

	take(u, s, sizeof(*s));
	s->legend = take_text(u, arena);
	s->kinds = take_kinds(u, s->nkinds, arena);
	struct strip *items = take_room(u, s->n, sizeof(*items), arena);
	for (size_t i = 0; items && i < s->n; i++) {
		items[i].label = arena_copy(arena, take_str(u));
		items[i].cells = take_strip_cells(u, s->ncells, arena);
	}
	s->items = items;
	return s;
}

/* Is there one more below it? */
static bool take_facts(struct unpacking *u, struct memtable *m)
{
	struct packed_facts facts;
	struct table *t = &m->table;

	take(u, &facts, sizeof(facts));
	t->total_rows = facts.total_rows;
	t->drops_zeros = facts.drops_zeros;
	t->is_form = facts.is_form;
	t->is_prose = facts.is_prose;
	t->caption = take_text(u, &m->arena);
	t->empty = take_text(u, &m->arena);
	t->share = take_text(u, &m->arena);
	t->under = take_texts(u, &m->arena);
	t->notes = take_texts(u, &m->arena);
	if (facts.has_strips)
		t->strips = take_strips(u, &m->arena);
	return facts.has_more;
}

struct table *table_unpack(struct str bytes, struct err *err)
{
	struct unpacking u = { bytes, false };
	struct table *first = NULL, **at = &first;
	bool has_more = true;

	while (has_more && !u.is_short) {
		struct memtable *m = take_columns(&u);
		*at = &m->table;
		at = &m->table.more;
		take_rows(&u, m);
		has_more = take_facts(&u, m);
	}
	if (!u.is_short)
		return first;
	table_free(first);
	err_set(err, ERR_IO, "the answer is cut short");
	return NULL;
}
