/*
 * Ids to rows, built once and then only asked: ids that are given by counters
 * lie in an array by id, whose pages without any id are left out; others in an idmap.
 */
#ifndef PTOOL_STORE_IDTABLE_H
#define PTOOL_STORE_IDTABLE_H

#include <stdbool.h>

#include "base/idmap.h"

#define IDTABLE_PAGE 256 /* ids */

struct idtable {
	int64_t *ids;   /* owned while it is filled */
	uint32_t *rows; /* likewise */
	size_t n, ids_cap, rows_cap;
	int64_t first; /* the least id */
	/* Owned: by (id - first) / IDTABLE_PAGE, its page in `dense`, whose page 0 has no id. */
	uint32_t *pages;
	size_t npages;       /* 0: the ids lie too far apart */
	uint32_t *dense;     /* owned; row, UINT32_MAX, or SEVERAL: see `map` */
	struct idmap map;    /* ids with several rows, or all when they lie far apart */
	struct spill *spill; /* borrowed, or NULL: where all of it lies */
};

/* Zeroed but for `spill` is empty. */
void idtable_release(struct idtable *t);
void idtable_add(struct idtable *t, int64_t id, uint32_t row);
/* All of another one that is not built yet, which is empty then. */
void idtable_take(struct idtable *t, struct idtable *from);
/* Once, behind the last idtable_add(). */
void idtable_build(struct idtable *t);

/* Rows of an id, in the order they were added. */
struct idtable_rows {
	int64_t id;
	uint32_t only; /* the one row left, or UINT32_MAX */
	bool in_map;
	size_t at;
};

struct idtable_rows idtable_find(const struct idtable *t, int64_t id);
/* UINT32_MAX: no more. */
uint32_t idtable_next(const struct idtable *t, struct idtable_rows *rows);

#endif
