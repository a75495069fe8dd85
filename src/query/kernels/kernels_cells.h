/*
 * The cells of `ptool kernels`: what kernels_table.c draws.  Inside query/ only.
 */
#ifndef PTOOL_QUERY_KERNELS_CELLS_H
#define PTOOL_QUERY_KERNELS_CELLS_H

#include "query/kernels/kernels.h"

enum kernels_column {
	KERNEL_NAME,
	KERNEL_CALLS,
	KERNEL_TOTAL,
	KERNEL_SHARE,
	KERNEL_MEAN,
	KERNEL_MIN,
	KERNEL_MAX,
	KERNEL_P50,
	KERNEL_P95,
	KERNEL_BLOCKS,
	KERNEL_OCCUPANCY,
	KERNEL_TENSOR_CORE,
	KERNEL_OP,
	KERNEL_GRID,
	KERNEL_BLOCK,
	KERNEL_REGISTERS,
	KERNEL_SHARED,
	KERNEL_OP_ELIGIBLE,
	KERNEL_RANK, /* in the order of enum kernel_split, from here ... */
	KERNEL_PROFILE,
	KERNEL_DEVICE,
	KERNEL_STREAM,
	KERNEL_STEP, /* ... to here */
	KERNEL_LAUNCHED,
	KERNEL_CALL,
	KERNEL_DELAY,
	KERNEL_MEAN_DELAY,
	KERNEL_MAX_DELAY,
	KERNEL_EARLY,
	KERNEL_QUEUE,
	KERNEL_MEAN_QUEUE,
	KERNEL_SHORTER,
	KERNEL_SHORTER_SHARE,
	KERNEL_BOUND,
	NKERNEL_COLUMNS
};

struct kernels_drawing {
	const struct kernels *k;
	const struct scope *scope;
	const struct kernels_query *query;
	char grid[128], block[128]; /* of the newest cells */
};

/* Text is borrowed until the next call. */
struct cell kernels_cell(struct kernels_drawing *d, const struct kernel_group *g,
			 int column);

#endif
