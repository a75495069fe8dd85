/* Kernels of compiled code as a table, with what Inductor says of them. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/compile/compile.h"
#include "query/query.h"

/* A kernel, and what is known of its source. */
struct kernel_row {
	const struct compile_kernel *kernel;
	struct str name, handle; /* Inductor's */
	struct compile_source source;
	bool has_source, is_ambiguous;
};

static struct cell text_cell(struct str text)
{
	return text.n ? cell_text(text) : cell_null();
}

static struct cell get_name(const void *from, const void *row, int arg)
{
	const struct kernel_row *r = row;

	(void)arg;
	return cell_text(
		intern_str(&((const struct compile *)from)->texts, r->kernel->name));
}

static struct cell get_op(const void *from, const void *row, int arg)
{
	const struct kernel_row *r = row;

	(void)arg;
	return r->kernel->op == COMPILE_NONE
		       ? cell_null()
		       : cell_text(intern_str(&((const struct compile *)from)->texts,
					      r->kernel->op));
}

static const struct compile_region *region_of(const struct compile *c,
					      const struct kernel_row *r)
{
	return r->kernel->region == COMPILE_NONE ? NULL : &c->regions[r->kernel->region];
}

static struct cell get_region(const void *from, const void *row, int arg)
{
	const struct compile *c = from;
	const struct compile_region *region = region_of(c, row);

	(void)arg;
	return region ? cell_text(intern_str(&c->texts, region->id)) : cell_null();
}

static struct cell get_pass(const void *from, const void *row, int arg)
{
	const struct compile_region *region = region_of(from, row);

	(void)arg;
	if (!region)
		return cell_null();
	return cell_text(region->pass == COMPILE_BACKWARD ? STR_LIT("backward")
							  : STR_LIT("forward"));
}

static struct cell get_runs_on(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct kernel_row *)row)->kernel->is_host
				 ? STR_LIT("cpu")
				 : STR_LIT("device"));
}

static struct cell get_amount(const void *from, const void *row, int offset)
{
	return view_int64(from, ((const struct kernel_row *)row)->kernel, offset);
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	struct str text;

	(void)from;
	memcpy(&text, (const char *)row + offset, sizeof(text));
	return text_cell(text);
}

/* What files say, else the recording. */
static struct str lines_of(const struct compile *c, const struct kernel_row *r)
{
	if (r->source.lines.n || r->kernel->lines == COMPILE_NONE)
		return r->source.lines;
	return intern_str(&c->texts, r->kernel->lines);
}

/* Of the kernel, or else the function whose region it ran in. */
static struct cell get_source(const void *from, const void *row, int arg)
{
	const struct compile *c = from;
	const struct kernel_row *r = row;
	const struct compile_region *region = region_of(c, row);

	(void)arg;
	if (lines_of(c, r).n)
		return cell_text(lines_of(c, r));
	return region && region->source != COMPILE_NONE
		       ? cell_text(intern_str(&c->texts, region->source))
		       : cell_null();
}

static struct cell get_source_of(const void *from, const void *row, int arg)
{
	if (lines_of(from, row).n)
		return cell_text(STR_LIT("kernel"));
	return get_source(from, row, arg).type == CELL_NULL
		       ? cell_null()
		       : cell_text(STR_LIT("region"));
}

#define AMOUNT(member) .get = get_amount, .arg = offsetof(struct compile_kernel, member)
#define TEXT(member)   .get = get_text, .arg = offsetof(struct kernel_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "kernel", "Kernel", "name of the kernel", "name", UNIT_TEXT, .get = get_name, .flags = FIELD_KEY, .least = 20 },
	{ "inductor_kernel", NULL, "what Inductor calls it", NULL, UNIT_TEXT, TEXT(name), .flags = FIELD_KEY },
	{ "handle", "Handle", "number of its call in Inductor's graph, where that was recorded", NULL, UNIT_TEXT, TEXT(handle), .flags = FIELD_KEY, .leaves = 3 },
	{ "op", NULL, "operator that launched it", "operator", UNIT_TEXT, .get = get_op, .flags = FIELD_KEY },
	{ "region", "Region", "compiled region that it ran in", NULL, UNIT_TEXT, .get = get_region, .flags = FIELD_KEY, .leaves = 1 },
	{ "pass", "Pass", "forward or backward", NULL, UNIT_TEXT, .get = get_pass, .flags = FIELD_KEY, .leaves = 2 },
	{ "runs_on", NULL, "device, or cpu: its time is the host's", NULL, UNIT_TEXT, .get = get_runs_on, .flags = FIELD_KEY },
	{ "calls", "Calls", "number of calls", "count", UNIT_COUNT, AMOUNT(calls) },
	{ "total_ns", "Total", "time of all calls", "time", UNIT_NS, AMOUNT(total_ns) },
	{ "post_grad_nodes", "Nodes", "nodes of Inductor's graph that it was made from, with --provenance", "nodes", UNIT_TEXT, TEXT(source.post_nodes), .least = 12 },
	{ "pre_grad_nodes", NULL, "nodes of the graph as torch traced it, likewise", NULL, UNIT_TEXT, TEXT(source.pre_nodes) },
	{ "source", "Source", "lines that it comes from, likewise or as recorded; else the function of the region", NULL, UNIT_TEXT, .get = get_source, .least = 16 },
	{ "source_of", NULL, "kernel, where lines of the kernel are known; else region", NULL, UNIT_TEXT, .get = get_source_of },
	{ .name = NULL },
};
/* clang-format on */

const struct view compile_kernels_view = {
	.name = "compile --by kernel",
	.fields = fields,
	.people = VIEW_PART("kernel handle region pass? calls! total_ns post_grad_nodes "
			    "source"),
	.sort = "total_ns",
	.share = "total_ns",
	.share_of = "kernel time",
};

/* A library's kernel is known to Inductor by the operator that calls it. */
static void find_extern(const struct compile *c, struct compile_sources *sources,
			struct compile_wanted *wanted, struct kernel_row *row)
{
	static const struct str aten = { "aten::", 6 };
	struct str op;

	if (row->kernel->op == COMPILE_NONE || row->handle.n)
		return;
	op = intern_str(&c->texts, row->kernel->op);
	if (!str_starts_with(op, aten))
		return;
	op = str_behind(op, aten.n);
	char *name = xasprintf("extern_kernels." STR_FMT, STR_ARG(op));
	wanted->kernel = str_of(name);
	wanted->in_region = true;
	row->has_source =
		compile_sources_find(sources, wanted, &row->source, &row->is_ambiguous);
	row->source.kernel = (struct str){ "", 0 };
	free(name);
}

static void find_source(const struct compile *c, struct compile_sources *sources,
			struct kernel_row *row)
{
	const struct compile_region *region = region_of(c, row);
	struct compile_wanted wanted = {
		.kernel = row->name,
		.handle = row->handle,
		.is_backward = region && region->pass == COMPILE_BACKWARD
	};

	if (region)
		wanted.region = intern_str(&c->texts, region->id);
	row->has_source =
		compile_sources_find(sources, &wanted, &row->source, &row->is_ambiguous);
	if (!row->has_source && !row->is_ambiguous)
		find_extern(c, sources, &wanted, row);
	if (!row->has_source)
		row->source = (struct compile_source){ .file = 0 };
}

static void note_sources(struct memtable *m, const struct compile *c,
			 const struct kernel_row *rows, size_t n, bool is_given)
{
	int64_t total_ns = 0, known_ns = 0, lines_ns = 0;
	size_t ambiguous = 0;

	for (size_t i = 0; i < n; i++) {
		total_ns = sum_add(total_ns, rows[i].kernel->total_ns);
		if (rows[i].source.post_nodes.n || rows[i].source.pre_nodes.n)
			known_ns = sum_add(known_ns, rows[i].kernel->total_ns);
		if (lines_of(c, &rows[i]).n)
			lines_ns = sum_add(lines_ns, rows[i].kernel->total_ns);
		ambiguous += rows[i].is_ambiguous;
	}
	if (lines_ns > 0)
		memtable_add_note(m, "lines are known for %.2f%% of kernel time",
				  100.0 * (double)lines_ns / (double)total_ns);
	if (!is_given && lines_ns == 0) {
		memtable_add_note(m, "--provenance DIR shows the nodes and lines that a "
				     "kernel was made from: TORCH_COMPILE_DEBUG=1 writes "
				     "them");
		return;
	}
	if (is_given && (known_ns > 0 || (lines_ns == 0 && total_ns > 0)))
		memtable_add_note(m, "nodes are known for %.2f%% of kernel time",
				  100.0 * (double)known_ns / (double)total_ns);
	if (ambiguous)
		memtable_add_note(m,
				  "%zu %s not known: several graphs have a kernel of "
				  "that name, and it ran in no region",
				  ambiguous,
				  ambiguous == 1 ? "kernel's nodes are"
						 : "kernels' nodes are");
}

struct memtable *compile_kernels_table(const struct compile *c, const struct scope *scope,
				       const struct compile_query *query)
{
	struct kernel_row *rows = xrealloc_array(NULL, c->nkernels + 1, sizeof(*rows));

	for (size_t i = 0; i < c->nkernels; i++) {
		rows[i] = (struct kernel_row){ .kernel = &c->kernels[i] };
		compile_source_split(intern_str(&c->texts, c->kernels[i].maker),
				     &rows[i].name, &rows[i].handle);
		if (query->sources)
			find_source(c, query->sources, &rows[i]);
	}
	const struct view_rows from = { c, rows, c->nkernels, sizeof(*rows) };
	struct memtable *m =
		view_table(&compile_kernels_view, &from, scope, &query->show);
	note_sources(m, c, rows, c->nkernels, query->sources != NULL);
	free(rows);
	return m;
}
