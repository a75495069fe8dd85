/* Ids to rows: see idtable.h. */
#include "store/idtable.h"

#include <string.h>

#include "base/spill.h"

#define NONE    UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* The array's pages may have this many times as many places as there are ids. */
#define SPARSENESS 16

void idtable_release(struct idtable *t)
{
	spill_free(t->spill, t->ids);
	spill_free(t->spill, t->rows);
	spill_free(t->spill, t->pages);
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

/* Sets the least id, too.  Pages from it to the largest one; 0: they are too many. */
static size_t count_pages(struct idtable *t)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < t->n; i++) {
		if (t->ids[i] < least)
			least = t->ids[i];
		if (t->ids[i] > most)
			most = t->ids[i];
	}
	t->first = least;
	if (t->n == 0)
		return 0;
	uint64_t last = ((uint64_t)most - (uint64_t)least) / IDTABLE_PAGE;
	return last < t->n ? (size_t)last + 1 : 0;
}

static uint32_t *page_of(const struct idtable *t, int64_t id)
{
	return &t->pages[((uint64_t)id - (uint64_t)t->first) / IDTABLE_PAGE];
}

static uint32_t *dense_at(const struct idtable *t, int64_t id)
{
	return &t->dense[(size_t)*page_of(t, id) * IDTABLE_PAGE +
			 ((uint64_t)id - (uint64_t)t->first) % IDTABLE_PAGE];
}

/* Numbers the pages that have ids; false: they are too many. */
static bool number_pages(struct idtable *t, size_t *npages)
{
	uint32_t n = 1;

	for (size_t i = 0; i < t->n; i++)
		*page_of(t, t->ids[i]) = 1;
	for (size_t i = 0; i < t->npages; i++)
		if (t->pages[i])
			t->pages[i] = n++;
	*npages = n;
	return (size_t)(n - 2) * IDTABLE_PAGE <= t->n * SPARSENESS;
}

static void fill_pages(struct idtable *t, size_t npages)
{
	size_t n = npages * IDTABLE_PAGE;
	bool several = false;

	t->dense = spill_alloc(t->spill, n, sizeof(*t->dense));
	memset(t->dense, 0xff, n * sizeof(*t->dense));
	for (size_t i = 0; i < t->n; i++) {
		uint32_t *slot = dense_at(t, t->ids[i]);
		several |= *slot != NONE;
		*slot = *slot == NONE ? t->rows[i] : SEVERAL;
	}
	for (size_t i = 0; several && i < t->n; i++)
		if (*dense_at(t, t->ids[i]) == SEVERAL)
			idmap_add(&t->map, t->ids[i], t->rows[i]);
}

/* false: the ids lie too far apart. */
static bool build_dense(struct idtable *t)
{
	size_t npages;

	t->npages = count_pages(t);
	if (t->npages == 0)
		return false;
	t->pages = spill_alloc(t->spill, t->npages, sizeof(*t->pages));
	if (!number_pages(t, &npages)) {
		t->npages = 0;
		return false;
	}
	idmap_init_in(&t->map, 16, t->spill);
	fill_pages(t, npages);
	return true;
}

static void build_map(struct idtable *t)
{
	idmap_init_in(&t->map, t->n, t->spill);
	for (size_t i = 0; i < t->n; i++)
		idmap_add(&t->map, t->ids[i], t->rows[i]);
}

void idtable_build(struct idtable *t)
{
	if (!build_dense(t))
		build_map(t);
	spill_free(t->spill, t->ids);
	spill_free(t->spill, t->rows);
	t->ids = NULL;
	t->rows = NULL;
}

struct idtable_rows idtable_find(const struct idtable *t, int64_t id)
{
	struct idtable_rows rows = { .id = id, .only = NONE };
	uint64_t page = ((uint64_t)id - (uint64_t)t->first) / IDTABLE_PAGE;

	if (t->npages && page < t->npages)
		rows.only = *dense_at(t, id);
	rows.in_map = !t->npages || rows.only == SEVERAL;
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
