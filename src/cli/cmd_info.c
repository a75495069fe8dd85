/* ptool info: the runs and profiles of a store, and what was recorded. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memtable.h"
#include "base/sum.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "query/devices/device_work.h"
#include "query/devices/devices.h"
#include "query/pick.h"
#include "query/sql_views.h"

struct info_opts {
	const char *operand;
	struct scope_opts scope;
	struct output_opts output;
};

/* clang-format off */
static const struct opt_group info_groups[] = {
	OPERAND_GROUP(struct info_opts, operand),
	SCOPE_GROUP(struct info_opts, scope),
	OUTPUT_GROUP(struct info_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct info_opts defaults = { .output = OUTPUT_DEFAULTS };

/* By the columns of sql_view_info; fit_people() makes room for names. */
static const enum shown info_shown[] = {
	SHOWN_ALWAYS,      /* profile */
	SHOWN_ALWAYS,      /* run */
	SHOWN_NEVER,       /* name */
	SHOWN_TO_MACHINES, /* path */
	SHOWN_TO_MACHINES, /* format */
	SHOWN_TO_MACHINES, /* dialect */
	SHOWN_TO_MACHINES, /* host */
	SHOWN_ALWAYS,      /* rank */
	SHOWN_TO_MACHINES, /* world_size */
	SHOWN_TO_MACHINES, /* rank_source */
	SHOWN_TO_MACHINES, /* worker */
	SHOWN_TO_MACHINES, /* span */
	SHOWN_TO_MACHINES, /* start */
	SHOWN_TO_PEOPLE,   /* start_minute */
	SHOWN_ALWAYS,      /* span_ns */
	SHOWN_ALWAYS,      /* slices */
	SHOWN_ALWAYS,      /* steps */
	SHOWN_ALWAYS,      /* devices */
	SHOWN_TO_MACHINES, /* has_memory */
	SHOWN_TO_MACHINES, /* has_shapes */
	SHOWN_TO_MACHINES, /* has_stacks */
	SHOWN_TO_MACHINES, /* has_flops */
	SHOWN_TO_MACHINES, /* findings */
	SHOWN_TO_MACHINES, /* input_bytes */
	SHOWN_TO_MACHINES, /* device_type */
};

#define NCOLUMNS (sizeof(info_shown) / sizeof(info_shown[0]))

static size_t count_runs(const struct scope *scope)
{
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++)
		n += i == 0 || scope->profiles[i].run_id != scope->profiles[i - 1].run_id;
	return n;
}

/* "ptool.db: 2 runs, 3 profiles, 600.00 KiB" */
static const char *make_caption(struct memtable *m, const struct reading *r)
{
	char runs[UNITS_TEXT_MAX], profiles[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
	size_t nruns = count_runs(r->scope), n = r->scope->n;
	struct stat st;

	units_text(UNIT_COUNT, cell_int((int64_t)nruns), runs);
	units_text(UNIT_COUNT, cell_int((int64_t)n), profiles);
	char *caption = arena_printf(&m->arena, "%s: %s %s, %s %s", r->path, runs,
				     nruns == 1 ? "run" : "runs", profiles,
				     n == 1 ? "profile" : "profiles");
	if (!store_is(r->path) || stat(r->path, &st) < 0)
		return caption;
	units_text(UNIT_BYTES, cell_int(st.st_size), size);
	return arena_printf(&m->arena, "%s, %s", caption, size);
}

static size_t column_at(const char *name)
{
	size_t at = 0;

	while (strcmp(sql_view_info.columns[at].name, name) != 0)
		at++;
	return at;
}

static const struct cell *cell_at(const struct memtable *m, size_t row,
				  const char *column)
{
	return &memtable_row(m, row)[column_at(column)];
}

/* In how many rows this column is more than so much. */
static size_t count_above(const struct memtable *m, const char *column, int64_t least)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *cell = cell_at(m, i, column);
		n += cell->type == CELL_INT && cell->as.integer > least;
	}
	return n;
}

static size_t count_rows(const struct memtable *m, const char *column)
{
	return count_above(m, column, 0);
}

/* In how many rows this column is that text; NULL: any. */
static size_t count_texts(const struct memtable *m, const char *column, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nrows; i++) {
		const struct cell *cell = cell_at(m, i, column);
		n += cell->type == CELL_TEXT && (!text || str_is(cell->as.text, text));
	}
	return n;
}

/* Does a run hold several profiles that no rank tells apart? */
static bool has_unranked(const struct scope *scope)
{
	for (size_t i = 1; i < scope->n; i++) {
		const struct scope_profile *p = &scope->profiles[i];
		if (p->run_id == p[-1].run_id && (!p->has_rank || !p[-1].has_rank))
			return true;
	}
	return false;
}

/*
 * Where profiles are known by their workers or files, those are shown; there is
 * room in 80 columns without the start, and of one run the name is said below.
 */
static void fit_people(struct memtable *m, const struct scope *scope, enum shown *shown)
{
	if (count_texts(m, "worker", NULL) + count_texts(m, "rank_source", "order") ==
		    0 &&
	    !has_unranked(scope))
		return;
	shown[column_at("name")] = SHOWN_TO_PEOPLE;
	shown[column_at("start_minute")] = SHOWN_NEVER;
	if (count_above(m, "span", 1) > 0)
		shown[column_at("span")] = SHOWN_ALWAYS;
	if (count_runs(scope) > 1)
		return;
	shown[column_at("run")] = SHOWN_TO_MACHINES;
	memtable_add_note(m, "run: %s", scope->profiles[0].run);
}

struct recorded {
	const char *column, *word;
};

static const struct recorded recorded[] = {
	{ "has_shapes", "shapes" },
	{ "has_memory", "memory" },
	{ "has_stacks", "stacks" },
	{ "has_flops", "flops" },
};
#define NRECORDED (sizeof(recorded) / sizeof(recorded[0]))

/* "recorded: shapes, memory (in 4 of 5 profiles); not recorded: stacks, flops" */
static void note_recorded(struct memtable *m)
{
	const char *yes = "", *no = "";

	if (count_rows(m, "slices") == 0)
		return; /* call graphs alone, which have none of it */
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
	size_t named = count_texts(m, "rank_source", "name");
	size_t ordered = count_texts(m, "rank_source", "order");

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
		const struct cell *type = cell_at(m, i, "device_type");
		if (type->type == CELL_TEXT && !str_is(type->as.text, "CPU"))
			return type->as.text;
	}
	return STR_LIT("CPU");
}

/* What the TensorBoard plugin calls the configuration, which is that of one run. */
static void note_configuration(struct memtable *m, const struct scope *scope)
{
	size_t traces = count_texts(m, "device_type", NULL);

	if (count_runs(scope) == 1 && traces > 0)
		memtable_add_note(m, "%zu %s, device type " STR_FMT, traces,
				  traces == 1 ? "worker" : "workers",
				  STR_ARG(device_type(m)));
}

static void add_notes(struct memtable *m, const struct scope *scope)
{
	size_t n = count_rows(m, "findings");

	note_configuration(m, scope);
	note_ranks(m);
	note_recorded(m);
	if (n > 0)
		memtable_add_note(
			m, "%zu %s repaired or damaged events; 'ptool doctor' tells", n,
			n == 1 ? "profile has" : "profiles have");
}

/* Reading all the device work of more slices than this takes longer than a list may. */
#define SLICES_MAX 10000000

/* What belongs below the list: how well the devices were used.  NULL: nothing. */
static int open_devices(struct memtable *m, const struct reading *r, struct table **out,
			struct err *err)
{
	int64_t slices = 0, launches = 0;

	*out = NULL;
	if (count_rows(m, "devices") == 0) {
		if (device_launches(r->store, r->scope->ids, &launches, err) < 0)
			return -1;
		if (launches)
			memtable_add_note(
				m,
				"%lld calls launched kernels, and none of these "
				"was recorded; 'ptool advise' says what to check",
				(long long)launches);
		return 0;
	}
	for (size_t i = 0; i < r->scope->n; i++)
		slices = sum_add(slices, r->scope->profiles[i].slices);
	if (slices <= SLICES_MAX)
		return devices_summary_open(r->store, r->scope, out, err);
	memtable_add_note(m, "'ptool devices' tells how well the devices were used");
	return 0;
}

static int open_info(const struct reading *r, const void *options, struct table **out,
		     struct err *err)
{
	struct sql_view_arg args[] = { { ":profiles", cell_text(str_of(r->scope->ids)) },
				       { .name = NULL } };
	struct table *rows;

	(void)options;
	if (sql_view_open(r->store, &sql_view_info, args, &rows, err) < 0)
		return -1;
	struct memtable *m = memtable_new(sql_view_info.columns, sql_view_info.ncolumns);
	int rc = memtable_add_table(m, rows, err);
	table_free(rows);
	if (rc < 0) {
		table_free(&m->table);
		return -1;
	}
	enum shown shown[NCOLUMNS];
	struct table *below = NULL;
	memcpy(shown, info_shown, sizeof(shown));
	m->table.caption = make_caption(m, r);
	if (r->for_people) {
		fit_people(m, r->scope, shown);
		add_notes(m, r->scope);
		if (open_devices(m, r, &below, err) < 0) {
			table_free(&m->table);
			return -1;
		}
	}
	*out = table_pick(&m->table, shown, r->scope, r->for_people);
	(*out)->more = below;
	return 0;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct info_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	return reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o.operand,
						   .scope = &o.scope,
						   .output = &o.output,
						   .all_runs = true,
						   .open = open_info });
}

static const char *const examples[] = { "ptool info", "ptool info trace.json",
					"ptool info --format json | jq .rows", NULL };

const struct command cmd_info = {
	.name = "info",
	.part = COMMAND_START,
	.question = "What was recorded, on which devices?",
	.summary = "List the runs and profiles of a store, and what was recorded",
	.groups = info_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = EXITS_READING("there is something to list",
			       "the store holds no run, or none as asked for"),
	.run = run,
};
