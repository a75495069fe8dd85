/*
 * A table of typed cells, pulled row by row: what query fills and report draws.
 */
#ifndef PTOOL_BASE_TABLE_H
#define PTOOL_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* What a column's numbers are; people's tables scale them, machines get them bare. */
enum unit {
	UNIT_TEXT,
	UNIT_COUNT,
	UNIT_ID,   /* a number that only names: a step, stream, device, rank, slice */
	UNIT_NS,   /* a duration */
	UNIT_TIME, /* a moment: ns from the profile's first event */
	UNIT_BYTES,
	UNIT_PERCENT, /* 0 to 100, real */
	UNIT_RATIO,   /* real */
	UNIT_BOOL,
	UNIT_FLOPS,
	UNIT_ANY /* ptool sql: whatever SQLite gives */
};

/*
 * name:  machine spelling with the unit in it ("self_cpu_ns");
 * title: heading in people's tables ("Self CPU").
 */
struct column {
	const char *name, *title;
	enum unit unit;
};

enum cell_type { CELL_NULL, CELL_INT, CELL_REAL, CELL_TEXT };

struct cell {
	enum cell_type type;
	union {
		int64_t integer; /* CELL_INT, also booleans */
		double real;
		struct str text; /* borrowed until the next call of next() */
	} as;
};

/* NULL (not recorded) prints as nothing in CSV, null in JSON, never as 0. */
static inline struct cell cell_null(void)
{
	return (struct cell){ .type = CELL_NULL };
}

static inline struct cell cell_int(int64_t value)
{
	return (struct cell){ .type = CELL_INT, .as.integer = value };
}

static inline struct cell cell_real(double value)
{
	return (struct cell){ .type = CELL_REAL, .as.real = value };
}

static inline struct cell cell_text(struct str text)
{
	return (struct cell){ .type = CELL_TEXT, .as.text = text };
}

/* NULL text is a NULL cell. */
static inline struct cell cell_text_or_null(const char *text)
{
	return text ? cell_text(str_of(text)) : cell_null();
}

/* amount / 10^decimals: an integer without decimals, else real. */
struct cell cell_scaled(int64_t amount, int64_t decimals);

struct field;
struct strips;

struct table {
	const struct column *columns; /* borrowed; lives as long as the table */
	size_t ncolumns;
	/*
	 * The field of each column, for a renderer that must choose among them; NULL:
	 * every column stays.  Borrowed as above.
	 */
	const struct field *const *fields;
	/* 1: cells hold a row, text borrowed until the next call; 0: end; -1: err is set. */
	int (*next)(struct table *t, struct cell *cells, struct err *err);
	void (*free)(struct table *t);
	/*
	 * True once known (after the last row at the latest):
	 * rows that matched before the limit, or -1 when unknown.
	 */
	int64_t total_rows;
	/*
	 * For people: one line above the table, more lines right under that one, and
	 * notes below the table; any may be NULL.  `under` and `notes` are
	 * NULL-terminated.  Owned by the table.
	 */
	const char *caption;
	const char *const *under;
	/*
	 * What people are told where there is no row, instead of a table; "": nothing;
	 * NULL: a table without rows.
	 */
	const char *empty;
	const char *const *notes;
	/*
	 * What it means that there is no row, for machines: "not_recorded" or
	 * "nothing_matched"; NULL: it is an answer.
	 */
	const char *status;
	/* "93.1% of self CPU time" in the footer; NULL when it means nothing. */
	const char *share;
	/* For people: columns that are null, or amounts of 0, in all rows are not drawn. */
	bool drops_zeros;
	bool is_form; /* for people: its rows are facts of one thing, which nobody counts */
	/*
	 * For people: its notes are its text, drawn without a label; a line that begins
	 * with blanks goes on with the one before it.
	 */
	bool is_prose;
	/* For people: drawn in place of rows, of which there are none; borrowed, or NULL. */
	const struct strips *strips;
	struct table *more; /* for people: drawn below this one; owned; or NULL */
};

/*
 * Caption, notes, share and total_rows, for a table that hands on the rows of another;
 * some are known only after its last row.
 */
void table_copy_facts(struct table *to, const struct table *from);
/* Accepts NULL. */
void table_free(struct table *t);

#endif
