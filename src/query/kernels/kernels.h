/*
 * ptool kernels: the kernels of a scope in groups of one name, or of one name,
 * operator and launch shape, or of one family.  All profiles are added up but where --by splits them.
 */
#ifndef PTOOL_QUERY_KERNELS_H
#define PTOOL_QUERY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/kernels/kernel_detail.h"
#include "query/kernels/kernel_family.h"
#include "query/kernels/kernel_mean.h"
#include "query/kernels/tensor_core.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "query/view.h"

enum kernel_split {
	KERNEL_BY_RANK,
	KERNEL_BY_PROFILE,
	KERNEL_BY_DEVICE,
	KERNEL_BY_STREAM,
	KERNEL_BY_STEP,
	KERNEL_BY_AXES, /* enum axis is added to it */
	NKERNEL_SPLITS = KERNEL_BY_AXES + NAXES
};

/* What `show.asked` has bits for: columns, and what tells rows apart. */
#define KERNELS_BY_OP         1u /* operator, grid, block, registers and shared memory too */
#define KERNELS_LAUNCHES      2u              /* what the launching calls say */
#define KERNELS_BY(split)     (4u << (split)) /* of enum kernel_split */
#define KERNELS_OF_AXIS(axis) KERNELS_BY(KERNEL_BY_AXES + (axis))
#define KERNELS_BY_FAMILY     KERNELS_BY(NKERNEL_SPLITS) /* in place of names, unless */
#define KERNELS_BY_NAME       (2 * KERNELS_BY_FAMILY)    /*   they are asked for, too */

struct kernels_query {
	const struct filter *filter; /* borrowed; steps, times, names, devices, streams */
	struct view_request show;
	bool with_copies; /* memory copies and sets too, as if they were kernels */
	bool sums_only; /* neither shapes, means nor percentiles: it takes half as long */
};

extern const struct view kernels_view;

/* Of the calls whose launching call is known. */
struct kernel_launches {
	int64_t calls;
	int64_t call_ns;      /* what those calls last, once for each kernel */
	int64_t delay_ns;     /* from the end of the call to the start, never below 0 */
	int64_t max_delay_ns; /* the longest of these */
	int64_t queue_ns;     /* of the delay: while its stream was at work */
	int64_t early;        /* started before the call had ended */
	int64_t shorter;      /* lasted less than the call */
	int64_t bound;        /* found its stream idle at the end of the call */
};

/* Numbers are NUMBER_NONE, and texts TEXT_NONE, where nothing tells rows apart by them. */
struct kernel_group {
	int64_t split[NKERNEL_SPLITS];
	uint32_t name, op; /* texts */
	uint32_t shape;    /* in kernels.shapes; TEXT_NONE: none */
	enum kernel_family family;
	enum tensor_core tensor_core; /* unknown, too, where names of a family differ */
	bool op_eligible;             /* of op, when there is one */
	int64_t calls, total_ns, min_ns, max_ns;
	int64_t p50_ns, p95_ns; /* nearest rank: the least that so many reach */
	struct kernel_mean blocks,
		occupancy; /* of the calls that they are recorded for */
	struct kernel_launches launches;
};

struct kernels {
	struct text_pool texts;
	struct intern shapes, keys;
	struct arena arena; /* of what rows of the store say, until groups are finished */
	struct kernel_group *groups; /* owned */
	size_t n, cap;
	int64_t calls, total_ns;              /* of all groups */
	struct tensor_core_times tensor_core; /* of total_ns */
	int64_t unknown_ns;                   /* of total_ns: of no known family */
};

/*
 * 0 with at least one group, or -1: ERR_EMPTY when there is no kernel, or none that
 * matches.  kernels_release() frees, in both cases.
 */
int kernels_load(struct store *store, const struct scope *scope,
		 const struct kernels_query *query, struct kernels *out, struct err *err);
void kernels_release(struct kernels *k);

/* kernels_load() and its table; *out is freed by table_free(). */
int kernels_open(struct store *store, const struct scope *scope,
		 const struct kernels_query *query, struct table **out, struct err *err);

#endif
