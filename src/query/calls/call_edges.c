/* Callers and callees of functions: see call_edges.h. */
#include "query/calls/call_edges.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/query.h"
#include "trace/fact.h"

#define NAME_MAX_BYTES SIZE_MAX

/* Text where no int64 holds it. */
static struct cell count_cell(const struct bignum *count)
{
	return count->digits ? cell_text(str_of(count->digits)) : cell_int(count->n);
}

static const struct callgraph_function *function_at(const void *from, const void *row,
						    int arg)
{
	const struct call_source *source = from;
	uint32_t function;

	memcpy(&function, (const char *)row + arg, sizeof(function));
	return &source->g->functions[function];
}

struct cell call_file(const void *from, const void *row, int arg)
{
	const struct call_source *source = from;

	return cell_text(callgraph_text(source->g, function_at(from, row, arg)->file));
}

struct cell call_line(const void *from, const void *row, int arg)
{
	return number_cell(function_at(from, row, arg)->line);
}

struct cell call_name(const void *from, const void *row, int arg)
{
	const struct call_source *source = from;

	return cell_text(callgraph_text(source->g, function_at(from, row, arg)->name));
}

struct cell call_count(const void *from, const void *row, int arg)
{
	const struct callgraph_sums *sums = ((const struct call_row *)row)->sums;

	const struct callgraph *g = ((const struct call_source *)from)->g;

	if (arg != offsetof(struct callgraph_sums, calls) && !sums->has_times)
		return cell_null();
	if (g->is_sampled && !g->has_counts)
		return cell_null();
	/* pyinstrument counts no calls, yappi's tables cut long counts off */
	if (sums->has_times && sums->uncounted)
		return cell_null();
	return count_cell((const void *)((const char *)sums + arg));
}

struct cell call_ns(const void *from, const void *row, int arg)
{
	const struct callgraph_sums *sums = ((const struct call_row *)row)->sums;

	return sums->has_times ? view_number(from, sums, arg) : cell_null();
}

/* A weight of sampled stacks. */
static struct cell get_weight(const void *from, const void *row, int arg)
{
	const struct call_source *source = from;
	struct cell cell = call_ns(from, row, arg);

	return cell.type == CELL_INT ? cell_scaled(cell.as.integer, source->g->decimals)
				     : cell;
}

struct edges {
	struct call_source source; /* at the beginning: `from` of the view's fields */
	const struct call_edges_request *request;
	struct str *names;   /* owned: of functions, as far as they were needed */
	struct arena *arena; /* of the names */
	uint32_t *at;        /* owned: edges of the functions asked about */
	size_t n, cap;
	size_t nwithout; /* of these functions, those without any */
};

/* The function asked about, or that at the call's other end. */
enum { ASKED, OTHER };

static uint32_t end_of(const struct edges *e, uint32_t caller, uint32_t callee, int end)
{
	return (e->request->side == CALL_CALLERS) == (end == ASKED) ? callee : caller;
}

/* arg: which end. */
static struct cell get_standard_name(const void *from, const void *row, int arg)
{
	const struct edges *e = from;
	const struct call_row *call = row;
	uint32_t function = end_of(e, call->caller, call->callee, arg);
	struct buf name;

	if (!e->names[function].p) {
		buf_init(&name, NAME_MAX_BYTES);
		callgraph_add_name(e->source.g, function, &name);
		e->names[function] = arena_copy(e->arena, buf_str(&name));
		buf_release(&name);
	}
	return cell_text(e->names[function]);
}

/* Time of calls from itself lies within that of its other calls: a share of nothing. */
static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct edges *e = from;
	const struct call_row *call = row;
	struct cell part = call_ns(from, row, offsetof(struct callgraph_sums, total_ns));
	int64_t whole = callgraph_total_ns(e->source.g,
					   end_of(e, call->caller, call->callee, ASKED));

	(void)arg;
	if (part.type == CELL_NULL || call->caller == call->callee)
		return cell_null();
	return share_cell(part.as.integer, whole);
}

/* Bits of struct field's `needs`. */
enum { OF_CALLS = 1, OF_CALLERS = 2, OF_CALLEES = 4 };

#define OF(member, of)  .arg = offsetof(struct call_row, member), .get = (of)
#define SUM(member, of) .arg = offsetof(struct callgraph_sums, member), .get = (of)
#define NAME(end) \
	.arg = (end), .get = get_standard_name, .flags = FIELD_PEOPLE, .least = 25

/* clang-format off */
static const struct field fields[] = {
	{ "caller_file", "Caller's file", "file of the caller", NULL, UNIT_TEXT, OF(caller, call_file), .needs = OF_CALLS },
	{ "caller_line", "Caller's line", "line of the caller", NULL, UNIT_ID, OF(caller, call_line), .needs = OF_CALLS },
	{ "caller_function", "Caller", "name of the caller", "caller", UNIT_TEXT, OF(caller, call_name), .needs = OF_CALLS },
	{ "file", "File", "file of the callee", "filename module", UNIT_TEXT, OF(callee, call_file) },
	{ "line", "Line", "line of the callee", NULL, UNIT_ID, OF(callee, call_line) },
	{ "function", "Function", "name of the callee", "name", UNIT_TEXT, OF(callee, call_name) },
	{ "asked", "Function", NULL, NULL, UNIT_TEXT, NAME(ASKED) },
	{ "called_by", "Called by", NULL, NULL, UNIT_TEXT, NAME(OTHER), .needs = OF_CALLERS },
	{ "calls_to", "Calls to", NULL, NULL, UNIT_TEXT, NAME(OTHER), .needs = OF_CALLEES },
	{ "calls", "Calls", "number of calls", "ncalls nc count", UNIT_COUNT, SUM(calls, call_count) },
	{ "primitive_calls", "Primitive", "calls that are not inside a call of the same function", "pcalls cc", UNIT_COUNT, SUM(primitive, call_count), .leaves = 3 },
	{ "self_ns", "Self", "time in the callee itself", "tottime time flat", UNIT_NS, SUM(self_ns, call_ns), .leaves = 1 },
	{ "total_ns", "Total", "time in the callee and what it called", "cumulative cumtime cum", UNIT_NS, SUM(total_ns, call_ns) },
	{ "total_pct", "Of function", NULL, NULL, UNIT_PERCENT, .get = get_share, .flags = FIELD_PEOPLE, .leaves = 2 },
	{ .name = NULL },
};

#define WEIGHT(member) .arg = offsetof(struct callgraph_sums, member), .get = get_weight, .flags = FIELD_AMOUNT

static const struct field sampled_fields[] = {
	{ "caller_file", "Caller's file", "file of the caller", NULL, UNIT_TEXT, OF(caller, call_file), .needs = OF_CALLS },
	{ "caller_line", "Caller's line", "line of the caller's definition", NULL, UNIT_ID, OF(caller, call_line), .needs = OF_CALLS },
	{ "caller_function", "Caller", "name of the caller", "caller", UNIT_TEXT, OF(caller, call_name), .needs = OF_CALLS },
	{ "file", "File", "file of the callee", "filename module", UNIT_TEXT, OF(callee, call_file) },
	{ "line", "Line", "line of the callee's definition", NULL, UNIT_ID, OF(callee, call_line) },
	{ "function", "Function", "name of the callee", "name", UNIT_TEXT, OF(callee, call_name) },
	{ "asked", "Function", NULL, NULL, UNIT_TEXT, NAME(ASKED) },
	{ "called_by", "Called by", NULL, NULL, UNIT_TEXT, NAME(OTHER), .needs = OF_CALLERS },
	{ "calls_to", "Calls to", NULL, NULL, UNIT_TEXT, NAME(OTHER), .needs = OF_CALLEES },
	{ "samples", "Samples", "samples with both on the stack, one right above the other", "calls primitive_calls count", UNIT_COUNT, SUM(calls, call_count) },
	{ "self", "Self", "weight of the stacks that end with the callee", "self_ns self_bytes self_count", UNIT_NS, WEIGHT(self_ns), .leaves = 1 },
	{ "total", "Total", "weight of the stacks with both", "total_ns total_bytes total_count cumulative cumtime cum", UNIT_NS, WEIGHT(total_ns) },
	{ "total_pct", "Of function", NULL, NULL, UNIT_PERCENT, .get = get_share, .flags = FIELD_PEOPLE, .leaves = 2 },
	{ .name = NULL },
};
/* clang-format on */

const struct view sampled_call_view = {
	.name = "callers and callees of sampled stacks",
	.fields = sampled_fields,
	.people = VIEW_PART("asked! called_by! calls_to! samples self total total_pct"),
};

/* The view of a graph; its --sort is that of call_view by the same name. */
static const struct view *view_of(const struct callgraph *g, struct view_request *show)
{
	if (!g->is_sampled)
		return &call_view;
	show->amounts = g->unit;
	if (show->sort)
		show->sort = view_field(&sampled_call_view, show->sort->name);
	return &sampled_call_view;
}

const struct view call_view = {
	.name = "callers and callees",
	.fields = fields,
	.people = VIEW_PART("asked! called_by! calls_to! calls primitive_calls self_ns "
			    "total_ns total_pct"),
};

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
		*ARRAY_PUSH(out->functions, out->n, out->cap) = (uint32_t)f;
	}
	buf_release(&name);
	return has < 0 ? -1 : 0;
}

static uint32_t asked(const struct edges *e, uint32_t edge)
{
	const struct callgraph_edge *at = &e->source.g->edges[edge];

	return end_of(e, at->caller, at->callee, ASKED);
}

static uint32_t other(const struct edges *e, uint32_t edge)
{
	const struct callgraph_edge *at = &e->source.g->edges[edge];

	return end_of(e, at->caller, at->callee, OTHER);
}

static void collect(struct edges *e, const struct call_matches *matches)
{
	const struct callgraph *g = e->source.g;
	bool *is_asked = xcalloc(g->nfunctions + 1, sizeof(*is_asked));
	bool *has_any = xcalloc(g->nfunctions + 1, sizeof(*has_any));

	for (size_t i = 0; i < matches->n; i++)
		is_asked[matches->functions[i]] = true;
	for (size_t i = 0; i < g->nedges; i++) {
		uint32_t function = asked(e, (uint32_t)i);
		if (!is_asked[function])
			continue;
		has_any[function] = true;
		*ARRAY_PUSH(e->at, e->n, e->cap) = (uint32_t)i;
	}
	for (size_t i = 0; i < matches->n; i++)
		e->nwithout += !has_any[matches->functions[i]];
	free(is_asked);
	free(has_any);
}

/* Ties: by both names, so that the order is the same however the store was made. */
static bool before_by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct edges *e = context;
	int order = callgraph_compare(e->source.g, asked(e, a), asked(e, b));

	if (order == 0)
		order = callgraph_compare(e->source.g, other(e, a), other(e, b));
	return order < 0;
}

static int64_t edge_total(const struct edges *e, uint32_t edge)
{
	const struct callgraph_sums *sums = &e->source.g->edges[edge].sums;

	return sums->has_times ? sums->total_ns : NUMBER_NONE;
}

/* Function after function, the longest first, and so the edges of each. */
static bool before_by_function(const void *context, uint32_t a, uint32_t b)
{
	const struct edges *e = context;
	uint32_t f = asked(e, a), h = asked(e, b);
	int64_t x = callgraph_total_ns(e->source.g, f),
		y = callgraph_total_ns(e->source.g, h);

	if (f != h)
		return x != y ? x > y : callgraph_compare(e->source.g, f, h) < 0;
	return edge_total(e, a) > edge_total(e, b);
}

static bool after_by_function(const void *context, uint32_t a, uint32_t b)
{
	return before_by_function(context, b, a);
}

/* Under a key of --sort names break ties. */
static void sort(struct edges *e)
{
	const struct view_request *show = &e->request->show;
	uint32_t *spare = xrealloc_array(NULL, e->n + 1, sizeof(*spare));

	sort_indexes(e->at, e->n, spare, before_by_name, e);
	if (!show->sort)
		sort_indexes(e->at, e->n, spare,
			     show->reverse ? after_by_function : before_by_function, e);
	free(spare);
}

/* The function is named once, above what follows. */
static void name_once(struct memtable *m)
{
	struct str before = { .n = 0 };

	for (size_t i = 0; i < m->nrows; i++) {
		struct str *name = &m->cells[i * m->table.ncolumns].as.text;
		if (i && str_equal(*name, before))
			name->n = 0;
		else
			before = *name;
	}
}

static struct call_row row_of(const struct callgraph *g, uint32_t edge)
{
	const struct callgraph_edge *at = &g->edges[edge];

	return (struct call_row){ at->caller, at->callee, &at->sums };
}

unsigned call_edges_asked(enum call_side side)
{
	return OF_CALLS | (side == CALL_CALLERS ? OF_CALLERS : OF_CALLEES);
}

struct table *call_edges_table(const struct callgraph *g,
			       const struct call_matches *matches,
			       const struct call_edges_request *request)
{
	struct arena arena = { 0 };
	struct edges e = { { g }, .request = request, .arena = &arena };
	struct view_request show = request->show;

	e.names = xcalloc(g->nfunctions + 1, sizeof(*e.names));
	collect(&e, matches);
	sort(&e);
	struct call_row *rows = xrealloc_array(NULL, e.n + 1, sizeof(*rows));
	for (size_t i = 0; i < e.n; i++)
		rows[i] = row_of(g, e.at[i]);
	show.asked = call_edges_asked(request->side);
	const struct view *view = view_of(g, &show);
	struct memtable *m = view_table(
		view, &(struct view_rows){ &e, rows, e.n, sizeof(*rows) }, NULL, &show);
	if (show.for_people)
		name_once(m);
	if (e.nwithout && e.n)
		memtable_add_note(m, "%zu matching function%s no %s", e.nwithout,
				  e.nwithout == 1 ? " has" : "s have",
				  request->side == CALL_CALLERS ? "callers" : "callees");
	if (request->is_mixed)
		memtable_add_note(m, "%s", CALLS_MIXED);
	arena_release(&arena);
	free(e.names);
	free(rows);
	free(e.at);
	return &m->table;
}

struct table *callgraph_table(const struct callgraph *g,
			      const struct callgraph_list *list,
			      enum callgraph_calls which)
{
	const struct call_source source = { g };
	struct view_request all = { .asked = which == CALLS_NONE ? 0 : OF_CALLS };
	struct call_row *rows = NULL;
	struct callgraph_ends ends;
	size_t n = 0, cap = 0;

	callgraph_ends_init(&ends, g, which);
	for (size_t i = 0; i < list->n; i++) {
		const struct callgraph_row *row = &g->rows[list->rows[i]];
		if (which != CALLS_NONE)
			callgraph_ends_of(&ends, g, row->function);
		size_t more = which == CALLS_NONE ? 1 : ends.n;
		rows = xgrow(rows, &cap, n + more, sizeof(*rows));
		if (which == CALLS_NONE)
			rows[n] = (struct call_row){ .callee = row->function,
						     .sums = &row->sums };
		for (size_t k = 0; which != CALLS_NONE && k < ends.n; k++)
			rows[n + k] = row_of(g, ends.edges[k]);
		n += more;
	}
	callgraph_ends_release(&ends);
	const struct view *view = view_of(g, &all);
	struct memtable *m = view_table(
		view, &(struct view_rows){ &source, rows, n, sizeof(*rows) }, NULL, &all);
	free(rows);
	return &m->table;
}

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
