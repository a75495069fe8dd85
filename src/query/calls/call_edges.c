/* Callers and callees of functions: see call_edges.h. */
#include "query/calls/call_edges.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/field.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/calls/callgraph_cells.h"
#include "trace/fact.h"

#define NAME_MAX_BYTES SIZE_MAX

enum {
	CALLER,
	CALLEE = CALLER + NFUNCTION_CELLS,
	SUMS = CALLEE + NFUNCTION_CELLS,
	NMACHINE = SUMS + NSUM_CELLS
};
enum { ASKED, OTHER, CALLS, PRIMITIVE, SELF, TOTAL, SHARE, NPEOPLE };

static const struct column machine_columns[NMACHINE] = {
	[CALLER + CELLS_FILE] = { "caller_file", "Caller's file", UNIT_TEXT },
	[CALLER + CELLS_LINE] = { "caller_line", "Caller's line", UNIT_ID },
	[CALLER + CELLS_NAME] = { "caller_function", "Caller", UNIT_TEXT },
	[CALLEE + CELLS_FILE] = { "file", "File", UNIT_TEXT },
	[CALLEE + CELLS_LINE] = { "line", "Line", UNIT_ID },
	[CALLEE + CELLS_NAME] = { "function", "Function", UNIT_TEXT },
	[SUMS + CELLS_CALLS] = { "calls", "Calls", UNIT_COUNT },
	[SUMS + CELLS_PRIMITIVE] = { "primitive_calls", "Primitive", UNIT_COUNT },
	[SUMS + CELLS_SELF] = { "self_ns", "Self", UNIT_NS },
	[SUMS + CELLS_TOTAL] = { "total_ns", "Total", UNIT_NS },
};

#define LEAST 25 /* cells of either name before columns leave */

/* What leaves a narrow line, the largest first. */
static const struct field leaving[NPEOPLE] = {
	[ASKED] = { .least = LEAST },  [OTHER] = { .least = LEAST },
	[PRIMITIVE] = { .leaves = 3 }, [SHARE] = { .leaves = 2 },
	[SELF] = { .leaves = 1 },
};
static const struct field *const leaves_in_order[NPEOPLE] = {
	&leaving[ASKED], &leaving[OTHER], &leaving[CALLS], &leaving[PRIMITIVE],
	&leaving[SELF],  &leaving[TOTAL], &leaving[SHARE],
};

/* By enum call_side. */
static const struct column people_columns[][NPEOPLE] = {
	{
		[ASKED] = { "function", "Function", UNIT_TEXT },
		[OTHER] = { "caller", "Called by", UNIT_TEXT },
		[CALLS] = { "calls", "Calls", UNIT_COUNT },
		[PRIMITIVE] = { "primitive_calls", "Primitive", UNIT_COUNT },
		[SELF] = { "self_ns", "Self", UNIT_NS },
		[TOTAL] = { "total_ns", "Total", UNIT_NS },
		[SHARE] = { "total_pct", "Of function", UNIT_PERCENT },
	},
	{
		[ASKED] = { "caller", "Function", UNIT_TEXT },
		[OTHER] = { "function", "Calls to", UNIT_TEXT },
		[CALLS] = { "calls", "Calls", UNIT_COUNT },
		[PRIMITIVE] = { "primitive_calls", "Primitive", UNIT_COUNT },
		[SELF] = { "self_ns", "Self", UNIT_NS },
		[TOTAL] = { "total_ns", "Total", UNIT_NS },
		[SHARE] = { "total_pct", "Of function", UNIT_PERCENT },
	},
};

/* clang-format off */
const struct sort_key call_edge_sort_keys[] = {
	{ "calls", "ncalls nc count", "number of calls", SUMS + CELLS_CALLS, false },
	{ "primitive_calls", "pcalls cc", "calls that are not inside a call of the same function", SUMS + CELLS_PRIMITIVE, false },
	{ "self_ns", "tottime time flat", "time in the callee itself", SUMS + CELLS_SELF, false },
	{ "total_ns", "cumulative cumtime cum", "time in the callee and what it called", SUMS + CELLS_TOTAL, false },
	{ "function", "name", "name of the callee", CALLEE + CELLS_NAME, true },
	{ "file", "filename module", "file of the callee", CALLEE + CELLS_FILE, true },
	{ "line", NULL, "line of the callee", CALLEE + CELLS_LINE, true },
	{ "caller_function", "caller", "name of the caller", CALLER + CELLS_NAME, true },
	{ "caller_file", NULL, "file of the caller", CALLER + CELLS_FILE, true },
	{ "caller_line", NULL, "line of the caller", CALLER + CELLS_LINE, true },
	{ NULL, NULL, NULL, 0, false },
};
/* clang-format on */

int call_edges_match(const struct callgraph *g, const struct filter *filter,
		     struct call_matches *out, struct err *err)
{
	struct buf name;
	int has = 0;

	*out = (struct call_matches){ .n = 0 };
	buf_init(&name, NAME_MAX_BYTES);
	for (size_t f = 0; f < g->nfunctions && has >= 0; f++) {
		buf_clear(&name);
		callgraph_add_name(g, (uint32_t)f, &name);
		has = filter_has_name(filter, buf_str(&name), err);
		if (has <= 0)
			continue;
		out->functions = xgrow(out->functions, &out->cap, out->n + 1,
				       sizeof(*out->functions));
		out->functions[out->n++] = (uint32_t)f;
	}
	buf_release(&name);
	return has < 0 ? -1 : 0;
}

struct edges {
	const struct callgraph *g;
	const struct call_edges_request *request;
	uint32_t *at; /* owned: edges of the functions asked about */
	size_t n, cap;
	size_t nwithout; /* of these functions, those without any */
	struct buf name;
	bool ascending;
};

static uint32_t asked(const struct edges *e, uint32_t edge)
{
	const struct callgraph_edge *at = &e->g->edges[edge];

	return e->request->side == CALL_CALLERS ? at->callee : at->caller;
}

static uint32_t other(const struct edges *e, uint32_t edge)
{
	const struct callgraph_edge *at = &e->g->edges[edge];

	return e->request->side == CALL_CALLERS ? at->caller : at->callee;
}

static void collect(struct edges *e, const struct call_matches *matches)
{
	const struct callgraph *g = e->g;
	bool *is_asked = xcalloc(g->nfunctions + 1, sizeof(*is_asked));
	bool *has_any = xcalloc(g->nfunctions + 1, sizeof(*has_any));

	for (size_t i = 0; i < matches->n; i++)
		is_asked[matches->functions[i]] = true;
	for (size_t i = 0; i < g->nedges; i++) {
		uint32_t function = asked(e, (uint32_t)i);
		if (!is_asked[function])
			continue;
		has_any[function] = true;
		e->at = xgrow(e->at, &e->cap, e->n + 1, sizeof(*e->at));
		e->at[e->n++] = (uint32_t)i;
	}
	for (size_t i = 0; i < matches->n; i++)
		e->nwithout += !has_any[matches->functions[i]];
	free(is_asked);
	free(has_any);
}

static void set_machine_cells(const struct edges *e, uint32_t edge, struct cell *cells)
{
	const struct callgraph_edge *at = &e->g->edges[edge];

	callgraph_function_cells(e->g, at->caller, cells + CALLER);
	callgraph_function_cells(e->g, at->callee, cells + CALLEE);
	callgraph_sum_cells(&at->sums, cells + SUMS);
}

/* Ties: by both names, so that the order is the same however the store was made. */
static bool before_by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct edges *e = context;
	int order = callgraph_compare(e->g, asked(e, a), asked(e, b));

	if (order == 0)
		order = callgraph_compare(e->g, other(e, a), other(e, b));
	return order < 0;
}

static int64_t edge_total(const struct edges *e, uint32_t edge)
{
	const struct callgraph_sums *sums = &e->g->edges[edge].sums;

	return sums->has_times ? sums->total_ns : NUMBER_NONE;
}

/* Function after function, the longest first, and so the edges of each. */
static bool before_by_function(const void *context, uint32_t a, uint32_t b)
{
	const struct edges *e = context;
	uint32_t f = asked(e, a), h = asked(e, b);
	int64_t x = callgraph_total_ns(e->g, f), y = callgraph_total_ns(e->g, h);

	if (f != h)
		return x != y ? x > y : callgraph_compare(e->g, f, h) < 0;
	return edge_total(e, a) > edge_total(e, b);
}

static bool before_by_key(const void *context, uint32_t a, uint32_t b)
{
	const struct edges *e = context;
	const struct callgraph_edge *x = &e->g->edges[a], *y = &e->g->edges[b];
	int column = e->request->sort->column, order;

	if (column >= SUMS)
		order = callgraph_compare_sums(&x->sums, &y->sums, column - SUMS);
	else if (column >= CALLEE)
		order = callgraph_compare_names(e->g, x->callee, y->callee,
						column - CALLEE);
	else
		order = callgraph_compare_names(e->g, x->caller, y->caller,
						column - CALLER);
	return e->ascending ? order < 0 : order > 0;
}

static bool after_by_function(const void *context, uint32_t a, uint32_t b)
{
	return before_by_function(context, b, a);
}

static void sort(struct edges *e)
{
	const struct sort_key *key = e->request->sort;
	uint32_t *spare = xrealloc_array(NULL, e->n + 1, sizeof(*spare));

	e->ascending = key && key->ascending != e->request->reverse;
	sort_indexes(e->at, e->n, spare, before_by_name, e);
	if (key)
		sort_indexes(e->at, e->n, spare, before_by_key, e);
	else
		sort_indexes(e->at, e->n, spare,
			     e->request->reverse ? after_by_function : before_by_function,
			     e);
	free(spare);
}

static struct str name_of(struct edges *e, struct memtable *m, uint32_t function)
{
	buf_clear(&e->name);
	callgraph_add_name(e->g, function, &e->name);
	return arena_copy(&m->arena, buf_str(&e->name));
}

/* Time of calls from itself lies within that of its other calls: a share of nothing. */
static struct cell share_cell(const struct edges *e, uint32_t edge)
{
	int64_t part = edge_total(e, edge);
	int64_t whole = callgraph_total_ns(e->g, asked(e, edge));

	if (part == NUMBER_NONE || whole <= 0 || sum_is_stuck(whole) ||
	    asked(e, edge) == other(e, edge))
		return cell_null();
	return cell_real(100.0 * (double)part / (double)whole);
}

/* The function is named once, above what follows. */
static void add_people_row(struct edges *e, struct memtable *m, uint32_t edge,
			   uint32_t function_before)
{
	struct cell sums[NSUM_CELLS], cells[NPEOPLE];
	uint32_t function = asked(e, edge);

	callgraph_sum_cells(&e->g->edges[edge].sums, sums);
	cells[ASKED] = cell_text(function == function_before ? STR_LIT("")
							     : name_of(e, m, function));
	cells[OTHER] = cell_text(name_of(e, m, other(e, edge)));
	cells[CALLS] = sums[CELLS_CALLS];
	cells[PRIMITIVE] = sums[CELLS_PRIMITIVE];
	cells[SELF] = sums[CELLS_SELF];
	cells[TOTAL] = sums[CELLS_TOTAL];
	cells[SHARE] = share_cell(e, edge);
	memtable_add_row(m, cells);
}

static struct memtable *draw(struct edges *e)
{
	const struct call_edges_request *r = e->request;
	struct memtable *m = r->for_people
				     ? memtable_new(people_columns[r->side], NPEOPLE)
				     : memtable_new(machine_columns, NMACHINE);
	size_t n = r->limit && (size_t)r->limit < e->n ? (size_t)r->limit : e->n;

	for (size_t i = 0; i < n; i++) {
		struct cell cells[NMACHINE];
		uint32_t before = i ? asked(e, e->at[i - 1]) : CALLGRAPH_NONE;
		if (r->for_people) {
			add_people_row(e, m, e->at[i], before);
			continue;
		}
		set_machine_cells(e, e->at[i], cells);
		memtable_add_row(m, cells);
	}
	if (r->for_people)
		m->table.fields = leaves_in_order;
	m->table.total_rows = (int64_t)e->n;
	return m;
}

struct table *call_edges_table(const struct callgraph *g,
			       const struct call_matches *matches,
			       const struct call_edges_request *request)
{
	struct edges e = { .g = g, .request = request };

	buf_init(&e.name, NAME_MAX_BYTES);
	collect(&e, matches);
	sort(&e);
	struct memtable *m = draw(&e);
	if (e.nwithout && e.n)
		memtable_add_note(m, "%zu matching function%s no %s", e.nwithout,
				  e.nwithout == 1 ? " has" : "s have",
				  request->side == CALL_CALLERS ? "callers" : "callees");
	buf_release(&e.name);
	free(e.at);
	return &m->table;
}
