/*
 * ptool top: the operator table, torch's key_averages(); of a call graph its
 * functions.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/sample_options.h"
#include "cli/scope_options.h"
#include "cli/table_command.h"
#include "cli/torch_format.h"
#include "cli/view_options.h"
#include "query/lines/line_profile.h"
#include "query/samples/sample_choose.h"
#include "query/samples/sample_top.h"
#include "query/top/top.h"

struct top_opts {
	struct table_opts on;
	struct view_opts view;
	struct opt_strings by;
	bool flops, tensor_cores, top_level;
	struct torch_opts torch;
	struct sample_opts samples;
};

/* What --format takes beside the renderers. */
#define TORCH_FORMAT "torch"

static const char *format_at(size_t i)
{
	size_t n = 0;

	while (renderers[n])
		n++;
	if (i < n)
		return renderers[i]->name;
	return i == n ? TORCH_FORMAT : NULL;
}

static const struct view *const views[] = {
	&top_view, &label_view, &function_view, &sample_view, &line_functions_view, NULL
};

/* Keys of operators, and those that labels and functions alone have. */
static const char *sort_at(size_t i)
{
	size_t n = 0;

	for (size_t v = 0; views[v]; v++)
		for (const struct field *f = views[v]->fields; f->name; f++)
			if (view_sorts_by(f) &&
			    (v == 0 || !view_field(&top_view, f->name)) && n++ == i)
				return f->name;
	return i == n ? OPT_LISTS : NULL;
}

#define OUTPUT             offsetof(struct table_opts, output)
#define INTO(type, member) OPT_INTO(type, struct top_opts, member)

/* clang-format off */
static const struct opt top_options[] = {
	VIEW_OPTIONS_KEYS(struct top_opts, view, .value_at = sort_at),
	{ .name = "by", .arg = "WHAT", .help = "group rows by the name and these, joined by commas (stack:N for N frames; annotation is a table of labels)",
	  .choice_of = view_options_by_at, .of = &top_view, INTO(STRINGS, by), .is_list = true },
	{ .name = "flops", .help = "show floating-point operations, computed from the shapes",
	  INTO(FLAG, flops) },
	{ .name = "tensor-cores", .help = "show which operators could use Tensor Cores, and how much of their device time did",
	  INTO(FLAG, tensor_cores) },
	{ .name = "top-level", .help = "only operators whose first call is not inside another",
	  INTO(FLAG, top_level) },
	OPT_END
};

static const struct opt top_format[] = {
	{ .name = "format", .arg = "FORMAT", .help = "output format",
	  .choice_at = format_at, OPT_INTO(CHOICE, struct output_opts, format) },
	OPT_END
};

static const struct opt_group top_groups[] = {
	TABLE_OPERAND,
	{ .opts = top_options },
	{ "Torch's own table (--format torch)", torch_options, offsetof(struct top_opts, torch), false },
	FILTER_GROUP(struct table_opts, filter),
	SAMPLE_GROUP(struct top_opts, samples),
	SCOPE_GROUP(struct table_opts, scope),
	{ "Output", top_format, OUTPUT, true },
	{ "", OUTPUT_OPTIONS_BUT_FORMAT, OUTPUT, true },
	OPT_GROUP_END
};
/* clang-format on */

static const struct top_opts defaults = { .view = { .limit = 20 }, .on = TABLE_DEFAULTS };

static bool is_torch(const struct top_opts *o)
{
	return o->on.output.format && strcmp(o->on.output.format, TORCH_FORMAT) == 0;
}

/* Options that exclude each other: 0, or -1 with an ERR_USAGE. */
static int check(const struct top_opts *o, const struct top_query *query, struct err *err)
{
	unsigned asked = query->show.asked;
	unsigned torchs = TOP_SHAPE | TOP_STACK | TOP_OVERLOAD | TOP_FLOPS;

	if (asked & TOP_ANNOTATION && (asked != TOP_ANNOTATION || o->top_level ||
				       filter_needs_slices(query->filter)))
		return err_set(
			err, ERR_USAGE,
			"--by annotation is a separate table: it takes only --sort, "
			"--limit, --focus, --ignore, --step, and profile and output "
			"options");
	if (is_torch(o) && asked & ~torchs)
		return err_set(
			err, ERR_USAGE,
			"--format torch takes only --by shape, stack and overload, and "
			"no --tensor-cores");
	return is_torch(o) ? 0 : torch_options_check(&o->torch, err);
}

static const struct view *view_of(const struct top_query *query)
{
	return query->show.asked & TOP_ANNOTATION ? &label_view : &top_view;
}

/* Whether it is a call graph is seen when it is read: its keys pass. */
static int read_view(const struct top_opts *o, struct top_query *query, struct err *err)
{
	struct view_opts view = o->view;
	bool passes = view_of(query) == &top_view && view.sort &&
		      !view_field(&top_view, view.sort) &&
		      (view_field(&function_view, view.sort) ||
		       view_field(&sample_view, view.sort) ||
		       view_field(&line_functions_view, view.sort));

	if (passes)
		view.sort = NULL;
	return view_options_read(&view, view_of(query), &query->show, err);
}

/* What is asked; the query borrows the filter, which borrows what it holds. */
struct top_request {
	struct top_query query;
	struct filter filter;
};

static int make_request(const void *options, const struct filter *filter, void *out,
			struct err *err)
{
	const struct top_opts *o = options;
	struct top_request *request = out;
	struct top_query *query = &request->query;
	bool for_people = !is_torch(o) && reading_is_for_people(&o->on.output);

	request->filter = *filter;
	sample_options_set(&o->samples, &request->filter);
	*query = (struct top_query){ .filter = &request->filter,
				     .show = { .for_people = for_people },
				     .own_order = !o->view.sort && for_people,
				     .top_level = o->top_level && !is_torch(o),
				     .torch_times = is_torch(o) };
	for (size_t i = 0; i < o->by.n; i++)
		if (top_by_add(query, o->by.items[i], err) < 0)
			return -1;
	query->show.asked |=
		(o->flops ? TOP_FLOPS : 0) | (o->tensor_cores ? TOP_TENSOR_CORES : 0);
	if (read_view(o, query, err) < 0)
		return -1;
	return check(o, query, err);
}

/* Which of the summaries top_load() reads: one grain, and ranks apart only when asked for. */
static void need_of(const void *from, struct fetch_need *out)
{
	const struct top_query *query = &((const struct top_request *)from)->query;
	unsigned asked = query->show.asked;
	unsigned detail = TOP_SHAPE | TOP_STACK | TOP_OVERLOAD;
	unsigned apart = TOP_PROFILE_SPLITS;

	out->tables = asked & TOP_ANNOTATION ? FETCH_SMALL ",annotation_stat"
					     : FETCH_SMALL ",op_stat,graph_name_part";
	if (asked & TOP_TENSOR_CORES)
		out->tables = FETCH_SMALL ",device,op_stat,graph_name_part";
	out->grains = asked & TOP_SPLIT(TOP_BY_STEP) || query->filter->has_steps
			      ? FETCH_OPS_OF_STEPS
		      : asked & detail ? FETCH_OPS_IN_DETAIL
				       : FETCH_OPS_BY_NAME;
	out->merges = asked & apart ? 0 : out->grains;
}

/* A call graph has neither slices nor anything to split its functions by. */
static int check_functions(const struct top_opts *o, const struct filter *filter,
			   struct err *err)
{
	if (o->by.n || o->flops || o->tensor_cores || o->top_level || is_torch(o))
		return err_set(err, ERR_USAGE,
			       "--by, --flops, --tensor-cores, --top-level and --format "
			       "torch are for traces; this profile has only functions");
	return filter_check_call_graph(filter, err);
}

static int open_functions(const struct reading *r, const struct top_query *query,
			  struct table **out, struct err *err)
{
	struct view_request show = { .for_people = r->for_people };
	const struct top_opts *o = r->options;
	const struct filter *filter = query->filter;

	if (check_functions(o, filter, err) < 0 ||
	    view_options_read(&o->view, &function_view, &show, err) < 0)
		return -1;
	return top_functions(r->store, r->scope, filter, &show, out, err);
}

/* A sample has neither operators nor device work. */
static int open_samples(const struct reading *r, const struct top_query *query,
			struct table **out, struct err *err)
{
	const struct top_opts *o = r->options;
	unsigned asked = query->show.asked;
	struct view_request show = { .for_people = r->for_people, .asked = asked };

	if (asked & ~(TOP_LINE | TOP_FILE | TOP_SPLIT(TOP_BY_THREAD)) || o->top_level ||
	    is_torch(o))
		return err_set(err, ERR_USAGE,
			       "sampled stacks take only --by line, file and thread; "
			       "--flops, --tensor-cores, --top-level and --format torch "
			       "are for traces");
	if (view_options_read(&o->view, &sample_view, &show, err) < 0)
		return -1;
	return sample_top_open(r->store, r->scope, query->filter, &show, out, err);
}

static int open_lines(const struct reading *r, const struct top_query *query,
		      struct table **out, struct err *err)
{
	const struct top_opts *o = r->options;
	struct line_request lines = { .filter = query->filter,
				      .show.for_people = r->for_people };

	if (check_functions(o, lines.filter, err) < 0 ||
	    view_options_read(&o->view, &line_functions_view, &lines.show, err) < 0)
		return -1;
	return line_functions_open(r->store, r->scope, &lines, out, err);
}

static int open_top(const struct reading *r, void *from, struct table **out,
		    struct err *err)
{
	struct top_query query = ((struct top_request *)from)->query;
	const struct top_opts *o = r->options;
	struct top_rows rows;
	enum scope_kind kind;

	if (scope_kind(r->scope, &kind, err) < 0 ||
	    sample_choice_check(&query.filter->samples, r->scope, err) < 0)
		return -1;
	if (kind == SCOPE_CALL_GRAPHS)
		return open_functions(r, &query, out, err);
	if (kind == SCOPE_SAMPLES)
		return open_samples(r, &query, out, err);
	if (kind == SCOPE_LINES)
		return open_lines(r, &query, out, err);
	if (query.show.asked & (TOP_LINE | TOP_FILE))
		return err_set(err, ERR_USAGE,
			       "--by line and --by file are for sampled stacks; this is "
			       "a trace");
	if (view_options_read(&o->view, view_of(&query), &query.show, err) < 0)
		return -1;
	if (query.show.asked & TOP_ANNOTATION)
		return top_annotations(r->store, r->scope, &query, out, err);
	int rc = top_load(r->store, r->scope, &query, &rows, err);
	if (rc == 0)
		*out = top_table(&rows, &query);
	top_release(&rows);
	return rc;
}

static int write_torch(const struct command *self, const struct top_opts *o,
		       const struct top_query *query, struct store *store,
		       struct err *err)
{
	struct output_opts output = o->on.output;
	struct top_rows rows = { .norder = 0 };
	struct scope scope;
	enum scope_kind kind;

	output.format = NULL; /* it is no renderer's */
	if (scope_options_load(store, &o->on.scope, &scope, err) < 0)
		return -1;
	int rc = scope_kind(&scope, &kind, err);
	if (rc == 0 && (kind == SCOPE_CALL_GRAPHS || kind == SCOPE_LINES))
		rc = check_functions(o, query->filter, err);
	if (rc == 0 && kind == SCOPE_SAMPLES)
		rc = err_set(err, ERR_USAGE,
			     "--format torch is for traces; these are sampled stacks");
	if (rc == 0)
		rc = sample_choice_check(&query->filter->samples, &scope, err);
	if (rc == 0)
		rc = filter_find_steps(query->filter, store, &scope, err);
	if (rc == 0)
		rc = top_load(store, &scope, query, &rows, err);
	if (rc == 0) {
		const struct torch_request torch = { &rows, &scope, query, &o->torch,
						     o->top_level };
		rc = torch_format_write(self->name, &torch, &output, err);
	}
	top_release(&rows);
	scope_release(&scope);
	return rc;
}

static int read_torch(const struct command *self, const struct top_opts *o,
		      const struct top_query *query)
{
	struct err err = ERR_INIT;
	struct operand operand;

	if (scope_options_check(&o->on.scope, &err) < 0 ||
	    output_refuse_budget(&o->on.output, TORCH_FORMAT, &err) < 0 ||
	    output_check(&o->on.output, &err) < 0)
		return message_error(self->name, NULL, &err);
	const struct operand_wish wish = { .command = self->name,
					   .path = o->on.operand,
					   .is_quiet = o->on.output.quiet,
					   .scope = &o->on.scope,
					   .wants_slices = true };
	if (operand_open_for(&wish, &operand, &err) < 0)
		return message_error(self->name, operand_name(o->on.operand), &err);
	int code = EXIT_OK;
	if (write_torch(self, o, query, operand.store, &err) < 0) {
		operand_explain(&operand, &err);
		code = message_error_reading(self->name, operand.path, &err);
	}
	operand_close(&operand);
	return code;
}

static int run_torch(const struct command *self, const struct top_opts *o)
{
	struct err err = ERR_INIT;
	struct top_request request;
	struct filter filter;
	int code;

	if (filter_options_compile(&o->on.filter, &filter, &err) < 0)
		return message_error(self->name, NULL, &err);
	if (make_request(o, &filter, &request, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = read_torch(self, o, &request.query);
	filter_release(&filter);
	return code;
}

/* Which file is meant is not asked: it is not opened for a list of keys. */
static int list_keys(const struct command *self, const struct top_opts *o)
{
	for (size_t i = 0; i < o->by.n; i++)
		if (strcmp(o->by.items[i], "annotation") == 0)
			return view_options_help(self, &label_view, &o->on.output);
	return view_options_help_both(self, &top_view, &function_view, &o->on.output);
}

/* Torch's table is none of ours. */
static int run(const struct command *self, int argc, char **argv)
{
	struct top_opts o;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (view_options_want_help(&o.view))
		return list_keys(self, &o);
	return is_torch(&o) ? run_torch(self, &o) : table_command_answer(self, &o);
}

static const struct table_command table = {
	.request_size = sizeof(struct top_request),
	.make = make_request,
	.need = need_of,
	.open = open_top,
};

static const char *const examples[] = {
	"ptool top trace.json",
	"ptool top --sort cpu_time_total --limit 10",
	"ptool top --by shape --focus 'conv|mm$'",
	"ptool top --step 3..5 --by step --format csv",
	"ptool top --format torch --sort self_cpu_time_total --limit 10",
	NULL
};

const struct command cmd_top = {
	.name = "top",
	.part = COMMAND_START,
	.question = "Which operators, kernels or functions take the time?",
	.summary = "Show where time and memory go, by operator, kernel or function",
	.groups = top_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = views,
	.exits = EXITS_READING("the table was written",
			       "nothing matches, or what was asked for was not recorded"),
	.table = &table,
	.run = run,
};
