/*
 * Steps as a view: for machines one table, for people shares of the step and, below
 * them, what the device did.  A device's cells are null where there is no device, a
 * phase's where nothing tells it; the categories always add up to the step.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/steps/steps.h"
#include "query/view.h"

/* What a request's `asked` has bits for. */
#define BY_CATEGORY 1u
#define BY_PHASE    2u

struct showing {
	struct arena *arena; /* of texts that are made here */
	bool phases;
};

static const struct step_row *row_of(const void *row)
{
	return *(const struct step_row *const *)row;
}

/* A member that means have too, */
static struct cell get_int(const void *from, const void *row, int offset)
{
	return view_int64(from, row_of(row), offset);
}

/* and one of a step alone. */
static struct cell get_own(const void *from, const void *row, int offset)
{
	return row_of(row)->is_mean ? cell_null() : get_int(from, row, offset);
}

static struct cell get_flag(const void *from, const void *row, int offset)
{
	const char *flag = (const char *)row_of(row) + offset;

	(void)from;
	return row_of(row)->is_mean ? cell_null() : cell_int(*(const bool *)flag);
}

static struct cell get_profile(const void *from, const void *row, int arg)
{
	const struct scope_profile *profile = row_of(row)->profile;

	(void)from, (void)arg;
	return profile ? cell_int(profile->id) : cell_null();
}

static struct cell get_rank(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return row_of(row)->has_rank ? cell_int(row_of(row)->rank) : cell_null();
}

static struct cell get_device(const void *from, const void *row, int arg)
{
	const struct step_row *r = row_of(row);

	(void)from, (void)arg;
	if (!r->has_device)
		return cell_null();
	return r->device != NUMBER_NONE ? cell_int(r->device)
					: cell_text_or_null(r->device_name);
}

/* "mean" among numbers; `mark`: for people, one that a note explains. */
static struct cell get_step(const void *from, const void *row, int mark)
{
	const struct showing *s = from;
	const struct step_row *r = row_of(row);
	const char *text = !mark ? "" : r->is_dropped ? "*" : r->is_long ? "!" : "";

	return r->is_mean ? cell_text(STR_LIT("mean"))
			  : cell_text(str_of(arena_printf(s->arena, "%" PRId64 "%s",
							  r->number, text)));
}

static struct cell get_share(const void *from, const void *row, int value)
{
	const struct step_row *r = row_of(row);
	int64_t total_ns = r->values[VALUE_TOTAL];

	(void)from;
	return total_ns > 0
		       ? cell_real(100.0 * (double)r->values[value] / (double)total_ns)
		       : cell_null();
}

static struct cell get_of_device(const void *from, const void *row, int value)
{
	(void)from;
	return row_of(row)->has_device ? cell_int(row_of(row)->values[value])
				       : cell_null();
}

static struct cell get_busy(const void *from, const void *row, int arg)
{
	const int64_t *values = row_of(row)->values;

	(void)from, (void)arg;
	return row_of(row)->has_device
		       ? cell_int(sum_sub(values[VALUE_TOTAL], values[VALUE_IDLE]))
		       : cell_null();
}

static struct cell get_utilization(const void *from, const void *row, int arg)
{
	struct cell share = get_share(from, row, VALUE_IDLE);

	(void)arg;
	return row_of(row)->has_device && share.type == CELL_REAL
		       ? cell_real(100 - share.as.real)
		       : cell_null();
}

/* What nothing tells is not known; the rest of a step always is. */
static bool is_told(const void *row, int phase)
{
	return phase == STEP_PHASE_OTHER || row_of(row)->sources[phase];
}

static struct cell get_phase(const void *from, const void *row, int phase)
{
	(void)from;
	return is_told(row, phase) ? cell_int(row_of(row)->values[VALUE_PHASE + phase])
				   : cell_null();
}

static struct cell get_phase_share(const void *from, const void *row, int phase)
{
	return is_told(row, phase) ? get_share(from, row, VALUE_PHASE + phase)
				   : cell_null();
}

static struct cell get_other(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	int value =
		s->phases ? VALUE_PHASE + STEP_PHASE_OTHER : VALUE_CATEGORY + STEP_OTHER;

	(void)arg;
	return cell_int(row_of(row)->values[value]);
}

static struct cell get_device_phase(const void *from, const void *row, int phase)
{
	(void)from;
	return row_of(row)->has_work && is_told(row, phase)
		       ? cell_int(row_of(row)->values[VALUE_DEVICE_PHASE + phase])
		       : cell_null();
}

static struct cell get_source(const void *from, const void *row, int phase)
{
	(void)from;
	return cell_text_or_null(row_of(row)->sources[phase]);
}

static struct cell get_grew(const void *from, const void *row, int arg)
{
	const struct step_row *r = row_of(row);

	(void)from, (void)arg;
	return r->is_long ? cell_text_or_null(steps_category_name(r->grew)) : cell_null();
}

static struct cell get_if_long(const void *from, const void *row, int offset)
{
	return row_of(row)->is_long ? get_int(from, row, offset) : cell_null();
}

static struct cell get_grew_slice(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(row_of(row)->grew_slice);
}

static struct cell get_grew_slice_ns(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return row_of(row)->grew_slice ? cell_int(row_of(row)->grew_slice_ns)
				       : cell_null();
}

static struct cell get_bounds(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(row_of(row)->bounds == BOUNDS_HOST ? STR_LIT("host")
							    : STR_LIT("tensorboard"));
}

#define ROW(how, member)  .get = (how), .arg = offsetof(struct step_row, member)
#define VALUE(value)      ROW(get_int, values) + (int)((value) * sizeof(int64_t))
#define GET(how, what)    .get = (how), .arg = (int)(what)
#define CATEGORY(of)      (VALUE_CATEGORY + (of))
#define ON_DEVICE(of)     GET(get_of_device, VALUE_DEVICE_VIEW + (of))
#define PHASE(how, phase) GET(how, STEP_PHASE_##phase), .needs = BY_PHASE
#define STEPS             .needs = BY_CATEGORY
#define PEOPLE            .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "file that was recorded", NULL, UNIT_ID, .get = get_profile, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank of the file", NULL, UNIT_ID, .get = get_rank },
	{ "device", "Device", "device by number, or its name", NULL, UNIT_ID, .get = get_device, STEPS },
	{ "step", NULL, "N of ProfilerStep#N, or 'mean'", NULL, UNIT_TEXT, GET(get_step, false), .flags = FIELD_NO_SORT },
	{ "number", NULL, "number of the step", "step", UNIT_ID, ROW(get_own, number), .flags = FIELD_SORT },
	{ "people_step", "Step", NULL, NULL, UNIT_TEXT, GET(get_step, true), PEOPLE },
	{ "start_ns", NULL, "start, from the first event of the file", NULL, UNIT_TIME, ROW(get_own, start_ns) },
	{ "total_ns", "Total", "length of the step", "time duration", UNIT_NS, VALUE(VALUE_TOTAL) },
	{ "kernel_ns", NULL, "kernels, and work of other accelerators, that are not of the next three", NULL, UNIT_NS, VALUE(CATEGORY(STEP_KERNEL)), STEPS },
	{ "kernel_pct", "Kernel%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_KERNEL)), PEOPLE },
	{ "memcpy_ns", NULL, "copies, those that ROCm and MTIA show as kernels too", NULL, UNIT_NS, VALUE(CATEGORY(STEP_MEMCPY)), STEPS },
	{ "memcpy_pct", "Memcpy%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_MEMCPY)), PEOPLE, .leaves = 2 },
	{ "memset_ns", NULL, "sets of memory, likewise", NULL, UNIT_NS, VALUE(CATEGORY(STEP_MEMSET)), STEPS },
	{ "memset_pct", "Memset%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_MEMSET)), PEOPLE, .leaves = 3 },
	{ "communication_ns", NULL, "collectives: kernels by their names, and nccl:..., gloo:... and the like on the host", NULL, UNIT_NS, VALUE(CATEGORY(STEP_COMMUNICATION)), STEPS },
	{ "communication_pct", "Comm%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_COMMUNICATION)), PEOPLE },
	{ "runtime_ns", NULL, "calls of the device's runtime and driver", NULL, UNIT_NS, VALUE(CATEGORY(STEP_RUNTIME)), STEPS },
	{ "runtime_pct", "Runtime%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_RUNTIME)), PEOPLE },
	{ "dataloader_ns", NULL, "enumerate(DataLoader)#...__next__ and enumerate(DataPipe)#...", NULL, UNIT_NS, VALUE(CATEGORY(STEP_DATA_LOADING)), STEPS },
	{ "dataloader_pct", "Data%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_DATA_LOADING)), PEOPLE },
	{ "cpu_exec_ns", NULL, "all other operators and labels of the host but the steps, and no Python frames", NULL, UNIT_NS, VALUE(CATEGORY(STEP_OPERATORS)), STEPS },
	{ "cpu_exec_pct", "CPU%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_OPERATORS)), PEOPLE },
	{ "data_loading_ns", NULL, "labels, else the ranges of DataLoader, with --phases", NULL, UNIT_NS, PHASE(get_phase, DATA) },
	{ "data_loading_pct", "Data%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, DATA), PEOPLE },
	{ "host_to_device_ns", NULL, "calls that copy to a device, with the aten::to or aten::copy_ around them, with --phases", NULL, UNIT_NS, PHASE(get_phase, TO_DEVICE) },
	{ "host_to_device_pct", "Copy calls%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, TO_DEVICE), PEOPLE },
	{ "forward_ns", NULL, "labels, else operators with a sequence number for autograd, with --phases", NULL, UNIT_NS, PHASE(get_phase, FORWARD) },
	{ "forward_pct", "Forward%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, FORWARD), PEOPLE },
	{ "backward_ns", NULL, "labels, else the operators of the autograd engine, with --phases", NULL, UNIT_NS, PHASE(get_phase, BACKWARD) },
	{ "backward_pct", "Backward%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, BACKWARD), PEOPLE },
	{ "optimizer_ns", NULL, "labels, else Optimizer.step#... and Optimizer.zero_grad#..., with --phases", NULL, UNIT_NS, PHASE(get_phase, OPTIMIZER) },
	{ "optimizer_pct", "Optimizer%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, OPTIMIZER), PEOPLE },
	{ "no_phase_pct", "Other%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, OTHER), PEOPLE, .leaves = 1 },
	{ "other_ns", NULL, "the rest of the step", NULL, UNIT_NS, .get = get_other },
	{ "other_pct", "Other%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_OTHER)), PEOPLE, .leaves = 1 },
	{ "gpu_busy_ns", "Busy", "time in which any stream of the device ran work", "busy", UNIT_NS, .get = get_busy, STEPS, .leaves = 2 },
	{ "gpu_idle_ns", "Idle", "the rest of the step: what ptool gaps explains", "idle", UNIT_NS, GET(get_of_device, VALUE_IDLE), STEPS },
	{ "gpu_compute_ns", "Compute", "time in which kernels ran that are neither collectives nor copies", "compute", UNIT_NS, ON_DEVICE(VIEW_COMPUTE), STEPS },
	{ "exposed_comm_ns", "Comm", "time in which collectives ran and nothing computed", NULL, UNIT_NS, ON_DEVICE(VIEW_EXPOSED_COMM), STEPS },
	{ "exposed_copy_ns", "Copies", "time in which only copies and sets ran", NULL, UNIT_NS, ON_DEVICE(VIEW_EXPOSED_COPY), STEPS },
	{ "host_start_ns", NULL, "start of the host's range, whatever the bounds", NULL, UNIT_TIME, ROW(get_own, host_start_ns), STEPS },
	{ "host_ns", NULL, "length of the host's range", NULL, UNIT_NS, ROW(get_own, values[VALUE_HOST]), STEPS },
	{ "device_events", NULL, "pieces of device work that ran in the step, on all devices", "events", UNIT_COUNT, ROW(get_own, nwork), STEPS },
	{ "is_dropped", NULL, "1: the TensorBoard plugin drops it, and the mean leaves it out", NULL, UNIT_BOOL, ROW(get_flag, is_dropped), STEPS },
	{ "is_long", NULL, "1: the host took much longer than in the median step", NULL, UNIT_BOOL, ROW(get_flag, is_long), STEPS },
	{ "grew", NULL, "the category that grew most in a long step", NULL, UNIT_TEXT, .get = get_grew, STEPS },
	{ "grew_ns", NULL, "time of that category above its median", NULL, UNIT_NS, ROW(get_if_long, grew_ns), STEPS },
	{ "grew_slice", NULL, "what the host did more in a long step", NULL, UNIT_TEXT, .get = get_grew_slice, STEPS },
	{ "grew_slice_ns", NULL, "self time of that above its mean in the other steps", NULL, UNIT_NS, .get = get_grew_slice_ns, STEPS },
	{ "grew_unrecorded_ns", NULL, "time more that is in no slice", NULL, UNIT_NS, ROW(get_if_long, grew_unrecorded_ns), STEPS },
	{ "utilization_pct", "Util%", "share of the step in which the device is busy", "utilization", UNIT_PERCENT, .get = get_utilization, STEPS, .leaves = 3 },
	{ "bounds", NULL, "bounds of the step: host or tensorboard", NULL, UNIT_TEXT, .get = get_bounds, STEPS },
	{ "gpu_data_loading_ns", "Data", "device work launched while loading data, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, DATA), .leaves = 3 },
	{ "gpu_host_to_device_ns", "Copies", "device work launched in copy calls, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, TO_DEVICE) },
	{ "gpu_forward_ns", "Forward", "device work launched in the forward pass, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, FORWARD) },
	{ "gpu_backward_ns", "Backward", "device work launched in the backward pass, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, BACKWARD) },
	{ "gpu_optimizer_ns", "Optimizer", "device work launched by the optimizer, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, OPTIMIZER) },
	{ "gpu_other_ns", "Other", "device work launched in no phase, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, OTHER), .leaves = 1 },
	{ "data_loading_from", NULL, "what told the time of data loading, with --phases", NULL, UNIT_TEXT, PHASE(get_source, DATA) },
	{ "host_to_device_from", NULL, "what told the time of copy calls, with --phases", NULL, UNIT_TEXT, PHASE(get_source, TO_DEVICE) },
	{ "forward_from", NULL, "what told the forward pass, with --phases", NULL, UNIT_TEXT, PHASE(get_source, FORWARD) },
	{ "backward_from", NULL, "what told the backward pass, with --phases", NULL, UNIT_TEXT, PHASE(get_source, BACKWARD) },
	{ "optimizer_from", NULL, "what told the optimizer, with --phases", NULL, UNIT_TEXT, PHASE(get_source, OPTIMIZER) },
	{ .name = NULL },
};
/* clang-format on */

const struct view steps_view = { .name = "steps", .fields = fields, .is_form = true };

#define WHERE "profile? rank? "

static const struct view_part categories[] = {
	{ NULL,
	  WHERE "people_step total_ns kernel_pct memcpy_pct memset_pct "
		"communication_pct runtime_pct dataloader_pct cpu_exec_pct other_pct" },
	{ .fields = NULL },
};

static const struct view_part phases[] = {
	{ NULL, WHERE "people_step total_ns data_loading_pct host_to_device_pct "
		      "forward_pct backward_pct optimizer_pct no_phase_pct" },
	{ .fields = NULL },
};

/* Below these, when a device did anything. */
static const struct view_part devices[] = {
	{ "Device time (Comm and Copies: only while nothing computes)",
	  WHERE "device? people_step utilization_pct gpu_busy_ns gpu_idle_ns "
		"gpu_compute_ns exposed_comm_ns exposed_copy_ns" },
	{ .fields = NULL },
};

static const struct view_part device_phases[] = {
	{ "Device time of what each phase launched",
	  WHERE "people_step gpu_data_loading_ns gpu_host_to_device_ns gpu_forward_ns "
		"gpu_backward_ns gpu_optimizer_ns gpu_other_ns" },
	{ .fields = NULL },
};

/* One step says no more than its mean; machines may look for it. */
static bool is_shown(const struct step_row *row, bool for_people)
{
	return !row->is_hidden && (!for_people || !row->is_mean || row->nmean > 1);
}

/* The items in the order that is asked for, but means behind the steps. */
static void sort_items(const struct step_row **items, size_t n,
		       const struct showing *from, struct view_request *show)
{
	size_t size = sizeof(const struct step_row *), nsteps = 0, nmeans = 0;
	const struct step_row **copy = xrealloc_array(NULL, n + 1, size);

	for (size_t i = 0; i < n; i++)
		if (!items[i]->is_mean)
			copy[nsteps++] = items[i];
	for (size_t i = 0; i < n; i++)
		if (items[i]->is_mean)
			copy[nsteps + nmeans++] = items[i];
	const struct view_rows steps = { from, copy, nsteps, size };
	uint32_t *order = view_order(&steps_view, &steps, show);
	for (size_t i = 0; i < n; i++)
		items[i] = copy[i < nsteps ? order[i] : i];
	free(order);
	free(copy);
	show->is_sorted = true;
	show->reverse = false;
}

/* only_first: of each profile the first device that is shown alone. */
static struct memtable *make_table(const struct steps *s, const struct scope *scope,
				   struct view_request show, bool only_first)
{
	const struct step_row **items =
		xrealloc_array(NULL, s->n + 1, sizeof(const struct step_row *));
	struct arena arena = { 0 };
	const struct showing from = { &arena, show.asked == BY_PHASE };
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (is_shown(&s->rows[i], show.for_people) &&
		    (!only_first || s->rows[i].is_first))
			items[n++] = &s->rows[i];
	if (show.sort || show.reverse)
		sort_items(items, n, &from, &show);
	const struct view_rows rows = { &from, items, n,
					sizeof(const struct step_row *) };
	struct memtable *m = view_table(&steps_view, &rows, scope, &show);
	arena_release(&arena);
	free(items);
	return m;
}

static bool has_device_work(const struct steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i].has_work)
			return true;
	return false;
}

unsigned steps_columns(bool by_phase)
{
	return by_phase ? BY_PHASE : BY_CATEGORY;
}

struct table *steps_table(const struct steps *s, const struct scope *scope,
			  const struct steps_request *request)
{
	struct view_request show = request->show;

	show.people = request->phases ? phases : categories;
	struct memtable *first =
		make_table(s, scope, show, show.for_people && !request->phases);
	struct memtable *last = first;
	if (show.for_people && !request->phases && request->bounds == BOUNDS_TENSORBOARD)
		first->table.caption = "Steps with the bounds of the TensorBoard plugin";
	if (show.for_people && has_device_work(s)) {
		show.people = request->phases ? device_phases : devices;
		last = make_table(s, scope, show, false);
		first->table.more = &last->table;
	}
	steps_add_notes(s, request, last);
	return &first->table;
}
