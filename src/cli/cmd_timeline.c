/* ptool timeline: what streams and threads did in a step, as a picture. */
#include <unistd.h>

#include "base/decimal.h"
#include "cli/reading.h"
#include "cli/table_command.h"
#include "cli/terminal.h"
#include "query/timeline/cells.h"

#define WIDTH       120 /* where there is no terminal */
#define PIPE_LINES  40
#define WIDTH_WHOLE 400 /* with --wide */
#define CELLS_MAX   10000

struct timeline_opts {
	struct table_opts on;
	const char *limit; /* NULL: rows that fit the terminal */
	int64_t cells;
};

#define INTO(type, member) OPT_INTO(type, struct timeline_opts, member)

/* clang-format off */
static const struct opt timeline_options[] = {
	{ .name = "step", .arg = "A..B", .help = "draw these steps, both ends included (default: the step nearest to the median)",
	  INTO(STRING, on.filter.step) },
	FILTER_PHASE_TO(struct timeline_opts, on.filter.phase,
			"draw the step of this phase of an inference engine that is nearest to their median"),
	{ .name = "time", .arg = "A..B", .help = "draw this part of the recording (1ms..2.5ms)",
	  INTO(STRING, on.filter.time) },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows, 0 for all (default: as many as fit the terminal, all in machine formats)",
	  INTO(STRING, limit), .short_name = 'n' },
	{ .name = "cells", .arg = "N", .help = "cut the time into N cells (default: as many as fit the width)",
	  INTO(UINT, cells) },
	OPT_END
};

static const struct opt_group timeline_groups[] = {
	TABLE_OPERAND,
	{ .opts = timeline_options },
	FILTER_NAMES_GROUP(struct table_opts, filter),
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct timeline_opts defaults = { .on = TABLE_DEFAULTS };

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct timeline_opts *o = options;
	struct cells_request *to = request;
	int width = output_width(&o->on.output), height = terminal_height(STDOUT_FILENO);

	*to = (struct cells_request){
		.filter = filter,
		.width = width               ? width
			 : o->on.output.wide ? WIDTH_WHOLE
					     : WIDTH,
		.ncells = o->cells,
		.limit = -1,
		.lines = height ? height : PIPE_LINES,
		.for_people = reading_is_for_people(&o->on.output),
	};
	if (o->limit && (decimal_text_int(str_of(o->limit), &to->limit) != DECIMAL_OK ||
			 to->limit < 0))
		return err_set(err, ERR_USAGE,
			       "--limit wants a non-negative number, not '%.100s'",
			       o->limit);
	if (o->cells > CELLS_MAX)
		return err_set(err, ERR_USAGE, "--cells wants at most %d", CELLS_MAX);
	return 0;
}

TABLE_OPEN(cells_open)

static const char *const examples[] = {
	"ptool timeline trace.json", "ptool timeline --step 3",
	"ptool timeline --time 120ms..125ms --limit 0",
	"ptool timeline --step 3 --cells 1000 --format csv", NULL
};

static const struct table_command table = {
	.request_size = sizeof(struct cells_request),
	.make = make_request,
	.open = open_table,
};

const struct command cmd_timeline = {
	.name = "timeline",
	.part = COMMAND_START,
	.question = "What ran when, on which thread and stream?",
	.summary =
		"Draw what threads and streams did in a step, and why devices were idle",
	.groups = timeline_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&cells_view),
	.exits = EXITS_READING("the timeline was drawn",
			       "nothing with a time was recorded, or nothing matches"),
	.table = &table,
};
