/*
 * Adding call graphs and stripping directories: see callgraph.h.  A caller is found
 * again by the mark that its function holds, without a table of all edges.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/calls/callgraph.h"
#include "query/query.h"
#include "query/samples/sample_calls.h"
#include "trace/fact.h"

/* Digits live in the arena of a graph: those of another one are copied. */
static struct bignum own(struct arena *arena, struct bignum t)
{
	if (t.digits)
		t.digits = arena_strdup(arena, t.digits);
	return t;
}

static struct callgraph_sums own_sums(struct arena *arena,
				      const struct callgraph_sums *from)
{
	struct callgraph_sums sums = *from;

	sums.calls = own(arena, sums.calls);
	sums.primitive = own(arena, sums.primitive);
	return sums;
}

/* The edge that is there from that caller, once mark_callers() was asked. */
static struct callgraph_edge *marked(const struct callgraph *g, uint32_t caller,
				     uint32_t callee)
{
	uint32_t at = g->mark[caller];

	return at != CALLGRAPH_NONE && g->edges[at].callee == callee ? &g->edges[at]
								     : NULL;
}

static void mark_callers(const struct callgraph *g, uint32_t callee)
{
	for (uint32_t e = g->functions[callee].first; e != CALLGRAPH_NONE;
	     e = g->edges[e].next)
		g->mark[g->edges[e].caller] = e;
}

static void append_edge(struct callgraph *g, const struct callgraph_edge *from)
{
	struct callgraph_edge edge = *from;

	edge.sums = own_sums(&g->arena, &from->sums);
	g->mark[from->caller] = callgraph_append(g, &edge);
}

/* add_callers(): callers of one function, each once, to those that are there. */
static void merge_callers(struct callgraph *g, uint32_t callee,
			  const struct callgraph_edge *edges, size_t n)
{
	mark_callers(g, callee);
	for (size_t i = 0; i < n; i++) {
		struct callgraph_edge *old = marked(g, edges[i].caller, callee);
		if (!old)
			append_edge(g, &edges[i]);
		else if (callgraph_sums_add(&g->arena, &old->sums, &edges[i].sums))
			g->nmixed++;
	}
}

static void merge_row(struct callgraph *g, uint32_t function,
		      const struct callgraph_row *from, bool from_zero)
{
	static const struct callgraph_sums zero = { .has_times = true };
	struct callgraph_function *f = &g->functions[function];

	if (f->row == CALLGRAPH_NONE) {
		f->row = (uint32_t)g->nrows++;
		g->rows = xgrow(g->rows, &g->rows_cap, g->nrows, sizeof(*g->rows));
		g->rows[f->row] = *from;
		g->rows[f->row].function = function;
		g->rows[f->row].sums = own_sums(&g->arena, &from->sums);
		if (from_zero) /* which makes 0.0 of -0.0 */
			callgraph_sums_add(&g->arena, &g->rows[f->row].sums, &zero);
		return;
	}
	callgraph_sums_add(&g->arena, &g->rows[f->row].sums, &from->sums);
	g->rows[f->row].is_top_level |= from->is_top_level;
}

/* Another graph's functions in this one. */
struct mapping {
	struct callgraph *to;
	const struct callgraph *from;
	uint32_t *texts, *functions; /* owned; CALLGRAPH_NONE: not met yet */
	bool strips;
	struct callgraph_edge *edges; /* owned: the callers of one function */
	size_t edges_cap;
};

static uint32_t *nothing_met(size_t n)
{
	uint32_t *met = xrealloc_array(NULL, n + 1, sizeof(*met));

	memset(met, 0xff, (n + 1) * sizeof(*met)); /* CALLGRAPH_NONE */
	return met;
}

static void mapping_init(struct mapping *m, struct callgraph *to,
			 const struct callgraph *from, bool strips)
{
	*m = (struct mapping){ .to = to, .from = from, .strips = strips };
	m->texts = nothing_met(from->texts.n);
	m->functions = nothing_met(from->nfunctions);
}

static void mapping_release(struct mapping *m)
{
	free(m->texts);
	free(m->functions);
	free(m->edges);
}

static uint32_t map_text(struct mapping *m, uint32_t text)
{
	if (text == CALLGRAPH_NONE)
		return CALLGRAPH_NONE;
	if (m->texts[text] == CALLGRAPH_NONE)
		m->texts[text] = intern_add(&m->to->texts, callgraph_text(m->from, text));
	return m->texts[text];
}

/* os.path.basename(). */
static uint32_t map_base_name(struct mapping *m, uint32_t text)
{
	struct str path = callgraph_text(m->from, text), base = path;

	if (text == CALLGRAPH_NONE)
		return CALLGRAPH_NONE;
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/')
			base = str_behind(path, i + 1);
	return intern_add(&m->to->texts, base);
}

static uint32_t map_function(struct mapping *m, uint32_t function)
{
	struct callgraph_function key = m->from->functions[function];

	if (m->functions[function] != CALLGRAPH_NONE)
		return m->functions[function];
	key.file = m->strips ? map_base_name(m, key.file) : map_text(m, key.file);
	key.bytes = m->strips ? map_base_name(m, key.bytes) : map_text(m, key.bytes);
	key.name = map_text(m, key.name);
	m->functions[function] = callgraph_function(m->to, &key);
	return m->functions[function];
}

/* The callers of a function, under the names they have here: m->edges. */
static size_t map_callers(struct mapping *m, uint32_t function, uint32_t callee)
{
	const struct callgraph *from = m->from;
	size_t n = 0;

	for (uint32_t e = from->functions[function].first; e != CALLGRAPH_NONE;
	     e = from->edges[e].next) {
		struct callgraph_edge *edge = ARRAY_PUSH(m->edges, n, m->edges_cap);
		*edge = from->edges[e];
		edge->callee = callee;
		edge->caller = map_function(m, from->edges[e].caller);
	}
	return n;
}

void callgraph_add(struct callgraph *g, const struct callgraph *other)
{
	bool from_zero = g->nrows > 0;
	struct mapping m;

	mapping_init(&m, g, other, false);
	for (size_t i = 0; i < other->nrows; i++) {
		const struct callgraph_row *row = &other->rows[i];
		uint32_t callee = map_function(&m, row->function);
		size_t n = map_callers(&m, row->function, callee);
		merge_row(g, callee, row, from_zero);
		merge_callers(g, callee, m.edges, n);
	}
	g->calls = own(&g->arena, bignum_add(&g->arena, g->calls, other->calls));
	g->primitive =
		own(&g->arena, bignum_add(&g->arena, g->primitive, other->primitive));
	g->self_s += other->self_s;
	g->self_ns = callgraph_add_ns(g->self_ns, other->self_ns);
	g->whole_ns = callgraph_add_ns(g->whole_ns, other->whole_ns);
	g->is_sampled = other->is_sampled;
	g->has_counts = other->has_counts;
	g->unit = other->unit;
	g->decimals = other->decimals;
	g->noverwritten += other->noverwritten;
	g->nmixed += other->nmixed;
	mapping_release(&m);
}

/* Callers whose names have become one: how many are left in m->edges. */
static size_t join_callers(struct mapping *m, size_t n, uint32_t *place, bool overwrites)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct callgraph_edge edge = m->edges[i];
		uint32_t at = place[edge.caller];
		if (at >= kept || m->edges[at].caller != edge.caller) {
			place[edge.caller] = (uint32_t)kept;
			m->edges[kept++] = edge;
		} else if (overwrites) {
			m->edges[at].sums = edge.sums;
			m->to->noverwritten++;
		} else if (callgraph_sums_add(&m->to->arena, &m->edges[at].sums,
					      &edge.sums)) {
			m->to->nmixed++;
		}
	}
	return kept;
}

void callgraph_strip(struct callgraph *g, const struct callgraph *from, bool overwrites)
{
	/* By function: where m.edges may have it; there are no more than before. */
	uint32_t *place = xcalloc(from->nfunctions + 1, sizeof(*place));
	struct mapping m;

	mapping_init(&m, g, from, true);
	for (size_t i = 0; i < from->nrows; i++) {
		const struct callgraph_row *row = &from->rows[i];
		uint32_t callee = map_function(&m, row->function);
		size_t n = map_callers(&m, row->function, callee);
		n = join_callers(&m, n, place, overwrites);
		merge_row(g, callee, row, false);
		merge_callers(g, callee, m.edges, n);
	}
	g->calls = own(&g->arena, from->calls);
	g->primitive = own(&g->arena, from->primitive);
	g->self_s = from->self_s;
	g->self_ns = from->self_ns;
	g->whole_ns = from->whole_ns;
	g->is_sampled = from->is_sampled;
	g->has_counts = from->has_counts;
	g->unit = from->unit;
	g->decimals = from->decimals;
	g->nmixed += from->nmixed;
	mapping_release(&m);
	free(place);
}

/* Profile i of Stats(first, second, ...): the first, then the others in reverse. */
static const struct scope_profile *added_at(const struct scope *scope, size_t i)
{
	return &scope->profiles[i ? scope->n - i : 0];
}

/* Counts the names of the functions from `first` on. */
static int take_names(struct store *store, const struct callgraph *g, size_t first,
		      bool is_known, struct spelt *taken, struct err *err)
{
	int rc = 0;

	for (size_t i = first; i < g->nfunctions && rc == 0; i++)
		if (g->functions[i].name != CALLGRAPH_NONE)
			rc = query_take_names(store,
					      callgraph_text(g, g->functions[i].file),
					      callgraph_text(g, g->functions[i].name),
					      is_known, taken, err);
	return rc;
}

/* Ranks have the same functions: those of all profiles are read, and once kept. */
static int add_profile(struct store *store, const struct scope_profile *profile,
		       const struct filter *filter, struct callgraph *g, struct err *err)
{
	size_t nkept = g->nfunctions;
	struct callgraph one;

	callgraph_init(&one);
	one.names = g->names;
	int rc = callgraph_load(store, profile, filter, CALLGRAPH_ALL, &one, err);
	if (rc == 0) {
		callgraph_add(g, &one);
		rc = take_names(store, &one, 0, true, &g->names, err);
	}
	if (rc == 0)
		rc = take_names(store, g, nkept, false, &g->names, err);
	callgraph_release(&one);
	return rc;
}

int callgraph_load_scope(struct store *store, const struct scope *scope,
			 const struct filter *filter, struct callgraph *g,
			 struct err *err)
{
	const struct filter all = { .focus = NULL };
	enum scope_kind kind;
	int rc = scope_kind(scope, &kind, err);

	/* Which series count, in which unit and decimals, is decided once for all files. */
	if (rc == 0 && kind == SCOPE_SAMPLES)
		return callgraph_of_samples(store, scope, filter ? filter : &all, g, err);
	for (size_t i = 0; i < scope->n && rc == 0; i++)
		rc = add_profile(store, added_at(scope, i), filter, g, err);
	return rc;
}
