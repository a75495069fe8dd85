/* A table with some of another one's columns: see pick.h. */
#include "query/pick.h"

#include <stdlib.h>

#include "base/alloc.h"

struct picked {
	struct table table;
	struct table *from;          /* owned */
	struct column *columns;      /* owned */
	const struct field **fields; /* owned; NULL where `from` has none */
	struct cell *cells;          /* owned: a whole row */
	size_t *at;                  /* owned: by column, its place in the whole row */
};

static bool is_shown(enum shown shown, const struct scope *scope, bool for_people)
{
	switch (shown) {
	case SHOWN_NEVER:
		return false;
	case SHOWN_ALWAYS:
		return true;
	case SHOWN_TO_PEOPLE:
		return for_people;
	case SHOWN_TO_MACHINES:
		return !for_people;
	case SHOWN_IF_RANKS:
		return !for_people || scope->nranks > 1;
	case SHOWN_IF_PROFILES:
		return !for_people || (scope->n > 1 && scope->nranks < scope->n);
	}
	return true;
}

static int picked_next(struct table *t, struct cell *cells, struct err *err)
{
	struct picked *p = (struct picked *)t;
	int rc = p->from->next(p->from, p->cells, err);

	table_copy_facts(t, p->from);
	for (size_t i = 0; rc > 0 && i < t->ncolumns; i++)
		cells[i] = p->cells[p->at[i]];
	return rc;
}

static void picked_free(struct table *t)
{
	struct picked *p = (struct picked *)t;

	table_free(p->from);
	free(p->columns);
	free(p->fields);
	free(p->cells);
	free(p->at);
	free(p);
}

struct table *table_pick(struct table *from, const enum shown *shown,
			 const struct scope *scope, bool for_people)
{
	struct picked *p = xcalloc(1, sizeof(*p));
	size_t n = 0;

	p->from = from;
	p->columns = xcalloc(from->ncolumns, sizeof(*p->columns));
	p->cells = xcalloc(from->ncolumns, sizeof(*p->cells));
	p->at = xcalloc(from->ncolumns, sizeof(*p->at));
	if (from->fields)
		p->fields = xcalloc(from->ncolumns, sizeof(const struct field *));
	for (size_t i = 0; i < from->ncolumns; i++) {
		if (!is_shown(shown[i], scope, for_people))
			continue;
		p->columns[n] = from->columns[i];
		if (p->fields && from->fields)
			p->fields[n] = from->fields[i];
		p->at[n++] = i;
	}
	p->table = (struct table){ .columns = p->columns,
				   .ncolumns = n,
				   .fields = p->fields,
				   .next = picked_next,
				   .free = picked_free };
	table_copy_facts(&p->table, from);
	return &p->table;
}
