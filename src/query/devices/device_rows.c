/* The rows of devices: see device_rows.h. */
#include "query/devices/device_rows.h"

#include <stdlib.h>

#include "query/devices/device_figures.h"
#include "query/devices/device_properties.h"
#include "query/devices/work_filter.h"
#include "query/devices/work_profiles.h"
#include "query/devices/work_times.h"
#include "query/query.h"
#include "query/summary/part_cells.h"
#include "store/columns.h"

static struct cell if_known(double value)
{
	return value >= 0 ? cell_real(value) : cell_null();
}

/* What of the recording lies outside the span, --time considered. */
static struct cell edge_cell(const struct work_profile *p, const struct work_times *times)
{
	int64_t from_ns = 0, to_ns = p->profile->dur_ns;

	if (p->filter->has_times && p->filter->from_ns > from_ns)
		from_ns = p->filter->from_ns;
	if (p->filter->has_times && p->filter->to_ns < to_ns)
		to_ns = p->filter->to_ns;
	if (times->start_ns < from_ns || times->end_ns > to_ns)
		return cell_null(); /* the store says that there is more than all */
	return cell_int(to_ns - from_ns - times->span_ns);
}

static void put_times(const struct work_profile *p, const struct work_times *t,
		      struct cell *cells)
{
	cells[DEVICE_SPAN] = cell_int(t->span_ns);
	cells[DEVICE_BUSY] = cell_int(t->busy_ns);
	cells[DEVICE_IDLE] = cell_int(t->idle_ns);
	cells[DEVICE_COMPUTE] = cell_int(t->compute_ns);
	cells[DEVICE_COMMUNICATION] = cell_int(t->communication_ns);
	cells[DEVICE_MEMORY] = cell_int(t->memory_ns);
	cells[DEVICE_OVERLAP] = cell_int(t->overlap_ns);
	cells[DEVICE_EXPOSED_COMM] = cell_int(t->exposed_comm_ns);
	cells[DEVICE_EXPOSED_COPY] = cell_int(t->exposed_copy_ns);
	cells[DEVICE_EVENTS] = cell_int(t->events);
	cells[DEVICE_START] = cell_int(t->start_ns);
	cells[DEVICE_EDGE] = edge_cell(p, t);
}

void device_rows_shares(struct cell *cells)
{
	int64_t kernel_ns = cells[DEVICE_KERNEL_SUM].as.integer;
	const struct tensor_core_times times = {
		.yes_ns = cells[DEVICE_TENSOR_CORE_SUM].as.integer,
		.unknown_ns = cells[DEVICE_TENSOR_CORE_UNKNOWN_SUM].as.integer,
	};

	cells[DEVICE_BUSY_SHARE] =
		share_cell(cells[DEVICE_BUSY].as.integer, cells[DEVICE_SPAN].as.integer);
	cells[DEVICE_UTILIZATION] = share_cell(cells[DEVICE_BUSY_IN_STEPS].as.integer,
					       cells[DEVICE_STEPS].as.integer);
	cells[DEVICE_TENSOR_CORE] = if_known(tensor_core_pct(times, kernel_ns));
	cells[DEVICE_TENSOR_CORE_UNKNOWN] =
		if_known(tensor_core_unknown_pct(times, kernel_ns));
}

static void put_figures(const struct device_figures *f, struct figures_window window,
			struct cell *cells)
{
	cells[DEVICE_UTILIZATION_TENSORBOARD] = if_known(f->utilization_pct);
	cells[DEVICE_SM_EFFICIENCY] = if_known(f->sm_efficiency_pct);
	cells[DEVICE_OCCUPANCY] = if_known(f->occupancy_pct);
	cells[DEVICE_KERNEL_SUM] = cell_int(f->kernel_ns);
	cells[DEVICE_TENSOR_CORE_SUM] = cell_int(f->tensor_core.yes_ns);
	cells[DEVICE_TENSOR_CORE_UNKNOWN_SUM] = cell_int(f->tensor_core.unknown_ns);
	cells[DEVICE_WINDOW_START] =
		window.is_known ? cell_int(window.from_ns) : cell_null();
	cells[DEVICE_WINDOW] =
		window.is_known ? cell_int(window.to_ns - window.from_ns) : cell_null();
}

static void put_properties(const struct device_properties *known, struct cell *cells)
{
	cells[DEVICE_NAME] = known ? cell_text_or_null(known->name) : cell_null();
	cells[DEVICE_MEMORY_BYTES] =
		known ? number_cell(known->memory_bytes) : cell_null();
	cells[DEVICE_CAPABILITY] =
		known ? cell_text_or_null(known->capability) : cell_null();
	cells[DEVICE_SMS] = known ? number_cell(known->sms) : cell_null();
}

/* GPU utilization: the share of the steps' time in which the device is busy. */
static void put_utilization(const struct device_work *work,
			    const struct work_device *device,
			    const struct intervals *steps, struct cell *cells)
{
	int64_t steps_ns = intervals_length(steps);
	struct intervals busy;

	device_work_union(work, device, WORK_ALL, &busy);
	int64_t busy_ns = intervals_overlap(&busy, steps);
	intervals_release(&busy);
	cells[DEVICE_STEPS] = cell_int(steps_ns);
	cells[DEVICE_BUSY_IN_STEPS] = cell_int(busy_ns);
}

/* All that the rows of one profile are made of. */
struct profile_rows {
	struct work_profile *p;
	struct work_times *times;
	const struct kernel_load *loads;
	const struct device_properties_list *properties;
	struct figures_window window; /* of the plugin's figures */
	struct intervals steps;       /* of the filter's, in its times */
};

static int add_rows(struct memtable *rows, const struct profile_rows *r)
{
	const struct device_work *work = &r->p->work;
	int added = 0;

	for (size_t i = 0; i < work->ndevices; i++) {
		const struct work_device *device = &work->devices[i];
		struct cell cells[NDEVICE_COLUMNS];
		if (device->n == 0)
			continue;
		const struct device_properties *known =
			device_properties_find(r->properties, device->device);
		const struct device_figures figures = device_figures(
			work, device, r->loads, r->p->texts, r->window,
			tensor_core_capability(known ? known->capability : NULL));
		cells[DEVICE_PROFILE] = cell_int(r->p->profile->id);
		cells[DEVICE_RANK] = scope_rank_cell(r->p->profile);
		cells[DEVICE_NUMBER] = work_device_cell(device);
		put_times(r->p, &r->times[i], cells);
		put_figures(&figures, r->window, cells);
		put_utilization(work, device, &r->steps, cells);
		put_properties(known, cells);
		device_rows_shares(cells);
		memtable_add_row(rows, cells);
		added = 1;
	}
	return added;
}

int device_rows_add(struct memtable *to, struct work_profile *p, struct err *err)
{
	struct profile_rows r = { .p = p };
	struct device_properties_list list = { .n = 0 };
	struct kernel_load *own = NULL;
	int rc = -1;

	work_filter_times(&p->work, p->filter);
	r.window = figures_window(&p->bounds, p->profile->id, p->filter);
	step_windows_wanted(&p->windows, p->profile->id, p->filter, &r.steps);
	if (!p->loads)
		own = kernel_loads(p->store, p->profile, &p->work, err);
	r.loads = p->loads ? p->loads : own;
	r.properties = p->properties ? p->properties : &list;
	if (r.loads &&
	    (p->properties ||
	     device_properties_load(p->store, p->profile, &list, err) == 0) &&
	    (r.times = work_times_of_devices(&p->work, err)) != NULL)
		rc = add_rows(to, &r);
	device_properties_release(&list);
	intervals_release(&r.steps);
	free(r.times);
	free(own);
	return rc;
}

/* The columns of device_part but those of the device's number; the other cells follow. */
static const struct part_cell part_cells[] = {
	{ DEVICE_SPAN, COL_DEVICE_PART_SPAN_NS, PART_CELL_INT },
	{ DEVICE_BUSY, COL_DEVICE_PART_BUSY_NS, PART_CELL_INT },
	{ DEVICE_IDLE, COL_DEVICE_PART_IDLE_NS, PART_CELL_INT },
	{ DEVICE_COMPUTE, COL_DEVICE_PART_COMPUTE_NS, PART_CELL_INT },
	{ DEVICE_COMMUNICATION, COL_DEVICE_PART_COMMUNICATION_NS, PART_CELL_INT },
	{ DEVICE_MEMORY, COL_DEVICE_PART_MEMORY_NS, PART_CELL_INT },
	{ DEVICE_OVERLAP, COL_DEVICE_PART_OVERLAP_NS, PART_CELL_INT },
	{ DEVICE_EXPOSED_COMM, COL_DEVICE_PART_EXPOSED_COMM_NS, PART_CELL_INT },
	{ DEVICE_EXPOSED_COPY, COL_DEVICE_PART_EXPOSED_COPY_NS, PART_CELL_INT },
	{ DEVICE_EVENTS, COL_DEVICE_PART_EVENTS, PART_CELL_INT },
	{ DEVICE_START, COL_DEVICE_PART_START_NS, PART_CELL_INT },
	{ DEVICE_EDGE, COL_DEVICE_PART_EDGE_NS, PART_CELL_INT_OR_NULL },
	{ DEVICE_STEPS, COL_DEVICE_PART_STEPS_NS, PART_CELL_INT },
	{ DEVICE_BUSY_IN_STEPS, COL_DEVICE_PART_BUSY_IN_STEPS_NS, PART_CELL_INT },
	{ DEVICE_KERNEL_SUM, COL_DEVICE_PART_KERNEL_NS, PART_CELL_INT },
	{ DEVICE_TENSOR_CORE_SUM, COL_DEVICE_PART_TENSOR_CORE_NS, PART_CELL_INT },
	{ DEVICE_TENSOR_CORE_UNKNOWN_SUM, COL_DEVICE_PART_TENSOR_CORE_UNKNOWN_NS,
	  PART_CELL_INT },
	{ DEVICE_WINDOW_START, COL_DEVICE_PART_WINDOW_START_NS, PART_CELL_INT_OR_NULL },
	{ DEVICE_WINDOW, COL_DEVICE_PART_WINDOW_NS, PART_CELL_INT_OR_NULL },
	{ DEVICE_UTILIZATION_TENSORBOARD, COL_DEVICE_PART_UTILIZATION_TENSORBOARD_PCT,
	  PART_CELL_REAL },
	{ DEVICE_SM_EFFICIENCY, COL_DEVICE_PART_SM_EFFICIENCY_PCT, PART_CELL_REAL },
	{ DEVICE_OCCUPANCY, COL_DEVICE_PART_OCCUPANCY_PCT, PART_CELL_REAL },
	{ DEVICE_NAME, COL_DEVICE_PART_NAME_ID, PART_CELL_TEXT },
	{ DEVICE_MEMORY_BYTES, COL_DEVICE_PART_MEMORY_BYTES, PART_CELL_INT_OR_NULL },
	{ DEVICE_CAPABILITY, COL_DEVICE_PART_COMPUTE_CAPABILITY_ID, PART_CELL_TEXT },
	{ DEVICE_SMS, COL_DEVICE_PART_SMS, PART_CELL_INT_OR_NULL },
};

#define NPART_CELLS (sizeof(part_cells) / sizeof(*part_cells))

static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	struct memtable *rows = memtable_new(NULL, NDEVICE_COLUMNS);
	struct kernel_load *loads = NULL;
	struct work_profile p;
	int rc = work_profile_of_summary(from, &p, err);

	if (rc == 0 && p.work.n) {
		struct kernel_details *details = summary_kernel_details(from, err);
		rc = details ? 0 : -1;
		p.loads = loads = details ? kernel_loads_of(details, &p.work) : NULL;
	}
	if (rc == 0 && p.work.n)
		rc = device_rows_add(rows, &p, err) < 0 ? -1 : 0;
	for (size_t i = 0; rc == 0 && i < rows->nrows; i++) {
		const struct cell *row = memtable_row(rows, i);
		struct cell *c = part_rows_add(out);
		if (!c)
			break;
		part_cells_put(part_cells, NPART_CELLS, row, out, c);
		part_name_put(row[DEVICE_NUMBER], COL_DEVICE_PART_DEVICE, out, c);
	}
	free(loads);
	work_profile_release_summary(&p);
	table_free(&rows->table);
	return rc;
}

const struct summary summary_devices = { PART_TABLE(DEVICE_PART, device_part), make };

static int visit_rows(void *to, const struct scope_profile *profile,
		      const struct part_rows *rows, struct err *err)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct cell *c = part_rows_at(rows, i);
		struct cell cells[NDEVICE_COLUMNS];
		if (!part_cells_get(part_cells, NPART_CELLS, c, cells))
			return summary_damaged(&summary_devices, err);
		cells[DEVICE_PROFILE] = cell_int(profile->id);
		cells[DEVICE_RANK] = scope_rank_cell(profile);
		cells[DEVICE_NUMBER] = part_name_get(COL_DEVICE_PART_DEVICE, c);
		device_rows_shares(cells);
		memtable_add_row(to, cells);
	}
	return 1;
}

static int visit(void *to, struct work_profile *p, struct err *err)
{
	return device_rows_add(to, p, err);
}

int device_rows(struct store *store, const struct scope *scope,
		const struct filter *filter, struct memtable *out, struct err *err)
{
	const struct work_visitor visitor = { .visit = visit,
					      .to = out,
					      .summary = &summary_devices,
					      .visit_rows = visit_rows };

	return work_profiles_visit(store, scope, filter, &visitor, err);
}
