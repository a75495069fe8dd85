/*
 * Tarjan's strongly connected components, with a stack of its own, because chains of
 * calls are as long as a hostile graph likes: see callgraph_rings.h.
 */
#include "query/calls/callgraph_rings.h"

#include <stdlib.h>

#include "base/alloc.h"

#define UNSEEN UINT32_MAX

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
