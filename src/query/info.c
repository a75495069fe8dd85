/* What was recorded: see info.h. */
#include "query/info.h"

#include <sys/stat.h>

#include "base/idmap.h"
#include "base/shell_word.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/devices/device_work.h"
#include "query/devices/devices.h"
#include "query/graphs/graph_names.h"
#include "query/query.h"
#include "query/samples/sample_series.h"
#include "trace/axes.h"

/* clang-format off */
/* The cells of a row: the columns of info.sql. */
enum { INFO_PROFILE, INFO_RUN, INFO_NAME, INFO_PATH, INFO_FORMAT, INFO_DIALECT, INFO_HOST,
       INFO_RANK, INFO_WORLD, INFO_RANK_SOURCE, INFO_WORKER, INFO_SPAN, INFO_START,
       INFO_START_MINUTE, INFO_SPAN_NS, INFO_SLICES, INFO_STEPS, INFO_DEVICES, INFO_MEMORY,
       INFO_SHAPES, INFO_STACKS, INFO_FLOPS, INFO_FINDINGS, INFO_BYTES, INFO_DEVICE_TYPE,
       INFO_TP, INFO_DP, INFO_PP, INFO_EP, INFO_CP, INFO_STEPS_FROM, NINFO_CELLS };
/* clang-format on */

/* Bits of struct field's `needs`: what people see; machines get all of it. */
enum {
	OF_RUNS = 1,
	OF_NAMES = 2,
	OF_SPANS = 4,
	OF_STARTS = 8,
	OF_FORMATS = 16,
	OF_TP = 32, /* and the bits above it: the other axes */
	OF_DP = 64,
	OF_PP = 128,
	OF_EP = 256,
	OF_CP = 512
};

#define CELL(place) .get = view_cell, .arg = (place)
#define PEOPLE      .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "ID", "number of the profile, for --profile", NULL, UNIT_ID, CELL(INFO_PROFILE) },
	{ "run", "Run", "name of its run, for --run", NULL, UNIT_TEXT, CELL(INFO_RUN), .needs = OF_RUNS },
	{ "name", "Worker", NULL, NULL, UNIT_TEXT, CELL(INFO_NAME), PEOPLE, .needs = OF_NAMES },
	{ "path", "File", "the file, as it was when it was ingested", NULL, UNIT_TEXT, CELL(INFO_PATH) },
	{ "format", "Format", "format, as in ptool-formats(5)", NULL, UNIT_TEXT, CELL(INFO_FORMAT), .needs = OF_FORMATS },
	{ "dialect", "Dialect", "dialect, likewise", NULL, UNIT_TEXT, CELL(INFO_DIALECT) },
	{ "host", "Host", "host, as the file gives it", NULL, UNIT_TEXT, CELL(INFO_HOST) },
	{ "rank", "Rank", "rank, likewise", NULL, UNIT_ID, CELL(INFO_RANK) },
	{ "world_size", "World size", "ranks of the job, likewise", NULL, UNIT_COUNT, CELL(INFO_WORLD) },
	{ "rank_source", "Rank source", "where the rank comes from: recording, name, axes or order, as ptool-ingest(1) explains", NULL, UNIT_TEXT, CELL(INFO_RANK_SOURCE) },
	{ "worker", "Worker", "worker in the name that tensorboard_trace_handler gave the file", NULL, UNIT_TEXT, CELL(INFO_WORKER) },
	{ "span", "Span no.", "place among that worker's files, from 1", NULL, UNIT_COUNT, CELL(INFO_SPAN), .needs = OF_SPANS },
	{ "start", "Start (UTC)", "the first event in UTC, to the nanosecond, if the file has the time of day", NULL, UNIT_TEXT, CELL(INFO_START) },
	{ "start_minute", "Start (UTC)", NULL, NULL, UNIT_TEXT, CELL(INFO_START_MINUTE), PEOPLE, .needs = OF_STARTS },
	{ "span_ns", "Span", "from the first event to the end of the last", NULL, UNIT_NS, CELL(INFO_SPAN_NS) },
	{ "slices", "Slices", "number of slices", NULL, UNIT_COUNT, CELL(INFO_SLICES) },
	{ "steps", "Steps", "number of steps", NULL, UNIT_COUNT, CELL(INFO_STEPS) },
	{ "devices", "Devices", "number of devices that did work", NULL, UNIT_COUNT, CELL(INFO_DEVICES) },
	{ "has_memory", "Memory", "whether profile_memory was on", NULL, UNIT_BOOL, CELL(INFO_MEMORY) },
	{ "has_shapes", "Shapes", "whether record_shapes was on", NULL, UNIT_BOOL, CELL(INFO_SHAPES) },
	{ "has_stacks", "Stacks", "whether with_stack was on", NULL, UNIT_BOOL, CELL(INFO_STACKS) },
	{ "has_flops", "FLOPs", "whether with_flops was on", NULL, UNIT_BOOL, CELL(INFO_FLOPS) },
	{ "findings", "Findings", "number of kinds of findings: ptool doctor lists them", NULL, UNIT_COUNT, CELL(INFO_FINDINGS) },
	{ "input_bytes", "Input", "size of the decompressed file", NULL, UNIT_BYTES, CELL(INFO_BYTES) },
	{ "device_type", "Device type", "of a trace: CPU when no device did work, else MTIA, HPU or GPU", NULL, UNIT_TEXT, CELL(INFO_DEVICE_TYPE) },
	{ "tp", "TP", "place in its tensor parallel group, from 0, if the recording or its name has it", NULL, UNIT_ID, CELL(INFO_TP), .needs = OF_TP },
	{ "dp", "DP", "place in its data parallel group, likewise", NULL, UNIT_ID, CELL(INFO_DP), .needs = OF_DP },
	{ "pp", "PP", "pipeline stage, likewise", NULL, UNIT_ID, CELL(INFO_PP), .needs = OF_PP },
	{ "ep", "EP", "place in its expert parallel group, likewise", NULL, UNIT_ID, CELL(INFO_EP), .needs = OF_EP },
	{ "cp", "CP", "place in its context parallel group, likewise", NULL, UNIT_ID, CELL(INFO_CP), .needs = OF_CP },
	{ "steps_from", "Steps from", "what marks the steps: ProfilerStep, step_num, --step-name, file name, or whose annotations or frames", NULL, UNIT_TEXT, CELL(INFO_STEPS_FROM) },
	{ .name = NULL },
};
/* clang-format on */

const struct view info_view = {
	.name = "info",
	.fields = fields,
	.people = VIEW_PART(
		"profile! run! name! format rank tp dp pp ep cp span start_minute span_ns slices "
		"steps devices"),
};

static int load(struct store *store, const struct scope *scope, struct memtable **out,
		struct err *err)
{
	*out = memtable_new(NULL, NINFO_CELLS);
	if (query_rows(store, asset_query_views_info_sql, scope->ids, *out, err) == 0)
		return 0;
	table_free(&(*out)->table);
	return -1;
}

static int64_t sum_of(const struct memtable *rows, int cell)
{
	int64_t sum = 0;

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *at = &memtable_row(rows, i)[cell];
		sum = sum_add(sum, at->type == CELL_INT ? at->as.integer : 0);
	}
	return sum;
}

static size_t count_runs(const struct scope *scope)
{
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++)
		n += i == 0 || scope->profiles[i].run_id != scope->profiles[i - 1].run_id;
	return n;
}

/* "ptool.db: 2 runs, 3 profiles, 600.00 KiB" */
static const char *make_caption(struct memtable *m, const char *path,
				const struct scope *scope)
{
	char runs[UNITS_TEXT_MAX], profiles[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
	size_t nruns = count_runs(scope), n = scope->n;
	struct stat st;

	units_text(UNIT_COUNT, cell_int((int64_t)nruns), runs);
	units_text(UNIT_COUNT, cell_int((int64_t)n), profiles);
	char *caption = arena_printf(&m->arena, "%s: %s %s, %s %s", path, runs,
				     nruns == 1 ? "run" : "runs", profiles,
				     n == 1 ? "profile" : "profiles");
	if (!store_is(path) || stat(path, &st) < 0)
		return caption;
	units_text(UNIT_BYTES, cell_int(st.st_size), size);
	return arena_printf(&m->arena, "%s, %s", caption, size);
}

/* In how many rows this column is more than so much. */
static size_t count_above(const struct memtable *m, int column, int64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *cell = &memtable_row(m, i)[column];
		n += cell->type == CELL_INT && cell->as.integer > least;
	}
	return n;
}

static size_t count_rows(const struct memtable *m, int column)
{
	return count_above(m, column, 0);
}

/* In how many rows this column is that text; NULL: any. */
static size_t count_texts(const struct memtable *m, int column, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *cell = &memtable_row(m, i)[column];
		n += cell->type == CELL_TEXT && (!text || str_is(cell->as.text, text));
	}
	return n;
}

/* Do ranks not tell the profiles of a run apart: is there none, or one twice? */
static bool has_unranked(const struct scope *scope)
{
	struct idmap seen;
	bool found = false;

	idmap_init(&seen, 0);
	for (size_t i = 0; i < scope->n && !found; i++) {
		const struct scope_profile *p = &scope->profiles[i];
		bool is_beside = i > 0 && p->run_id == p[-1].run_id;
		int64_t key = (int64_t)((uint64_t)p->run_id << 32 | (uint32_t)p->rank);
		found = (is_beside && (!p->has_rank || !p[-1].has_rank)) ||
			(p->has_rank && idmap_first(&seen, key));
		idmap_add(&seen, key, 0);
	}
	idmap_release(&seen);
	return found;
}

/*
 * What people see: where profiles are known by their workers or files, those; there is
 * room in 80 columns without the start, and of one run the name is said below.
 */
static unsigned people_want(struct memtable *m, const struct scope *scope)
{
	/* What has no slices is no trace: what it is says more than the rest of its row. */
	unsigned asked = count_rows(m, INFO_SLICES) < m->nrows ? OF_FORMATS : 0U;

	for (int axis = 0; axis < NAXES; axis++)
		if (count_above(m, INFO_TP + axis, 0) > 0)
			asked |= (unsigned)OF_TP << axis;
	if (count_texts(m, INFO_WORKER, NULL) +
			    count_texts(m, INFO_RANK_SOURCE, "order") ==
		    0 &&
	    !has_unranked(scope))
		return asked | OF_RUNS | OF_STARTS;
	asked |= OF_NAMES | (count_above(m, INFO_SPAN, 1) > 0 ? OF_SPANS : 0U);
	if (count_runs(scope) > 1)
		return asked | OF_RUNS;
	memtable_add_note(m, "run: %s", scope->profiles[0].run);
	return asked;
}

struct recorded {
	int column;
	const char *word;
};

static const struct recorded recorded[] = {
	{ INFO_SHAPES, "shapes" },
	{ INFO_MEMORY, "memory" },
	{ INFO_STACKS, "stacks" },
	{ INFO_FLOPS, "flops" },
};
#define NRECORDED (sizeof(recorded) / sizeof(recorded[0]))

/* "recorded: shapes, memory (in 4 of 5 profiles); not recorded: stacks, flops" */
static void note_recorded(struct memtable *m, const struct scope *scope)
{
	const char *yes = "", *no = "";

	if (count_rows(m, INFO_SLICES) == 0 || scope_is_sampled_memory(scope))
		return; /* call graphs or mprof alone, which have none of it */
	for (size_t i = 0; i < NRECORDED; i++) {
		const char *word = recorded[i].word;
		size_t n = count_rows(m, recorded[i].column);
		if (n > 0 && n < m->nrows)
			word = arena_printf(&m->arena, "%s (in %zu of %zu profiles)",
					    word, n, m->nrows);
		const char **list = n > 0 ? &yes : &no;
		*list = arena_printf(&m->arena, "%s%s%s", *list, **list ? ", " : "",
				     word);
	}
	memtable_add_note(m, "%s%s%s%s%s", *yes ? "recorded: " : "", yes,
			  *yes && *no ? "; " : "", *no ? "not recorded: " : "", no);
}

/* Where ranks come from, when the recordings do not tell them. */
static void note_ranks(struct memtable *m)
{
	size_t named = count_texts(m, INFO_RANK_SOURCE, "name");
	size_t ordered = count_texts(m, INFO_RANK_SOURCE, "order");
	size_t placed = count_texts(m, INFO_RANK_SOURCE, "axes");

	if (placed)
		memtable_add_note(m, "the ranks of %zu profiles are computed from axes",
				  placed);
	if (named)
		memtable_add_note(m,
				  "the rank%s of %zu profile%s %s from the file name%s",
				  named == 1 ? "" : "s", named, named == 1 ? "" : "s",
				  named == 1 ? "is" : "are", named == 1 ? "" : "s");
	if (ordered)
		memtable_add_note(m,
				  "no rank was recorded in %zu profiles: they are "
				  "numbered in the order of their names",
				  ordered);
}

/* That of the first profile that is no CPU's. */
static struct str device_type(const struct memtable *m)
{
	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *type = &memtable_row(m, i)[INFO_DEVICE_TYPE];
		if (type->type == CELL_TEXT && !str_is(type->as.text, "CPU"))
			return type->as.text;
	}
	return STR_LIT("CPU");
}

/* What the TensorBoard plugin calls the configuration, which is that of one run. */
static void note_configuration(struct memtable *m, const struct scope *scope)
{
	size_t traces = count_texts(m, INFO_DEVICE_TYPE, NULL);
	size_t later = count_above(m, INFO_SPAN, 1); /* spans of the same workers */
	size_t workers = traces > later ? traces - later : traces;

	if (count_runs(scope) == 1 && traces > 0)
		memtable_add_note(m, "%zu %s, device type " STR_FMT, workers,
				  workers == 1 ? "worker" : "workers",
				  STR_ARG(device_type(m)));
}

/* What marks the steps of the first profile that has some, as most profiles have it. */
static void note_steps(struct memtable *m)
{
	static const char *const marks[] = { "ProfilerStep", "step_num", "--step-name",
					     "file name", "args.step" };
	bool is_mark = false;
	size_t at = 0;

	while (at < m->nrows && memtable_row(m, at)[INFO_STEPS_FROM].type != CELL_TEXT)
		at++;
	if (at == m->nrows)
		return;
	struct str from = memtable_row(m, at)[INFO_STEPS_FROM].as.text;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		is_mark |= str_is(from, marks[i]);
	is_mark |= str_contains(from, STR_LIT(" frames"));
	memtable_add_note(m, "steps from: " STR_FMT "%s", STR_ARG(from),
			  is_mark ? "" : " annotations");
}

/*
 * " --run NAME" of the first profile with a number there, where the list is of several runs:
 * other commands read one of them.
 */
static const char *of_run(struct memtable *m, const struct scope *scope, int cell)
{
	for (size_t i = 0; i < m->nrows && count_runs(scope) > 1; i++) {
		const struct cell *row = memtable_row(m, i);
		if (row[cell].type != CELL_INT || row[cell].as.integer == 0)
			continue;
		const char *run = arena_copy(&m->arena, row[INFO_RUN].as.text).p;
		return arena_printf(&m->arena, " --run %s", shell_word_or(run, "NAME"));
	}
	return "";
}

static void add_notes(struct memtable *m, const struct scope *scope)
{
	size_t n = count_rows(m, INFO_FINDINGS);

	note_configuration(m, scope);
	note_steps(m);
	note_ranks(m);
	note_recorded(m, scope);
	const char *run = of_run(m, scope, INFO_FINDINGS);
	if (n > 0)
		memtable_add_note(
			m, "%zu %s repaired or damaged events; 'ptool doctor%s' lists %s",
			n, n == 1 ? "profile has" : "profiles have", run,
			*run && n > 1 ? "those of that run" : "them");
}

/* Reading all the device work of more slices than this takes longer than a list may. */
#define SLICES_MAX 10000000

/* How much of what graphs replayed is known by its operators. */
static int note_names(struct store *store, const struct scope *scope, struct memtable *m,
		      struct err *err)
{
	struct graph_names_share share;

	if (count_rows(m, INFO_DEVICES) == 0 || sum_of(m, INFO_SLICES) > SLICES_MAX)
		return 0;
	if (graph_names_sum(store, scope, &share, err) < 0)
		return -1;
	if (share.replayed_ns > 0)
		memtable_add_note(m,
				  "replayed graphs: the operators of %.1f%% of their "
				  "device time are known",
				  100.0 * (double)share.named_ns /
					  (double)share.replayed_ns);
	return 0;
}

/* What belongs below the list: how well the devices were used.  NULL: nothing. */
static int open_devices(struct store *store, const struct scope *scope,
			struct memtable *m, struct table **out, struct err *err)
{
	struct device_launches launches;

	*out = NULL;
	if (count_rows(m, INFO_DEVICES) == 0) {
		if (device_launches(store, scope->ids, scope_has_slices(scope), &launches,
				    err) < 0)
			return -1;
		if (launches.run)
			memtable_add_note(m, DEVICE_LOST, (long long)launches.run,
					  launches.run == 1 ? "" : "s", ";");
		return 0;
	}
	if (sum_of(m, INFO_SLICES) <= SLICES_MAX)
		return devices_summary_open(store, scope, out, err);
	memtable_add_note(m, "'ptool devices%s' shows how busy the devices were",
			  of_run(m, scope, INFO_DEVICES));
	return 0;
}

int info_open(struct store *store, const struct scope *scope, const char *path,
	      bool for_people, struct table **out, struct err *err)
{
	struct view_request show = { .for_people = for_people, .asked = ~0U };
	struct table *below = NULL;
	struct memtable *rows;

	if (load(store, scope, &rows, err) < 0)
		return -1;
	rows->table.caption = make_caption(rows, path, scope);
	if (for_people) {
		show.asked = people_want(rows, scope);
		add_notes(rows, scope);
	}
	int rc = for_people ? note_names(store, scope, rows, err) : 0;
	if (rc == 0 && for_people)
		rc = open_devices(store, scope, rows, &below, err);
	if (rc == 0 && for_people && !below)
		rc = sample_series_open(store, scope, &below, err);
	if (rc == 0) {
		*out = &view_of_cells(&info_view, rows, scope, &show)->table;
		(*out)->more = below;
	}
	table_free(&rows->table);
	return rc;
}
