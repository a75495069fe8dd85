/* ptool callers, ptool callees: who calls a function, and what it calls. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/reading.h"
#include "cli/suggest.h"
#include "cli/view_options.h"
#include "query/calls/call_edges.h"

struct callers_opts {
	const char *regex, *operand;
	struct view_opts show;
	bool strip_dirs;
	struct scope_opts scope;
	struct output_opts output;
};

static const char *sort_at(size_t i)
{
	return view_options_sort_at(&call_view, i);
}

#define FIELD(member)      offsetof(struct callers_opts, member)
#define INTO(type, member) OPT_INTO(type, struct callers_opts, member)

/* clang-format off */
static const struct opt callers_operands[] = {
	{ .name = "re", .arg = "RE", .help = "regular expression for file:line(name) or {built-in name}",
	  INTO(ARG, regex), .required = true },
	{ .name = "store", .arg = "STORE|FILE", .help = "what to read (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(ARG, operand) },
	OPT_END
};

static const struct opt callers_options[] = {
	VIEW_OPTIONS(FIELD(show), sort_at),
	{ .name = "strip-dirs", .help = "strip directories from file names, and merge functions that become equal",
	  INTO(FLAG, strip_dirs) },
	OPT_END
};

static const struct opt_group callers_groups[] = {
	{ .title = "Operands", .opts = callers_operands },
	{ .opts = callers_options },
	SCOPE_GROUP(struct callers_opts, scope),
	OUTPUT_GROUP(struct callers_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct callers_opts defaults = { .output = OUTPUT_DEFAULTS };

/* What open_edges() makes its table from. */
struct callers_request {
	const struct callers_opts *opts;
	const struct filter *filter;
	struct call_edges_request edges;
};

/* The function whose bare name is nearest to what was meant as one. */
static int unknown_function(const struct callgraph *g, const char *wrong, struct err *err)
{
	struct arena arena = { 0 };
	const char **names = arena_alloc(&arena, (g->nfunctions + 1) * sizeof(*names));
	size_t at = 0;

	for (size_t i = 0; i < g->nfunctions; i++)
		names[i] = arena_copy(&arena, callgraph_text(g, g->functions[i].name)).p;
	names[g->nfunctions] = NULL;
	const char *nearest = suggest_nearest(wrong, names);
	while (nearest && names[at] != nearest)
		at++;
	struct buf full;
	buf_init(&full, ERR_TEXT_MAX / 2);
	if (nearest)
		callgraph_add_name(g, (uint32_t)at, &full);
	if (full.n)
		err_set(err, ERR_EMPTY,
			"no function matches '%.100s'; did you mean " STR_FMT "?", wrong,
			STR_ARG(buf_str(&full)));
	else
		err_set(err, ERR_EMPTY,
			"no function matches '%.100s'; 'ptool top' lists them", wrong);
	buf_release(&full);
	arena_release(&arena);
	return -1;
}

static int make_table(const struct callgraph *g, const struct callers_request *r,
		      bool for_people, struct table **out, struct err *err)
{
	struct call_edges_request request = r->edges;
	struct call_matches matches;

	request.show.for_people = for_people;
	int rc = call_edges_match(g, r->filter, &matches, err);
	if (rc == 0 && matches.n == 0)
		rc = unknown_function(g, r->opts->regex, err);
	if (rc == 0)
		*out = call_edges_table(g, &matches, &request);
	if (rc == 0 && (*out)->total_rows == 0) {
		table_free(*out);
		rc = err_set(err, ERR_EMPTY, "no match of '%.100s' has %s",
			     r->opts->regex,
			     request.side == CALL_CALLERS
				     ? "callers: the recording begins there"
				     : "callees");
	}
	free(matches.functions);
	return rc;
}

static int open_edges(const struct reading *r, const void *options, struct table **out,
		      struct err *err)
{
	const struct callers_request *request = options;
	struct callgraph g, stripped = { 0 };

	callgraph_init(&g);
	int rc = callgraph_load_scope(r->store, r->scope, &g, err);
	if (rc == 0 && request->opts->strip_dirs) {
		callgraph_init(&stripped);
		callgraph_strip(&stripped, &g, false);
		rc = make_table(&stripped, request, r->for_people, out, err);
	} else if (rc == 0) {
		rc = make_table(&g, request, r->for_people, out, err);
	}
	callgraph_release(&stripped);
	callgraph_release(&g);
	return rc;
}

static int run_side(const struct command *self, enum call_side side, int argc,
		    char **argv)
{
	struct callers_opts o;
	struct err err = ERR_INIT;
	struct filter filter = { .focus = NULL };
	struct callers_request request = { .opts = &o,
					   .filter = &filter,
					   .edges.side = side };
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (view_options_want_help(&o.show))
		return view_options_help(self, &call_view, &o.output);
	const struct filter_texts texts = { .focus = o.regex, .focus_as = "RE" };
	if (view_options_read(&o.show, &call_view, &request.edges.show, &err) < 0 ||
	    filter_compile(&texts, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	code = reading_run(&(struct reading_plan){ .command = self->name,
						   .operand = o.operand,
						   .scope = &o.scope,
						   .output = &o.output,
						   .open = open_edges,
						   .options = &request });
	filter_release(&filter);
	return code;
}

static int run_callers(const struct command *self, int argc, char **argv)
{
	return run_side(self, CALL_CALLERS, argc, argv);
}

static int run_callees(const struct command *self, int argc, char **argv)
{
	return run_side(self, CALL_CALLEES, argc, argv);
}

static const char *const callers_examples[] = {
	"ptool callers 'forward$' train.prof",
	"ptool callers '{built-in' --sort calls --limit 10",
	"ptool callers decode --strip-dirs --format csv -o callers.csv", NULL
};

const struct command cmd_callers = {
	.name = "callers",
	.part = COMMAND_PYTHON,
	.question = "Who calls this function?",
	.summary = "Show who calls a function, and what these calls take",
	.groups = callers_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = callers_examples,
	.views = COMMAND_VIEWS(&call_view),
	.exits =
		EXITS_READING("there are callers",
			      "no function matches, or no matching function has callers"),
	.run = run_callers,
};

static const char *const callees_examples[] = {
	"ptool callees 'train.py:[0-9]+.step' train.prof",
	"ptool callees forward --sort self --limit 10", NULL
};

const struct command cmd_callees = {
	.name = "callees",
	.part = COMMAND_PYTHON,
	.question = "What does this function call?",
	.summary = "Show what a function calls, and what these calls take",
	.groups = callers_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = callees_examples,
	.views = COMMAND_VIEWS(&call_view),
	.exits = EXITS_READING("there are callees",
			       "no function matches, or no matching function calls "
			       "another"),
	.run = run_callees,
};
