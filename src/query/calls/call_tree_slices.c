/* The tree of a trace, from its slices: see call_tree.h. */
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/calls/call_tree.h"
#include "query/devices/device_work.h"
#include "query/graphs/graph_names.h"
#include "query/slices/slice_nest.h"
#include "query/slices/slices.h"
#include "trace/fact.h"
#include "trace/step_name.h"

#define BUSY_PARTS   100 /* a hundredth of the time is enough to be busy */
#define FRAME_MARK   "): "
#define METHOD_MARKS 3

/* In the place of a node: the slice lies below a name to ignore. */
#define IGNORED (CALL_NONE - 1)
/* Likewise: it lies above all names that --root-at means. */
#define ABOVE (CALL_NONE - 2)

/* A call of a runtime or driver, and where it is in the tree. */
struct launch {
	int64_t id;
	uint32_t node;
};

struct growing {
	struct call_tree *tree;
	struct slices *slices;
	const struct filter *filter;
	const struct call_tree_request *request;
	struct launch *launches; /* owned; only with device work */
	size_t nlaunches, launches_cap;
	uint32_t *texts; /* owned; by string.id: text + 1 */
	size_t texts_cap;
	uint32_t *open; /* owned; by depth: the node of the newest slice */
	size_t open_cap;
	struct slice_nest nest;
	int64_t start_ns; /* of the work that is added */
	bool is_idle;     /* the thread only waits */
};

/* What is no call: the recording itself, and instants of the allocator. */
static bool is_call(const struct slice_row *row)
{
	return row->class != CLASS_MEMORY && row->class != CLASS_SPAN;
}

static int text_of(struct growing *g, int64_t name_id, uint32_t *text, struct err *err)
{
	struct str name;

	if (slices_text(g->slices, name_id, &name, err) < 0)
		return -1;
	/* The id is one of the store's, as it has a text. */
	uint32_t *known = ARRAY_AT(g->texts, g->texts_cap, (size_t)name_id);
	if (!*known) {
		bool is_folded = !g->request->by_step && !g->request->by_instance;
		struct buf all;
		buf_init(&all, name.n + sizeof("ProfilerStep*"));
		if (is_folded && step_name_of_all(name, &all))
			name = buf_str(&all);
		*known = intern_add(&g->tree->texts, name) + 1;
		buf_release(&all);
	}
	*text = *known - 1;
	return 0;
}

/* May a path begin with this name?  1, 0, or -1 with err set. */
static int is_root(const struct growing *g, uint32_t text, struct err *err)
{
	return filter_has_name(g->request->root_at, intern_str(&g->tree->texts, text),
			       err);
}

/* The node of a slice that is wanted. */
static int enter(struct growing *g, const struct slice_row *row, uint32_t parent,
		 uint32_t *node, struct err *err)
{
	size_t before = g->tree->n;
	uint32_t text;

	if (text_of(g, row->name_id, &text, err) < 0)
		return -1;
	if (parent == ABOVE) {
		int rc = is_root(g, text, err);
		if (rc <= 0)
			return rc;
		parent = CALL_ROOT;
	}
	*node = g->request->by_instance ? call_tree_append(g->tree, parent, text)
					: call_tree_child(g->tree, parent, text);
	if (g->request->by_instance)
		g->tree->nodes[*node].start_ns = row->ts_ns;
	if (g->tree->n > before) {
		g->tree->nodes[*node].class = (uint8_t)row->class;
		if (call_tree_judge(g->tree, *node, g->filter, err) < 0)
			return -1;
	}
	if (g->tree->nodes[*node].is_ignored)
		*node = IGNORED;
	else
		g->tree->nodes[*node].calls++;
	return 0;
}

/* A slice that opens: its node, which is that of the slice around it where it is not wanted. */
static int open_slice(struct growing *g, struct err *err)
{
	const struct slice_row *row = &g->nest.row;
	size_t depth = g->nest.depth;
	uint32_t top = g->request->root_at ? ABOVE : CALL_ROOT;
	uint32_t parent = depth ? g->open[depth - 1] : top, node = parent;

	if (parent != IGNORED && is_call(row)) {
		int wanted = slices_is_wanted(g->slices, row, err);
		if (wanted < 0 || (wanted && enter(g, row, parent, &node, err) < 0))
			return -1;
	}
	*ARRAY_AT(g->open, g->open_cap, depth) = node;
	if (node >= ABOVE || node == CALL_ROOT || !is_call(row))
		return 0;
	if (g->request->kernels &&
	    (row->class == CLASS_RUNTIME || row->class == CLASS_DRIVER)) {
		*ARRAY_PUSH(g->launches, g->nlaunches, g->launches_cap) =
			(struct launch){ row->id, node };
	}
	return 0;
}

/* One that closes: its self time is known. */
static void close_slice(struct growing *g)
{
	const struct slice_row *row = &g->nest.row;
	uint32_t node = g->open[g->nest.depth];

	if (node >= ABOVE || node == CALL_ROOT || !is_call(row))
		return;
	struct call_node *n = &g->tree->nodes[node];
	if (!n->is_focused)
		return;
	n->self_ns = sum_add(n->self_ns, row->self_ns);
	if (!g->is_idle)
		n->busy_ns = sum_add(n->busy_ns, row->self_ns);
}

/* Of Python's threading, selectors, time, queue and socket, and of C below them. */
static const char *const waits[] = { "acquire", "wait",   "_wait_for_tstate_lock",
				     "sleep",   "select", "poll",
				     "accept",  "recv",   "_recv" };

/* "threading.py(359): wait" and "<built-in method acquire of ...>": wait, acquire. */
static struct str bare_name(struct str name)
{
	static const char *const marks[METHOD_MARKS] = { "<built-in method ",
							 "<built-in function ",
							 "<method '" };

	for (size_t i = 0; i < METHOD_MARKS; i++) {
		struct str mark = str_of(marks[i]);
		if (!str_starts_with(name, mark))
			continue;
		name = str_behind(name, mark.n);
		for (size_t end = 0; end < name.n; end++)
			if (strchr(" '>", name.p[end]) && name.p[end])
				return (struct str){ name.p, end };
		return name;
	}
	for (size_t at = name.n; at-- > 0;)
		if (str_starts_with(str_behind(name, at), STR_LIT(FRAME_MARK)))
			return str_behind(name, at + sizeof(FRAME_MARK) - 1);
	return name;
}

/* Does the Python frame or function of C of this name wait for others, or sleep? */
static bool is_wait(struct str name)
{
	struct str bare = bare_name(name);

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (str_is(bare, waits[i]))
			return true;
	return false;
}

/* Adds to one of the two. */
static int add_self(struct slices *slices, const struct slice_row *row, int64_t *busy_ns,
		    int64_t *wait_ns, struct err *err)
{
	bool waits_here = false;

	if (row->class == CLASS_SPAN || row->class == CLASS_MEMORY)
		return 0;
	if (row->class == CLASS_PYTHON) {
		struct str name;
		if (slices_text(slices, row->name_id, &name, err) < 0)
			return -1;
		waits_here = is_wait(name);
	}
	int64_t *sum = waits_here ? wait_ns : busy_ns;
	*sum = sum_add(*sum, row->self_ns);
	return 0;
}

/*
 * Are more than 99 % of the self time of the track's slices in Python frames that wait,
 * as with the monitor thread of tqdm?  Reads no further than it must.
 */
static int find_idle(struct growing *g, const struct slices_track *track, struct err *err)
{
	/* a thread that works for longer is not idle, however long it waits too */
	int64_t enough_ns = track->profile->dur_ns / BUSY_PARTS;
	int64_t busy_ns = 0, wait_ns = 0;
	int event = slice_nest_track(&g->nest, track, err);

	while (event >= 0 && busy_ns <= enough_ns &&
	       (event = slice_nest_next(&g->nest, err)) > 0)
		if (event == SLICE_CLOSES &&
		    add_self(g->slices, &g->nest.row, &busy_ns, &wait_ns, err) < 0)
			return -1;
	g->is_idle =
		busy_ns <= enough_ns && wait_ns / BUSY_PARTS >= busy_ns && wait_ns > 0;
	return event < 0 ? -1 : 0;
}

static int add_track(struct growing *g, const struct slices_track *track, struct err *err)
{
	int event;

	if (find_idle(g, track, err) < 0 || slice_nest_track(&g->nest, track, err) < 0)
		return -1;
	while ((event = slice_nest_next(&g->nest, err)) > 0) {
		if (event == SLICE_CLOSES)
			close_slice(g);
		else if (open_slice(g, err) < 0)
			return -1;
	}
	return event;
}

/* A call of a path around a captured launch: it has device work, and no time of a host. */
static int enter_captured(struct growing *g, struct str name, uint32_t class,
			  uint32_t *at, struct err *err)
{
	struct call_tree *tree = g->tree;
	size_t before = tree->n;
	uint32_t text = intern_add(&tree->texts, name);

	*at = g->request->by_instance ? call_tree_append(tree, *at, text)
				      : call_tree_child(tree, *at, text);
	if (tree->n == before)
		return 0;
	tree->nodes[*at].class = (uint8_t) class;
	if (g->request->by_instance)
		tree->nodes[*at].start_ns = g->start_ns;
	return call_tree_judge(tree, *at, g->filter, err);
}

/* What captured the kernel, below the launch of its graph. */
static int enter_path(struct growing *g, const struct text_pool *texts,
		      struct graph_names *names, size_t item, uint32_t *at,
		      struct err *err)
{
	const uint32_t *nodes;
	size_t n = call_path_nodes(&names->paths, graph_names_of(names, item), &nodes);

	for (size_t i = 0; i < n && !g->tree->nodes[*at].is_ignored; i++) {
		const struct call_path *call = call_path_at(&names->paths, nodes[i]);
		if (enter_captured(g, text_pool_str(texts, call->name), call->class, at,
				   err) < 0)
			return -1;
	}
	return 0;
}

/* Work whose launch is not in the tree is not, either. */
static int add_work(struct growing *g, const struct text_pool *texts,
		    struct graph_names *names, const struct work_item *item, size_t place,
		    struct err *err)
{
	struct call_tree *tree = g->tree;
	size_t launch = SORT_FIRST(g->launches, g->nlaunches, id, item->launch_id);

	if (!item->launch_id || launch == g->nlaunches ||
	    g->launches[launch].id != item->launch_id)
		return 0;
	uint32_t name = intern_add(&tree->texts, text_pool_str(texts, item->name));
	uint32_t around = g->launches[launch].node;
	g->start_ns = item->start_ns;
	if (enter_path(g, texts, names, place, &around, err) < 0)
		return -1;
	if (tree->nodes[around].is_ignored)
		return 0;
	size_t before = tree->n;
	uint32_t at = g->request->by_instance ? call_tree_append(tree, around, name)
					      : call_tree_device(tree, around, name);
	if (tree->n > before) {
		if (call_tree_judge(tree, at, g->filter, err) < 0)
			return -1;
		tree->nodes[at].kind = CALL_DEVICE;
		tree->nodes[at].class = item->class;
		tree->nodes[at].start_ns = g->request->by_instance ? item->start_ns : 0;
	}
	struct call_node *node = &tree->nodes[at];
	if (node->is_ignored || !node->is_focused)
		return 0;
	node->calls++;
	node->device_ns = sum_add(node->device_ns, item->end_ns - item->start_ns);
	return 0;
}

static int add_device(struct growing *g, struct store *store, const struct scope *scope,
		      struct err *err)
{
	struct graph_namer namer;
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	graph_namer_init(&namer, store, &texts);
	SORT_BY(g->launches, g->nlaunches, id);
	for (size_t i = 0; i < scope->n && rc == 0; i++) {
		const struct scope_profile *profile = &scope->profiles[i];
		struct graph_names names = { .nnamed = 0 };
		struct device_work work;
		rc = device_work_load(store, &texts, profile, WORK_WITH_LAUNCHES, &work,
				      err);
		if (rc == 0)
			rc = graph_names_load(&namer, profile, &work, &names, err);
		g->tree->has_device |= work.n > 0;
		for (size_t j = 0; j < work.n && rc == 0; j++)
			rc = add_work(g, &texts, &names, &work.items[j], j, err);
		graph_names_release(&names);
		device_work_release(&work);
	}
	graph_namer_release(&namer);
	text_pool_close(&texts);
	return rc;
}

/* Device work has no callers, and asynchronous slices do not nest. */
static bool has_calls(const struct slices_track *track)
{
	return track->is_wanted && !track->is_apart && strcmp(track->kind, "thread") == 0;
}

int call_tree_from_slices(struct store *store, const struct scope *scope,
			  const struct call_tree_request *request, struct call_tree *tree,
			  struct err *err)
{
	struct growing g = { .tree = tree,
			     .filter = request->filter,
			     .request = request };
	struct filter slices = *request->filter; /* borrows all that it holds */
	int rc = 0;

	slices.focus = slices.ignore = NULL;
	if (slices_open(store, scope, &slices, &g.slices, err) < 0)
		return -1;
	rc = slice_nest_open(store, g.slices, &g.nest, err);
	for (size_t i = 0; i < g.slices->ntracks && rc == 0; i++)
		if (has_calls(&g.slices->tracks[i]))
			rc = add_track(&g, &g.slices->tracks[i], err);
	tree->is_by_instance = request->by_instance;
	if (rc == 0 && request->kernels)
		rc = add_device(&g, store, scope, err);
	slice_nest_close(&g.nest);
	slices_close(g.slices);
	free(g.launches);
	free(g.texts);
	free(g.open);
	if (rc == 0)
		call_tree_close(tree);
	return rc;
}
