/* ptool diff: is it slower, by how much, is that noise, and where did it come from. */
#include <math.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/diff_sides.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/sample_options.h"
#include "cli/table_command.h"
#include "cli/view_options.h"
#include "query/diff/diff_view.h"
#include "store/need.h"

struct diff_opts {
	struct diff_side_opts sides;
	const char *by, *metric, *alpha, *min_effect, *fail_on;
	bool total, first_step, within_run, exit_code, parts[NDIFF_PARTS];
	struct view_opts view;
	struct filter_opts filter;
	struct sample_opts samples;
	struct output_opts output;
};

#define INTO(type, member) OPT_INTO(type, struct diff_opts, member)

/* What exit status 1 is for: the values of --fail-on. */
static const struct failure {
	const char *name;
	bool slower, faster, rows; /* the headline; or any row */
} failures[] = {
	{ .name = "slower", .slower = true },
	{ .name = "faster", .faster = true },
	{ .name = "any", .slower = true, .faster = true },
	{ .name = "rows", .slower = true, .faster = true, .rows = true },
	{ .name = "never" },
};

#define NFAILURES (sizeof(failures) / sizeof(*failures))

static const char *failure_name(size_t i)
{
	return i < NFAILURES ? failures[i].name : NULL;
}

/* clang-format off */
static const struct opt diff_operands[] = {
	{ .name = "side", .arg = "STORE|FILE", .help = "base and new: two, or several of each with -- between them",
	  INTO(ARGS, sides.operands), .is_divided = true },
	OPT_END
};

static const struct opt diff_views[] = {
	{ .name = "headline", .help = "show only the verdict and its statistics",
	  INTO(FLAG, parts[DIFF_PART_HEADLINE]) },
	{ .name = "accounting", .help = "show only the parts of the time that the headline compares; they add up to it",
	  INTO(FLAG, parts[DIFF_PART_ACCOUNTING]) },
	OPT_END
};

static const struct opt diff_options[] = {
	{ .name = "base", .arg = "GLOB", .help = "files of the base side, as a pattern",
	  INTO(STRINGS, sides.base), .is_read = true },
	{ .name = "new", .arg = "GLOB", .help = "files of the new side, as a pattern",
	  INTO(STRINGS, sides.new_side), .is_read = true },
	{ .name = "by", .arg = "WHAT", .help = "what to compare in rows (default: operators, or functions of call graphs)",
	  .choice_at = diff_dimension_name, INTO(CHOICE, by) },
	{ .name = "metric", .arg = "WHAT", .help = "metric to compare (default: self time, or device time where that explains most)",
	  .choice_at = diff_metric_name, INTO(CHOICE, metric) },
	{ .name = "total", .help = "compare whole runs, not steps",
	  INTO(FLAG, total) },
	{ .name = "first-step", .help = "compare the first step only",
	  INTO(FLAG, first_step) },
	{ .name = "aa", .help = "measure the noise among runs of one program",
	  INTO(FLAG, sides.aa) },
	{ .name = "alpha", .arg = "P", .help = "significance level: a change needs a smaller p",
	  INTO(STRING, alpha) },
	{ .name = "min-effect", .arg = "PERCENT", .help = "a change also needs to be larger than this share of the base",
	  INTO(STRING, min_effect) },
	{ .name = "within-run", .help = "with one run per side, compare its steps",
	  INTO(FLAG, within_run) },
	{ .name = "exit-code", .help = "exit 1 when the new side is slower, 3 when that cannot be decided",
	  INTO(FLAG, exit_code) },
	{ .name = "fail-on", .arg = "WHAT", .help = "exit 1 for this result instead of slower",
	  .choice_at = failure_name, INTO(CHOICE, fail_on) },
	VIEW_OPTIONS(struct diff_opts, view, &diff_view),
	OPT_END
};

/* As scope_options.h has them, but --run may name both sides. */
static const struct opt diff_scope[] = {
	{ .name = "run", .arg = "NAME", .help = "the run to read; given twice, base and new",
	  INTO(STRINGS, sides.runs) },
	{ .name = "rank", .arg = "N|A..B", .help = "only the profiles of these ranks",
	  INTO(STRING, sides.rank) },
	{ .name = "profile", .arg = "ID|PATH", .help = "only this profile of each run",
	  INTO(STRING, sides.profile) },
	OPT_END
};

static const struct opt_group diff_groups[] = {
	{ .title = "Operands", .opts = diff_operands },
	{ .title = "Views (default: all for people, the rows for machines)", .opts = diff_views },
	{ .opts = diff_options },
	FILTER_GROUP(struct diff_opts, filter),
	SAMPLE_GROUP(struct diff_opts, samples),
	{ .title = "Profiles", .opts = diff_scope, .is_shared = true },
	OUTPUT_GROUP(struct diff_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct diff_opts defaults = { .alpha = "0.05",
					   .min_effect = "1",
					   .view = { .limit = VIEW_LIMIT_PEOPLE },
					   .output = OUTPUT_DEFAULTS };

static bool parse_real(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	return end != text && !*end;
}

static enum diff_metric find_metric(const char *name)
{
	size_t i = 0;

	while (name && diff_metric_name(i) && strcmp(diff_metric_name(i), name) != 0)
		i++;
	return name ? (enum diff_metric)i : NDIFF_METRICS;
}

static int make_request(const struct diff_opts *o, const struct filter *filter,
			struct diff_request *request, struct err *err)
{
	*request = (struct diff_request){
		.by = o->by ? diff_dimension_find(o->by) : NULL,
		.filter = filter,
		.metric = find_metric(o->metric),
		.total = o->total,
		.first_step = o->first_step,
		.within_run = o->within_run,
	};
	if (!parse_real(o->alpha, &request->alpha) ||
	    !(request->alpha > 0 && request->alpha < 1))
		return err_set(
			err, ERR_USAGE,
			"--alpha wants a probability between 0 and 1, not '%.100s'",
			o->alpha);
	if (!parse_real(o->min_effect, &request->min_effect_pct) ||
	    !(request->min_effect_pct >= 0 && request->min_effect_pct < HUGE_VAL))
		return err_set(err, ERR_USAGE, "--min-effect wants percent, not '%.100s'",
			       o->min_effect);
	return 0;
}

static int find_part(const struct diff_opts *o, enum diff_part *part, struct err *err)
{
	bool headline = o->parts[DIFF_PART_HEADLINE],
	     accounting = o->parts[DIFF_PART_ACCOUNTING];

	if (headline && accounting)
		return err_set(
			err, ERR_USAGE,
			"--headline and --accounting are separate tables: give one");
	if (o->sides.aa && (headline || accounting))
		return err_set(err, ERR_USAGE,
			       "--aa has its own table: give it without --headline and "
			       "--accounting");
	if (o->view.sort && (headline || accounting || o->sides.aa))
		return err_set(err, ERR_USAGE, "--sort does not apply to %s",
			       headline     ? "--headline"
			       : accounting ? "--accounting"
					    : "--aa");
	*part = headline     ? DIFF_PART_HEADLINE
		: accounting ? DIFF_PART_ACCOUNTING
			     : DIFF_PART_ROWS;
	return 0;
}

/* NULL: the exit status says nothing of the result. */
static const struct failure *find_failure(const struct diff_opts *o)
{
	const char *name = o->fail_on ? o->fail_on : "slower";

	for (size_t i = 0; i < NFAILURES; i++)
		if ((o->exit_code || o->fail_on) && strcmp(failures[i].name, name) == 0)
			return &failures[i];
	return NULL;
}

static bool has_failed(const struct failure *f, const struct diff *d)
{
	return (f->slower && d->headline.verdict == DIFF_SLOWER) ||
	       (f->faster && d->headline.verdict == DIFF_FASTER) ||
	       (f->rows && d->has_significant_row);
}

/* What --exit-code and --fail-on make of it. */
static int exit_code(const char *command, const struct diff *d, const struct diff_opts *o)
{
	const struct failure *f = find_failure(o);
	struct arena arena = { 0 };
	struct err err = ERR_INIT;
	int code = EXIT_OK;

	if (!f || o->sides.aa)
		return EXIT_OK;
	const char *undecided = diff_undecided_text(d, &arena);
	if (has_failed(f, d)) {
		code = EXIT_FINDING;
	} else if (undecided && (f->slower || f->faster)) {
		err_set(&err, ERR_EMPTY, "undecided: %s", undecided);
		code = message_error(command, NULL, &err);
	}
	arena_release(&arena);
	return code;
}

#define WITH_MORE (-1)

/* Returns the exit status; WITH_MORE: nothing was printed, `from` wishes for what it needs. */
static int compare_sides(const char *command, const struct diff_opts *o,
			 struct diff_side_opts *from, struct diff_request *request,
			 enum diff_part part, const struct view_request *show)
{
	struct err err = ERR_INIT;
	struct diff_sides sides;
	struct diff d = { .request = NULL };
	struct table *table = NULL;
	const char *culprit;
	int code = EXIT_OK;
	int rc = diff_sides_open(command, from, &sides, &culprit, &err);

	if (rc < 0) {
		diff_sides_explain(&sides, &err);
		code = message_error(command, culprit, &err);
		diff_sides_close(&sides);
		return code;
	}
	for (size_t i = 0; i < NDIFF_SIDES; i++) {
		request->runs[i] = sides.runs[i];
		request->nruns[i] = sides.n[i];
	}
	rc = diff_open(&d, request, &err);
	if (rc == 0)
		rc = diff_open_view(&d, part, show, &table, &err);
	bool wants_more = diff_sides_widen(&sides, from);
	if (rc == 0 && !wants_more) {
		rc = output_table(command, table, &o->output, &err);
		wants_more = rc < 0 && diff_sides_widen(&sides, from);
	}
	if (wants_more) {
		code = WITH_MORE;
	} else if (rc < 0) {
		diff_sides_explain(&sides, &err);
		code = message_error_reading(command, d.culprit, &err);
	} else {
		code = exit_code(command, &d, o);
	}
	table_free(table);
	diff_release(&d);
	diff_sides_close(&sides);
	return code;
}

/* What it reads of folders and databases as a rule. */
static const char *tables_of(const struct diff_dimension *by, struct arena *arena)
{
	static const char always[] =
		FETCH_SMALL ",process,thread,track,device,op_stat,step_part,device_part";

	return by && by->also_reads ? arena_printf(arena, "%s,%s", always, by->also_reads)
				    : always;
}

static int compare(const char *command, const struct diff_opts *o,
		   struct diff_request *request, enum diff_part part,
		   const struct view_request *show)
{
	struct diff_side_opts from = o->sides;
	struct arena arena = { 0 };
	const struct fetch_need need = { .tables = tables_of(request->by, &arena),
					 .merges = FETCH_OPS_IN_DETAIL };
	int code = WITH_MORE;

	from.need = &need;
	while (code == WITH_MORE)
		code = compare_sides(command, o, &from, request, part, show);
	arena_release(&arena);
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct diff_opts o;
	struct err err = ERR_INIT;
	struct filter filter;
	struct diff_request request;
	struct view_request show = { .for_people = false };
	enum diff_part part = DIFF_PART_ROWS;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (view_options_want_help(&o.view))
		return view_options_help(self, &diff_view, &o.output);
	show.for_people = reading_is_for_people(&o.output);
	o.sides.is_quiet = o.output.quiet;
	if (filter_options_compile(&o.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	sample_options_set(&o.samples, &filter);
	if (make_request(&o, &filter, &request, &err) < 0 ||
	    !output_renderer(&o.output, &err) || find_part(&o, &part, &err) < 0 ||
	    view_options_read(&o.view, &diff_view, &show, &err) < 0 ||
	    diff_sides_check(&o.sides, &err) < 0 || output_check(&o.output, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = compare(self->name, &o, &request, part, &show);
	filter_release(&filter);
	return code;
}

static const char *const examples[] = {
	"ptool diff before.json.gz after.json.gz",
	"ptool diff base1.db base2.db -- new1.db new2.db",
	"ptool diff --base 'main/*.json' --new 'branch/*.json' --by kernel",
	"ptool diff --base 'main/*.json' --new 'branch/*.json' --exit-code",
	"ptool diff --aa base*.db",
	NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the sides were compared; with --exit-code: and the new side is not slower" },
	{ EXIT_FINDING, "with --exit-code: the headline is slower (or larger); with --fail-on: what it names was found" },
	EXIT_USAGE_ROW,
	{ EXIT_EMPTY, "the sides share nothing; a side is empty or lacks what was asked for; or, with --exit-code or --fail-on (but never), there are too few runs to decide" },
	EXITS_OF_READING,
};
/* clang-format on */

const struct command cmd_diff = {
	.name = "diff",
	.part = COMMAND_START,
	.question = "Did my change make it faster?",
	.summary = "Compare recordings from before and after a change",
	.groups = diff_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&diff_view, &diff_headline_view, &diff_accounting_view,
			       &diff_noise_view),
	.exits = exits,
	.run = run,
};
