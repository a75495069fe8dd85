/* A call graph in memory: see callgraph.h.  Python: Lib/pstats.py, class Stats. */
#include "query/calls/callgraph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "trace/fact.h"

#define KEY_PARTS 4
#define UNSEEN    UINT32_MAX

void callgraph_init(struct callgraph *g)
{
	*g = (struct callgraph){ 0 };
	intern_init(&g->texts);
	intern_init(&g->keys);
}

void callgraph_release(struct callgraph *g)
{
	free(g->functions);
	free(g->rows);
	free(g->edges);
	free(g->mark);
	intern_release(&g->texts);
	intern_release(&g->keys);
	arena_release(&g->arena);
	*g = (struct callgraph){ 0 };
}

struct str callgraph_text(const struct callgraph *g, uint32_t text)
{
	return text == CALLGRAPH_NONE ? (struct str){ "", 0 }
				      : intern_str(&g->texts, text);
}

int callgraph_compare(const struct callgraph *g, uint32_t a, uint32_t b)
{
	const struct callgraph_function *l = &g->functions[a], *r = &g->functions[b];
	int order = 0;

	if (l->file != r->file)
		order = str_compare(callgraph_text(g, l->file),
				    callgraph_text(g, r->file));
	if (order == 0)
		order = l->line < r->line ? -1 : l->line > r->line;
	if (order == 0 && l->name != r->name)
		order = str_compare(callgraph_text(g, l->name),
				    callgraph_text(g, r->name));
	if (order == 0 && l->bytes != r->bytes)
		order = str_compare(callgraph_text(g, l->bytes),
				    callgraph_text(g, r->bytes));
	return order;
}

void callgraph_add_name(const struct callgraph *g, uint32_t function, struct buf *out)
{
	const struct callgraph_function *f = &g->functions[function];
	struct str name = callgraph_text(g, f->name);
	/* as it was, so that it can be told from others and found on the disk */
	struct str file =
		callgraph_text(g, f->bytes == CALLGRAPH_NONE ? f->file : f->bytes);

	if (f->line == 0 && str_is(file, "~")) {
		bool is_builtin = name.n && name.p[0] == '<' && name.p[name.n - 1] == '>';
		if (is_builtin)
			buf_addf(out, "{%.*s}", (int)name.n - 2, name.p + 1);
		else
			buf_add_str(out, name);
		return;
	}
	if (g->is_sampled) {
		/* as py-spy has it: the line of a definition is seldom known */
		buf_add_str(out, name);
		buf_add_text(out, " (");
		buf_add_str(out, file);
		if (f->line != NUMBER_NONE)
			buf_addf(out, ":%lld", (long long)f->line);
		buf_add_char(out, ')');
		return;
	}
	buf_add_str(out, file);
	buf_addf(out, ":%lld(", (long long)f->line);
	buf_add_str(out, name);
	buf_add_char(out, ')');
}

uint32_t callgraph_function(struct callgraph *g, const struct callgraph_function *key)
{
	const int64_t parts[KEY_PARTS] = { key->line, key->file, key->name, key->bytes };
	size_t known = g->keys.n;
	uint32_t at = intern_add(&g->keys, str_bytes(parts, sizeof(parts)));

	if (at < known)
		return at;
	struct callgraph_function *f =
		ARRAY_PUSH(g->functions, g->nfunctions, g->functions_cap);
	*f = *key;
	f->row = f->first = f->last = CALLGRAPH_NONE;
	*ARRAY_AT(g->mark, g->mark_cap, at) = CALLGRAPH_NONE;
	return at;
}

uint32_t callgraph_append(struct callgraph *g, const struct callgraph_edge *edge)
{
	uint32_t at = (uint32_t)g->nedges++;
	struct callgraph_function *callee = &g->functions[edge->callee];

	g->edges = xgrow(g->edges, &g->edges_cap, g->nedges, sizeof(*g->edges));
	g->edges[at] = *edge;
	g->edges[at].next = CALLGRAPH_NONE;
	if (callee->last == CALLGRAPH_NONE)
		callee->first = at;
	else
		g->edges[callee->last].next = at;
	callee->last = at;
	return at;
}

int64_t callgraph_add_ns(int64_t a, int64_t b)
{
	return a == NUMBER_NONE || b == NUMBER_NONE ? NUMBER_NONE : sum_add(a, b);
}

bool callgraph_sums_add(struct arena *arena, struct callgraph_sums *to,
			const struct callgraph_sums *more)
{
	bool is_mixed = to->has_times != more->has_times;

	to->calls = bignum_add(arena, to->calls, more->calls);
	to->has_times &= more->has_times;
	to->uncounted |= more->uncounted;
	if (!to->has_times)
		return is_mixed;
	to->primitive = bignum_add(arena, to->primitive, more->primitive);
	to->self_s += more->self_s;
	to->total_s += more->total_s;
	to->self_ns = callgraph_add_ns(to->self_ns, more->self_ns);
	to->total_ns = callgraph_add_ns(to->total_ns, more->total_ns);
	return false;
}

void callgraph_callees(const struct callgraph *g, uint32_t *first, uint32_t *order)
{
	memset(first, 0, (g->nfunctions + 1) * sizeof(*first));
	for (size_t e = 0; e < g->nedges; e++)
		first[g->edges[e].caller + 1]++;
	for (size_t f = 0; f < g->nfunctions; f++)
		first[f + 1] += first[f];
	/* Each place is moved on by what is put there, and comes back at the end. */
	for (size_t e = 0; e < g->nedges; e++)
		order[first[g->edges[e].caller]++] = (uint32_t)e;
	for (size_t f = g->nfunctions; f > 0; f--)
		first[f] = first[f - 1];
	first[0] = 0;
}

const struct callgraph_sums *callgraph_sums_of(const struct callgraph *g,
					       uint32_t function)
{
	uint32_t row = g->functions[function].row;

	return row == CALLGRAPH_NONE ? NULL : &g->rows[row].sums;
}

int64_t callgraph_total_ns(const struct callgraph *g, uint32_t function)
{
	const struct callgraph_sums *sums = callgraph_sums_of(g, function);

	return sums && sums->has_times ? sums->total_ns : NUMBER_NONE;
}

/*
 * A search for rings: Tarjan's, with a stack of its own, because chains of calls are as
 * long as a hostile graph likes.
 */
struct search {
	const struct callgraph *g;
	const uint32_t *first, *order;
	uint32_t *rings;        /* the result; UNSEEN: in no ring yet */
	uint32_t *number, *low; /* of visits; the least that is reached from there */
	uint32_t *path, *next;  /* functions being visited, and the edge each is at */
	uint32_t *open;         /* visited, and in no ring yet */
	size_t npath, nopen;
	uint32_t visits, nrings;
};

static void enter(struct search *s, uint32_t function)
{
	s->number[function] = s->low[function] = s->visits++;
	s->next[function] = s->first[function];
	s->path[s->npath++] = function;
	s->open[s->nopen++] = function;
}

static void lower(struct search *s, uint32_t function, uint32_t to)
{
	if (to < s->low[function])
		s->low[function] = to;
}

/* All callees were looked at. */
static void leave(struct search *s)
{
	uint32_t function = s->path[--s->npath], member;

	if (s->npath)
		lower(s, s->path[s->npath - 1], s->low[function]);
	if (s->low[function] != s->number[function])
		return;
	do {
		member = s->open[--s->nopen];
		s->rings[member] = s->nrings;
	} while (member != function);
	s->nrings++;
}

static void visit(struct search *s, uint32_t start)
{
	enter(s, start);
	while (s->npath) {
		uint32_t function = s->path[s->npath - 1];
		if (s->next[function] == s->first[function + 1]) {
			leave(s);
			continue;
		}
		uint32_t callee = s->g->edges[s->order[s->next[function]++]].callee;
		if (s->number[callee] == UNSEEN)
			enter(s, callee);
		else if (s->rings[callee] == UNSEEN)
			lower(s, function, s->number[callee]);
	}
}

uint32_t *callgraph_rings(const struct callgraph *g, const uint32_t *first,
			  const uint32_t *order, uint32_t *nrings)
{
	size_t n = g->nfunctions + 1;
	uint32_t *all = xrealloc_array(NULL, n, 5 * sizeof(*all));
	struct search s = { .g = g, .first = first, .order = order };

	s.rings = xrealloc_array(NULL, n, sizeof(*s.rings));
	s.number = all;
	s.low = all + n;
	s.path = all + 2 * n;
	s.next = all + 3 * n;
	s.open = all + 4 * n;
	for (size_t i = 0; i < n; i++)
		s.rings[i] = s.number[i] = UNSEEN;
	for (size_t f = 0; f < g->nfunctions; f++)
		if (s.number[f] == UNSEEN)
			visit(&s, (uint32_t)f);
	free(all);
	*nrings = s.nrings;
	return s.rings;
}
