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
