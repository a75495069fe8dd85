/* Details of kernels: see kernel_detail.h. */
#include "query/kernels/kernel_detail.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "query/query.h"
#include "trace/fact.h"

ASSET(asset_query_views_kernel_rates_sql);
ASSET(asset_query_views_kernel_rows_sql);

/* Columns of kernel_rows.sql; kernel_rates.sql has the first ones. */
enum {
	SLICE_ID,
	BLOCKS_PER_SM,
	OCCUPANCY,
	WARPS_PER_SM,
	GRID,
	BLOCK = GRID + 3,
	REGISTERS = BLOCK + 3,
	SHARED
};

/* Negative, infinite and NaN (which SQLite reads as NULL) say as little as nothing. */
static double share_at(struct sqlite3_stmt *stmt, int column)
{
	if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
		return -1;
	double value = sqlite3_column_double(stmt, column);
	return value >= 0 && value <= 1e12 ? value : -1;
}

/*
 * Kineto writes blocks an SM x threads of a block / 2048 (never more threads than that)
 * as whole percent: half a percent is 0.32 warps.  A block has one at least.
 */
#define LEAST_BLOCKS 0.5
#define LEAST_WARPS  0.32

/*
 * The occupancy of a kernel, or a negative number where none is recorded: the exporter
 * writes 0 where it has no estimate, and what has half a block an SM, or warps enough
 * for half a percent, cannot have one of 0.  Negative: not recorded.
 */
static double occupancy_of(double occupancy_pct, double blocks_per_sm,
			   double warps_per_sm)
{
	bool has_some = blocks_per_sm >= LEAST_BLOCKS || warps_per_sm >= LEAST_WARPS;

	return occupancy_pct == 0 && has_some ? -1 : occupancy_pct;
}

static uint32_t shape_at(struct intern *shapes, struct sqlite3_stmt *stmt)
{
	struct kernel_shape shape = { .registers = query_number(stmt, REGISTERS),
				      .shared_bytes = query_number(stmt, SHARED) };

	for (int i = 0; i < 3; i++) {
		shape.grid[i] = query_number(stmt, GRID + i);
		shape.block[i] = query_number(stmt, BLOCK + i);
	}
	return intern_add(shapes, str_bytes(&shape, sizeof(shape)));
}

int kernel_details_load(struct store *store, const struct scope_profile *profile,
			struct intern *shapes, struct kernel_details *out,
			struct err *err)
{
	*out = (struct kernel_details){ .n = 0 };
	if (profile->slices == 0)
		return 0;
	struct query q = query_of_profile(store,
					  shapes ? asset_query_views_kernel_rows_sql
						 : asset_query_views_kernel_rates_sql,
					  profile, err);

	while (query_next(&q, err)) {
		double blocks_per_sm = share_at(q.stmt, BLOCKS_PER_SM);
		double occupancy_pct =
			occupancy_of(share_at(q.stmt, OCCUPANCY), blocks_per_sm,
				     share_at(q.stmt, WARPS_PER_SM));
		*ARRAY_PUSH(out->items, out->n, out->cap) = (struct kernel_detail){
			.slice_id = sqlite3_column_int64(q.stmt, SLICE_ID),
			.blocks_per_sm = blocks_per_sm,
			.occupancy_pct = occupancy_pct,
			.shape = shapes ? shape_at(shapes, q.stmt) : TEXT_NONE,
		};
	}
	return query_end(&q);
}

void kernel_details_release(struct kernel_details *d)
{
	free(d->items);
	*d = (struct kernel_details){ .n = 0 };
}

const struct kernel_detail *kernel_details_of(struct kernel_details *d, int64_t slice_id)
{
	size_t at;

	for (size_t i = d->near; i < d->n && i < d->near + 2; i++)
		if (d->items[i].slice_id == slice_id) {
			d->near = i;
			return &d->items[i];
		}
	SEARCH(at, 0, d->n, d->items[at].slice_id < slice_id);
	if (at == d->n || d->items[at].slice_id != slice_id)
		return NULL;
	d->near = at;
	return &d->items[at];
}
