/* What the operations of a pipeline's step wait for: see pipeline_graph.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/ranks/pipeline_building.h"

/* Kinds of pipeline_join after the two directions, 0 and 1. */
enum { JOIN_EMBEDDING = 2, JOIN_CLIP, JOIN_NOBODY };

#define TRANSFERS                                                                    \
	(PIPELINE_BIT(PIPELINE_FORWARD_SEND) | PIPELINE_BIT(PIPELINE_FORWARD_RECV) | \
	 PIPELINE_BIT(PIPELINE_BACKWARD_SEND) | PIPELINE_BIT(PIPELINE_BACKWARD_RECV))
#define OF_REPLICAS                                                     \
	(PIPELINE_BIT(PIPELINE_PARAMS) | PIPELINE_BIT(PIPELINE_GRADS) | \
	 PIPELINE_BIT(PIPELINE_OTHER_GRADS))

uint32_t pipeline_graph_node(struct pipeline_graph *g, const struct pipeline_item *item)
{
	const int64_t key[] = { item->pp, item->kind, item->sequence };

	return intern_add(&g->keys, str_bytes(key, sizeof(key)));
}

void pipeline_join(struct pipeline_building *b, uint32_t node, struct pipeline_join join)
{
	b->graph->nodes[node].group =
		intern_add(&b->groups, str_bytes(&join, sizeof(join)));
}

static bool is_before(const void *context, uint32_t x, uint32_t y)
{
	const struct pipeline_building *b = context;
	const struct pipeline_item *p = b->items[x], *q = b->items[y];

	if (p->pp != q->pp)
		return p->pp < q->pp;
	if (p->start_ns != q->start_ns)
		return p->start_ns < q->start_ns;
	if (p->sequence != q->sequence)
		return p->sequence < q->sequence;
	return strcmp(pipeline_op_of(p->kind)->name, pipeline_op_of(q->kind)->name) < 0;
}

static void add_nodes(struct pipeline_building *b, const struct pipeline_item *items,
		      size_t n)
{
	struct pipeline_graph *g = b->graph;

	g->nodes = xcalloc(n + 1, sizeof(*g->nodes));
	b->items = xcalloc(n + 1, sizeof(struct pipeline_item *));
	for (size_t i = 0; i < n; i++) {
		uint32_t node = pipeline_graph_node(g, &items[i]);
		if (node < g->n)
			continue;
		b->items[node] = &items[i];
		g->nodes[node] = (struct pipeline_node){ .pp = items[i].pp,
							 .kind = items[i].kind,
							 .group = UINT32_MAX };
		g->n++;
		if (items[i].pp >= b->nstages)
			b->nstages = items[i].pp + 1;
		if (items[i].chunk >= b->nchunks)
			b->nchunks = items[i].chunk + 1;
		b->overlaps |= items[i].kind == PIPELINE_OTHER_GRADS;
		b->has_dp |= PIPELINE_BIT(items[i].kind) & OF_REPLICAS;
	}
	b->order = sorted_places(g->n, is_before, b);
	b->picked = xcalloc(g->n + 1, sizeof(*b->picked));
}

/* Is it one that ends with others, of its own stage's or of other replicas? */
static bool is_joined(const struct pipeline_building *b, const struct pipeline_node *node,
		      int64_t sequence)
{
	unsigned kind = PIPELINE_BIT(node->kind);

	if (kind & TRANSFERS)
		return true;
	if (kind & OF_REPLICAS)
		return b->has_dp;
	if (node->kind == PIPELINE_EMBEDDING)
		return sequence == 0 && (node->pp == 0 || node->pp == b->nstages - 1);
	return node->kind == PIPELINE_CLIP && sequence == 0;
}

/* Those that the edges of stages did not join. */
static void join_rest(struct pipeline_building *b)
{
	struct pipeline_graph *g = b->graph;

	for (uint32_t i = 0; i < g->n; i++) {
		struct pipeline_node *node = &g->nodes[i];
		struct pipeline_join join = { JOIN_NOBODY, i, 0, 0 };
		node->is_joined = is_joined(b, node, b->items[i]->sequence);
		if (node->is_joined && node->kind == PIPELINE_EMBEDDING)
			join = (struct pipeline_join){ JOIN_EMBEDDING, 0, 0, 0 };
		else if (node->is_joined && node->kind == PIPELINE_CLIP)
			join = (struct pipeline_join){ JOIN_CLIP, 0, 0, 0 };
		if (node->group == UINT32_MAX)
			pipeline_join(b, i, join);
		if (!node->is_joined)
			continue;
		if (node->kind == PIPELINE_CLIP)
			node->sync = PIPELINE_SYNC_ALL;
		else if (PIPELINE_BIT(node->kind) & OF_REPLICAS)
			node->sync = PIPELINE_SYNC_DP;
	}
}

static void add_edges(struct pipeline_building *b)
{
	const struct pipeline_graph *g = b->graph;

	for (size_t from = 0, to; from < g->n; from = to) {
		b->pp = b->items[b->order[from]]->pp;
		for (to = from; to < g->n && b->items[b->order[to]]->pp == b->pp; to++)
			;
		b->stage = &b->order[from];
		b->nstage = to - from;
		pipeline_stage_edges(b);
	}
}

static int by_node(const void *a, const void *b)
{
	const struct pipeline_edge *x = a, *y = b;
	int order = sort_order(x->node, y->node);

	return order ? order : sort_order(x->before, y->before);
}

/* Edges become the nodes' own lists. */
static void list_edges(struct pipeline_building *b)
{
	struct pipeline_graph *g = b->graph;

	g->after = xcalloc(b->nedges + 1, sizeof(*g->after));
	if (b->nedges)
		qsort(b->edges, b->nedges, sizeof(*b->edges), by_node);
	for (uint32_t i = 0; i < b->nedges; i++) {
		struct pipeline_node *node = &g->nodes[b->edges[i].node];
		node->first = node->n ? node->first : i;
		node->n++;
		g->after[i] = b->edges[i].before;
	}
}

/* What is left to be done while groups are put in order. */
struct sorting {
	struct pipeline_graph *g;
	uint32_t *missing;  /* owned; by node: what it comes after and has not ended */
	uint32_t *expected; /* owned; by group: nodes that have not begun */
	uint32_t *first;    /* owned; by node, and one more: in `later` */
	uint32_t *later;    /* owned; what comes after each node */
	uint32_t *of_group; /* owned; nodes by group */
	uint32_t *at;       /* owned; by group, and one more: in of_group */
	uint32_t *ready;    /* owned; groups that can end */
	size_t nready;
};

static void begin_node(struct sorting *s, uint32_t node)
{
	uint32_t group = s->g->nodes[node].group;

	if (--s->expected[group] == 0)
		s->ready[s->nready++] = group;
}

static void sorting_init(struct sorting *s, struct pipeline_graph *g, size_t ngroups,
			 size_t nedges)
{
	*s = (struct sorting){ .g = g };
	s->missing = xcalloc(g->n + 1, sizeof(*s->missing));
	s->expected = xcalloc(ngroups + 1, sizeof(*s->expected));
	s->first = xcalloc(g->n + 2, sizeof(*s->first));
	s->later = xcalloc(nedges + 1, sizeof(*s->later));
	s->of_group = xcalloc(g->n + 1, sizeof(*s->of_group));
	s->at = xcalloc(ngroups + 2, sizeof(*s->at));
	s->ready = xcalloc(ngroups + 1, sizeof(*s->ready));
	for (uint32_t i = 0; i < g->n; i++) {
		s->missing[i] = g->nodes[i].n;
		s->expected[g->nodes[i].group]++;
		s->at[g->nodes[i].group + 2]++;
		for (uint32_t k = 0; k < g->nodes[i].n; k++)
			s->first[g->after[g->nodes[i].first + k] + 2]++;
	}
	for (size_t i = 2; i < g->n + 2; i++)
		s->first[i] += s->first[i - 1];
	for (size_t i = 2; i < ngroups + 2; i++)
		s->at[i] += s->at[i - 1];
	for (uint32_t i = 0; i < g->n; i++) {
		s->of_group[s->at[g->nodes[i].group + 1]++] = i;
		for (uint32_t k = 0; k < g->nodes[i].n; k++)
			s->later[s->first[g->after[g->nodes[i].first + k] + 1]++] = i;
	}
}

static void sorting_release(struct sorting *s)
{
	free(s->missing);
	free(s->expected);
	free(s->first);
	free(s->later);
	free(s->of_group);
	free(s->at);
	free(s->ready);
}

/* A group ends: what came after its nodes may begin. */
static void end_group(struct sorting *s, uint32_t group)
{
	struct pipeline_graph *g = s->g;
	struct pipeline_joint *out = &g->groups[g->ngroups++];
	uint32_t from = out == g->groups ? 0 : out[-1].first + out[-1].n;

	*out = (struct pipeline_joint){ from, s->at[group + 1] - s->at[group] };
	memcpy(&g->members[from], &s->of_group[s->at[group]],
	       out->n * sizeof(*g->members));
	for (uint32_t i = 0; i < out->n; i++) {
		uint32_t node = g->members[from + i];
		for (uint32_t k = s->first[node]; k < s->first[node + 1]; k++)
			if (--s->missing[s->later[k]] == 0)
				begin_node(s, s->later[k]);
	}
}

static int order_groups(struct pipeline_building *b, struct err *err)
{
	struct pipeline_graph *g = b->graph;
	size_t ngroups = b->groups.n;
	struct sorting s;

	g->groups = xcalloc(ngroups + 1, sizeof(*g->groups));
	g->members = xcalloc(g->n + 1, sizeof(*g->members));
	sorting_init(&s, g, ngroups, b->nedges);
	for (uint32_t i = 0; i < g->n; i++)
		if (!s.missing[i])
			begin_node(&s, i);
	for (size_t i = 0; i < s.nready; i++)
		end_group(&s, s.ready[i]);
	sorting_release(&s);
	if (g->ngroups < ngroups)
		return err_set(err, ERR_EMPTY,
			       "operations of the pipeline wait for each other in a "
			       "circle: their order is not that of training");
	return 0;
}

int pipeline_graph_make(const struct pipeline_item *items, size_t n, bool has_replicas,
			struct pipeline_graph *out, struct err *err)
{
	struct pipeline_building b = {
		.graph = out, .nstages = 1, .nchunks = 1, .has_dp = has_replicas
	};

	*out = (struct pipeline_graph){ .n = 0 };
	intern_init(&out->keys);
	intern_init(&b.groups);
	add_nodes(&b, items, n);
	add_edges(&b);
	join_rest(&b);
	list_edges(&b);
	int rc = order_groups(&b, err);
	intern_release(&b.groups);
	free(b.items);
	free(b.order);
	free(b.edges);
	free(b.picked);
	return rc;
}

void pipeline_graph_release(struct pipeline_graph *g)
{
	intern_release(&g->keys);
	free(g->nodes);
	free(g->after);
	free(g->groups);
	free(g->members);
	*g = (struct pipeline_graph){ .n = 0 };
}
