/* ptool flame: the tree of calls as a picture, in the terminal or in a file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/flame_format.h"
#include "cli/min_option.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/sample_options.h"
#include "cli/scope_options.h"
#include "cli/table_command.h"
#include "cli/terminal.h"
#include "query/calls/flame.h"
#include "query/calls/flame_name.h"
#include "query/filter_nothing.h"
#include "query/samples/sample_choose.h"

struct flame_opts {
	const char *operand, *to, *weight, *base, *min, *root_at, *by;
	bool inverted;
	int64_t height;
	struct sample_opts samples;
	struct filter_opts filter;
	struct scope_opts scope;
	struct output_opts output;
};

/* What is asked of the store; released by release_asked(). */
struct asked {
	struct flame_request request;
	struct filter filter, root_at;
	struct flame_draw draw;
	const struct flame_format *format;
};

/* By enum flame_amount. */
static const char *const weights[] = { "host", "device", NULL };
static const char *const splits[] = { "step", NULL };

static const char *format_at(size_t i)
{
	return flame_formats[i].name;
}

#define INTO(type, member) OPT_INTO(type, struct flame_opts, member)

/* clang-format off */
static const struct opt flame_options[] = {
	{ .name = "weight", .arg = "TIME", .help = "draw time of the host, or of the device work that it launched",
	  .choices = weights, INTO(CHOICE, weight) },
	{ .name = "base", .arg = "BEFORE", .help = "compare with this STORE|FILE: colours and signs show what takes more or less time",
	  INTO(STRING, base), .is_read = true },
	{ .name = "inverted", .help = "start with the functions that took the time, with their callers below",
	  INTO(FLAG, inverted) },
	{ .name = "root-at", .arg = "RE", .help = "start paths at matching names, not at the outermost call",
	  INTO(STRING, root_at) },
	{ .name = "min", .arg = "PERCENT|TIME", .help = "sum up calls below this share (5) or this time (1ms)",
	  INTO(STRING, min) },
	{ .name = "by", .arg = "WHAT", .help = "show each step of training by itself",
	  INTO(CHOICE, by), .choices = splits },
	OPT_END
};

static const struct opt draw_options[] = {
	{ .name = "to", .arg = "FORMAT", .help = "what to draw",
	  .choice_at = format_at, INTO(CHOICE, to) },
	{ .name = "output", .arg = "FILE", .help = "write to this file; its suffix may choose the format",
	  INTO(STRING, output.path), .short_name = 'o', .is_written = true },
	{ .name = "force", .help = "replace FILE when it exists",
	  INTO(FLAG, output.force), .short_name = 'f' },
	{ .name = "color", .arg = "WHEN", .help = "use colour",
	  .choices = terminal_color_choices, INTO(CHOICE, output.color) },
	{ .name = "width", .arg = "COLUMNS", .help = "draw this wide (default: the terminal's width, or 120)",
	  INTO(UINT, output.width) },
	{ .name = "height", .arg = "LINES", .help = "draw at most this high (default: the terminal's height, or 60 levels)",
	  INTO(UINT, height) },
	{ .name = "quiet", .help = "do not report what was read into the cache",
	  INTO(FLAG, output.quiet), .short_name = 'q' },
	OPT_END
};

static const struct opt_group flame_groups[] = {
	OPERAND_GROUP(struct flame_opts, operand),
	{ .opts = flame_options },
	SAMPLE_GROUP(struct flame_opts, samples),
	FILTER_GROUP(struct flame_opts, filter),
	SCOPE_GROUP(struct flame_opts, scope),
	{ .title = "Output", .opts = draw_options },
	OPT_GROUP_END
};
/* clang-format on */

static const struct flame_opts defaults = { .output = { .color = "auto",
							.no_pager = true } };

#define LARGEST_PICTURE 10000 /* cells, each way */

static int set_draw(const struct flame_opts *o, struct asked *a, struct err *err)
{
	bool is_shown = output_to_stdout(&o->output);
	int fd = is_shown ? STDOUT_FILENO : -1;

	if (o->output.width > LARGEST_PICTURE || o->height > LARGEST_PICTURE)
		return err_set(err, ERR_USAGE, "--width and --height are at most %d",
			       LARGEST_PICTURE);
	a->draw.width = o->output.width ? (int)o->output.width : terminal_width(fd);
	a->draw.height = o->height ? (int)o->height : is_shown ? terminal_height(fd) : 0;
	a->draw.title = operand_name(o->operand);
	a->draw.base_title = o->base;
	a->draw.shorten = flame_name_add;
	return 0;
}

/* Before a store is opened. */
static int make(const struct flame_opts *o, struct asked *a, struct err *err)
{
	const struct filter_texts root = { .focus = o->root_at, .focus_as = "--root-at" };
	struct call_tree_request *calls = &a->request.calls;

	a->format = flame_format_choose(o->to, &o->output, err);
	if (!a->format || scope_options_check(&o->scope, err) < 0 ||
	    output_check(&o->output, err) < 0 || set_draw(o, a, err) < 0 ||
	    filter_compile(&root, &a->root_at, err) < 0 ||
	    filter_options_compile(&o->filter, &a->filter, err) < 0)
		return -1;
	sample_options_set(&o->samples, &a->filter);
	if (a->filter.streams.n || a->filter.devices.n)
		return err_set(err, ERR_USAGE,
			       "--stream and --device choose device work, which has no "
			       "callers: see 'ptool list' and 'ptool top'");
	a->request.is_inverted = o->inverted;
	a->request.by = o->weight && strcmp(o->weight, weights[FLAME_DEVICE]) == 0
				? FLAME_DEVICE
				: FLAME_HOST;
	*calls = (struct call_tree_request){ .filter = &a->filter,
					     .root_at = o->root_at ? &a->root_at : NULL,
					     .kernels = a->request.by == FLAME_DEVICE ||
							a->format->has_both,
					     .by_step = o->by != NULL };
	if (o->min &&
	    min_option_parse(o->min, &calls->min_ns, &calls->min_share_pct, err) < 0)
		return -1;
	a->draw.min_pct = calls->min_share_pct;
	a->draw.min_amount = calls->min_ns;
	return 0;
}

static void release_asked(struct asked *a)
{
	filter_release(&a->filter);
	filter_release(&a->root_at);
}

static int write_to(const struct flame_opts *o, const struct asked *a,
		    const struct flame *flame, struct err *err)
{
	struct flame_draw draw = a->draw;
	struct output out;

	if (output_open(&out, "flame", &o->output, err) < 0)
		return -1;
	draw.color = out.render.color;
	errno = 0;
	int rc = a->format->write(flame, &draw, &out, err);
	if (ferror(out.stream)) {
		out.write_errno = errno;
		rc = 0; /* output_close() knows a reader that went away from a full disk */
	}
	struct err closing = ERR_INIT;
	if (output_close(&out, rc == 0, rc == 0 ? err : &closing) < 0)
		rc = -1;
	return rc;
}

/* A side that is read. */
struct side {
	enum flame_side which;
	const char *path; /* NULL: the default store */
	struct scope_opts scoped;
	struct operand operand;
};

static int add_scope(struct flame_builder *b, struct side *side, struct err *err)
{
	struct store *store = side->operand.store;
	struct scope scope;

	if (scope_options_load(store, &side->scoped, &scope, err) < 0)
		return -1;
	const struct filter *filter = b->request->calls.filter;
	if (sample_choice_check(&filter->samples, &scope, err) < 0 ||
	    filter_find_steps(filter, store, &scope, err) < 0) {
		scope_release(&scope);
		return -1;
	}
	int rc = flame_add(b, store, &scope, side->which, err);
	if (rc < 0 && err->kind == ERR_EMPTY)
		filter_explain(store, &scope, filter, err);
	scope_release(&scope);
	return rc;
}

static int add_side(struct flame_builder *b, struct side *side, bool is_quiet,
		    struct err *err)
{
	const struct operand_wish wish = { .command = "flame",
					   .path = side->path,
					   .is_quiet = is_quiet,
					   .scope = &side->scoped,
					   .wants_slices = true };

	if (operand_open_for(&wish, &side->operand, err) < 0)
		return -1;
	int rc = add_scope(b, side, err);
	if (rc < 0)
		operand_explain(&side->operand, err);
	operand_close(&side->operand);
	return rc;
}

/* *culprit: the file that a message is about. */
static int draw(const struct flame_opts *o, const struct asked *a, const char **culprit,
		struct err *err)
{
	struct side base = { FLAME_BASE, o->base, { .rank = o->scope.rank }, { 0 } };
	struct side now = { FLAME_NOW, o->operand, o->scope, { 0 } };
	struct flame_builder b;
	struct flame flame;
	int rc = 0;

	flame_start(&b, &flame, &a->request);
	*culprit = o->base;
	if (o->base)
		rc = add_side(&b, &base, o->output.quiet, err);
	if (rc == 0) {
		*culprit = operand_name(o->operand);
		rc = add_side(&b, &now, o->output.quiet, err);
	}
	rc = flame_finish(&b, rc, err);
	if (rc == 0)
		rc = write_to(o, a, &flame, err);
	flame_release(&flame);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct asked a = { .draw = { .width = 0 } };
	struct err err = ERR_INIT;
	const char *culprit = NULL;
	struct flame_opts o;
	int code = EXIT_OK;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (make(&o, &a, &err) < 0) {
		code = message_error(self->name, NULL, &err);
	} else if (draw(&o, &a, &culprit, &err) < 0) {
		code = message_error_reading(self->name, culprit, &err);
	}
	release_asked(&a);
	return code;
}

static const char *const examples[] = {
	"ptool flame trace.json", "ptool flame trace.json --weight device -o kernels.svg",
	"ptool flame after.json --base before.json",
	"ptool flame train.prof --root-at forward", NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the picture was drawn" },
	EXIT_USAGE_ROW,
	{ EXIT_EMPTY, "no call matches; or the run holds both traces and call graphs: choose with --profile" },
	EXITS_OF_READING,
};
/* clang-format on */

const struct command cmd_flame = {
	.name = "flame",
	.part = COMMAND_PYTHON,
	.question = "Where does the time go, as a flame graph?",
	.summary = "Draw the tree of calls as a flame graph",
	.groups = flame_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
