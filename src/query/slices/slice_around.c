/* Slices and what is around them: see slice_around.h. */
#include "query/slices/slice_around.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/intern.h"
#include "query/query.h"
#include "trace/fact.h"

#define SLOTS_FIRST 1024

ASSET(asset_query_views_slice_around_sql);

int slices_around_open(struct store *store, struct slices_around *out, struct err *err)
{
	*out = (struct slices_around){ .n = 0 };
	return query_prepare(store, asset_query_views_slice_around_sql, &out->stmt, err);
}

void slices_around_close(struct slices_around *s)
{
	sqlite3_finalize(s->stmt);
	free(s->items);
	free(s->slots);
	free(s->spare);
	*s = (struct slices_around){ .n = 0 };
}

void slices_around_forget(struct slices_around *s)
{
	free(s->slots);
	s->slots = NULL;
	s->nslots = s->n = 0;
}

/* The slice, and the id of its parent: one before it, so that every chain ends. */
static int read_slice(struct slices_around *s, struct text_pool *texts, int64_t id,
		      struct slice_around *out, int64_t *parent, struct err *err)
{
	sqlite3_reset(s->stmt);
	query_bind_int(s->stmt, ":id", id);
	int rc = sql_step(s->stmt, err);
	if (rc < 0)
		return -1;
	int64_t class = rc ? sqlite3_column_int64(s->stmt, 1) : -1;
	*parent = rc ? sqlite3_column_int64(s->stmt, 2) : 0;
	if (class < 0 || class >= NCLASSES || *parent < 0 || *parent >= id) {
		sqlite3_reset(s->stmt);
		return query_damaged("slices", err);
	}
	*out = (struct slice_around){ .id = id, .class = (uint8_t) class };
	rc = text_pool_number(texts, sqlite3_column_int64(s->stmt, 0), &out->name, err);
	sqlite3_reset(s->stmt);
	return rc;
}

int slices_around_read(struct slices_around *s, struct text_pool *texts, int64_t id,
		       struct slice_around *out, struct err *err)
{
	int64_t parent;

	return read_slice(s, texts, id, out, &parent, err);
}

/* Where the place of the slice is kept, or will be. */
static uint32_t *slot_of(const struct slices_around *s, int64_t id)
{
	size_t at = (size_t)hash_u64((uint64_t)id) & (s->nslots - 1);

	while (s->slots[at] && s->items[s->slots[at] - 1].id != id)
		at = (at + 1) & (s->nslots - 1);
	return &s->slots[at];
}

static void make_room(struct slices_around *s)
{
	if (s->n * 2 < s->nslots)
		return;
	free(s->slots);
	s->nslots = s->nslots ? s->nslots * 2 : SLOTS_FIRST;
	s->slots = xcalloc(s->nslots, sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++)
		*slot_of(s, s->items[i].id) = (uint32_t)i + 1;
}

/* outer: the place behind the one around it.  The place behind it. */
static uint32_t add_slice(struct slices_around *s, struct slice_around slice,
			  uint32_t outer)
{
	slice.outer = outer;
	slice.caller = outer;
	if (outer && s->items[outer - 1].class == CLASS_PYTHON)
		slice.caller = s->items[outer - 1].caller;
	make_room(s);
	*ARRAY_PUSH(s->items, s->n, s->cap) = slice;
	*slot_of(s, slice.id) = (uint32_t)s->n;
	return (uint32_t)s->n;
}

int slices_around_find(struct slices_around *s, struct text_pool *texts, int64_t id,
		       uint32_t *place, struct err *err)
{
	size_t nspare = 0;
	uint32_t at = 0;

	make_room(s);
	while (id && !(at = *slot_of(s, id))) {
		s->spare = xgrow(s->spare, &s->spare_cap, nspare + 1, sizeof(*s->spare));
		if (read_slice(s, texts, id, &s->spare[nspare], &id, err) < 0)
			return -1;
		nspare++;
	}
	while (nspare > 0)
		at = add_slice(s, s->spare[--nspare], at);
	*place = at - 1;
	return 0;
}
