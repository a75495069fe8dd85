/* ptool gate: does a recording keep its budgets? */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/gate.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/reading.h"

struct gate_opts {
	const char *budget, *dir, *alpha, *junit, *verdict_file;
	struct diff_side_opts sides;
	int64_t runs;
	bool within_run, power, github;
	struct output_opts output;
};

#define INTO(type, member) OPT_INTO(type, struct gate_opts, member)

/* clang-format off */
static const struct opt gate_operands[] = {
	{ .name = "new", .arg = "STORE|FILE", .help = "the new runs (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(ARGS, sides.operands) },
	OPT_END
};

static const struct opt gate_options[] = {
	{ .name = "file", .arg = "FILE", .help = "the budgets",
	  INTO(STRING, budget), .short_name = 'f', .is_read = true },
	{ .name = "dir", .arg = "FOLDER", .help = "folder of the baselines (default: $PTOOL_BASELINES or .ptool/baselines)",
	  INTO(STRING, dir) },
	{ .name = "alpha", .arg = "P", .help = "a failure needs a smaller p",
	  INTO(STRING, alpha) },
	{ .name = "within-run", .help = "with one run per side, compare its steps",
	  INTO(FLAG, within_run) },
	{ .name = "power", .help = "show how small a change the gate would detect, given the noise of its baselines",
	  INTO(FLAG, power) },
	{ .name = "runs", .arg = "N", .help = "with --power, the number of new runs (default: as many as the baseline has)",
	  INTO(UINT, runs) },
	{ .name = "run", .arg = "NAME", .help = "a new run of the store",
	  INTO(STRINGS, sides.runs) },
	OPT_END
};

static const struct opt report_options[] = {
	{ .name = "junit", .arg = "FILE", .help = "also write JUnit XML",
	  INTO(STRING, junit), .is_written = true },
	{ .name = "github", .help = "also print annotations, and add to $GITHUB_STEP_SUMMARY",
	  INTO(FLAG, github) },
	{ .name = "verdict-file", .arg = "FILE", .help = "also write the verdict: pass, fail or inconclusive",
	  INTO(STRING, verdict_file), .is_written = true },
	OPT_END
};

static const struct opt_group gate_groups[] = {
	{ .title = "Operands", .opts = gate_operands },
	{ .opts = gate_options },
	{ .title = "Reports", .opts = report_options },
	{ "Output", output_options_long_force, offsetof(struct gate_opts, output), true },
	OPT_GROUP_END
};
/* clang-format on */

static const struct gate_opts defaults = { .budget = BUDGET_FILE,
					   .alpha = "0.01",
					   .output = OUTPUT_DEFAULTS };

/* All of it but whether the file exists. */
static int check_output(const struct output_opts *o, struct err *err)
{
	struct output_opts forced = *o;

	forced.force = true;
	return output_renderer(o, err) ? output_check(&forced, err) : -1;
}

/* As output_check() refuses it, whose -f is another option here. */
static int refuse_existing(const struct output_opts *o, struct err *err)
{
	struct stat st;

	if (!output_to_stdout(o) && !o->force && stat(o->path, &st) == 0 &&
	    S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "%s exists; --force replaces it", o->path);
	return 0;
}

static int check(const struct gate_opts *o, double *alpha, struct err *err)
{
	char *end;

	*alpha = strtod(o->alpha, &end);
	if (end == o->alpha || *end || !(*alpha > 0 && *alpha < 1))
		return err_set(
			err, ERR_USAGE,
			"--alpha wants a probability between 0 and 1, not '%.100s'",
			o->alpha);
	if (o->runs && !o->power)
		return err_set(err, ERR_USAGE, "--runs is for --power");
	if (o->power && (o->sides.operands.n || o->sides.runs.n))
		return err_set(err, ERR_USAGE,
			       "--power reads only the baselines: give no new runs");
	if (o->power && (o->junit || o->github || o->verdict_file))
		return err_set(err, ERR_USAGE,
			       "--power has no verdict: give it without --junit, "
			       "--github and "
			       "--verdict-file");
	return check_output(&o->output, err);
}

static int report(const struct gate *g, const struct gate_opts *o, struct err *err)
{
	if (o->junit && gate_write_junit(g, o->junit, err) < 0)
		return -1;
	if (o->verdict_file && gate_write_verdict(g, o->verdict_file, err) < 0)
		return -1;
	if (!o->github)
		return 0;
	gate_annotate(g, o->budget);
	return gate_write_summary(g, err);
}

static int show(const struct gate *g, const struct gate_opts *o, struct err *err)
{
	bool for_people = reading_is_for_people(&o->output);
	struct memtable *m = o->power ? gate_power_table(g, (size_t)o->runs, for_people)
				      : gate_table(g, for_people);
	struct gate_token token;
	int rc = o->github ? gate_stop_commands(&token, err) : 0;

	if (rc == 0) {
		rc = output_table("gate", &m->table, &o->output, err);
		if (o->github)
			gate_resume_commands(&token);
	}
	table_free(&m->table);
	return rc < 0 || o->power ? rc : report(g, o, err);
}

static int exit_code(const struct gate *g, const struct gate_opts *o)
{
	static const int codes[] = {
		[GATE_PASS] = EXIT_OK,
		[GATE_FAIL] = EXIT_FINDING,
		[GATE_INCONCLUSIVE] = EXIT_EMPTY,
	};

	return o->power ? EXIT_OK : codes[g->verdict];
}

/* What an error is about: a line of the budgets, or a run. */
static const char *culprit_of(const struct gate *g, const struct gate_opts *o,
			      const struct err *err, struct arena *arena)
{
	if (err->kind == ERR_USAGE && g->budgets.line)
		return arena_printf(arena, "%s:%d", o->budget, g->budgets.line);
	if (err->names_culprit)
		return NULL;
	return g->culprit ? g->culprit : g->budgets.n ? NULL : o->budget;
}

/* The exit status; *is_judged: it is that of the verdict, and all of it was written. */
static int judge(const struct gate_opts *o, const struct gate_plan *plan, bool *is_judged)
{
	struct err err = ERR_INIT;
	struct arena arena = { 0 };
	struct gate g;
	int rc = gate_load(&g, o->budget, plan, &err);

	if (rc == 0)
		rc = show(&g, o, &err);
	int code = rc < 0 ? message_error("gate", culprit_of(&g, o, &err, &arena), &err)
			  : exit_code(&g, o);
	*is_judged = rc == 0;
	arena_release(&arena);
	gate_release(&g);
	return code;
}

/*
 * Of an earlier gate: who reads it would take its verdict for this one's.  But not where it
 * is the file of -o, which only --force replaces.  Of a link the file goes that it leads to:
 * reports are written through links.
 */
static void drop_report(const char *path, const struct output_opts *o)
{
	struct stat st, kept;

	if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	if (!o->force && !output_to_stdout(o) && stat(o->path, &kept) == 0 &&
	    kept.st_dev == st.st_dev && kept.st_ino == st.st_ino)
		return;
	char *file = realpath(path, NULL);
	if (file)
		(void)unlink(file);
	free(file);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct gate_opts o;
	struct err err = ERR_INIT;
	struct diff_sides sides = { .inputs = NULL };
	const char *culprit = NULL;
	bool is_judged = false;
	double alpha;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	int rc = check(&o, &alpha, &err);
	o.sides.aa = true;
	o.sides.is_quiet = o.output.quiet;
	o.sides.baselines = o.dir;
	const struct gate_plan plan = { .command = self->name,
					.new_side = &sides,
					.directory = o.dir,
					.alpha = alpha,
					.within_run = o.within_run,
					.is_power = o.power,
					.is_quiet = o.output.quiet };
	if (rc == 0)
		rc = diff_sides_check(&o.sides, &err);
	bool is_asked = rc == 0; /* else a mistyped name may be another file's */
	if (rc == 0)
		rc = refuse_existing(&o.output, &err);
	if (rc == 0 && !o.power)
		rc = diff_sides_open(self->name, &o.sides, &sides, &culprit, &err);
	if (rc < 0) {
		diff_sides_explain(&sides, &err);
		code = message_error(self->name, culprit, &err);
	} else {
		code = judge(&o, &plan, &is_judged);
	}
	if (is_asked && !is_judged) {
		drop_report(o.junit, &o.output);
		drop_report(o.verdict_file, &o.output);
	}
	diff_sides_close(&sides);
	return code;
}

static const char *const examples[] = {
	"ptool gate -f ptool.budget new.json",
	"ptool gate new*.db --junit gate.xml --verdict-file verdict",
	"ptool gate --github new*.db || [ $? -eq 3 ]", "ptool gate --power --runs 4", NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "every budget is kept, or its failure is acknowledged" },
	{ EXIT_FINDING, "a budget is broken" },
	{ EXIT_USAGE, "a mistake in the command line or in the budgets; or the output exists" },
	{ EXIT_EMPTY, "inconclusive: none is broken, but some cannot be decided, for want of runs or because the recording lacks it; or a baseline is empty" },
	{ EXIT_INPUT, "a store, file, baseline or the budgets are missing, cannot be read, or are of another schema" },
	{ EXIT_IO, "a report or the cache cannot be written, or memory runs out" },
	{ EXIT_INTERRUPT, "interrupted while a file was read into the cache" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_gate = {
	.name = "gate",
	.part = COMMAND_START,
	.question = "Are performance budgets met, in CI?",
	.summary = "Judge recordings by budgets and baselines",
	.groups = gate_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&gate_view, &gate_power_view),
	.exits = exits,
	.run = run,
};
