/* A table in memory: see memtable.h. */
#include "base/memtable.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* `table` is the first member, so both have one address. */
static struct memtable *memtable_of(struct table *t)
{
	return (struct memtable *)t;
}

static int next_row(struct table *t, struct cell *cells, struct err *err)
{
	struct memtable *m = memtable_of(t);

	(void)err;
	if (m->at == m->nrows)
		return 0;
	if (t->ncolumns)
		memcpy(cells, memtable_row(m, m->at), t->ncolumns * sizeof(*cells));
	m->at++;
	return 1;
}

static void memtable_free(struct table *t)
{
	struct memtable *m = memtable_of(t);

	arena_release(&m->arena);
	intern_release(&m->longs);
	free(m->cells);
	free(m->notes);
	free(m);
}

struct memtable *memtable_new(const struct column *columns, size_t ncolumns)
{
	struct memtable *m = xcalloc(1, sizeof(*m));

	m->table = (struct table){
		.columns = columns,
		.ncolumns = ncolumns,
		.next = next_row,
		.free = memtable_free,
	};
	intern_init(&m->longs);
	return m;
}

/* A name may have 1 MiB, and be that of every row. */
static struct str keep(struct memtable *m, struct str text)
{
	if (text.n < MEMTABLE_LONG)
		return arena_copy(&m->arena, text);
	return intern_str(&m->longs, intern_add(&m->longs, text));
}

void memtable_add_row(struct memtable *m, const struct cell *cells)
{
	size_t n = m->table.ncolumns;
	size_t used = m->nrows * n;

	m->cells = xgrow(m->cells, &m->cells_cap, used + n, sizeof(*m->cells));
	for (size_t i = 0; i < n; i++) {
		struct cell *copy = &m->cells[used + i];
		*copy = cells[i];
		if (copy->type == CELL_TEXT)
			copy->as.text = keep(m, copy->as.text);
	}
	m->nrows++;
	m->table.total_rows++;
}

void memtable_add_note(struct memtable *m, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	size_t size = len < 0 ? 1 : (size_t)len + 1;
	char *note = arena_alloc(&m->arena, size);
	note[0] = '\0';
	vsnprintf(note, size, fmt, again);
	va_end(again);

	m->notes = xgrow(m->notes, &m->notes_cap, m->nnotes + 2, sizeof(*m->notes));
	m->notes[m->nnotes++] = note;
	m->notes[m->nnotes] = NULL;
	m->table.notes = m->notes;
}

int memtable_add_table(struct memtable *m, struct table *from, struct err *err)
{
	assert(from->ncolumns == m->table.ncolumns);
	struct cell *cells = xcalloc(from->ncolumns, sizeof(*cells));
	int rc;

	while ((rc = from->next(from, cells, err)) > 0)
		memtable_add_row(m, cells);
	free(cells);
	return rc;
}

void memtable_rewind(struct table *memtable)
{
	memtable_of(memtable)->at = 0;
}

const struct cell *memtable_row(const struct memtable *m, size_t row)
{
	assert(row < m->nrows);
	return m->cells + row * m->table.ncolumns;
}
