/*
 * Devices added up by the place of their ranks in an axis of the job: see devices.h.
 * Times are sums, shares are those of the sums.  What does not add up (SM efficiency,
 * occupancy, properties) is a column of single devices alone.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/sum.h"
#include "query/axis_fields.h"
#include "query/devices/device_rows.h"
#include "query/devices/devices.h"
#include "query/query.h"

/* The cells of a row: the places, and then enum device_column behind its own. */
enum { RANKS = NAXES, DEVICES, LEAST_BUSY, MOST_BUSY, SUMS };
#define NCELLS (SUMS + NDEVICE_COLUMNS)

#define CELL(place) .get = view_cell, .arg = (place)
#define SUM(column) CELL(SUMS + (column))
#define AXIS(axis)  CELL(axis), .needs = 1u << (axis), .flags = FIELD_KEY

/* clang-format off */
static const struct field fields[] = {
	AXIS_FIELDS(AXIS),
	{ "ranks", "Ranks", "number of ranks", NULL, UNIT_COUNT, CELL(RANKS) },
	{ "devices", "Devices", "number of their devices that did work", NULL, UNIT_COUNT, CELL(DEVICES) },
	{ "span_ns", "Span", "time from the first to the last work of each device, added up, as are the next", NULL, UNIT_NS, SUM(DEVICE_SPAN) },
	DEVICE_TIME_FIELDS(SUM),
	{ "utilization_pct", "Util", "share of the steps in which devices are busy; null where not known", "util", UNIT_PERCENT, SUM(DEVICE_UTILIZATION) },
	{ "least_utilization_pct", "Least", "that of the device that is least busy", NULL, UNIT_PERCENT, CELL(LEAST_BUSY) },
	{ "most_utilization_pct", "Most", "that of the device that is most busy", NULL, UNIT_PERCENT, CELL(MOST_BUSY) },
	{ "tensor_core_pct", "Tensor", "share of kernel time on Tensor Cores, of the time that is known", "tensor", UNIT_PERCENT, SUM(DEVICE_TENSOR_CORE) },
	{ "events", "Events", "number of kernels, copies and sets", NULL, UNIT_COUNT, SUM(DEVICE_EVENTS) },
	DEVICE_KERNEL_FIELDS(SUM),
	DEVICE_STEP_FIELDS(SUM),
	{ "busy_pct", "Busy/span", NULL, NULL, UNIT_PERCENT, SUM(DEVICE_BUSY_SHARE), .flags = FIELD_PEOPLE },
	{ .name = NULL },
};
/* clang-format on */

#define WHERE "tp! dp! pp! ep! cp! "

static const struct view_part parts[] = {
	{ "from the first to the last work, all devices added up: span = busy + idle",
	  WHERE "ranks! devices! span_ns! busy_ns! idle_ns! busy_pct" },
	{ "busy = compute + exposed communication + exposed copies",
	  WHERE "compute_ns! exposed_comm_ns! exposed_copy_ns! communication_ns!" },
	{ "Util: busy share of the steps, of all devices, the least and the most busy one",
	  WHERE "utilization_pct! least_utilization_pct most_utilization_pct "
		"tensor_core_pct!" },
	{ .fields = NULL },
};

const struct view devices_by_axis_view = {
	.name = "devices --by tp",
	.fields = fields,
	.people = parts,
	.is_form = true,
};

static const enum device_column sums[] = {
	DEVICE_SPAN,
	DEVICE_BUSY,
	DEVICE_IDLE,
	DEVICE_COMPUTE,
	DEVICE_COMMUNICATION,
	DEVICE_MEMORY,
	DEVICE_OVERLAP,
	DEVICE_EXPOSED_COMM,
	DEVICE_EXPOSED_COPY,
	DEVICE_EVENTS,
	DEVICE_KERNEL_SUM,
	DEVICE_TENSOR_CORE_SUM,
	DEVICE_TENSOR_CORE_UNKNOWN_SUM,
	DEVICE_STEPS,
	DEVICE_BUSY_IN_STEPS,
};

/* A row of a device. */
struct placed {
	const struct scope_profile *profile;
	int64_t place;
	const struct cell *device;
	size_t order;
};

/* What has no place comes last. */
static int by_place(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->place != b->place)
		return (uint64_t)a->place < (uint64_t)b->place ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void add_device(struct cell *row, const struct cell *device)
{
	struct cell busy = device[DEVICE_UTILIZATION];

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		struct cell *sum = &row[SUMS + sums[i]];
		*sum = cell_int(sum_add(sum->as.integer, device[sums[i]].as.integer));
	}
	if (busy.type != CELL_REAL)
		return;
	if (row[LEAST_BUSY].type == CELL_NULL || busy.as.real < row[LEAST_BUSY].as.real)
		row[LEAST_BUSY] = busy;
	if (row[MOST_BUSY].type == CELL_NULL || busy.as.real > row[MOST_BUSY].as.real)
		row[MOST_BUSY] = busy;
}

static void add_row(struct memtable *to, enum axis axis, const struct placed *of,
		    size_t n)
{
	struct cell row[NCELLS];
	struct intern seen;
	int64_t ranks = 0;

	intern_init(&seen);
	for (size_t i = 0; i < NCELLS; i++)
		row[i] = cell_null();
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		row[SUMS + sums[i]] = cell_int(0);
	for (size_t i = 0; i < n; i++) {
		ranks += scope_is_new_rank(&seen, of[i].profile, of[i].place);
		add_device(row, of[i].device);
	}
	intern_release(&seen);
	row[axis] = number_cell(of[0].place);
	row[RANKS] = cell_int(ranks);
	row[DEVICES] = cell_int((int64_t)n);
	device_rows_shares(row + SUMS);
	memtable_add_row(to, row);
}

static void add_rows(struct memtable *to, const struct scope *scope, enum axis axis,
		     const struct memtable *devices)
{
	struct placed *all = xcalloc(devices->nrows + 1, sizeof(*all));

	for (size_t i = 0; i < devices->nrows; i++) {
		const struct cell *device = memtable_row(devices, i);
		const struct scope_profile *profile =
			scope_find(scope, device[DEVICE_PROFILE].as.integer);
		all[i] = (struct placed){ profile, profile->axes.at[axis], device, i };
	}
	qsort(all, devices->nrows, sizeof(*all), by_place);
	for (size_t i = 0, end; i < devices->nrows; i = end) {
		for (end = i + 1; end < devices->nrows && all[end].place == all[i].place;
		     end++)
			;
		add_row(to, axis, all + i, end - i);
	}
	free(all);
}

int devices_by_axis_open(struct store *store, const struct scope *scope,
			 const struct devices_request *request, struct table **out,
			 struct err *err)
{
	struct memtable *devices = memtable_new(NULL, NDEVICE_COLUMNS);
	struct memtable *rows = memtable_new(NULL, NCELLS);
	int rc = scope_needs_axis(scope, request->axis, err);

	if (rc == 0)
		rc = device_rows(store, scope, request->filter, devices, err);
	if (rc == 0) {
		struct view_request show = request->show;
		show.asked = 1u << request->axis;
		add_rows(rows, scope, request->axis, devices);
		*out = &view_of_cells(&devices_by_axis_view, rows, scope, &show)->table;
	}
	table_free(&devices->table);
	table_free(&rows->table);
	return rc;
}
