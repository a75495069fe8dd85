/*
 * A row for each device of each profile that did work: what the tables of
 * `ptool devices` and `ptool info` are parts of.
 */
#ifndef PTOOL_QUERY_DEVICE_ROWS_H
#define PTOOL_QUERY_DEVICE_ROWS_H

#include "base/memtable.h"
#include "query/devices/work_profiles.h"
#include "query/filter.h"
#include "query/scope.h"

/* The cells of a row. */
enum device_column {
	DEVICE_PROFILE,
	DEVICE_RANK,
	DEVICE_NUMBER,
	DEVICE_SPAN,
	DEVICE_BUSY,
	DEVICE_IDLE,
	DEVICE_COMPUTE,
	DEVICE_COMMUNICATION,
	DEVICE_MEMORY,
	DEVICE_OVERLAP,
	DEVICE_EXPOSED_COMM,
	DEVICE_EXPOSED_COPY,
	DEVICE_UTILIZATION,
	DEVICE_SM_EFFICIENCY,
	DEVICE_OCCUPANCY,
	DEVICE_TENSOR_CORE,
	DEVICE_NAME,
	DEVICE_MEMORY_BYTES,
	DEVICE_CAPABILITY,
	DEVICE_SMS,
	DEVICE_EVENTS,
	DEVICE_START,
	DEVICE_EDGE,
	DEVICE_WINDOW_START,
	DEVICE_WINDOW,
	DEVICE_KERNEL_SUM,
	DEVICE_TENSOR_CORE_SUM,
	DEVICE_TENSOR_CORE_UNKNOWN_SUM,
	DEVICE_TENSOR_CORE_UNKNOWN,
	DEVICE_STEPS,
	DEVICE_BUSY_IN_STEPS,
	DEVICE_UTILIZATION_TENSORBOARD,
	DEVICE_BUSY_SHARE,
	NDEVICE_COLUMNS
};

/*
 * Columns of devices that are also columns of sums of them, for arrays of struct field;
 * OF(column) is what a view has behind the unit: .get ...
 */
/* clang-format off */
#define DEVICE_TIME_FIELDS(OF) \
	{ "busy_ns", "Busy", "time with any work", NULL, UNIT_NS, OF(DEVICE_BUSY) }, \
	{ "idle_ns", "Idle", "time of the span without work", NULL, UNIT_NS, OF(DEVICE_IDLE) }, \
	{ "compute_ns", "Compute", "time with computation", NULL, UNIT_NS, OF(DEVICE_COMPUTE) }, \
	{ "communication_ns", "Comm", "time with communication", "comm", UNIT_NS, OF(DEVICE_COMMUNICATION) }, \
	{ "memory_ns", "Copy", "time with copies and sets", "copy", UNIT_NS, OF(DEVICE_MEMORY) }, \
	{ "overlap_ns", "Overlap", "communication and computation at once", NULL, UNIT_NS, OF(DEVICE_OVERLAP) }, \
	{ "exposed_comm_ns", "Exp. comm", "communication without computation", NULL, UNIT_NS, OF(DEVICE_EXPOSED_COMM) }, \
	{ "exposed_copy_ns", "Exp. copy", "copies without computation or communication", NULL, UNIT_NS, OF(DEVICE_EXPOSED_COPY) }
#define DEVICE_KERNEL_FIELDS(OF) \
	{ "kernel_ns", "Kernels", "sum of the durations of kernels", NULL, UNIT_NS, OF(DEVICE_KERNEL_SUM) }, \
	{ "tensor_core_ns", "Tensor", "those of kernels whose names say Tensor Cores", NULL, UNIT_NS, OF(DEVICE_TENSOR_CORE_SUM) }, \
	{ "tensor_core_unknown_ns", "Unknown", "those of kernels whose names do not say", NULL, UNIT_NS, OF(DEVICE_TENSOR_CORE_UNKNOWN_SUM) }
#define DEVICE_STEP_FIELDS(OF) \
	{ "steps_ns", "Steps", "time of the steps; what several share counts once", NULL, UNIT_NS, OF(DEVICE_STEPS) }, \
	{ "busy_in_steps_ns", "Busy in steps", "busy time in them", NULL, UNIT_NS, OF(DEVICE_BUSY_IN_STEPS) }
/* clang-format on */

/* `out` has room for these cells.  -1, with ERR_EMPTY when there is no row. */
int device_rows(struct store *store, const struct scope *scope,
		const struct filter *filter, struct memtable *out, struct err *err);

/*
 * The rows of one profile, whose work and bounds are loaded: 1 when there were any, 0,
 * or -1 with err set.  Cuts the work off at the ends of --time.
 */
int device_rows_add(struct memtable *to, struct work_profile *p, struct err *err);

/* Of such cells the shares, which are no facts of their own: of the times that are there. */
void device_rows_shares(struct cell *cells);

#endif
