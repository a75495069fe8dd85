/* An estimated tree of a call graph, breadth first: see call_tree.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sum.h"
#include "query/calls/call_tree.h"
#include "trace/fact.h"

/* A graph has far more paths than edges: what no limit of the user's stops. */
#define NODES_MAX 1000000
/* With --focus: what is below this share of all is not searched. */
#define FOCUS_PCT 0.01

/* What the tree does not hold of a node. */
struct estimated {
	uint32_t function;
	int64_t depth; /* from 1 */
	double calls;  /* parts of calls, too */
	double share;  /* of all that the function took, 0 to 1 */
	uint32_t jump; /* a node above it, by which any other is few steps away */
	uint32_t same; /* the node of its function before it, or CALL_NONE */
};

/* What is known of the functions of a ring. */
struct root {
	bool is_called;  /* from outside */
	bool is_entered; /* by calls that no caller is known of */
	uint32_t longest;
};

struct estimate {
	const struct callgraph *g;
	const struct call_tree_request *limits;
	struct call_tree *tree;
	uint32_t *first, *order; /* owned: callgraph_callees() */
	uint32_t *names;         /* owned, by function: text + 1 */
	uint32_t *rings;         /* owned, by function: callgraph_rings() */
	double *entries;         /* owned, by function: calls from outside its ring */
	struct root *roots;      /* owned, by ring */
	uint32_t nrings;
	uint32_t *newest;       /* owned, by function: its newest node, or CALL_NONE */
	struct estimated *more; /* owned, by node */
	size_t more_cap;
	double min_ns;
	struct buf name;
};

static uint32_t name_of(struct estimate *e, uint32_t function)
{
	if (!e->names[function]) {
		buf_clear(&e->name);
		callgraph_add_name(e->g, function, &e->name);
		e->names[function] = intern_add(&e->tree->texts, buf_str(&e->name)) + 1;
	}
	return e->names[function] - 1;
}

static double positive(int64_t ns)
{
	return ns > 0 ? (double)ns : 0; /* neither not recorded nor a profiler's bias */
}

static double calls_of(const struct callgraph *g, uint32_t function)
{
	const struct callgraph_sums *sums = callgraph_sums_of(g, function);

	return sums ? positive(sums->calls.n) : 0;
}

/*
 * Of an edge; where calls alone were recorded, its part of the callee's time: of the
 * calls from outside its ring, which are all of it, where that is one of them.
 */
static double edge_ns(const struct estimate *e, const struct callgraph_edge *edge)
{
	const struct callgraph *g = e->g;
	bool is_inside = e->rings[edge->caller] == e->rings[edge->callee];
	double all = is_inside ? calls_of(g, edge->callee) : e->entries[edge->callee];

	if (edge->sums.has_times)
		return positive(edge->sums.total_ns);
	if (all <= 0)
		return 0;
	return positive(callgraph_total_ns(g, edge->callee)) *
	       positive(edge->sums.calls.n) / all;
}

static double self_ns(const struct callgraph *g, uint32_t function)
{
	const struct callgraph_sums *sums = callgraph_sums_of(g, function);

	return sums ? positive(sums->self_ns) : 0;
}

/* All that a function's time consists of; its calls of itself are in both parts. */
static double parts_ns(const struct estimate *e, uint32_t function)
{
	double sum = self_ns(e->g, function);

	for (uint32_t i = e->first[function]; i < e->first[function + 1]; i++) {
		const struct callgraph_edge *edge = &e->g->edges[e->order[i]];
		if (edge->callee != function)
			sum += edge_ns(e, edge);
	}
	return sum;
}

/* What a function took, all paths together; `profile` tells none of what it began with. */
static double whole_ns(const struct estimate *e, uint32_t function)
{
	double whole = positive(callgraph_total_ns(e->g, function));

	return whole > 0 ? whole : parts_ns(e, function);
}

/* The root's jump is itself.  Jumps are as long as the digits of a skew binary number. */
static uint32_t jump_of(const struct estimate *e, uint32_t parent)
{
	const struct estimated *more = e->more;
	uint32_t jump = more[parent].jump;

	return more[parent].depth - more[jump].depth ==
			       more[jump].depth - more[more[jump].jump].depth
		       ? more[jump].jump
		       : parent;
}

/* Sticks at the ends of the range. */
static int64_t nearest(double value)
{
	return sum_of_double(rint(value));
}

static int add_node(struct estimate *e, uint32_t parent, const struct estimated *node,
		    double ns, struct err *err)
{
	uint32_t at = call_tree_append(e->tree, parent, name_of(e, node->function));
	struct call_node *new = &e->tree->nodes[at];
	double whole = whole_ns(e, node->function);

	e->more = xgrow(e->more, &e->more_cap, at + 1U, sizeof(*e->more));
	e->more[at] = *node;
	e->more[at].jump = jump_of(e, parent);
	e->more[at].same = e->newest[node->function];
	e->newest[node->function] = at;
	e->more[at].share = whole > 0 && ns < whole ? ns / whole : 1;
	new->total_ns = nearest(ns);
	new->self_ns = nearest(self_ns(e->g, node->function) * e->more[at].share);
	if (new->self_ns > new->total_ns)
		new->self_ns = new->total_ns;
	new->calls = nearest(node->calls);
	return call_tree_judge(e->tree, at, e->limits->filter, err);
}

/* The node at that depth on the way up from this one. */
static uint32_t above(const struct estimate *e, uint32_t node, int64_t depth)
{
	while (e->more[node].depth > depth)
		node = e->more[e->more[node].jump].depth >= depth
			       ? e->more[node].jump
			       : e->tree->nodes[node].parent;
	return node;
}

/*
 * Is the function called from within itself there?  Only functions of one ring are.  The
 * nodes above and those of the function are looked at side by side: either tell all.
 */
static bool is_on_path(const struct estimate *e, uint32_t node, uint32_t function)
{
	const struct estimated *more = e->more;
	uint32_t ring = e->rings[function], at = e->newest[function];

	for (uint32_t up = node; up != CALL_ROOT && e->rings[more[up].function] == ring;
	     up = e->tree->nodes[up].parent) {
		if (more[up].function == function)
			return true;
		if (at == CALL_NONE)
			return false;
		if (above(e, node, more[at].depth) == at)
			return true;
		at = more[at].same;
	}
	return false;
}

static int add_callee(struct estimate *e, uint32_t parent,
		      const struct callgraph_edge *edge, struct err *err)
{
	double part = edge_ns(e, edge) * e->more[parent].share;
	double most = (double)e->tree->nodes[parent].total_ns;
	double all = e->entries[edge->caller], calls = e->more[parent].calls;
	struct estimated callee = { .function = edge->callee,
				    .depth = e->more[parent].depth + 1,
				    .calls = positive(edge->sums.calls.n) };

	/* more than all of them came from within the ring: then it is all of its time */
	if (calls < all)
		callee.calls *= calls / all;
	if (add_node(e, parent, &callee, part < most ? part : most, err) < 0)
		return -1;
	struct call_node *node = &e->tree->nodes[e->tree->n - 1];
	if (is_on_path(e, parent, edge->callee)) {
		node->kind = CALL_RECURSION;
		node->self_ns = 0; /* is that of the one above */
	}
	return 0;
}

static bool is_followed(const struct estimate *e, uint32_t at)
{
	const struct call_node *node = &e->tree->nodes[at];
	uint32_t function = e->more[at].function;

	return node->kind == CALL_PATH && !node->is_ignored &&
	       e->first[function] < e->first[function + 1];
}

/* What is too short or too deep is not, and no more when there are too many. */
static bool is_within(const struct estimate *e, uint32_t at)
{
	int64_t depth = e->limits->depth;

	return !e->tree->is_full && (double)e->tree->nodes[at].total_ns >= e->min_ns &&
	       (!depth || e->more[at].depth < depth);
}

static int follow(struct estimate *e, uint32_t at, struct err *err)
{
	uint32_t function = e->more[at].function;

	e->tree->is_full |= is_within(e, at) && e->tree->n > NODES_MAX;
	e->tree->nodes[at].is_cut = !is_within(e, at);
	if (e->tree->nodes[at].is_cut)
		return 0;
	for (uint32_t i = e->first[function]; i < e->first[function + 1]; i++) {
		const struct callgraph_edge *edge = &e->g->edges[e->order[i]];
		if (edge->callee != function && add_callee(e, at, edge, err) < 0)
			return -1;
	}
	return 0;
}

/* Calls that no caller is known of. */
static double rootless_calls(const struct estimate *e, uint32_t function)
{
	double calls = calls_of(e->g, function);

	for (uint32_t at = e->g->functions[function].first; at != CALLGRAPH_NONE;
	     at = e->g->edges[at].next)
		calls -= positive(e->g->edges[at].sums.calls.n);
	return calls > 0 ? calls : 0;
}

/*
 * Time that no caller is known of.  Calls from within the ring are parts of those
 * from outside; one that was not measured itself called others that were.
 */
static double rootless_ns(const struct estimate *e, uint32_t function)
{
	double ns = positive(callgraph_total_ns(e->g, function));

	if (e->g->functions[function].row == CALLGRAPH_NONE || ns <= 0)
		return parts_ns(e, function);
	for (uint32_t at = e->g->functions[function].first; at != CALLGRAPH_NONE;
	     at = e->g->edges[at].next) {
		const struct callgraph_edge *edge = &e->g->edges[at];
		if (e->rings[edge->caller] != e->rings[function])
			ns -= edge_ns(e, edge);
	}
	return ns > 0 ? ns : 0;
}

static void look_at_rings(struct estimate *e)
{
	const struct callgraph *g = e->g;

	for (uint32_t i = 0; i < e->nrings; i++)
		e->roots[i] = (struct root){ .longest = CALLGRAPH_NONE };
	for (size_t i = 0; i < g->nfunctions; i++)
		e->entries[i] = calls_of(g, (uint32_t)i);
	for (size_t i = 0; i < g->nedges; i++) {
		const struct callgraph_edge *edge = &g->edges[i];
		if (e->rings[edge->caller] != e->rings[edge->callee])
			e->roots[e->rings[edge->callee]].is_called = true;
		else
			e->entries[edge->callee] -= positive(edge->sums.calls.n);
	}
	for (uint32_t f = 0; f < g->nfunctions; f++) {
		struct root *ring = &e->roots[e->rings[f]];
		ring->is_entered |= rootless_calls(e, f) > 0;
		if (ring->longest == CALLGRAPH_NONE ||
		    callgraph_total_ns(g, f) > callgraph_total_ns(g, ring->longest))
			ring->longest = f;
	}
}

/*
 * Where paths begin: what was called by nothing that is known, which may be some of
 * a function's calls; of a ring that nothing leads to, its longest function.
 */
static bool is_root(const struct estimate *e, uint32_t function)
{
	const struct root *ring = &e->roots[e->rings[function]];

	if (!ring->is_called && !ring->is_entered)
		return ring->longest == function;
	return rootless_calls(e, function) > 0 &&
	       (!ring->is_called || rootless_ns(e, function) >= 1);
}

static int add_roots(struct estimate *e, struct err *err)
{
	for (uint32_t f = 0; f < e->g->nfunctions; f++) {
		struct estimated root = { .function = f,
					  .depth = 1,
					  .calls = rootless_calls(e, f) };
		if (!is_root(e, f))
			continue;
		if (root.calls <= 0)
			root.calls = calls_of(e->g, f);
		if (add_node(e, CALL_ROOT, &root, rootless_ns(e, f), err) < 0)
			return -1;
	}
	return 0;
}

/* The rings that calls lead into, from a function that is meant in another ring. */
static void mark_reached(const struct estimate *e, const uint8_t *is_meant,
			 uint8_t *reached)
{
	uint32_t *todo = xrealloc_array(NULL, e->g->nfunctions + 1, sizeof(*todo));
	size_t n = 0;
	uint8_t *seen = xcalloc(e->g->nfunctions + 1, 1);

	for (uint32_t f = 0; f < e->g->nfunctions; f++)
		if ((seen[f] = is_meant[f]))
			todo[n++] = f;
	while (n > 0) {
		uint32_t f = todo[--n];
		for (uint32_t i = e->first[f]; i < e->first[f + 1]; i++) {
			uint32_t callee = e->g->edges[e->order[i]].callee;
			if (e->rings[callee] != e->rings[f])
				reached[e->rings[callee]] = 1;
			if (!seen[callee])
				todo[n++] = callee;
			seen[callee] = 1;
		}
	}
	free(todo);
	free(seen);
}

/*
 * The functions that --root-at means, with all of their time: the uppermost ones, which
 * no other of them leads to; of a ring the longest.
 */
static int add_chosen_roots(struct estimate *e, struct err *err)
{
	size_t n = e->g->nfunctions;
	uint8_t *is_meant = xcalloc(n + 1, 1), *reached = xcalloc(e->nrings + 1U, 1);
	int rc = 0;

	for (uint32_t i = 0; i < e->nrings; i++)
		e->roots[i].longest = CALLGRAPH_NONE;
	for (uint32_t f = 0; f < n && rc >= 0; f++) {
		struct root *ring = &e->roots[e->rings[f]];
		struct str name = intern_str(&e->tree->texts, name_of(e, f));
		rc = filter_has_name(e->limits->root_at, name, err);
		is_meant[f] = rc > 0;
		if (rc > 0 && (ring->longest == CALLGRAPH_NONE ||
			       whole_ns(e, f) > whole_ns(e, ring->longest)))
			ring->longest = f;
	}
	mark_reached(e, is_meant, reached);
	for (uint32_t i = 0; i < e->nrings && rc >= 0; i++) {
		uint32_t f = e->roots[i].longest;
		if (f == CALLGRAPH_NONE || reached[i])
			continue;
		struct estimated root = { .function = f,
					  .depth = 1,
					  .calls = calls_of(e->g, f) };
		rc = add_node(e, CALL_ROOT, &root, whole_ns(e, f), err);
	}
	free(is_meant);
	free(reached);
	return rc < 0 ? -1 : 0;
}

static void set_min(struct estimate *e)
{
	const struct call_tree_request *limits = e->limits;
	double share = limits->min_share_pct, all = 0;

	for (size_t i = 1; i < e->tree->n; i++)
		all += (double)e->tree->nodes[i].total_ns;
	e->min_ns = (double)limits->min_ns;
	/* what to focus on may be small, and is all that is left then */
	if (limits->filter->focus || limits->filter->ignore) {
		e->min_ns = 0;
		share = share < FOCUS_PCT ? share : FOCUS_PCT;
	}
	if (all * share / 100.0 > e->min_ns)
		e->min_ns = all * share / 100.0;
}

/*
 * Calls within a ring are parts of those into it, so that the paths of its functions may
 * have more than all of their own time: each then has its part of what there is.
 */
static void share_out_self(struct estimate *e)
{
	double *shares = xcalloc(e->g->nfunctions + 1, sizeof(*shares));

	for (size_t i = 1; i < e->tree->n; i++)
		if (e->tree->nodes[i].kind == CALL_PATH)
			shares[e->more[i].function] += e->more[i].share;
	for (size_t i = 1; i < e->tree->n; i++) {
		struct call_node *node = &e->tree->nodes[i];
		double all = shares[e->more[i].function];
		if (all > 1)
			node->self_ns = nearest((double)node->self_ns / all);
	}
	free(shares);
}

static int grow(struct estimate *e, struct err *err)
{
	e->more = xgrow(e->more, &e->more_cap, 1, sizeof(*e->more));
	e->more[CALL_ROOT] = (struct estimated){ .jump = CALL_ROOT };
	int rc = e->limits->root_at ? add_chosen_roots(e, err) : add_roots(e, err);

	if (rc < 0)
		return -1;
	set_min(e);
	for (size_t i = 1; i < e->tree->n; i++)
		if (is_followed(e, (uint32_t)i) && follow(e, (uint32_t)i, err) < 0)
			return -1;
	if (e->limits->as_stacks)
		share_out_self(e);
	for (size_t i = 1; i < e->tree->n; i++)
		if (!e->tree->nodes[i].is_focused)
			e->tree->nodes[i].self_ns = 0;
	return 0;
}

int call_tree_estimate(const struct callgraph *g, const struct call_tree_request *limits,
		       struct call_tree *tree, struct err *err)
{
	struct estimate e = { .g = g, .limits = limits, .tree = tree };
	size_t n = g->nfunctions + 1;

	tree->is_estimated = true;
	buf_init(&e.name, SIZE_MAX);
	e.first = xrealloc_array(NULL, n, sizeof(*e.first));
	e.order = xrealloc_array(NULL, g->nedges + 1, sizeof(*e.order));
	e.names = xcalloc(n, sizeof(*e.names));
	e.entries = xcalloc(n, sizeof(*e.entries));
	e.newest = xrealloc_array(NULL, n, sizeof(*e.newest));
	memset(e.newest, 0xff, n * sizeof(*e.newest)); /* CALL_NONE */
	callgraph_callees(g, e.first, e.order);
	e.rings = callgraph_rings(g, e.first, e.order, &e.nrings);
	e.roots = xcalloc(e.nrings + 1U, sizeof(*e.roots));
	look_at_rings(&e);
	int rc = grow(&e, err);
	free(e.first);
	free(e.order);
	free(e.names);
	free(e.entries);
	free(e.newest);
	free(e.rings);
	free(e.roots);
	free(e.more);
	buf_release(&e.name);
	if (rc == 0)
		call_tree_close(tree);
	return rc;
}
