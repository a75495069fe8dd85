/* ptool info: the runs and profiles of a store, and what was recorded. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memtable.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "query/pick.h"
#include "query/views.h"

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

/* By the columns of view_info. */
static const enum shown info_shown[] = {
	SHOWN_ALWAYS,      /* profile */
	SHOWN_ALWAYS,      /* run */
	SHOWN_TO_MACHINES, /* path */
	SHOWN_TO_MACHINES, /* format */
	SHOWN_TO_MACHINES, /* dialect */
	SHOWN_TO_MACHINES, /* host */
	SHOWN_ALWAYS,      /* rank */
	SHOWN_TO_MACHINES, /* world_size */
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
};

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

/* In how many rows this column is more than 0. */
static size_t count_rows(const struct memtable *m, const char *column)
{
	size_t at = 0, n = 0;

	while (strcmp(m->table.columns[at].name, column) != 0)
		at++;
	for (size_t i = 0; i < m->nrows; i++)
		n += memtable_row(m, i)[at].as.integer > 0;
	return n;
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

static void add_notes(struct memtable *m)
{
	size_t n = count_rows(m, "findings");

	note_recorded(m);
	if (n > 0)
		memtable_add_note(
			m, "%zu %s repaired or damaged events; 'ptool doctor' tells", n,
			n == 1 ? "profile has" : "profiles have");
}

static int open_info(const struct reading *r, const void *options, struct table **out,
		     struct err *err)
{
	struct view_arg args[] = { { ":profiles", cell_text(str_of(r->scope->ids)) },
				   { .name = NULL } };
	struct table *rows;

	(void)options;
	if (view_open(r->store, &view_info, args, &rows, err) < 0)
		return -1;
	struct memtable *m = memtable_new(view_info.columns, view_info.ncolumns);
	int rc = memtable_add_table(m, rows, err);
	table_free(rows);
	if (rc < 0) {
		table_free(&m->table);
		return -1;
	}
	m->table.caption = make_caption(m, r);
	if (r->for_people)
		add_notes(m);
	*out = table_pick(&m->table, info_shown, r->scope, r->for_people);
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
	.summary = "List the runs and profiles of a store, and what was recorded",
	.groups = info_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.run = run,
};
