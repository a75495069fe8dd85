/* The tables of devices: see devices.h. */
#include "query/devices/devices.h"

#include "base/intern.h"
#include "base/units.h"
#include "query/devices/device_rows.h"

/* Less than that of kernel time is not worth a note. */
#define UNKNOWN_PCT 0.005
/* A fleet has thousands of devices, and few kinds of them. */
#define NOTES_MAX 16

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(DEVICE_PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank, null where it has none", NULL, UNIT_ID, CELL(DEVICE_RANK), .flags = FIELD_KEY },
	{ "device", "Device", "number of the device; where the trace has only a text, that", NULL, UNIT_ID, CELL(DEVICE_NUMBER), .flags = FIELD_KEY },
	{ "span_ns", "Span", "time from the first to the last work", NULL, UNIT_NS, CELL(DEVICE_SPAN) },
	DEVICE_TIME_FIELDS(CELL),
	{ "utilization_pct", "Util", "share of the steps in which it is busy; null where not known", "util", UNIT_PERCENT, CELL(DEVICE_UTILIZATION) },
	{ "sm_efficiency_pct", "SM eff.", "SM efficiency of kernels in the plugin's window; likewise", NULL, UNIT_PERCENT, CELL(DEVICE_SM_EFFICIENCY) },
	{ "occupancy_pct", "Occup.", "achieved occupancy of kernels, as estimated; likewise", "occupancy", UNIT_PERCENT, CELL(DEVICE_OCCUPANCY) },
	{ "tensor_core_pct", "Tensor", "share of kernel time on Tensor Cores, of the time that is known", "tensor", UNIT_PERCENT, CELL(DEVICE_TENSOR_CORE) },
	{ "name", "Name", "name as the recording describes it; null where it does not", NULL, UNIT_TEXT, CELL(DEVICE_NAME) },
	{ "memory_bytes", "Memory", "its memory, likewise", NULL, UNIT_BYTES, CELL(DEVICE_MEMORY_BYTES) },
	{ "compute_capability", "CC", "its compute capability, likewise", NULL, UNIT_TEXT, CELL(DEVICE_CAPABILITY) },
	{ "sms", "SMs", "its number of SMs, likewise", NULL, UNIT_COUNT, CELL(DEVICE_SMS) },
	{ "events", "Events", "number of kernels, copies and sets", NULL, UNIT_COUNT, CELL(DEVICE_EVENTS) },
	{ "start_ns", "Start", "start of the span, from the profile's first event", "start", UNIT_TIME, CELL(DEVICE_START) },
	{ "edge_ns", "Edge", "time of the recording outside the span", NULL, UNIT_NS, CELL(DEVICE_EDGE) },
	{ "window_start_ns", "Window start", "start of the plugin's window; null when there is none", NULL, UNIT_TIME, CELL(DEVICE_WINDOW_START) },
	{ "window_ns", "Window", "length of that", NULL, UNIT_NS, CELL(DEVICE_WINDOW) },
	DEVICE_KERNEL_FIELDS(CELL),
	{ "tensor_core_unknown_pct", "Unknown", "share of kernel_ns whose names do not say", NULL, UNIT_PERCENT, CELL(DEVICE_TENSOR_CORE_UNKNOWN) },
	DEVICE_STEP_FIELDS(CELL),
	{ "utilization_tensorboard_pct", "Util. (TensorBoard)", "utilization as the TensorBoard plugin has it", NULL, UNIT_PERCENT, CELL(DEVICE_UTILIZATION_TENSORBOARD) },
	{ "busy_pct", "Busy/span", NULL, NULL, UNIT_PERCENT, CELL(DEVICE_BUSY_SHARE), .flags = FIELD_PEOPLE },
	{ .name = NULL },
};
/* clang-format on */

/* 80 columns with rank and profile. */
static const struct view_part parts[] = {
	{ "from the first to the last work: span = busy + idle; edge: before and after it",
	  "profile rank? device! span_ns! busy_ns! idle_ns! busy_pct edge_ns" },
	{ "busy = compute + exposed communication + exposed copies",
	  "profile rank? device! compute_ns! exposed_comm_ns exposed_copy_ns "
	  "communication_ns" },
	{ "Util: busy share of the steps; the others count kernels alone",
	  "profile rank? device! utilization_pct! sm_efficiency_pct occupancy_pct "
	  "tensor_core_pct!" },
	{ .fields = NULL },
};

const struct view devices_view = {
	.name = "devices",
	.fields = fields,
	.people = parts,
	.is_form = true,
};

/* "memory 31.74 GiB, compute capability 7.0, 80 SMs": what is known of these. */
static const char *known_properties(struct arena *arena, const struct cell *row)
{
	char memory[UNITS_TEXT_MAX], sms[UNITS_TEXT_MAX];
	struct str size = units_text(UNIT_BYTES, row[DEVICE_MEMORY_BYTES], memory);
	struct str many = units_text(UNIT_COUNT, row[DEVICE_SMS], sms);
	struct cell cc = row[DEVICE_CAPABILITY];
	const char *said = "";

	if (row[DEVICE_MEMORY_BYTES].type != CELL_NULL)
		said = arena_printf(arena, ", memory " STR_FMT, STR_ARG(size));
	if (cc.type == CELL_TEXT)
		said = arena_printf(arena, "%s, compute capability " STR_FMT, said,
				    STR_ARG(cc.as.text));
	if (row[DEVICE_SMS].type != CELL_NULL)
		said = arena_printf(arena, "%s, " STR_FMT " SMs", said, STR_ARG(many));
	return *said ? said + 2 : said;
}

/* "device 0"; of several profiles "rank 1, device 0", or "profile 2, device 0". */
static const char *device_label(struct arena *arena, const struct memtable *rows,
				const struct cell *row)
{
	char device[UNITS_TEXT_MAX], number[UNITS_TEXT_MAX];
	bool has_rank = row[DEVICE_RANK].type != CELL_NULL;
	struct cell of = row[has_rank ? DEVICE_RANK : DEVICE_PROFILE];
	struct str name = row[DEVICE_NUMBER].type == CELL_TEXT
				  ? row[DEVICE_NUMBER].as.text
				  : units_text(UNIT_ID, row[DEVICE_NUMBER], device);

	if (memtable_row(rows, 0)[DEVICE_PROFILE].as.integer ==
	    memtable_row(rows, rows->nrows - 1)[DEVICE_PROFILE].as.integer)
		return arena_printf(arena, "device " STR_FMT, STR_ARG(name));
	return arena_printf(arena, "%s " STR_FMT ", device " STR_FMT,
			    has_rank ? "rank" : "profile",
			    STR_ARG(units_text(UNIT_ID, of, number)), STR_ARG(name));
}

static void note_model(struct memtable *m, const struct memtable *rows,
		       const struct cell *row, bool is_of_many, bool has_names)
{
	const char *known = known_properties(&m->arena, row);
	const char *label = device_label(&m->arena, rows, row);
	struct str name = row[DEVICE_NAME].as.text;

	if (*known)
		memtable_add_note(m, STR_FMT "%s%s: %s", STR_ARG(name),
				  is_of_many ? " of " : "", is_of_many ? label : "",
				  known);
	else if (!has_names)
		memtable_add_note(m, "%s: " STR_FMT, label, STR_ARG(name));
}

/*
 * "Tesla V100-DGXS-32GB: memory 31.74 GiB, compute capability 7.0, 80 SMs", each once, with a
 * device where those of one name differ, as parts of one do (MIG); a name alone where the
 * table does not have it.
 */
static void note_names(struct memtable *m, const struct memtable *rows, bool has_names)
{
	const struct cell *first[NOTES_MAX]; /* by model */
	size_t nmodels = 0;
	struct arena arena = { 0 };
	struct intern models, names;

	intern_init(&models);
	intern_init(&names);
	for (size_t i = 0; i < rows->nrows && nmodels < NOTES_MAX; i++) {
		const struct cell *row = memtable_row(rows, i);
		if (row[DEVICE_NAME].type != CELL_TEXT)
			continue;
		struct str name = row[DEVICE_NAME].as.text;
		const char *model = arena_printf(&arena, STR_FMT ": %s", STR_ARG(name),
						 known_properties(&arena, row));
		intern_add(&names, name);
		if (intern_add(&models, str_of(model)) == nmodels)
			first[nmodels++] = row;
	}
	for (size_t i = 0; i < nmodels; i++)
		note_model(m, rows, first[i], nmodels > names.n, has_names);
	intern_release(&models);
	intern_release(&names);
	arena_release(&arena);
}

/* What the share on Tensor Cores is not of. */
static void note_unknown(struct memtable *m, const struct memtable *rows)
{
	size_t told = 0;

	for (size_t i = 0; i < rows->nrows && told < NOTES_MAX; i++) {
		const struct cell *row = memtable_row(rows, i);
		struct cell pct = row[DEVICE_TENSOR_CORE_UNKNOWN];
		if (pct.type != CELL_REAL || pct.as.real < UNKNOWN_PCT)
			continue;
		const char *label = device_label(&m->arena, rows, row);
		told += row[DEVICE_TENSOR_CORE].type != CELL_NULL ||
			row[DEVICE_CAPABILITY].type == CELL_TEXT;
		if (row[DEVICE_TENSOR_CORE].type != CELL_NULL)
			memtable_add_note(
				m,
				"%s: %.2f%% of kernel time has names that do not "
				"say whether it ran on Tensor Cores; Tensor is a "
				"share of the rest",
				label, pct.as.real);
		else if (row[DEVICE_CAPABILITY].type == CELL_TEXT)
			memtable_add_note(m,
					  "%s: no name of a kernel says whether it ran "
					  "on Tensor Cores",
					  label);
	}
}

int devices_open(struct store *store, const struct scope *scope,
		 const struct devices_request *request, struct table **out,
		 struct err *err)
{
	struct memtable *rows = memtable_new(NULL, NDEVICE_COLUMNS);
	int rc = device_rows(store, scope, request->filter, rows, err);

	if (rc == 0) {
		struct memtable *m =
			view_of_cells(&devices_view, rows, scope, &request->show);
		struct memtable *last = view_last_part(m);
		if (request->show.for_people) {
			note_unknown(last, rows);
			note_names(last, rows, false);
		}
		*out = &m->table;
	}
	table_free(&rows->table);
	return rc;
}

int devices_summary_open(struct store *store, const struct scope *scope,
			 struct table **out, struct err *err)
{
	/* the profiles are listed with their ranks */
	static const struct view_part summary[] = {
		{ "devices", "profile! device! name! utilization_pct! sm_efficiency_pct! "
			     "occupancy_pct! tensor_core_pct!" },
		{ .fields = NULL },
	};
	const struct view_request show = { .people = summary, .for_people = true };
	const struct filter nothing = { .focus = NULL };
	struct memtable *rows = memtable_new(NULL, NDEVICE_COLUMNS);
	int rc = device_rows(store, scope, &nothing, rows, err);

	*out = NULL;
	if (rc == 0) {
		struct memtable *m = view_of_cells(&devices_view, rows, scope, &show);
		note_unknown(m, rows);
		note_names(m, rows, true);
		*out = &m->table;
	} else if (err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		rc = 0;
	}
	table_free(&rows->table);
	return rc;
}
