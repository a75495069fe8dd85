/* ptool pstats: the listings of Python's pstats. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pstats_format.h"
#include "cli/pstats_load.h"
#include "cli/pstats_options.h"
#include "cli/sample_options.h"

#define MESSAGE_MAX ((size_t)16 << 20)
/* From that part of all rows on, reading all names costs less than single ones. */
#define FEW_NAMES 8

struct pstats_opts {
	struct opt_args operands;
	struct opt_strings sort;
	struct opt_sequence cuts;
	bool reverse, strip_dirs, callers, callees;
	struct sample_opts samples;
	struct scope_opts scope;
	struct output_opts output;
};

/* pstats' form, and the renderers. */
static const char *format_at(size_t i)
{
	if (i == 0)
		return PSTATS_FORMAT;
	return renderers[i - 1] ? renderers[i - 1]->name : NULL;
}

static const char *sort_at(size_t i)
{
	size_t n = 0;

	while (callgraph_keys[n].name)
		n++;
	if (i < n)
		return callgraph_keys[i].name;
	return i == n ? OPT_LISTS : NULL;
}

#define FIELD(member)      offsetof(struct pstats_opts, member)
#define INTO(type, member) OPT_INTO(type, struct pstats_opts, member)

/* clang-format off */
static const struct opt pstats_operands[] = {
	{ .name = "stores", .arg = "STORE|FILE", .help = "what to read and add up (default: $PTOOL_STORE or ./ptool.db)",
	  .type = OPT_ARGS },
	OPT_END
};

static const struct opt pstats_options[] = {
	{ .name = "sort", .arg = "KEYS", .help = "sort by pstats' keys, which may be shortened as pstats allows (cumulative,name); 'help' lists them",
	  .value_at = sort_at, INTO(STRINGS, sort), .short_name = 's', .is_list = true },
	{ .name = "reverse", .help = "reverse the order",
	  INTO(FLAG, reverse), .short_name = 'r' },
	{ .name = "limit", .arg = "N", .help = "cut the list to its first N functions",
	  INTO(SEQUENCE, cuts), .short_name = 'n' },
	{ .name = "fraction", .arg = "F", .help = "cut the list to this fraction of it, 0 to 1",
	  INTO(SEQUENCE, cuts) },
	{ .name = "match", .arg = "RE", .help = "cut the list to functions that match the Python regular expression",
	  INTO(SEQUENCE, cuts), .short_name = 'm' },
	{ .name = "strip-dirs", .help = "strip directories from file names, and merge functions that become equal",
	  INTO(FLAG, strip_dirs) },
	{ .name = "callers", .help = "list who called each function",
	  INTO(FLAG, callers) },
	{ .name = "callees", .help = "list what each function called",
	  INTO(FLAG, callees) },
	OPT_END
};

static const struct opt pstats_format[] = {
	{ .name = "format", .arg = "FORMAT", .help = "how to write the listing",
	  .choice_at = format_at, OPT_INTO(CHOICE, struct output_opts, format) },
	OPT_END
};

static const struct opt_group pstats_groups[] = {
	{ "Operands", pstats_operands, FIELD(operands), false },
	{ .opts = pstats_options },
	SAMPLE_GROUP(struct pstats_opts, samples),
	SCOPE_GROUP(struct pstats_opts, scope),
	{ "Output", pstats_format, FIELD(output), true },
	{ "", OUTPUT_OPTIONS_BUT_FORMAT, FIELD(output), true },
	OPT_GROUP_END
};
/* clang-format on */

static const struct pstats_opts defaults = { .output = OUTPUT_DEFAULTS };

/* What the command line asks for. */
struct request {
	const struct pstats_opts *opts;
	struct callgraph_order order;
	struct pstats_cuts cuts;
	enum callgraph_calls which;
	bool is_text; /* pstats' form */
	bool needs_names;
};

/* Where no format and no suffix asks for a table; false also when they are wrong. */
static bool is_text(const struct output_opts *o)
{
	struct err err = ERR_INIT;

	if (o->format)
		return strcmp(o->format, PSTATS_FORMAT) == 0;
	return output_renderer(o, &err) == renderers[0];
}

static int make_request(const struct pstats_opts *o, struct request *r, struct err *err)
{
	*r = (struct request){ .opts = o,
			       .order.reversed = o->reverse,
			       .which = o->callers   ? CALLS_CALLERS
					: o->callees ? CALLS_CALLEES
						     : CALLS_NONE,
			       .is_text = is_text(&o->output) };
	if (o->callers && o->callees)
		return err_set(err, ERR_USAGE,
			       "--callers and --callees are two listings: give one");
	if (pstats_parse_sort(&o->sort, &r->order, err) < 0 ||
	    pstats_parse_cuts(&o->cuts, &r->cuts, err) < 0 ||
	    scope_options_check(&o->scope, err) < 0 ||
	    (r->is_text ? output_refuse_budget(&o->output, PSTATS_FORMAT, err) < 0
			: !output_renderer(&o->output, err)) ||
	    output_check(&o->output, err) < 0)
		return -1;
	r->needs_names = r->cuts.has_match || o->strip_dirs || r->which != CALLS_NONE ||
			 callgraph_order_needs_names(&r->order);
	return 0;
}

/* Names of what is listed, where they were not needed before. */
static int read_names(struct pstats_profiles *p, const struct callgraph_list *list,
		      struct err *err)
{
	if (list->n > p->graph.nrows / FEW_NAMES)
		return callgraph_names(p->store, &p->graph, err);
	for (size_t i = 0; i < list->n; i++)
		if (callgraph_name(p->store, &p->graph,
				   p->graph.rows[list->rows[i]].function, err) < 0)
			return -1;
	/* print_stats names them above its totals */
	for (size_t i = 0; i < p->graph.nrows; i++)
		if (p->graph.rows[i].is_top_level &&
		    callgraph_name(p->store, &p->graph, p->graph.rows[i].function, err) <
			    0)
			return -1;
	return 0;
}

/* What pstats' form shows otherwise than it was. */
static void tell_faults(const char *command, const struct request *r,
			const struct callgraph *g)
{
	if (r->which == CALLS_NONE)
		return;
	if (g->noverwritten)
		message_note(command, NULL,
			     "%zu callers got the name of another caller when "
			     "directories were stripped, and replaced it, as pstats "
			     "does; --format csv adds them up",
			     g->noverwritten);
	if (g->nmixed)
		message_note(command, NULL,
			     "%zu callers have times in one file and only counts "
			     "in another, where pstats fails: only their calls are "
			     "shown",
			     g->nmixed);
}

static int write_listing(const char *command, const struct request *r,
			 const struct pstats_listing *listing, struct err *err)
{
	struct output_opts output = r->opts->output;

	if (r->is_text) {
		output.format = NULL; /* it is no renderer's */
		return pstats_format_write(command, listing, &output, err);
	}
	struct table *table =
		callgraph_table(listing->graph, listing->list, listing->which);
	int rc = output_table(command, table, &output, err);
	table_free(table);
	return rc;
}

static void add_order(const struct callgraph_order *order, struct buf *message)
{
	if (order->n == 0) {
		buf_add_text(message, "   Random listing order was used\n");
		return;
	}
	buf_add_text(message, "   Ordered by: ");
	for (size_t i = 0; i < order->n; i++)
		buf_addf(message, "%s%s", i ? ", " : "", order->keys[i]->what);
	buf_add_char(message, '\n');
}

/* Orders, cuts and writes the graph, which is that of the profiles or a stripped one. */
static int list_functions(const char *command, const struct request *r,
			  struct pstats_profiles *p, const struct callgraph *g,
			  struct err *err)
{
	uint32_t *rows = xrealloc_array(NULL, g->nrows + 1, sizeof(*rows));
	struct callgraph_list list = { .rows = rows, .n = g->nrows };
	struct buf message;

	buf_init(&message, MESSAGE_MAX);
	add_order(&r->order, &message);
	callgraph_sort(g, &r->order, rows);
	int rc = callgraph_cut_list(g, r->cuts.items, r->cuts.n, &list, &message, err);
	if (rc == 0 && p->store && !r->needs_names)
		rc = read_names(p, &list, err);
	if (rc == 0)
		rc = write_listing(command, r,
				   &(struct pstats_listing){ g, &list, r->which, p->files,
							     p->nfiles,
							     buf_str(&message) },
				   err);
	if (rc == 0 && r->is_text)
		tell_faults(command, r, g);
	if (rc == 0 && list.is_emptied_by_match)
		rc = err_set(err, ERR_EMPTY, "no function matches");
	buf_release(&message);
	free(rows);
	return rc;
}

static int list_stripped(const char *command, const struct request *r,
			 struct pstats_profiles *p, struct err *err)
{
	struct callgraph stripped;

	callgraph_init(&stripped);
	callgraph_strip(&stripped, &p->graph, r->is_text);
	int rc = list_functions(command, r, p, &stripped, err);
	callgraph_release(&stripped);
	return rc;
}

static int run_request(const char *command, const struct request *r)
{
	struct filter filter = { .focus = NULL };
	sample_options_set(&r->opts->samples, &filter);
	const struct pstats_load_request load = {
		.filter = &filter,
		.command = command,
		.operands = &r->opts->operands,
		.scope = &r->opts->scope,
		.wants_self = r->is_text,
		.is_quiet = r->opts->output.quiet,
		.parts = (r->needs_names ? CALLGRAPH_NAMES : CALLGRAPH_ROWS) |
			 (r->which == CALLS_NONE ? CALLGRAPH_ROWS : CALLGRAPH_EDGES)
	};
	struct pstats_profiles profiles;
	struct err err = ERR_INIT;
	const char *failed;

	int rc = pstats_load(&load, &profiles, &failed, &err);
	if (rc == 0) {
		rc = r->opts->strip_dirs ? list_stripped(command, r, &profiles, &err)
					 : list_functions(command, r, &profiles,
							  &profiles.graph, &err);
		if (err.kind != ERR_INPUT && err.kind != ERR_EMPTY)
			failed = NULL;
	}
	int code = rc < 0 ? message_error(command, failed, &err) : EXIT_OK;
	pstats_release(&profiles);
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct pstats_opts o;
	struct request request;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (o.sort.n && strcmp(o.sort.items[0], OPT_LISTS) == 0)
		return pstats_list_keys(self->name, &o.output);
	if (make_request(&o, &request, &err) < 0)
		return message_error(self->name, NULL, &err);
	return run_request(self->name, &request);
}

static const char *const examples[] = {
	"ptool pstats --sort cumulative --limit 20 program.prof",
	"ptool pstats --strip-dirs --sort time,name --match json --limit 9 run.prof",
	"ptool pstats --callers --match '^ptool' --format csv first.prof second.prof",
	NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the listing is complete, even if --limit or --fraction left it empty" },
	EXIT_USAGE_ROW,
	{ EXIT_EMPTY, "no function matches, no functions were recorded, or no such run or profile is in the store" },
	EXITS_OF_READING,
};
/* clang-format on */

const struct command cmd_pstats = {
	.name = "pstats",
	.part = COMMAND_PYTHON,
	.question = "What would Python's pstats print?",
	.summary = "Show a call graph as Python's pstats does",
	.groups = pstats_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
