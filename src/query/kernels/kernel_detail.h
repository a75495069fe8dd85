/*
 * What a trace says of each kernel of a profile beside its times: the launch's shape,
 * blocks per SM and occupancy.
 */
#ifndef PTOOL_QUERY_KERNEL_DETAIL_H
#define PTOOL_QUERY_KERNEL_DETAIL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "query/scope.h"
#include "store/store.h"

/* Compared as bytes, so there is no padding; NUMBER_NONE: not recorded. */
struct kernel_shape {
	int64_t grid[3], block[3];
	int64_t registers; /* of a thread */
	int64_t shared_bytes;
};

struct kernel_detail {
	int64_t slice_id;
	double blocks_per_sm, occupancy_pct; /* negative: not recorded */
	uint32_t shape;                      /* its number in `shapes`, or TEXT_NONE */
};

struct kernel_details {
	struct kernel_detail *items; /* owned; by slice_id */
	size_t n, cap;
	size_t near; /* where the newest one was found */
};

/*
 * `shapes` is borrowed: texts in it are struct kernel_shape, so that equal shapes of
 * several profiles have one number; NULL: shapes are not asked for.
 * kernel_details_release() in both cases.
 */
int kernel_details_load(struct store *store, const struct scope_profile *profile,
			struct intern *shapes, struct kernel_details *out,
			struct err *err);
/* Accepts a zeroed one. */
void kernel_details_release(struct kernel_details *d);

/* NULL when the trace says nothing of that slice; quick for neighbours. */
const struct kernel_detail *kernel_details_of(struct kernel_details *d, int64_t slice_id);

#endif
