/* What the operations of a pipeline's stage come after: see pipeline_building.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/idmap.h"
#include "base/sum.h"
#include "query/ranks/pipeline_building.h"
#include "trace/fact.h"

/* Clocks may differ by so much where it is asked which receives were needed. */
#define CLOCKS_NS 50000

#define NO_NODE UINT32_MAX

static const struct pipeline_item *item_of(const struct pipeline_building *b,
					   uint32_t node)
{
	return b->items[node];
}

static void add_edge(struct pipeline_building *b, uint32_t node, uint32_t before)
{
	if (node != NO_NODE && before != NO_NODE)
		*ARRAY_PUSH(b->edges, b->nedges, b->edges_cap) =
			(struct pipeline_edge){ node, before };
}

/* The stage's operation of that number; NO_NODE: it was not recorded. */
static uint32_t node_of(const struct pipeline_building *b, enum pipeline_kind kind,
			int64_t sequence)
{
	const struct pipeline_item key = { .pp = b->pp,
					   .sequence = sequence,
					   .kind = (uint8_t)kind };
	uint32_t node = pipeline_graph_node(b->graph, &key);

	return node < b->graph->n ? node : NO_NODE;
}

/* Those of the stage that are of these kinds, into b->picked, in order. */
static size_t pick(struct pipeline_building *b, unsigned kinds)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nstage; i++)
		if (kinds >> item_of(b, b->stage[i])->kind & 1)
			b->picked[n++] = b->stage[i];
	return n;
}

/* Each comes after the one before it. */
static void chain(struct pipeline_building *b, unsigned kinds)
{
	size_t n = pick(b, kinds);

	for (size_t i = 1; i < n; i++)
		add_edge(b, b->picked[i], b->picked[i - 1]);
}

/* A direction's sends or receives. */
struct transfers {
	enum pipeline_kind kind, compute;
	bool is_forward, is_send;
	int64_t last_start_ns, first_end_ns; /* of the direction's computations */
	size_t ncompute;
};

/* One that was recorded, but never begun: before or after all that needed it. */
static bool is_idle(const struct transfers *t, const struct pipeline_item *item)
{
	return t->is_send ? item->end_ns < sum_sub(t->first_end_ns, CLOCKS_NS)
			  : item->start_ns > sum_add(t->last_start_ns, CLOCKS_NS);
}

static void look_at_computes(const struct pipeline_building *b, struct transfers *t)
{
	t->last_start_ns = INT64_MIN / 2;
	t->first_end_ns = INT64_MAX / 2;
	for (size_t i = 0; i < b->nstage; i++) {
		const struct pipeline_item *item = item_of(b, b->stage[i]);
		if (item->kind != t->compute)
			continue;
		t->ncompute++;
		if (item->start_ns > t->last_start_ns)
			t->last_start_ns = item->start_ns;
		if (item->end_ns < t->first_end_ns)
			t->first_end_ns = item->end_ns;
	}
}

/* The stage at the other end; -1: the model begins or ends here. */
static int64_t peer_of(const struct pipeline_building *b, const struct transfers *t,
		       int64_t chunk)
{
	int64_t step = t->is_forward == t->is_send ? 1 : -1;
	int64_t place = (chunk == NUMBER_NONE ? 0 : chunk) * b->nstages + b->pp + step;

	if (place < 0 || place >= b->nstages * b->nchunks)
		return -1;
	return (b->pp + step + b->nstages) % b->nstages;
}

static void match_compute(struct pipeline_building *b, const struct transfers *t,
			  uint32_t node, int64_t number)
{
	uint32_t compute = node_of(b, t->compute, number);

	if (t->is_send) {
		add_edge(b, node, compute);
		return;
	}
	add_edge(b, compute, node);
	if (compute != NO_NODE && number > 0)
		add_edge(b, node, node_of(b, t->compute, number - 1));
}

/* The k-th belongs to the k-th computation, and the k-th that has a peer to the peer's k-th. */
static void match_transfers(struct pipeline_building *b, struct transfers *t)
{
	size_t n = pick(b, PIPELINE_BIT(t->kind)), nbegun = 0;
	int64_t number = 0, valid = 0;

	look_at_computes(b, t);
	for (size_t i = 0; i < n; i++)
		nbegun += !is_idle(t, item_of(b, b->picked[i]));
	if (!t->is_send && nbegun + 1 == t->ncompute)
		number = 1; /* the first was not recorded, as it joins nobody */
	for (size_t i = 0; i < n; i++) {
		uint32_t node = b->picked[i];
		if (is_idle(t, item_of(b, node)))
			continue;
		uint32_t compute = node_of(b, t->compute, number);
		int64_t peer = compute == NO_NODE
				       ? -1
				       : peer_of(b, t, item_of(b, compute)->chunk);
		match_compute(b, t, node, number++);
		if (peer >= 0)
			pipeline_join(b, node,
				      (struct pipeline_join){
					      t->is_forward, t->is_send ? b->pp : peer,
					      t->is_send ? peer : b->pp, valid++ });
	}
}

static void add_transfers(struct pipeline_building *b)
{
	struct transfers all[] = {
		{ PIPELINE_FORWARD_SEND, PIPELINE_FORWARD, true, true, 0, 0, 0 },
		{ PIPELINE_FORWARD_RECV, PIPELINE_FORWARD, true, false, 0, 0, 0 },
		{ PIPELINE_BACKWARD_SEND, PIPELINE_BACKWARD, false, true, 0, 0, 0 },
		{ PIPELINE_BACKWARD_RECV, PIPELINE_BACKWARD, false, false, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		chain(b, PIPELINE_BIT(all[i].kind));
		match_transfers(b, &all[i]);
	}
}

/* The first send and receive backward come after the last but one computation before. */
static void add_first_backward(struct pipeline_building *b)
{
	size_t n =
		pick(b, PIPELINE_BIT(PIPELINE_FORWARD) | PIPELINE_BIT(PIPELINE_BACKWARD));
	size_t first = 0;

	while (first < n && item_of(b, b->picked[first])->kind != PIPELINE_BACKWARD)
		first++;
	if (first == n || first < 2)
		return;
	add_edge(b, node_of(b, PIPELINE_BACKWARD_RECV, 0), b->picked[first - 2]);
	add_edge(b, node_of(b, PIPELINE_BACKWARD_SEND, 0), b->picked[first - 2]);
}

/* How many the highest number of a kind says that there are. */
static int64_t count_numbers(const struct pipeline_building *b, enum pipeline_kind kind)
{
	int64_t n = 0;

	for (size_t i = 0; i < b->nstage; i++) {
		const struct pipeline_item *item = item_of(b, b->stage[i]);
		if (item->kind == kind && item->sequence >= n)
			n = item->sequence + 1;
	}
	return n < (int64_t)b->nstage ? n : (int64_t)b->nstage;
}

/* The first or the last computation of each chunk. */
struct chunks {
	struct idmap places; /* by chunk */
	uint32_t *nodes;     /* owned; NO_NODE: it is taken */
	size_t n;
};

static uint32_t place_of(const struct chunks *c, int64_t chunk)
{
	size_t probe = idmap_first(&c->places, chunk);

	return idmap_next(&c->places, &probe);
}

static void find_chunks(const struct pipeline_building *b, enum pipeline_kind kind,
			struct chunks *out)
{
	idmap_init(&out->places, 0);
	out->nodes = xcalloc(b->nstage + 1, sizeof(*out->nodes));
	out->n = 0;
	for (size_t i = 0; i < b->nstage; i++) {
		const struct pipeline_item *item = item_of(b, b->stage[i]);
		if (item->kind != kind)
			continue;
		uint32_t at = place_of(out, item->chunk);
		if (at == UINT32_MAX) {
			idmap_add(&out->places, item->chunk, (uint32_t)out->n);
			out->nodes[out->n++] = b->stage[i];
		} else if (kind == PIPELINE_BACKWARD &&
			   item->end_ns > item_of(b, out->nodes[at])->end_ns) {
			out->nodes[at] = b->stage[i];
		}
	}
}

static void release_chunks(struct chunks *c)
{
	idmap_release(&c->places);
	free(c->nodes);
}

/* The computation that the chunk has left; NO_NODE: an earlier call had it. */
static uint32_t take_compute(struct chunks *c, int64_t chunk)
{
	uint32_t at = place_of(c, chunk), node;

	if (at == UINT32_MAX)
		return NO_NODE;
	node = c->nodes[at];
	c->nodes[at] = NO_NODE;
	return node;
}

/* A chunk's last gathering comes before its first computation. */
static void add_params(struct pipeline_building *b)
{
	struct chunks c;

	find_chunks(b, PIPELINE_FORWARD, &c);
	for (int64_t k = count_numbers(b, PIPELINE_PARAMS); k-- > 0;) {
		uint32_t node = node_of(b, PIPELINE_PARAMS, k);
		if (node != NO_NODE)
			add_edge(b, take_compute(&c, item_of(b, node)->chunk), node);
	}
	release_chunks(&c);
}

/* A chunk's first reduction comes after its last computation. */
static void add_grads(struct pipeline_building *b)
{
	int64_t n = count_numbers(b, PIPELINE_GRADS);
	struct chunks c;

	find_chunks(b, PIPELINE_BACKWARD, &c);
	for (int64_t k = 0; k < n; k++) {
		uint32_t node = node_of(b, PIPELINE_GRADS, k);
		if (node != NO_NODE)
			add_edge(b, node, take_compute(&c, item_of(b, node)->chunk));
	}
	release_chunks(&c);
}

static uint32_t last_compute(const struct pipeline_building *b)
{
	uint32_t found = NO_NODE;

	for (size_t i = 0; i < b->nstage; i++) {
		const struct pipeline_item *item = item_of(b, b->stage[i]);
		if ((item->kind == PIPELINE_FORWARD || item->kind == PIPELINE_BACKWARD) &&
		    (found == NO_NODE || item->end_ns > item_of(b, found)->end_ns))
			found = b->stage[i];
	}
	return found;
}

/* The next of what follows the computations; what was not recorded is passed over. */
static uint32_t then(struct pipeline_building *b, uint32_t before,
		     enum pipeline_kind kind, int64_t sequence)
{
	uint32_t node = node_of(b, kind, sequence);

	if (node == NO_NODE)
		return before;
	add_edge(b, node, before);
	return node;
}

static void add_ending(struct pipeline_building *b)
{
	int64_t ngrads = count_numbers(b, PIPELINE_GRADS);
	uint32_t before = then(b, last_compute(b), PIPELINE_GC, 0);

	if (b->has_dp && b->overlaps && ngrads) {
		uint32_t grads = node_of(b, PIPELINE_GRADS, ngrads - 1);
		add_edge(b, node_of(b, PIPELINE_LAYERNORM, 0), grads);
	}
	before = then(b, before, PIPELINE_LAYERNORM, 0);
	if (b->pp == 0 || b->pp == b->nstages - 1)
		before = then(b, before, PIPELINE_EMBEDDING, 0);
	if (b->has_dp && b->overlaps)
		before = then(b, before, PIPELINE_OTHER_GRADS, 0);
	for (int64_t k = 0; b->has_dp && !b->overlaps && k < ngrads; k++)
		before = then(b, before, PIPELINE_GRADS, k);
	before = then(b, before, PIPELINE_CLIP, 0);
	then(b, before, PIPELINE_OPTIMIZER, 0);
}

void pipeline_stage_edges(struct pipeline_building *b)
{
	chain(b, PIPELINE_BIT(PIPELINE_FORWARD) | PIPELINE_BIT(PIPELINE_BACKWARD));
	add_transfers(b);
	add_first_backward(b);
	if (b->has_dp) {
		chain(b, PIPELINE_BIT(PIPELINE_PARAMS) | PIPELINE_BIT(PIPELINE_GRADS));
		add_params(b);
		if (b->overlaps)
			add_grads(b);
	}
	add_ending(b);
}
