/* Call graphs as tables: see callgraph_table.h. */
#include "query/calls/callgraph_table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "query/calls/callgraph_cells.h"

static const struct column edge_columns[] = {
	{ "caller_file", "Caller's file", UNIT_TEXT },
	{ "caller_line", "Line", UNIT_ID },
	{ "caller_function", "Caller", UNIT_TEXT },
	{ "file", "File", UNIT_TEXT },
	{ "line", "Line", UNIT_ID },
	{ "function", "Function", UNIT_TEXT },
	{ "calls", "Calls", UNIT_COUNT },
	{ "primitive_calls", "Primitive calls", UNIT_COUNT },
	{ "self_ns", "Self", UNIT_NS },
	{ "total_ns", "Total", UNIT_NS },
};

enum {
	CALLER_COLUMNS = NFUNCTION_CELLS,
	NCOLUMNS = sizeof(edge_columns) / sizeof(*edge_columns)
};

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
	e->edges = xgrow(e->edges, &e->edges_cap, e->n + 1, sizeof(*e->edges));
	e->edges[e->n++] = edge;
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

static void add_edges(struct memtable *m, const struct callgraph *g,
		      const struct callgraph_ends *ends)
{
	struct cell cells[NCOLUMNS];

	for (size_t i = 0; i < ends->n; i++) {
		const struct callgraph_edge *edge = &g->edges[ends->edges[i]];
		callgraph_function_cells(g, edge->caller, cells);
		callgraph_function_cells(g, edge->callee, cells + CALLER_COLUMNS);
		callgraph_sum_cells(&edge->sums,
				    cells + CALLER_COLUMNS + NFUNCTION_CELLS);
		memtable_add_row(m, cells);
	}
}

static void add_row(struct memtable *m, const struct callgraph *g,
		    const struct callgraph_row *row)
{
	struct cell cells[NCOLUMNS];

	callgraph_function_cells(g, row->function, cells);
	callgraph_sum_cells(&row->sums, cells + NFUNCTION_CELLS);
	memtable_add_row(m, cells);
}

struct table *callgraph_table(const struct callgraph *g,
			      const struct callgraph_list *list,
			      enum callgraph_calls which)
{
	size_t skipped = which == CALLS_NONE ? CALLER_COLUMNS : 0;
	struct memtable *m = memtable_new(edge_columns + skipped, NCOLUMNS - skipped);
	struct callgraph_ends ends;

	callgraph_ends_init(&ends, g, which);
	for (size_t i = 0; i < list->n; i++) {
		const struct callgraph_row *row = &g->rows[list->rows[i]];
		if (which == CALLS_NONE) {
			add_row(m, g, row);
			continue;
		}
		callgraph_ends_of(&ends, g, row->function);
		add_edges(m, g, &ends);
	}
	callgraph_ends_release(&ends);
	return &m->table;
}
