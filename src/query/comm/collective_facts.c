/* Rows of the table collective: see collective_facts.h. */
#include "query/comm/collective_facts.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_collective_rows_sql);

enum {
	SLICE,
	IN_ELEMENTS,
	OUT_ELEMENTS,
	GROUP_SIZE,
	SEQUENCE,
	NAME,
	DTYPE,
	GROUP,
	RANKS
};

static int compare_rows(const void *a, const void *b)
{
	const struct collective_fact_row *x = a, *y = b;

	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

int collective_facts_load(struct store *store, struct text_pool *texts,
			  struct collective_facts *out, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	*out = (struct collective_facts){ .n = 0 };
	if (query_prepare(store, asset_query_views_collective_rows_sql, &stmt, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0) {
		*ARRAY_PUSH(out->rows, out->n, out->cap) = (struct collective_fact_row){
			.slice_id = sqlite3_column_int64(stmt, SLICE),
			.in_elements = query_number(stmt, IN_ELEMENTS),
			.out_elements = query_number(stmt, OUT_ELEMENTS),
			.group_size = query_number(stmt, GROUP_SIZE),
			.sequence = query_number(stmt, SEQUENCE),
			.name = text_pool_column(texts, stmt, NAME),
			.dtype = text_pool_column(texts, stmt, DTYPE),
			.group = text_pool_column(texts, stmt, GROUP),
			.ranks = text_pool_column(texts, stmt, RANKS),
		};
	}
	sqlite3_finalize(stmt);
	if (out->n)
		qsort(out->rows, out->n, sizeof(*out->rows), compare_rows);
	return rc;
}

void collective_facts_release(struct collective_facts *f)
{
	free(f->rows);
	*f = (struct collective_facts){ .n = 0 };
}

size_t collective_facts_from(const struct collective_facts *f, int64_t slice_id)
{
	return sort_first(f->rows, f->n, sizeof(*f->rows),
			  offsetof(struct collective_fact_row, slice_id), slice_id);
}

const struct collective_fact_row *collective_facts_of(const struct collective_facts *f,
						      int64_t slice_id)
{
	size_t at = collective_facts_from(f, slice_id);

	return at < f->n && f->rows[at].slice_id == slice_id ? &f->rows[at] : NULL;
}
