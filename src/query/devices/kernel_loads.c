/* What the recording says of each kernel: see device_figures.h. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/device_figures.h"
#include "query/kernels/kernel_detail.h"
#include "query/query.h"

ASSET(asset_query_views_work_kernels_sql);

#define NOT_SAID (-1.0)

/* The items by slice_id, to find that of a row. */
struct by_slice {
	const struct device_work *work;
	uint32_t *at; /* owned */
	size_t next;  /* rows mostly come in order */
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct work_item *items = context;

	return items[a].slice_id < items[b].slice_id;
}

static void sort_by_slice(const struct device_work *work, struct by_slice *out)
{
	*out = (struct by_slice){ .work = work,
				  .at = sorted_places(work->n, is_before, work->items) };
}

/* The place of the item, or work->n. */
static size_t find(struct by_slice *s, int64_t slice_id)
{
	const struct work_item *items = s->work->items;
	size_t at;

	if (s->next < s->work->n && items[s->at[s->next]].slice_id == slice_id)
		return s->at[s->next++];
	SEARCH(at, 0, s->work->n, items[s->at[at]].slice_id < slice_id);
	if (at == s->work->n || items[s->at[at]].slice_id != slice_id)
		return s->work->n;
	s->next = at + 1;
	return s->at[at];
}

static double said(struct sqlite3_stmt *stmt, int column)
{
	double value = sqlite3_column_double(stmt, column);

	if (sqlite3_column_type(stmt, column) == SQLITE_NULL || !isfinite(value) ||
	    value < 0)
		return NOT_SAID;
	return value;
}

static int read_rows(struct sqlite3_stmt *stmt, struct by_slice *items,
		     struct kernel_load *out, struct err *err)
{
	int rc;

	while ((rc = sql_step(stmt, err)) > 0) {
		size_t at = find(items, sqlite3_column_int64(stmt, 0));
		double blocks_per_sm = said(stmt, 1);
		double occupancy_pct =
			kernel_occupancy(said(stmt, 2), blocks_per_sm, said(stmt, 3));
		if (at < items->work->n)
			out[at] = (struct kernel_load){ blocks_per_sm, occupancy_pct };
	}
	return rc;
}

struct kernel_load *kernel_loads(struct store *store, const struct scope_profile *profile,
				 const struct device_work *work, struct err *err)
{
	struct kernel_load *loads = xrealloc_array(NULL, work->n + 1, sizeof(*loads));
	struct sqlite3_stmt *stmt;
	struct by_slice items;

	for (size_t i = 0; i < work->n; i++)
		loads[i] = (struct kernel_load){ NOT_SAID, NOT_SAID };
	if (work->n == 0)
		return loads;
	if (query_prepare(store, asset_query_views_work_kernels_sql, &stmt, err) < 0) {
		free(loads);
		return NULL;
	}
	query_bind_int(stmt, ":first", profile->first_slice_id);
	query_bind_int(stmt, ":last",
		       sum_add(profile->first_slice_id, profile->slices - 1));
	sort_by_slice(work, &items);
	int rc = read_rows(stmt, &items, loads, err);
	free(items.at);
	sqlite3_finalize(stmt);
	if (rc == 0)
		return loads;
	free(loads);
	return NULL;
}
