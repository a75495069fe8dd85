/*
 * Columns of steps: see steps_columns.h.  A device's view is null where there is no device,
 * a phase where nothing tells it; the categories always add up to the step.
 */
#include "query/steps/steps_columns.h"

#include "base/sum.h"
#include "query/steps/steps_notes.h"

static struct cell cell_profile(const struct step_row *row, int value)
{
	(void)value;
	return row->profile ? cell_int(row->profile->id) : cell_null();
}

static struct cell cell_rank(const struct step_row *row, int value)
{
	(void)value;
	return row->has_rank ? cell_int(row->rank) : cell_null();
}

static struct cell cell_device(const struct step_row *row, int value)
{
	(void)value;
	if (!row->has_device)
		return cell_null();
	if (row->device != NUMBER_NONE)
		return cell_int(row->device);
	return cell_text_or_null(row->device_name);
}

static struct cell cell_start(const struct step_row *row, int value)
{
	(void)value;
	return row->is_mean ? cell_null() : cell_int(row->start_ns);
}

static struct cell cell_host_start(const struct step_row *row, int value)
{
	(void)value;
	return row->is_mean ? cell_null() : cell_int(row->host_start_ns);
}

static struct cell cell_host(const struct step_row *row, int value)
{
	(void)value;
	return row->is_mean ? cell_null()
			    : cell_int(sum_sub(row->host_end_ns, row->host_start_ns));
}

static struct cell cell_work(const struct step_row *row, int value)
{
	(void)value;
	return row->is_mean ? cell_null() : cell_int(row->nwork);
}

static struct cell cell_value(const struct step_row *row, int value)
{
	return cell_int(row->values[value]);
}

static struct cell cell_share(const struct step_row *row, int value)
{
	int64_t total_ns = row->values[VALUE_TOTAL];

	return total_ns > 0
		       ? cell_real(100.0 * (double)row->values[value] / (double)total_ns)
		       : cell_null();
}

static struct cell cell_of_device(const struct step_row *row, int value)
{
	return row->has_device ? cell_int(row->values[value]) : cell_null();
}

static struct cell cell_busy(const struct step_row *row, int value)
{
	(void)value;
	return row->has_device ? cell_int(sum_sub(row->values[VALUE_TOTAL],
						  row->values[VALUE_IDLE]))
			       : cell_null();
}

static struct cell cell_utilization(const struct step_row *row, int value)
{
	struct cell share = cell_share(row, VALUE_IDLE);

	(void)value;
	if (row->has_device && share.type == CELL_REAL)
		return cell_real(100 - share.as.real);
	return cell_null();
}

/* What nothing tells is not known; the rest of a step always is. */
static bool is_told(const struct step_row *row, int phase)
{
	return phase == STEP_PHASE_OTHER || row->sources[phase];
}

static struct cell cell_phase(const struct step_row *row, int phase)
{
	return is_told(row, phase) ? cell_int(row->values[VALUE_PHASE + phase])
				   : cell_null();
}

static struct cell cell_phase_share(const struct step_row *row, int phase)
{
	return is_told(row, phase) ? cell_share(row, VALUE_PHASE + phase) : cell_null();
}

static struct cell cell_device_phase(const struct step_row *row, int phase)
{
	return row->has_work && is_told(row, phase)
		       ? cell_int(row->values[VALUE_DEVICE_PHASE + phase])
		       : cell_null();
}

static struct cell cell_source(const struct step_row *row, int phase)
{
	return cell_text_or_null(row->sources[phase]);
}

static struct cell cell_dropped(const struct step_row *row, int value)
{
	(void)value;
	return row->is_mean ? cell_null() : cell_int(row->is_dropped);
}

static struct cell cell_long(const struct step_row *row, int value)
{
	(void)value;
	return row->is_mean ? cell_null() : cell_int(row->is_long);
}

static struct cell cell_grew(const struct step_row *row, int value)
{
	(void)value;
	return row->is_long ? cell_text(str_of(steps_category_name(row->grew)))
			    : cell_null();
}

static struct cell cell_grew_by(const struct step_row *row, int value)
{
	(void)value;
	return row->is_long ? cell_int(row->grew_ns) : cell_null();
}

static struct cell cell_grew_slice(const struct step_row *row, int value)
{
	(void)value;
	return cell_text_or_null(row->grew_slice);
}

static struct cell cell_grew_slice_by(const struct step_row *row, int value)
{
	(void)value;
	return row->grew_slice ? cell_int(row->grew_slice_ns) : cell_null();
}

static struct cell cell_grew_unrecorded(const struct step_row *row, int value)
{
	(void)value;
	return row->is_long ? cell_int(row->grew_unrecorded_ns) : cell_null();
}

static struct cell cell_bounds(const struct step_row *row, int value)
{
	(void)value;
	return cell_text(str_of(row->bounds == BOUNDS_HOST ? "host" : "tensorboard"));
}

/* The step is text, "mean" among numbers; its cell is made by steps_table.c. */
#define STEP_HEADING                                  \
	{                                             \
		"step", "Step", NULL, 0, UNIT_TEXT, 0 \
	}
#define CATEGORY(of) (VALUE_CATEGORY + (int)(of))
#define VIEW(of)     (VALUE_DEVICE_VIEW + (int)(of))

/* clang-format off */
static const struct steps_heading machine[] = {
	{ "profile", NULL, cell_profile, 0, UNIT_ID, 0 },
	{ "rank", NULL, cell_rank, 0, UNIT_ID, 0 },
	{ "device", NULL, cell_device, 0, UNIT_ID, 0 },
	STEP_HEADING,
	{ "start_ns", NULL, cell_start, 0, UNIT_TIME, 0 },
	{ "total_ns", NULL, cell_value, VALUE_TOTAL, UNIT_NS, 0 },
	{ "kernel_ns", NULL, cell_value, CATEGORY(STEP_KERNEL), UNIT_NS, 0 },
	{ "memcpy_ns", NULL, cell_value, CATEGORY(STEP_MEMCPY), UNIT_NS, 0 },
	{ "memset_ns", NULL, cell_value, CATEGORY(STEP_MEMSET), UNIT_NS, 0 },
	{ "communication_ns", NULL, cell_value, CATEGORY(STEP_COMMUNICATION), UNIT_NS, 0 },
	{ "runtime_ns", NULL, cell_value, CATEGORY(STEP_RUNTIME), UNIT_NS, 0 },
	{ "dataloader_ns", NULL, cell_value, CATEGORY(STEP_DATA_LOADING), UNIT_NS, 0 },
	{ "cpu_exec_ns", NULL, cell_value, CATEGORY(STEP_OPERATORS), UNIT_NS, 0 },
	{ "other_ns", NULL, cell_value, CATEGORY(STEP_OTHER), UNIT_NS, 0 },
	{ "gpu_busy_ns", NULL, cell_busy, 0, UNIT_NS, 0 },
	{ "gpu_idle_ns", NULL, cell_of_device, VALUE_IDLE, UNIT_NS, 0 },
	{ "gpu_compute_ns", NULL, cell_of_device, VIEW(VIEW_COMPUTE), UNIT_NS, 0 },
	{ "exposed_comm_ns", NULL, cell_of_device, VIEW(VIEW_EXPOSED_COMM), UNIT_NS, 0 },
	{ "exposed_copy_ns", NULL, cell_of_device, VIEW(VIEW_EXPOSED_COPY), UNIT_NS, 0 },
	{ "host_start_ns", NULL, cell_host_start, 0, UNIT_TIME, 0 },
	{ "host_ns", NULL, cell_host, 0, UNIT_NS, 0 },
	{ "device_events", NULL, cell_work, 0, UNIT_COUNT, 0 },
	{ "is_dropped", NULL, cell_dropped, 0, UNIT_BOOL, 0 },
	{ "is_long", NULL, cell_long, 0, UNIT_BOOL, 0 },
	{ "grew", NULL, cell_grew, 0, UNIT_TEXT, 0 },
	{ "grew_ns", NULL, cell_grew_by, 0, UNIT_NS, 0 },
	{ "grew_slice", NULL, cell_grew_slice, 0, UNIT_TEXT, 0 },
	{ "grew_slice_ns", NULL, cell_grew_slice_by, 0, UNIT_NS, 0 },
	{ "grew_unrecorded_ns", NULL, cell_grew_unrecorded, 0, UNIT_NS, 0 },
	{ "utilization_pct", NULL, cell_utilization, 0, UNIT_PERCENT, 0 },
	{ "bounds", NULL, cell_bounds, 0, UNIT_TEXT, 0 },
};

static const struct steps_heading machine_phases[] = {
	{ "profile", NULL, cell_profile, 0, UNIT_ID, 0 },
	{ "rank", NULL, cell_rank, 0, UNIT_ID, 0 },
	STEP_HEADING,
	{ "start_ns", NULL, cell_start, 0, UNIT_TIME, 0 },
	{ "total_ns", NULL, cell_value, VALUE_TOTAL, UNIT_NS, 0 },
	{ "data_loading_ns", NULL, cell_phase, STEP_PHASE_DATA, UNIT_NS, 0 },
	{ "host_to_device_ns", NULL, cell_phase, STEP_PHASE_TO_DEVICE, UNIT_NS, 0 },
	{ "forward_ns", NULL, cell_phase, STEP_PHASE_FORWARD, UNIT_NS, 0 },
	{ "backward_ns", NULL, cell_phase, STEP_PHASE_BACKWARD, UNIT_NS, 0 },
	{ "optimizer_ns", NULL, cell_phase, STEP_PHASE_OPTIMIZER, UNIT_NS, 0 },
	{ "other_ns", NULL, cell_phase, STEP_PHASE_OTHER, UNIT_NS, 0 },
	{ "gpu_data_loading_ns", NULL, cell_device_phase, STEP_PHASE_DATA, UNIT_NS, 0 },
	{ "gpu_host_to_device_ns", NULL, cell_device_phase, STEP_PHASE_TO_DEVICE, UNIT_NS, 0 },
	{ "gpu_forward_ns", NULL, cell_device_phase, STEP_PHASE_FORWARD, UNIT_NS, 0 },
	{ "gpu_backward_ns", NULL, cell_device_phase, STEP_PHASE_BACKWARD, UNIT_NS, 0 },
	{ "gpu_optimizer_ns", NULL, cell_device_phase, STEP_PHASE_OPTIMIZER, UNIT_NS, 0 },
	{ "gpu_other_ns", NULL, cell_device_phase, STEP_PHASE_OTHER, UNIT_NS, 0 },
	{ "data_loading_from", NULL, cell_source, STEP_PHASE_DATA, UNIT_TEXT, 0 },
	{ "host_to_device_from", NULL, cell_source, STEP_PHASE_TO_DEVICE, UNIT_TEXT, 0 },
	{ "forward_from", NULL, cell_source, STEP_PHASE_FORWARD, UNIT_TEXT, 0 },
	{ "backward_from", NULL, cell_source, STEP_PHASE_BACKWARD, UNIT_TEXT, 0 },
	{ "optimizer_from", NULL, cell_source, STEP_PHASE_OPTIMIZER, UNIT_TEXT, 0 },
};

static const struct steps_heading people[] = {
	{ "profile", "Profile", cell_profile, 0, UNIT_ID, 0 },
	{ "rank", "Rank", cell_rank, 0, UNIT_ID, 0 },
	STEP_HEADING,
	{ "total_ns", "Total", cell_value, VALUE_TOTAL, UNIT_NS, 0 },
	{ "kernel_pct", "Kernel%", cell_share, CATEGORY(STEP_KERNEL), UNIT_PERCENT, 0 },
	{ "memcpy_pct", "Memcpy%", cell_share, CATEGORY(STEP_MEMCPY), UNIT_PERCENT, 2 },
	{ "memset_pct", "Memset%", cell_share, CATEGORY(STEP_MEMSET), UNIT_PERCENT, 3 },
	{ "communication_pct", "Comm%", cell_share, CATEGORY(STEP_COMMUNICATION), UNIT_PERCENT, 0 },
	{ "runtime_pct", "Runtime%", cell_share, CATEGORY(STEP_RUNTIME), UNIT_PERCENT, 0 },
	{ "dataloader_pct", "Data%", cell_share, CATEGORY(STEP_DATA_LOADING), UNIT_PERCENT, 0 },
	{ "cpu_exec_pct", "CPU%", cell_share, CATEGORY(STEP_OPERATORS), UNIT_PERCENT, 0 },
	{ "other_pct", "Other%", cell_share, CATEGORY(STEP_OTHER), UNIT_PERCENT, 1 },
};

static const struct steps_heading people_devices[] = {
	{ "profile", "Profile", cell_profile, 0, UNIT_ID, 0 },
	{ "rank", "Rank", cell_rank, 0, UNIT_ID, 0 },
	{ "device", "Device", cell_device, 0, UNIT_ID, 0 },
	STEP_HEADING,
	{ "utilization_pct", "Util%", cell_utilization, 0, UNIT_PERCENT, 3 },
	{ "gpu_busy_ns", "Busy", cell_busy, 0, UNIT_NS, 2 },
	{ "gpu_idle_ns", "Idle", cell_of_device, VALUE_IDLE, UNIT_NS, 0 },
	{ "gpu_compute_ns", "Compute", cell_of_device, VIEW(VIEW_COMPUTE), UNIT_NS, 0 },
	{ "exposed_comm_ns", "Comm", cell_of_device, VIEW(VIEW_EXPOSED_COMM), UNIT_NS, 0 },
	{ "exposed_copy_ns", "Copies", cell_of_device, VIEW(VIEW_EXPOSED_COPY), UNIT_NS, 0 },
};

static const struct steps_heading people_phases[] = {
	{ "profile", "Profile", cell_profile, 0, UNIT_ID, 0 },
	{ "rank", "Rank", cell_rank, 0, UNIT_ID, 0 },
	STEP_HEADING,
	{ "total_ns", "Total", cell_value, VALUE_TOTAL, UNIT_NS, 0 },
	{ "data_loading_pct", "Data%", cell_phase_share, STEP_PHASE_DATA, UNIT_PERCENT, 0 },
	{ "host_to_device_pct", "Copy calls%", cell_phase_share, STEP_PHASE_TO_DEVICE, UNIT_PERCENT, 0 },
	{ "forward_pct", "Forward%", cell_phase_share, STEP_PHASE_FORWARD, UNIT_PERCENT, 0 },
	{ "backward_pct", "Backward%", cell_phase_share, STEP_PHASE_BACKWARD, UNIT_PERCENT, 0 },
	{ "optimizer_pct", "Optimizer%", cell_phase_share, STEP_PHASE_OPTIMIZER, UNIT_PERCENT, 0 },
	{ "other_pct", "Other%", cell_phase_share, STEP_PHASE_OTHER, UNIT_PERCENT, 1 },
};

static const struct steps_heading people_device_phases[] = {
	{ "profile", "Profile", cell_profile, 0, UNIT_ID, 0 },
	{ "rank", "Rank", cell_rank, 0, UNIT_ID, 0 },
	STEP_HEADING,
	{ "gpu_data_loading_ns", "Data", cell_device_phase, STEP_PHASE_DATA, UNIT_NS, 3 },
	{ "gpu_host_to_device_ns", "Copies", cell_device_phase, STEP_PHASE_TO_DEVICE, UNIT_NS, 0 },
	{ "gpu_forward_ns", "Forward", cell_device_phase, STEP_PHASE_FORWARD, UNIT_NS, 0 },
	{ "gpu_backward_ns", "Backward", cell_device_phase, STEP_PHASE_BACKWARD, UNIT_NS, 0 },
	{ "gpu_optimizer_ns", "Optimizer", cell_device_phase, STEP_PHASE_OPTIMIZER, UNIT_NS, 0 },
	{ "gpu_other_ns", "Other", cell_device_phase, STEP_PHASE_OTHER, UNIT_NS, 1 },
};

#define LIST(headings) { headings, sizeof(headings) / sizeof((headings)[0]) }

const struct steps_headings steps_machine = LIST(machine);
const struct steps_headings steps_machine_phases = LIST(machine_phases);
const struct steps_headings steps_people = LIST(people);
const struct steps_headings steps_people_devices = LIST(people_devices);
const struct steps_headings steps_people_phases = LIST(people_phases);
const struct steps_headings steps_people_device_phases = LIST(people_device_phases);
/* clang-format on */
