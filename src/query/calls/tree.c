/* The tree of a scope as a table, row by row: see tree.h. */
#include "query/calls/tree.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/calls/call_tree.h"
#include "query/calls/callgraph.h"
#include "query/filter_nothing.h"
#include "query/findings.h"
#include "query/query.h"
#include "query/tree_text.h"
#include "query/view.h"
#include "trace/fact.h"

/* clang-format off */
enum { ID, PARENT, DEPTH, PATH, NAME, KIND, CALLS, SELF, TOTAL, SHARE, ESTIMATED, DEVICE, START,
       NCOLUMNS };

#define CELL(place) .get = view_cell, .arg = (place)

static const struct field fields[] = {
	{ "id", "ID", "number of the row", NULL, UNIT_ID, CELL(ID) },
	{ "parent_id", "Parent", "row of its caller; null at the top", NULL, UNIT_ID, CELL(PARENT) },
	{ "depth", "Depth", "depth, from 0", NULL, UNIT_COUNT, CELL(DEPTH) },
	{ "path", "Path", "the names from the top, with ; between them", NULL, UNIT_TEXT, CELL(PATH) },
	{ "name", "Name", "function, operator or Python frame", NULL, UNIT_TEXT, CELL(NAME) },
	{ "kind", "Kind", "call; recursion, where it was not followed; device, for device work; rest, for rows not shown", NULL, UNIT_TEXT, CELL(KIND) },
	{ "calls", "Calls", "number of calls; null for rest, and beyond 64 bits", NULL, UNIT_COUNT, CELL(CALLS) },
	{ "self_ns", "Self", "time without the rows below; 0 for recursion, whose time counts in a row above", NULL, UNIT_NS, CELL(SELF), .leaves = 1 },
	{ "total_ns", "Total", "time of all calls along the path", NULL, UNIT_NS, CELL(TOTAL) },
	{ "total_pct", "Total", "share of the busy time of the tree; of a call graph, of the times at its top", NULL, UNIT_PERCENT, CELL(SHARE) },
	{ "is_estimated", "Estimated", "1: the tree is an estimate, made from a call graph", NULL, UNIT_BOOL, CELL(ESTIMATED) },
	{ "total_device_ns", "Device", "device work launched below, with --kernels", NULL, UNIT_NS, CELL(DEVICE) },
	{ "start_ns", "Start", "start, from the profile's first event, with --instances", NULL, UNIT_TIME, CELL(START) },
	{ .name = NULL },
};

const struct view tree_view = {
	.name = "tree",
	.fields = fields,
	.people = VIEW_PART("total_pct total_ns self_ns calls name"),
};
static const struct view_part *const people_with_device =
	VIEW_PART("total_pct total_ns self_ns calls total_device_ns name");

/* Of sampled stacks, whose tree is the real one: amounts are in the unit of the weights. */
#define SAMPLED(end, unit) { \
	{ "id", "ID", "number of the row", NULL, UNIT_ID, CELL(ID) }, \
	{ "parent_id", "Parent", "row of its caller; null at the top", NULL, UNIT_ID, CELL(PARENT) }, \
	{ "depth", "Depth", "depth, from 0", NULL, UNIT_COUNT, CELL(DEPTH) }, \
	{ "path", "Path", "the names from the top, with ; between them", NULL, UNIT_TEXT, CELL(PATH) }, \
	{ "name", "Name", "function", NULL, UNIT_TEXT, CELL(NAME) }, \
	{ "kind", "Kind", "call; rest, for rows not shown", NULL, UNIT_TEXT, CELL(KIND) }, \
	{ "samples", "Samples", "samples with this path; null for rest", NULL, UNIT_COUNT, CELL(CALLS) }, \
	{ "self_" end, "Self", "weight of the stacks that end here", NULL, unit, CELL(SELF) }, \
	{ "total_" end, "Total", "weight of the stacks with this path", NULL, unit, CELL(TOTAL) }, \
	{ "total_pct", "Total", "share of all weights", NULL, UNIT_PERCENT, CELL(SHARE) }, \
	{ .name = NULL }, \
}

static const struct field ns_fields[] = SAMPLED("ns", UNIT_NS);
static const struct field bytes_fields[] = SAMPLED("bytes", UNIT_BYTES);
static const struct field count_fields[] = SAMPLED("count", UNIT_COUNT);

const struct view sampled_tree_view = {
	.name = "tree of sampled stacks",
	.fields = ns_fields,
	.people = VIEW_PART("total_pct total_ns self_ns samples name"),
};
static const struct view bytes_view = {
	.name = "tree of bytes",
	.fields = bytes_fields,
	.people = VIEW_PART("total_pct total_bytes self_bytes samples name"),
};
static const struct view count_view = {
	.name = "tree of counts",
	.fields = count_fields,
	.people = VIEW_PART("total_pct total_count self_count name"),
};
/* clang-format on */

static const struct view *view_of(const struct call_tree *tree)
{
	if (!tree->is_sampled)
		return &tree_view;
	if (tree->unit == UNIT_NS)
		return &sampled_tree_view;
	return tree->unit == UNIT_BYTES ? &bytes_view : &count_view;
}

/* By enum call_kind. */
static const char *const kinds[] = { "call", "recursion", "device", "rest" };

struct tree_rows {
	struct table table;
	struct call_tree tree; /* owned */
	struct tree_request request;
	double min_busy_ns;
	int64_t given;
	uint32_t at;   /* the node of the newest row */
	int64_t depth; /* of it, from 1 */
	struct tree_path path;
	const char *notes[4];
	struct buf name, indented;
	uint32_t *children, *spare; /* owned: of one node, while they are sorted */
	size_t children_cap, spare_cap;
};

static int compare_names(const struct call_tree *tree, uint32_t a, uint32_t b)
{
	return str_compare(intern_str(&tree->texts, tree->nodes[a].name),
			   intern_str(&tree->texts, tree->nodes[b].name));
}

/*
 * Device work takes none of the host's time, and calls that captured it into a graph took
 * theirs elsewhere: no limit of that means them.
 */
static bool is_too_short(const struct tree_rows *t, const struct call_node *node)
{
	bool is_captured =
		node->kind == CALL_PATH && node->calls == 0 && node->device_ns > 0;

	return node->kind != CALL_DEVICE && !is_captured &&
	       (node->total_ns < t->request.calls.min_ns ||
		(double)node->busy_ns < t->min_busy_ns);
}

/*
 * What is too short last.  Single calls in the order of starts; else the longest
 * first, equal ones by name, and of one name by kind.
 */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct tree_rows *t = context;
	const struct call_tree *tree = &t->tree;
	const struct call_node *x = &tree->nodes[a], *y = &tree->nodes[b];

	if (is_too_short(t, x) != is_too_short(t, y))
		return is_too_short(t, y);
	if (tree->is_by_instance)
		return a < b;
	if (x->busy_ns != y->busy_ns)
		return x->busy_ns > y->busy_ns;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns;
	if (x->device_ns != y->device_ns)
		return x->device_ns > y->device_ns;
	int order = compare_names(tree, a, b);
	return order ? order < 0 : x->kind < y->kind;
}

static size_t sort_children(struct tree_rows *t, uint32_t parent)
{
	const struct call_node *nodes = t->tree.nodes;
	size_t n = 0;

	for (uint32_t i = nodes[parent].first; i != CALL_NONE; i = nodes[i].next) {
		*ARRAY_PUSH(t->children, n, t->children_cap) = i;
	}
	if (n > 1) {
		t->spare = xgrow(t->spare, &t->spare_cap, n, sizeof(*t->spare));
		sort_indexes(t->children, n, t->spare, is_before, t);
	}
	return n;
}

/* How many of the children, which are sorted, have rows. */
static size_t count_shown(const struct tree_rows *t, size_t n)
{
	const struct tree_request *r = &t->request;
	size_t shown = 0;

	if (r->limit && (size_t)r->limit < n)
		n = (size_t)r->limit;
	while (shown < n && !is_too_short(t, &t->tree.nodes[t->children[shown]]))
		shown++;
	return shown;
}

/* The children [from, n) as one node. */
static uint32_t add_rest(struct tree_rows *t, uint32_t parent, size_t from, size_t n)
{
	struct call_tree *tree = &t->tree;
	struct call_node rest = { .name = TEXT_NONE,
				  .parent = parent,
				  .first = CALL_NONE,
				  .next = CALL_NONE,
				  .kind = CALL_REST };

	for (size_t i = from; i < n; i++) {
		const struct call_node *cut = &tree->nodes[t->children[i]];
		rest.total_ns = sum_add(rest.total_ns, cut->total_ns);
		rest.busy_ns = sum_add(rest.busy_ns, cut->busy_ns);
		rest.device_ns = sum_add(rest.device_ns, cut->device_ns);
		rest.calls = sum_add(rest.calls, cut->kind == CALL_REST ? cut->calls : 1);
	}
	/* with recursion what is estimated may be more than all */
	if (tree->is_estimated && rest.total_ns > tree->nodes[parent].total_ns)
		rest.total_ns = rest.busy_ns = tree->nodes[parent].total_ns;
	rest.self_ns = rest.total_ns;
	*ARRAY_PUSH(tree->nodes, tree->n, tree->cap) = rest;
	return (uint32_t)tree->n - 1;
}

/* Puts the children in the order of their rows; the first, or CALL_NONE. */
static uint32_t arrange(struct tree_rows *t, uint32_t parent)
{
	if (t->request.calls.depth && t->depth >= t->request.calls.depth)
		return t->tree.nodes[parent].first = CALL_NONE;
	size_t n = sort_children(t, parent), shown = count_shown(t, n);
	uint32_t next = shown < n ? add_rest(t, parent, shown, n) : CALL_NONE;

	while (shown-- > 0) {
		t->tree.nodes[t->children[shown]].next = next;
		next = t->children[shown];
	}
	t->tree.nodes[parent].first = next;
	return next;
}

/* The node of the next row; false behind the last. */
static bool advance(struct tree_rows *t)
{
	const struct call_node *nodes;
	uint32_t child = arrange(t, t->at);

	nodes = t->tree.nodes;
	if (child != CALL_NONE) {
		t->at = child;
		t->depth++;
		return true;
	}
	while (t->at != CALL_ROOT && nodes[t->at].next == CALL_NONE) {
		t->at = nodes[t->at].parent;
		t->depth--;
	}
	if (t->at == CALL_ROOT)
		return false;
	t->at = nodes[t->at].next;
	return true;
}

static struct str name_of(struct tree_rows *t)
{
	const struct call_node *node = &t->tree.nodes[t->at];

	if (node->kind == CALL_PATH || node->kind == CALL_DEVICE)
		return intern_str(&t->tree.texts, node->name);
	buf_clear(&t->name);
	if (node->kind == CALL_REST) {
		buf_addf(&t->name, "(%lld more)", (long long)node->calls);
	} else {
		buf_add_str(&t->name, intern_str(&t->tree.texts, node->name));
		buf_add_text(&t->name, " (recursion)");
	}
	return buf_str(&t->name);
}

static struct cell busy_share(const struct tree_rows *t, const struct call_node *node)
{
	return share_cell(node->busy_ns, t->tree.nodes[CALL_ROOT].busy_ns);
}

/* A time, or a weight of sampled stacks. */
static struct cell amount_cell(const struct tree_rows *t, int64_t amount)
{
	return cell_scaled(amount, t->tree.decimals);
}

/* For people indented names instead of paths, and no host time where there is none. */
static void set_row(struct tree_rows *t, struct cell *cells)
{
	const struct call_node *node = &t->tree.nodes[t->at];
	bool people = t->request.for_people;
	bool has_time = !people || node->kind != CALL_DEVICE;
	size_t depth = (size_t)t->depth - 1;
	struct str name = name_of(t), path = name;

	if (people) {
		buf_clear(&t->indented);
		tree_text_indent(&t->indented, depth, t->request.width);
		buf_add_str(&t->indented, name);
		name = buf_str(&t->indented);
	} else {
		path = tree_path_next(&t->path, depth, name);
	}
	cells[ID] = cell_int(t->at);
	cells[PARENT] = node->parent == CALL_ROOT ? cell_null() : cell_int(node->parent);
	cells[DEPTH] = cell_int(t->depth - 1);
	cells[PATH] = cell_text(path);
	cells[NAME] = cell_text(name);
	cells[KIND] = cell_text(str_of(kinds[node->kind]));
	bool has_calls = node->kind != CALL_REST && !sum_is_stuck(node->calls) &&
			 (!t->tree.is_sampled || t->tree.has_counts);
	cells[CALLS] = has_calls ? cell_int(node->calls) : cell_null();
	cells[SELF] = people && node->kind != CALL_PATH ? cell_null()
							: amount_cell(t, node->self_ns);
	cells[TOTAL] = has_time ? amount_cell(t, node->total_ns) : cell_null();
	cells[SHARE] = has_time ? busy_share(t, node) : cell_null();
	cells[ESTIMATED] = cell_int(t->tree.is_estimated);
	cells[DEVICE] = t->tree.has_device ? cell_int(node->device_ns) : cell_null();
	cells[START] = t->tree.is_by_instance && node->kind != CALL_REST
			       ? cell_int(node->start_ns)
			       : cell_null();
}

static int next_row(struct table *table, struct cell *cells, struct err *err)
{
	struct tree_rows *t = (struct tree_rows *)table;

	(void)err;
	if (!advance(t)) {
		table->total_rows = t->given;
		return 0;
	}
	t->given++;
	set_row(t, cells);
	return 1;
}

static void free_rows(struct table *table)
{
	struct tree_rows *t = (struct tree_rows *)table;

	call_tree_release(&t->tree);
	tree_path_release(&t->path);
	buf_release(&t->name);
	buf_release(&t->indented);
	free(t->children);
	free(t->spare);
	free(t);
}

/* Above the table and below it; these live as long as the program. */
static void add_notes(struct tree_rows *t, bool is_mixed)
{
	size_t n = 0;

	if (t->tree.is_estimated)
		t->table.caption = "estimated: a call graph records callers and callees, "
				   "not paths";
	if (t->tree.is_full)
		t->notes[n++] = "the tree was cut at a million nodes: limit it with "
				"--min and --depth";
	if (t->tree.nodes[CALL_ROOT].total_ns > t->tree.nodes[CALL_ROOT].busy_ns)
		t->notes[n++] = "threads that only wait have no share of the time";
	if (is_mixed)
		t->notes[n++] = CALLS_MIXED;
	t->table.notes = t->notes;
}

/* The tree is moved. */
static struct table *make_table(struct call_tree *tree, const struct scope *scope,
				const struct tree_request *request, bool is_mixed)
{
	struct view_request show = { .for_people = request->for_people,
				     .people = tree->has_device ? people_with_device
								: NULL };
	struct tree_rows *t = xcalloc(1, sizeof(*t));
	double all = (double)tree->nodes[CALL_ROOT].busy_ns;

	t->tree = *tree;
	*tree = (struct call_tree){ 0 };
	t->request = *request;
	t->min_busy_ns = all * request->calls.min_share_pct / 100.0;
	tree_path_init(&t->path);
	buf_init(&t->name, SIZE_MAX);
	buf_init(&t->indented, SIZE_MAX);
	t->table = (struct table){ .ncolumns = NCOLUMNS,
				   .next = next_row,
				   .free = free_rows,
				   .total_rows = -1 };
	add_notes(t, is_mixed);
	return view_stream(view_of(&t->tree), &t->table, scope, &show);
}

/* Was something asked for that was not recorded? */
static int check(const struct call_tree *tree, const struct scope *scope,
		 const struct call_tree_request *request, struct err *err)
{
	bool of_traces = request->kernels || request->by_instance || request->by_step;

	if ((tree->is_estimated || tree->is_sampled) && of_traces)
		return err_set(
			err, ERR_USAGE,
			"--kernels, --instances and --by step are for traces; this "
			"is %s",
			tree->is_sampled ? "a set of sampled stacks" : "a call graph");
	if (request->kernels && !tree->has_device)
		return err_set(err, ERR_EMPTY, "--kernels: no device work was recorded%s",
			       scope_in_torch(scope, " (ProfilerActivity.CUDA)"));
	return 0;
}

int tree_open(struct store *store, const struct scope *scope,
	      const struct tree_request *request, struct table **out, struct err *err)
{
	struct call_tree tree;

	call_tree_init(&tree);
	int rc = call_tree_load(store, scope, &request->calls, &tree, err);
	if (rc == 0)
		rc = check(&tree, scope, &request->calls, err);
	if (rc == 0 && tree.nodes[CALL_ROOT].first == CALL_NONE)
		rc = filter_is_given(request->calls.filter) || request->calls.root_at
			     ? err_set(err, ERR_EMPTY, "no call matches")
			     : filter_lacks(scope, "calls", err);
	if (rc == 0)
		*out = make_table(
			&tree, scope, request,
			tree.is_estimated &&
				findings_have(store, scope, FINDING_THREADS_MIXED));
	call_tree_release(&tree);
	return rc;
}
