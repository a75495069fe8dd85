/* ptool gaps: why devices were idle. */
#include <string.h>

#include "base/decimal.h"
#include "cli/table_command.h"
#include "query/gaps/gap_table.h"

#define THRESHOLD_NS INT64_C(30000) /* HTA's consecutive_kernel_delay */
/* Rows without --limit: of single gaps, and of --by for people. */
#define ROWS_SHOWN 20

struct gaps_opts {
	struct table_opts on;
	const char *by, *causes, *threshold, *limit;
	bool list, root, inner;
};

/* By enum gap_by. */
static const char *const bys[] = { "cause", "op",     "frame", "annotation",
				   "step",  "stream", NULL };
static const char *const cause_sets[] = { "ptool", "hta", NULL };

#define INTO(type, member) OPT_INTO(type, struct gaps_opts, member)

/* clang-format off */
static const struct opt gaps_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "what to group idle time by",
	  .choices = bys, INTO(CHOICE, by) },
	{ .name = "list", .help = "show single gaps, the longest first",
	  INTO(FLAG, list) },
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows per device (with --list in all), 0 for all (default: 20 with --list and in people's tables, else all)",
	  INTO(STRING, limit), .short_name = 'n' },
	{ .name = "inner", .help = "only idle time between a device's first and last work, as HTA counts it",
	  INTO(FLAG, inner) },
	{ .name = "root", .help = "charge the idle time after a synchronisation to that synchronisation",
	  INTO(FLAG, root) },
	{ .name = "causes", .arg = "SET", .help = "set of causes: ptool's, or HTA's three per stream",
	  .choices = cause_sets, INTO(CHOICE, causes) },
	{ .name = "threshold", .arg = "TIME", .help = "with --causes hta: gaps shorter than this are kernel_wait",
	  INTO(STRING, threshold) },
	OPT_END
};

static const struct opt_group gaps_groups[] = {
	TABLE_OPERAND,
	{ .opts = gaps_options },
	TABLE_FILTERED_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct gaps_opts defaults = {
	.by = "cause", .causes = "ptool", .threshold = "30us", .on = TABLE_DEFAULTS
};

/* Options that would be silently without effect together. */
static int check(const struct gaps_opts *o, const struct gap_table_request *r,
		 const struct filter *f, struct err *err)
{
	if (f->categories.n || f->threads.n)
		return err_set(
			err, ERR_USAGE,
			"--cat and --thread choose slices, and idle time is not a slice: "
			"'ptool list' shows slices");
	if (r->is_hta &&
	    (r->is_list || r->charges_roots || r->by != GAPS_BY_CAUSE || f->focus ||
	     f->ignore || f->has_min_dur || (o->limit && r->limit)))
		return err_set(
			err, ERR_USAGE,
			"--causes hta sums up each stream: give it without --list, "
			"--root, --by, --limit, --focus, --ignore and --min-dur");
	if (r->is_list && r->by != GAPS_BY_CAUSE)
		return err_set(err, ERR_USAGE,
			       "--list shows single gaps, --by sums them up: give one");
	if (r->is_hta && r->is_inner)
		return err_set(err, ERR_USAGE, "--causes hta implies --inner: give one");
	if (!r->is_hta && strcmp(o->threshold, defaults.threshold) != 0)
		return err_set(err, ERR_USAGE, "--threshold is for --causes hta");
	return 0;
}

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct gaps_opts *o = options;
	struct gap_table_request *r = request;
	bool people = reading_is_for_people(&o->on.output);

	*r = (struct gap_table_request){
		.filter = filter_is_given(filter) ? filter : NULL,
		.by = (enum gap_by)opt_choice_place(bys, o->by),
		.limit = o->list || people ? ROWS_SHOWN : 0,
		.threshold_ns = THRESHOLD_NS,
		.is_list = o->list,
		.is_hta = strcmp(o->causes, "hta") == 0,
		.charges_roots = o->root,
		.is_inner = o->inner,
		.for_people = people,
	};
	if (o->limit &&
	    (decimal_text_int(str_of(o->limit), &r->limit) != DECIMAL_OK || r->limit < 0))
		return err_set(err, ERR_USAGE,
			       "--limit wants a non-negative number, not '%.100s'",
			       o->limit);
	if (!filter_parse_time(str_of(o->threshold), &r->threshold_ns))
		return err_set(
			err, ERR_USAGE,
			"--threshold wants a time with its unit (30us), not '%.100s'",
			o->threshold);
	return check(o, r, filter, err);
}

TABLE_OPEN(gap_table_open)

static const char *const examples[] = { "ptool gaps trace.json",
					"ptool gaps --by frame --step 3..5",
					"ptool gaps --list --limit 5 trace.json",
					"ptool gaps --root --format json",
					"ptool gaps --causes hta --format csv",
					NULL };

static const struct table_command table = {
	.request_size = sizeof(struct gap_table_request),
	.make = make_request,
	.open = open_table,
};

const struct command cmd_gaps = {
	.name = "gaps",
	.part = COMMAND_GPU,
	.question = "Why is the GPU idle?",
	.summary = "Show why devices were idle",
	.groups = gaps_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&gaps_view, &gaps_list_view, &gaps_hta_view),
	.exits = EXITS_READING("idle time was listed, even if there was none",
			       "no device work was recorded, or no idle time matches"),
	.table = &table,
};
