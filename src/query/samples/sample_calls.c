/* Sampled stacks as a call graph and as a tree of calls: see sample_calls.h. */
#include "query/samples/sample_calls.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/samples/sample_set.h"
#include "trace/fact.h"

#define NS_PER_S 1e9
#define ABOVE    (UINT32_MAX - 1) /* of a node: no path begins as far out as it */
#define IGNORED  (UINT32_MAX - 2)

static struct callgraph_sums sums_of(const struct sample_set *set,
				     const struct sample_totals *t)
{
	bool has_time = set->unit == UNIT_NS;

	return (struct callgraph_sums){
		.calls = bignum_of(t->samples),
		.primitive = bignum_of(t->samples),
		.self_ns = t->self,
		.total_ns = t->total,
		.self_s = has_time ? (double)t->self / NS_PER_S : (double)NAN,
		.total_s = has_time ? (double)t->total / NS_PER_S : (double)NAN,
		.has_times = true
	};
}

/* A function of the set as the graph numbers it. */
static uint32_t add_function(struct callgraph *g, const struct sample_function *f)
{
	struct str file = f->file.n ? f->file : STR_LIT("~");
	const struct callgraph_function key = { .file = intern_add(&g->texts, file),
						.name = intern_add(&g->texts, f->name),
						.line = f->file.n ? f->line : 0,
						.bytes = CALLGRAPH_NONE };

	return callgraph_function(g, &key);
}

/* Functions of what was not chosen are none of the graph. */
static void add_rows(const struct sample_set *set, uint32_t *number, struct callgraph *g)
{
	struct sample_totals *totals = xcalloc(set->nfunctions + 1, sizeof(*totals));
	uint32_t *group = xrealloc_array(NULL, set->nnodes + 1, sizeof(*group));

	for (size_t i = 0; i < set->nnodes; i++)
		group[i] = set->nodes[i].function;
	sample_add_up(set, group, set->nfunctions, totals);
	for (size_t i = 0; i < set->nfunctions; i++) {
		if (!totals[i].is_there)
			continue;
		number[i] = add_function(g, &set->functions[i]);
		g->functions[number[i]].row = (uint32_t)g->nrows;
		*ARRAY_PUSH(g->rows, g->nrows, g->rows_cap) =
			(struct callgraph_row){ .function = number[i],
						.sums = sums_of(set, &totals[i]) };
	}
	free(totals);
	free(group);
}

/* A caller and the function that it calls. */
struct pair {
	uint32_t caller, callee;
};

static void add_edges(const struct sample_set *set, const uint32_t *number,
		      struct callgraph *g)
{
	uint32_t *group = xrealloc_array(NULL, set->nnodes + 1, sizeof(*group));
	struct intern known;

	intern_init(&known);
	for (size_t i = 0; i < set->nnodes; i++) {
		const struct sample_node *node = &set->nodes[i];
		const struct pair pair = { node->caller == SAMPLE_ROOT
						   ? CALLGRAPH_NONE
						   : set->nodes[node->caller].function,
					   node->function };
		group[i] = intern_add(&known,
				      (struct str){ (const char *)&pair, sizeof(pair) });
	}
	struct sample_totals *totals = xcalloc(known.n + 1, sizeof(*totals));
	sample_add_up(set, group, known.n, totals);
	for (uint32_t i = 0; i < known.n; i++) {
		struct pair pair;
		memcpy(&pair, intern_str(&known, i).p, sizeof(pair));
		if (pair.caller != CALLGRAPH_NONE && totals[i].is_there)
			callgraph_append(g, &(struct callgraph_edge){
						    .caller = number[pair.caller],
						    .callee = number[pair.callee],
						    .sums = sums_of(set, &totals[i]) });
	}
	intern_release(&known);
	free(totals);
	free(group);
}

int callgraph_of_samples(struct store *store, const struct scope *scope,
			 const struct filter *filter, struct callgraph *g,
			 struct err *err)
{
	struct sample_set set;
	int rc = sample_set_load(store, scope, filter, &set, err);

	if (rc == 0) {
		uint32_t *number =
			xrealloc_array(NULL, set.nfunctions + 1, sizeof(*number));
		add_rows(&set, number, g);
		add_edges(&set, number, g);
		g->is_sampled = true;
		g->has_counts = set.samples != NUMBER_NONE;
		g->unit = set.unit;
		g->decimals = set.decimals;
		g->calls = g->primitive =
			bignum_of(set.samples == NUMBER_NONE ? 0 : set.samples);
		g->self_ns = g->whole_ns = set.weight;
		g->self_s = (double)set.weight / NS_PER_S;
		free(number);
	}
	sample_set_release(&set);
	return rc;
}

struct growing {
	const struct sample_set *set;
	const struct call_tree_request *request;
	struct call_tree *tree;
	uint32_t *texts; /* by function, and 1; 0: not there yet */
};

static uint32_t text_of(struct growing *g, uint32_t function)
{
	const struct sample_function *f = &g->set->functions[function];
	struct buf name;

	if (g->texts[function])
		return g->texts[function] - 1;
	buf_init(&name, SIZE_MAX);
	sample_add_name(f, f->line, &name);
	uint32_t text = intern_add(&g->tree->texts, buf_str(&name));
	buf_release(&name);
	g->texts[function] = text + 1;
	return text;
}

/* The node of the tree for a node of the set, below that of its caller. */
static int grow(struct growing *g, uint32_t function, uint32_t parent, uint32_t *out,
		struct err *err)
{
	uint32_t text = text_of(g, function);
	size_t before = g->tree->n;

	*out = parent;
	if (parent == IGNORED)
		return 0;
	if (parent == ABOVE) {
		int rc = filter_has_name(g->request->root_at,
					 intern_str(&g->tree->texts, text), err);
		if (rc <= 0)
			return rc;
		parent = CALL_ROOT;
	}
	*out = call_tree_child(g->tree, parent, text);
	if (g->tree->n > before &&
	    call_tree_judge(g->tree, *out, g->request->filter, err) < 0)
		return -1;
	if (g->tree->nodes[*out].is_ignored)
		*out = IGNORED;
	return 0;
}

/* What stacks have themselves; samples of a node are those of all below it. */
static void add_sums(struct growing *g, const uint32_t *node_of)
{
	struct call_node *nodes = g->tree->nodes;
	bool is_all = !g->request->root_at && !g->request->filter->focus;
	/* a sample without a stack is part of all that there is, and on no path */
	uint32_t empty = is_all ? CALL_ROOT : IGNORED;

	for (size_t i = 0; i < g->set->nsums; i++) {
		const struct sample_sum *sum = &g->set->sums[i];
		uint32_t at = sum->node == SAMPLE_ROOT ? empty : node_of[sum->node];
		if (at >= IGNORED || (at != CALL_ROOT && !nodes[at].is_focused))
			continue;
		nodes[at].self_ns = sum_add(nodes[at].self_ns, sum->weight);
		nodes[at].busy_ns = sum_add(nodes[at].busy_ns, sum->weight);
		if (sum->samples != NUMBER_NONE)
			nodes[at].calls = sum_add(nodes[at].calls, sum->samples);
	}
	nodes[CALL_ROOT].total_ns = nodes[CALL_ROOT].self_ns;
	for (size_t i = g->tree->n; i-- > 1;)
		if (nodes[i].parent != CALL_ROOT)
			nodes[nodes[i].parent].calls =
				sum_add(nodes[nodes[i].parent].calls, nodes[i].calls);
}

int call_tree_from_samples(struct store *store, const struct scope *scope,
			   const struct call_tree_request *request,
			   struct call_tree *tree, struct err *err)
{
	uint32_t top = request->root_at ? ABOVE : CALL_ROOT;
	struct sample_set set;
	int rc = sample_set_load(store, scope, request->filter, &set, err);
	struct growing g = { &set, request, tree,
			     xcalloc(set.nfunctions + 1, sizeof(*g.texts)) };
	uint32_t *node_of = xrealloc_array(NULL, set.nnodes + 1, sizeof(*node_of));

	for (size_t i = 0; i < set.nnodes && rc == 0; i++) {
		const struct sample_node *node = &set.nodes[i];
		rc = grow(&g, node->function,
			  node->caller == SAMPLE_ROOT ? top : node_of[node->caller],
			  &node_of[i], err);
	}
	if (rc == 0) {
		add_sums(&g, node_of);
		call_tree_close(tree);
		tree->unit = set.unit;
		tree->decimals = set.decimals;
		tree->is_sampled = true;
		tree->has_counts = set.samples != NUMBER_NONE;
	}
	free(g.texts);
	free(node_of);
	sample_set_release(&set);
	return rc;
}
