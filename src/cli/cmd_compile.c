/* ptool compile: regions of torch.compile, their graph breaks, and time spent compiling. */
#include <string.h>

#include "cli/provenance.h"
#include "cli/table_command.h"
#include "query/compile/compile.h"

struct compile_opts {
	struct table_opts on;
	struct view_opts view;
	const char *by, *provenance;
};

#define INTO(type, member) OPT_INTO(type, struct compile_opts, member)

/* By enum compile_by. */
static const char *const bys[] = { "frame", "region", "step", "kernel", NULL };

/* clang-format off */
static const struct opt compile_options[] = {
	{ .name = "by", .arg = "WHAT", .help = "a row for each frame, version of a frame (frame/number), step, or kernel of compiled code",
	  .choices = bys, INTO(CHOICE, by) },
	{ .name = "provenance", .arg = "DIR", .help = "with --by kernel: folder with Inductor's output (TORCH_COMPILE_DEBUG=1, tlparse)",
	  INTO(STRING, provenance) },
	VIEW_OPTIONS(struct compile_opts, view, &compile_view),
	OPT_END
};

/* Of the shared filters those that ranges of torch.compile have. */
static const struct opt compile_filters[] = {
	{ .name = "thread", .arg = "THREADS", .help = "only these threads (ids or names)",
	  INTO(STRINGS, on.filter.thread), .is_list = true },
	{ .name = "step", .arg = "A..B", .help = "only what is in these steps, both ends included",
	  INTO(STRING, on.filter.step) },
	FILTER_PHASE(struct compile_opts, on.filter.phase),
	{ .name = "time", .arg = "A..B", .help = "only what starts in this interval of the recording (1ms..2.5ms)",
	  INTO(STRING, on.filter.time) },
	OPT_END
};

static const struct opt_group compile_groups[] = {
	TABLE_OPERAND,
	{ .opts = compile_options },
	{ "Filters", compile_filters, 0, true },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct compile_opts defaults = { .by = "frame",
					      .view = { .limit = VIEW_LIMIT_PEOPLE },
					      .on = TABLE_DEFAULTS };

static enum compile_by by_of(const struct compile_opts *o)
{
	int i = 0;

	while (bys[i] && strcmp(bys[i], o->by) != 0)
		i++;
	return (enum compile_by)i;
}

static const struct view *view_of(const void *options)
{
	static const struct view *const views[] = {
		[COMPILE_BY_FRAME] = &compile_view,
		[COMPILE_BY_REGION] = &compile_view,
		[COMPILE_BY_STEP] = &compile_steps_view,
		[COMPILE_BY_KERNEL] = &compile_kernels_view,
	};

	return views[by_of(options)];
}

/* What is asked, and the sources that it borrows. */
struct compile_request {
	struct compile_query query;
	struct compile_sources sources;
};

static int make_request(const void *options, const struct filter *filter, void *request,
			struct err *err)
{
	const struct compile_opts *o = options;
	struct compile_request *r = request;

	r->query = (struct compile_query){
		.filter = filter,
		.by = by_of(o),
		.show = { .for_people = reading_is_for_people(&o->on.output) },
	};
	if (!o->provenance)
		return 0;
	if (r->query.by != COMPILE_BY_KERNEL)
		return err_set(err, ERR_USAGE, "--provenance is for --by kernel");
	compile_sources_init(&r->sources);
	r->query.sources = &r->sources;
	return provenance_read(o->provenance, &r->sources, err);
}

static int open_compile(const struct reading *r, void *request, struct table **out,
			struct err *err)
{
	return compile_open(r->store, r->scope,
			    &((struct compile_request *)request)->query, out, err);
}

static void release_request(void *request)
{
	compile_sources_release(&((struct compile_request *)request)->sources);
}

static const char *const examples[] = {
	"ptool compile trace.json",
	"ptool compile --by region --sort compile",
	"ptool compile --by step --step 3..5",
	"ptool compile --by kernel --provenance torch_compile_debug",
	"ptool compile --format csv",
	NULL
};

static const struct table_command table = {
	.request_size = sizeof(struct compile_request),
	.make = make_request,
	.open = open_compile,
	.release = release_request,
	.view_of = view_of,
	.sorting = offsetof(struct compile_opts, view),
	.show = offsetof(struct compile_request, query.show),
};

const struct command cmd_compile = {
	.name = "compile",
	.part = COMMAND_PYTHON,
	.question = "What does torch.compile do, and what does it cost?",
	.summary = "Show compiled regions, graph breaks, recompiles, time compiling",
	.groups = compile_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&compile_view, &compile_steps_view, &compile_kernels_view),
	.exits = EXITS_READING("there are compiled regions",
			       "no compiled region was recorded, or none matches"),
	.table = &table,
};
