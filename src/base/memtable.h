/*
 * A struct table held in memory, built row by row: for views computed in C,
 * for tests, and for renderers that must see all rows before they draw one.
 */
#ifndef PTOOL_BASE_MEMTABLE_H
#define PTOOL_BASE_MEMTABLE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/table.h"

/* Texts of so many bytes are kept once, and so have one address where they are equal. */
#define MEMTABLE_LONG 256

struct memtable {
	/*
	 * Hand out &m->table; table_free(&m->table) frees all of it.  total_rows
	 * counts what was added: who stopped at a limit overwrites it afterwards.
	 * caption and share may point to literals or into the arena below.
	 */
	struct table table;
	struct arena arena;  /* owns the cells' text and the notes; open to the builder */
	struct intern longs; /* owns long texts */
	struct cell *cells;  /* nrows * table.ncolumns, row after row */
	size_t cells_cap;
	size_t nrows;
	size_t at; /* row that table.next gives next */
	const char **notes;
	size_t nnotes, notes_cap;
};

/* The columns are borrowed; the caller (or whoever gets &m->table) frees. */
struct memtable *memtable_new(const struct column *columns, size_t ncolumns);
/* ncolumns cells; their text is copied, a long one where no row has it yet. */
void memtable_add_row(struct memtable *m, const struct cell *cells);
/* One more line under the table. */
void memtable_add_note(struct memtable *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Pulls all rows left in `from` (same number of columns).  0, or -1 with err set. */
int memtable_add_table(struct memtable *m, struct table *from, struct err *err);
/* The next row is the first again. */
void memtable_rewind(struct table *memtable);
/* The ncolumns cells of a row; borrowed until the next row is added. */
const struct cell *memtable_row(const struct memtable *m, size_t row);

#endif
