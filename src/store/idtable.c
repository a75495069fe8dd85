/* Ids to rows: see idtable.h. */
#include "store/idtable.h"

#include <string.h>

#include "base/spill.h"

#define NONE    UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* An array may be this many times as long as there are ids in it. */
#define SPARSENESS 16

void idtable_release(struct idtable *t)
{
	spill_free(t->spill, t->ids);
	spill_free(t->spill, t->rows);
	spill_free(t->spill, t->dense);
	idmap_release(&t->map);
	*t = (struct idtable){ 0 };
}

void idtable_add(struct idtable *t, int64_t id, uint32_t row)
{
	t->ids = spill_grow(t->spill, t->ids, &t->ids_cap, t->n + 1, sizeof(*t->ids));
	t->rows = spill_grow(t->spill, t->rows, &t->rows_cap, t->n + 1, sizeof(*t->rows));
	t->ids[t->n] = id;
	t->rows[t->n++] = row;
}

void idtable_take(struct idtable *t, struct idtable *from)
{
	struct spill *spill = from->spill;
	size_t n = t->n + from->n;

	if (t->n) {
		t->ids = spill_grow(t->spill, t->ids, &t->ids_cap, n, sizeof(*t->ids));
		t->rows =
			spill_grow(t->spill, t->rows, &t->rows_cap, n, sizeof(*t->rows));
		if (from->n) {
			memcpy(t->ids + t->n, from->ids, from->n * sizeof(*t->ids));
			memcpy(t->rows + t->n, from->rows, from->n * sizeof(*t->rows));
		}
		t->n = n;
		idtable_release(from);
	} else {
		*t = *from;
	}
	*from = (struct idtable){ .spill = spill };
}

/* Sets the least id, too.  The array's length, 0 when the ids lie too far apart for one. */
static size_t dense_length(struct idtable *t)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < t->n; i++) {
		if (t->ids[i] < least)
			least = t->ids[i];
		if (t->ids[i] > most)
			most = t->ids[i];
	}
	t->first = least;
	if (t->n == 0 || (uint64_t)most - (uint64_t)least >= (uint64_t)t->n * SPARSENESS)
		return 0;
	return (size_t)((uint64_t)most - (uint64_t)least) + 1;
}

static void build_dense(struct idtable *t)
{
	bool several = false;

	t->dense = spill_alloc(t->spill, t->ndense, sizeof(*t->dense));
	memset(t->dense, 0xff, t->ndense * sizeof(*t->dense));
	for (size_t i = 0; i < t->n; i++) {
		uint32_t *slot = &t->dense[(uint64_t)t->ids[i] - (uint64_t)t->first];
		several |= *slot != NONE;
		*slot = *slot == NONE ? t->rows[i] : SEVERAL;
	}
	for (size_t i = 0; several && i < t->n; i++)
		if (t->dense[(uint64_t)t->ids[i] - (uint64_t)t->first] == SEVERAL)
			idmap_add(&t->map, t->ids[i], t->rows[i]);
}

void idtable_build(struct idtable *t)
{
	t->ndense = dense_length(t);
	idmap_init_in(&t->map, t->ndense ? 16 : t->n, t->spill);
	if (t->ndense)
		build_dense(t);
	else
		for (size_t i = 0; i < t->n; i++)
			idmap_add(&t->map, t->ids[i], t->rows[i]);
	spill_free(t->spill, t->ids);
	spill_free(t->spill, t->rows);
	t->ids = NULL;
	t->rows = NULL;
}

struct idtable_rows idtable_find(const struct idtable *t, int64_t id)
{
	struct idtable_rows rows = { .id = id, .only = NONE };
	uint64_t at = (uint64_t)id - (uint64_t)t->first;

	if (t->ndense && at < t->ndense && t->dense[at] != SEVERAL)
		rows.only = t->dense[at];
	else if (!t->ndense || at < t->ndense)
		rows.in_map = true;
	if (rows.in_map)
		rows.at = idmap_first(&t->map, id);
	return rows;
}

uint32_t idtable_next(const struct idtable *t, struct idtable_rows *rows)
{
	uint32_t only = rows->only;

	if (rows->in_map)
		return idmap_next(&t->map, &rows->at);
	rows->only = NONE;
	return only;
}
