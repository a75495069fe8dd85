/* Operators of memory events: see memory_names.h. */
#include "query/memory/memory_names.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/query.h"

ASSET(asset_query_views_memory_slice_sql);

static int damaged(struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "the store's slices do not fit together; ingest again");
}

int memory_names_open(struct store *store, struct memory_names *out, struct err *err)
{
	*out = (struct memory_names){ .n = 0 };
	if (text_pool_open(store, &out->texts, err) < 0)
		return -1;
	out->unknown = intern_add(&out->texts.intern, STR_LIT(MEMORY_NO_OP));
	return query_prepare(store, asset_query_views_memory_slice_sql, &out->stmt, err);
}

void memory_names_close(struct memory_names *n)
{
	sqlite3_finalize(n->stmt);
	text_pool_close(&n->texts);
	free(n->around);
	free(n->spare);
	*n = (struct memory_names){ .n = 0 };
}

/* The slice, and the id of its parent: one before it, so that every chain ends. */
static int read_slice(struct memory_names *n, int64_t id, struct memory_around *out,
		      int64_t *parent, struct err *err)
{
	sqlite3_reset(n->stmt);
	query_bind_int(n->stmt, ":id", id);
	int rc = sql_step(n->stmt, err);
	if (rc < 0)
		return -1;
	int64_t class = rc ? sqlite3_column_int64(n->stmt, 1) : -1;
	*parent = rc ? sqlite3_column_int64(n->stmt, 2) : 0;
	if (class < 0 || class >= NCLASSES || *parent < 0 || *parent >= id) {
		sqlite3_reset(n->stmt);
		return damaged(err);
	}
	*out = (struct memory_around){ .id = id, .class = (uint8_t) class };
	rc = text_pool_number(&n->texts, sqlite3_column_int64(n->stmt, 0), &out->name,
			      err);
	sqlite3_reset(n->stmt);
	return rc;
}

size_t memory_names_place(const struct memory_names *n, int64_t id)
{
	size_t low = 0, high = n->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (n->around[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n->n && n->around[low].id == id ? low + 1 : 0;
}

static void add_around(struct memory_names *n, struct memory_around slice)
{
	const struct memory_around *outer = n->n ? &n->around[n->n - 1] : NULL;

	if (outer)
		slice.caller = outer->class == CLASS_PYTHON ? outer->caller : n->n;
	*ARRAY_PUSH(n->around, n->n, n->cap) = slice;
}

int memory_names_follow(struct memory_names *n, int64_t id, struct err *err)
{
	size_t nspare = 0, kept = 0;

	while (id && !(kept = memory_names_place(n, id))) {
		n->spare = xgrow(n->spare, &n->spare_cap, nspare + 1, sizeof(*n->spare));
		if (read_slice(n, id, &n->spare[nspare], &id, err) < 0)
			return -1;
		nspare++;
	}
	n->n = kept;
	while (nspare > 0)
		add_around(n, n->spare[--nspare]);
	return 0;
}

/* Of an event in no operator. */
static int own_name(struct memory_names *n, int64_t slice_id, uint32_t *name,
		    struct err *err)
{
	struct memory_around slice;
	int64_t parent;

	if (read_slice(n, slice_id, &slice, &parent, err) < 0)
		return -1;
	struct str text = text_pool_str(&n->texts, slice.name);
	bool says_nothing =
		text.n == 0 || str_is(text, "[memory]") || str_is(text, "[OutOfMemory]");
	*name = says_nothing ? n->unknown : slice.name;
	return 0;
}

int memory_names_of(struct memory_names *n, const struct memory_event *e, uint32_t *name,
		    struct err *err)
{
	if (e->op_id <= 0)
		return own_name(n, e->slice_id, name, err);
	if (memory_names_follow(n, e->op_id, err) < 0)
		return -1;
	*name = n->around[n->n - 1].name;
	return 0;
}

int memory_names_str(struct memory_names *n, const struct memory_event *e,
		     struct str *out, struct err *err)
{
	uint32_t name;

	if (memory_names_of(n, e, &name, err) < 0)
		return -1;
	*out = text_pool_str(&n->texts, name);
	return 0;
}

int memory_names_parent(struct memory_names *n, int64_t id, struct str *out,
			struct err *err)
{
	*out = (struct str){ NULL, 0 };
	if (id <= 0)
		return 0;
	if (memory_names_follow(n, id, err) < 0)
		return -1;
	size_t caller = n->around[n->n - 1].caller;
	if (caller)
		*out = text_pool_str(&n->texts, n->around[caller - 1].name);
	return 0;
}
