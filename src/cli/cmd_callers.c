/* ptool callers, ptool callees: who calls a function, and what it calls. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell_word.h"
#include "cli/sample_options.h"
#include "cli/suggest.h"
#include "cli/table_command.h"
#include "query/calls/call_edges.h"
#include "query/findings.h"
#include "query/samples/sample_choose.h"

struct callers_opts {
	struct table_opts on;
	const char *regex;
	struct view_opts show;
	bool strip_dirs;
	struct sample_opts samples;
};

#define FIELD(member)      offsetof(struct callers_opts, member)
#define INTO(type, member) OPT_INTO(type, struct callers_opts, member)

/* clang-format off */
static const struct opt callers_operands[] = {
	{ .name = "re", .arg = "RE", .help = "regular expression for file:line(name) or {built-in name}",
	  INTO(ARG, regex), .required = true },
	{ .name = "store", .arg = "STORE|FILE", .help = "what to read (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(ARG, on.operand) },
	OPT_END
};

static const struct opt callers_options[] = {
	VIEW_OPTIONS(struct callers_opts, show, &call_view),
	{ .name = "strip-dirs", .help = "strip directories from file names, and merge functions that become equal",
	  INTO(FLAG, strip_dirs) },
	OPT_END
};

static const struct opt_group callers_groups[] = {
	{ .title = "Operands", .opts = callers_operands },
	{ .opts = callers_options },
	SAMPLE_GROUP(struct callers_opts, samples),
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct callers_opts defaults = { .on = TABLE_DEFAULTS };

struct callers_request {
	const struct callers_opts *opts;
	struct filter filter; /* of RE */
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
		      bool is_mixed, struct table **out, struct err *err)
{
	struct call_edges_request edges = r->edges;
	struct call_matches matches;

	edges.is_mixed = is_mixed;
	int rc = call_edges_match(g, &r->filter, &matches, err);
	if (rc == 0 && matches.n == 0)
		rc = unknown_function(g, r->opts->regex, err);
	if (rc == 0)
		*out = call_edges_table(g, &matches, &edges);
	if (rc == 0 && (*out)->total_rows == 0) {
		table_free(*out);
		rc = err_set(err, ERR_EMPTY, "no match of '%.100s' has %s",
			     r->opts->regex,
			     r->edges.side == CALL_CALLERS
				     ? "callers: nothing that was recorded calls it"
				     : "callees");
	}
	free(matches.functions);
	return rc;
}

/* Of sampled stacks those that the options choose. */
static int load(const struct reading *r, const struct filter *filter, struct callgraph *g,
		struct err *err)
{
	if (sample_choice_check(&filter->samples, r->scope, err) < 0)
		return -1;
	return callgraph_load_scope(r->store, r->scope, filter, g, err);
}

static int open_edges(const struct reading *r, void *from, struct table **out,
		      struct err *err)
{
	const struct callers_request *request = from;
	struct callgraph g, stripped = { 0 };
	bool is_mixed = findings_have(r->store, r->scope, FINDING_THREADS_MIXED);

	callgraph_init(&g);
	int rc = load(r, &request->filter, &g, err);
	if (rc == 0 && request->opts->strip_dirs) {
		callgraph_init(&stripped);
		callgraph_strip(&stripped, &g, false);
		rc = make_table(&stripped, request, is_mixed, out, err);
	} else if (rc == 0) {
		rc = make_table(&g, request, is_mixed, out, err);
	}
	callgraph_release(&stripped);
	callgraph_release(&g);
	return rc;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A file in place of the function: that was forgotten, or comes second. */
static int check_operands(const struct callers_opts *o, enum call_side side,
			  struct err *err)
{
	const char *second = o->on.operand;

	if (!is_file(o->regex) || (second && access(second, F_OK) == 0))
		return 0;
	return err_set(err, ERR_USAGE,
		       "%.200s is a file: the function comes first: 'ptool %s %.99s %s'",
		       o->regex, side == CALL_CALLERS ? "callers" : "callees",
		       second ? shell_word_or(second, "RE") : "RE",
		       second ? shell_word_or(o->regex, "FILE") : "FILE");
}

static int make_side(const struct callers_opts *o, enum call_side side,
		     struct callers_request *request, struct err *err)
{
	const struct filter_texts texts = { .focus = o->regex, .focus_as = "RE" };

	if (check_operands(o, side, err) < 0)
		return -1;
	request->opts = o;
	request->edges.side = side;
	request->edges.show.asked = call_edges_asked(side);
	if (filter_compile(&texts, &request->filter, err) < 0)
		return -1;
	sample_options_set(&o->samples, &request->filter);
	return 0;
}

static int make_callers(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	(void)filter;
	return make_side(options, CALL_CALLERS, request, err);
}

static int make_callees(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	(void)filter;
	return make_side(options, CALL_CALLEES, request, err);
}

static void release(void *request)
{
	filter_release(&((struct callers_request *)request)->filter);
}

/* clang-format off */
#define EDGES_TABLE(how)							\
	{									\
		.request_size = sizeof(struct callers_request),			\
		.make = (how), .open = open_edges, .release = release,		\
		.view = &call_view,						\
		.sorting = FIELD(show),						\
		.show = offsetof(struct callers_request, edges.show),		\
	}
/* clang-format on */
static const struct table_command callers_table = EDGES_TABLE(make_callers);
static const struct table_command callees_table = EDGES_TABLE(make_callees);

static const char *const callers_examples[] = {
	"ptool callers 'forward$' train.prof",
	"ptool callers '{built-in' --sort calls --limit 10",
	"ptool callers decode --strip-dirs --format csv -o callers.csv", NULL
};

const struct command cmd_callers = {
	.name = "callers",
	.part = COMMAND_PYTHON,
	.question = "Who calls this function?",
	.summary = "Show who calls a function, and how long these calls take",
	.groups = callers_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = callers_examples,
	.views = COMMAND_VIEWS(&call_view, &sampled_call_view),
	.exits =
		EXITS_READING("there are callers",
			      "no function matches, or no matching function has callers"),
	.table = &callers_table,
};

static const char *const callees_examples[] = {
	"ptool callees 'train.py:[0-9]+.step' train.prof",
	"ptool callees forward --sort self --limit 10", NULL
};

const struct command cmd_callees = {
	.name = "callees",
	.part = COMMAND_PYTHON,
	.question = "What does this function call?",
	.summary = "Show what a function calls, and how long these calls take",
	.groups = callers_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = callees_examples,
	.views = COMMAND_VIEWS(&call_view, &sampled_call_view),
	.exits = EXITS_READING("there are callees",
			       "no function matches, or no matching function calls "
			       "another"),
	.table = &callees_table,
};
