/* Copies and sets as rows of a table: single ones, or sums of groups of a device. */
#ifndef PTOOL_QUERY_TRANSFERS_ROWS_H
#define PTOOL_QUERY_TRANSFERS_ROWS_H

#include "base/arena.h"
#include "query/comm/transfers.h"
#include "query/devices/work_times.h"
#include "query/summary/summary.h"

/* One transfer, or a group of them. */
struct transfer_row {
	const struct scope_profile *profile;
	struct cell device;
	struct transfer of; /* the first of a group, ... */
	uint32_t first;     /* ... and its place */
	int64_t calls, total_ns;
	int64_t bytes,
		sized_ns;       /* of those whose bytes are recorded; NUMBER_NONE: none */
	int64_t blocking_calls; /* NUMBER_NONE: no launching call is recorded */
	struct exposure exposure;
};

struct transfer_rows {
	struct transfer_row *items; /* owned */
	size_t n, cap;
	struct text_pool *texts; /* borrowed: devices without a number are there */
	struct arena arena;      /* of what is shown */
};

/*
 * Rows of a profile's transfers: of single ones in their order; of groups, for each device
 * (and step) those that took longest first.
 */
void transfer_rows_add(struct transfer_rows *to, enum transfers_by by,
		       const struct scope_profile *profile,
		       const struct device_work *work, const struct transfers *all);
/* The same, of groups, from rows of transfer_part; *is_there: the store has them. */
int transfer_rows_stored(struct transfer_rows *to, enum transfers_by by,
			 struct summary_reader *reader,
			 const struct scope_profile *profile, bool *is_there,
			 struct err *err);
void transfer_rows_release(struct transfer_rows *rows);

#endif
