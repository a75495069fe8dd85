/* The callers or callees of functions: see callgraph_ends.h. */
#include "query/calls/callgraph_ends.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

void callgraph_ends_init(struct callgraph_ends *e, const struct callgraph *g,
			 enum callgraph_calls which)
{
	*e = (struct callgraph_ends){ .n = 0 };
	if (which != CALLS_CALLEES)
		return;
	e->order = xrealloc_array(NULL, g->nedges + 1, sizeof(*e->order));
	e->first = xrealloc_array(NULL, g->nfunctions + 1, sizeof(*e->first));
	callgraph_callees(g, e->first, e->order);
}

void callgraph_ends_release(struct callgraph_ends *e)
{
	free(e->order);
	free(e->first);
	free(e->edges);
	*e = (struct callgraph_ends){ .n = 0 };
}

/* For qsort, which passes on nothing but the elements. */
struct sorted_edge {
	const struct callgraph *g;
	uint32_t edge, end;
};

static int compare_ends(const void *a, const void *b)
{
	const struct sorted_edge *l = a, *r = b;

	return callgraph_compare(l->g, l->end, r->end);
}

static void sort_ends(struct callgraph_ends *e, const struct callgraph *g)
{
	struct sorted_edge *sorted;

	if (e->n < 2)
		return;
	sorted = xrealloc_array(NULL, e->n, sizeof(*sorted));
	for (size_t i = 0; i < e->n; i++) {
		const struct callgraph_edge *edge = &g->edges[e->edges[i]];
		sorted[i] =
			(struct sorted_edge){ g, e->edges[i],
					      e->order ? edge->callee : edge->caller };
	}
	qsort(sorted, e->n, sizeof(*sorted), compare_ends);
	for (size_t i = 0; i < e->n; i++)
		e->edges[i] = sorted[i].edge;
	free(sorted);
}

static void add_edge(struct callgraph_ends *e, uint32_t edge)
{
	*ARRAY_PUSH(e->edges, e->n, e->edges_cap) = edge;
}

void callgraph_ends_of(struct callgraph_ends *e, const struct callgraph *g,
		       uint32_t function)
{
	e->n = 0;
	if (e->order) {
		for (uint32_t i = e->first[function]; i < e->first[function + 1]; i++)
			add_edge(e, e->order[i]);
	} else {
		for (uint32_t at = g->functions[function].first; at != CALLGRAPH_NONE;
		     at = g->edges[at].next)
			add_edge(e, at);
	}
	sort_ends(e, g);
}
