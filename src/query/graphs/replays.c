/* Replays of graphs: see replays.h. */
#include "query/graphs/replays.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_graph_correlations_sql);
ASSET(asset_query_views_graph_nodes_sql);

/* Columns of graph_correlations.sql and graph_nodes.sql. */
enum { NODE_SLICE, NODE_GRAPH, NODE_THIRD };

/* What the recording says of work of a graph. */
struct node {
	int64_t slice_id;
	int64_t graph_id, node_id;
	int64_t correlation; /* 0: none; of work without a launch alone */
};

/* Work of a replay. */
struct member {
	int64_t key; /* the same for all of a replay */
	int64_t graph_id, node_id;
	uint32_t item;
};

struct gathering {
	struct store *store;
	const struct text_pool *texts;
	const struct device_work *work;
	struct replays *out;
	struct node *nodes; /* owned; by slice_id */
	size_t nnodes, nodes_cap;
	struct member *members; /* owned */
	size_t nmembers, members_cap;
	uint8_t *calls; /* owned; by name of a launch + 1: 1 of no graph, 2 of one */
	size_t calls_cap;
	struct intern keys; /* graph ids and correlations of replays without a launch */
	int64_t last_key;   /* of such without a correlation */
	size_t *last;       /* owned; by stream: its last work's member + 1, 0: of none */
};

static struct node *node_of(const struct gathering *g, int64_t slice_id)
{
	size_t at = SORT_FIRST(g->nodes, g->nnodes, slice_id, slice_id);

	return at < g->nnodes && g->nodes[at].slice_id == slice_id ? &g->nodes[at] : NULL;
}

/* The ids of slices that the work lies between; false: there is no work. */
static bool bind_extent(const struct device_work *work, struct sqlite3_stmt *stmt)
{
	int64_t first = INT64_MAX, last = 0;

	for (size_t i = 0; i < work->n; i++) {
		int64_t id = work->items[i].slice_id;
		first = id < first ? id : first;
		last = id > last ? id : last;
	}
	query_bind_int(stmt, ":first", first);
	query_bind_int(stmt, ":last", last);
	return work->n > 0;
}

static int read_nodes(struct gathering *g, struct err *err)
{
	struct query q = query_open(g->store, asset_query_views_graph_nodes_sql, err);

	if (q.rc == 0)
		bind_extent(g->work, q.stmt);
	while (query_next(&q, err))
		*ARRAY_PUSH(g->nodes, g->nnodes, g->nodes_cap) = (struct node){
			.slice_id = sqlite3_column_int64(q.stmt, NODE_SLICE),
			.graph_id = sqlite3_column_int64(q.stmt, NODE_GRAPH),
			.node_id = query_number(q.stmt, NODE_THIRD),
		};
	SORT_BY(g->nodes, g->nnodes, slice_id);
	return query_end(&q);
}

static int read_correlations(struct gathering *g, struct err *err)
{
	struct query q =
		query_open(g->store, asset_query_views_graph_correlations_sql, err);

	if (q.rc == 0)
		bind_extent(g->work, q.stmt);
	while (query_next(&q, err)) {
		struct node *node = node_of(g, sqlite3_column_int64(q.stmt, NODE_SLICE));
		if (node)
			node->correlation = sqlite3_column_int64(q.stmt, NODE_THIRD);
	}
	return query_end(&q);
}

/* Each name of a launching call is judged once. */
static bool is_of_graph_call(struct gathering *g, const struct work_item *item)
{
	uint32_t name = item->launch_name;
	uint8_t *call = ARRAY_AT(g->calls, g->calls_cap, (size_t)(name + 1U));

	if (!*call)
		*call = str_contains(text_pool_str(g->texts, name),
				     STR_LIT("GraphLaunch"))
				? 2
				: 1;
	return *call == 2;
}

/*
 * Of work whose call was not recorded; `before` are the members, or NULL, that the work
 * before it on its stream and on its device are.
 */
static int64_t lost_key(struct gathering *g, const struct node *node,
			const struct member *const before[2])
{
	const int64_t key[2] = { node->graph_id, node->correlation };

	if (node->correlation)
		return -2 * (int64_t)intern_add(&g->keys, str_bytes(key, sizeof(key))) -
		       2;
	for (int i = 0; i < 2; i++) /* odd keys: without a correlation */
		if (before[i] && before[i]->key % 2 && before[i]->key < 0 &&
		    before[i]->graph_id == node->graph_id)
			return before[i]->key;
	return g->last_key -= 2;
}

/* Of the item, unless no graph ran it. */
static bool find_member(struct gathering *g, uint32_t at, const struct member *on_device,
			struct member *out)
{
	const struct work_item *item = &g->work->items[at];
	const struct node *node = node_of(g, item->slice_id);
	size_t on_stream = g->last[item->stream];
	const struct member *const before[] = { on_stream ? &g->members[on_stream - 1]
							  : NULL,
						on_device };

	if (item->launch_id ? !is_of_graph_call(g, item) : !node)
		return false;
	*out = (struct member){
		.key = item->launch_id,
		.graph_id = node ? node->graph_id : NUMBER_NONE,
		.node_id = node ? node->node_id : NUMBER_NONE,
		.item = at,
	};
	if (!item->launch_id)
		out->key = lost_key(g, node, before);
	return true;
}

static void add_members(struct gathering *g)
{
	const struct device_work *work = g->work;

	g->last = xcalloc(work->nstreams + 1, sizeof(*g->last));
	for (size_t d = 0; d < work->ndevices; d++) {
		const struct work_device *device = &work->devices[d];
		bool is_after = false; /* the work before it on the device is a member */
		for (size_t i = device->first; i < device->first + device->n; i++) {
			struct member member;
			is_after = find_member(
				g, (uint32_t)i,
				is_after ? &g->members[g->nmembers - 1] : NULL, &member);
			if (is_after)
				*ARRAY_PUSH(g->members, g->nmembers, g->members_cap) =
					member;
			g->last[work->items[i].stream] = is_after ? g->nmembers : 0;
		}
	}
}

/* One replay after the other, each by start: of several devices, too. */
static bool is_earlier(const void *context, uint32_t a, uint32_t b)
{
	const struct gathering *g = context;
	const struct member *x = &g->members[a], *y = &g->members[b];

	if (x->key != y->key)
		return x->key < y->key;
	return g->work->items[x->item].start_ns < g->work->items[y->item].start_ns;
}

static bool starts_before(const void *context, uint32_t a, uint32_t b)
{
	const struct replays *r = context;

	return r->items[a].start_ns < r->items[b].start_ns;
}

static void add_replays(struct gathering *g)
{
	struct replays *out = g->out;
	uint32_t *order = sorted_places(g->nmembers, is_earlier, g);
	int64_t key = 0;
	size_t cap = 0;

	out->at = xrealloc_array(NULL, g->nmembers + 1, sizeof(*out->at));
	out->nodes = xrealloc_array(NULL, g->nmembers + 1, sizeof(*out->nodes));
	for (size_t i = 0; i < g->nmembers; i++) {
		const struct member *m = &g->members[order[i]];
		const struct work_item *item = &g->work->items[m->item];
		if (out->n == 0 || m->key != key)
			*ARRAY_PUSH(out->items, out->n, cap) =
				(struct replay){ .launch_id = item->launch_id,
						 .start_ns = item->start_ns,
						 .end_ns = item->end_ns,
						 .first = i };
		struct replay *replay = &out->items[out->n - 1];
		key = m->key;
		replay->n++;
		if (item->end_ns > replay->end_ns)
			replay->end_ns = item->end_ns;
		out->at[i] = m->item;
		out->nodes[i] = m->node_id;
	}
	out->nat = g->nmembers;
	free(order);
}

/* In the order of their starts. */
static void sort_replays(struct replays *r)
{
	uint32_t *order = sorted_places(r->n, starts_before, r);
	struct replay *items = xrealloc_array(NULL, r->n + 1, sizeof(*items));

	for (size_t i = 0; i < r->n; i++)
		items[i] = r->items[order[i]];
	free(r->items);
	free(order);
	r->items = items;
}

/* Which work is of which replay, and which of it is not the first on its device. */
static void place_work(struct replays *r, const struct device_work *work)
{
	size_t *seen = xcalloc(r->n + 1, sizeof(*seen)); /* the device's place + 1 */

	r->of = xrealloc_array(NULL, work->n + 1, sizeof(*r->of));
	for (size_t i = 0; i < work->n; i++)
		r->of[i] = (struct replay_place){ .replay = REPLAY_NONE };
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->items[i].n; k++)
			r->of[r->at[r->items[i].first + k]].replay = (uint32_t)i;
	for (size_t i = 0; i < work->n; i++) {
		struct replay_place *place = &r->of[i];
		size_t device = work->streams[work->items[i].stream].device + 1;
		if (place->replay == REPLAY_NONE)
			continue;
		place->is_later = seen[place->replay] == device;
		seen[place->replay] = device;
	}
	free(seen);
}

/* The graph's id, or the names of its work. */
static uint32_t graph_key(const struct gathering *g, struct intern *graphs,
			  const struct replay *replay, uint32_t *names, int64_t id)
{
	const int64_t key[2] = { id, id };

	/* no sequence is as long as that key of an id */
	if (id != NUMBER_NONE)
		return intern_add(graphs, str_bytes(key, sizeof(key) - 1));
	for (size_t i = 0; i < replay->n; i++)
		names[i] = g->work->items[g->out->at[replay->first + i]].name;
	return intern_add(graphs, str_bytes(names, replay->n * sizeof(*names)));
}

static void find_graphs(struct gathering *g)
{
	struct replays *out = g->out;
	uint32_t *names = xrealloc_array(NULL, out->nat + 1, sizeof(*names));
	struct intern graphs;
	int64_t unnamed = 0;

	intern_init(&graphs);
	for (size_t i = 0; i < out->n; i++) {
		struct replay *replay = &out->items[i];
		const struct node *node =
			node_of(g, g->work->items[out->at[replay->first]].slice_id);
		int64_t id = node ? node->graph_id : NUMBER_NONE;
		replay->graph = graph_key(g, &graphs, replay, names, id);
		if (replay->graph == out->ngraphs)
			*ARRAY_PUSH(out->graphs, out->ngraphs, out->graphs_cap) =
				(struct replay_graph){ .id = id,
						       .number = id == NUMBER_NONE
									 ? ++unnamed
									 : 0,
						       .first = (uint32_t)i };
	}
	intern_release(&graphs);
	free(names);
}

static bool has_lost(const struct gathering *g)
{
	for (size_t i = 0; i < g->work->n; i++)
		if (!g->work->items[i].launch_id)
			return true;
	return false;
}

int replays_load(struct store *store, const struct text_pool *texts,
		 const struct device_work *work, struct replays *out, struct err *err)
{
	struct gathering g = {
		.store = store, .texts = texts, .work = work, .out = out, .last_key = 1
	};
	int rc = 0;

	*out = (struct replays){ .n = 0 };
	intern_init(&g.keys);
	if (work->n)
		rc = read_nodes(&g, err);
	if (rc == 0 && g.nnodes && has_lost(&g))
		rc = read_correlations(&g, err);
	if (rc == 0) {
		add_members(&g);
		add_replays(&g);
		sort_replays(out);
		place_work(out, work);
		find_graphs(&g);
	}
	intern_release(&g.keys);
	free(g.nodes);
	free(g.members);
	free(g.calls);
	free(g.last);
	return rc;
}

void replays_release(struct replays *r)
{
	free(r->items);
	free(r->at);
	free(r->nodes);
	free(r->of);
	free(r->graphs);
	*r = (struct replays){ .n = 0 };
}

struct ordering {
	int64_t node;
	uint32_t item;
};

void replay_order(const struct replays *r, const struct replay *replay, uint32_t *at)
{
	const uint32_t *items = r->at + replay->first;
	const int64_t *nodes = r->nodes + replay->first;
	struct ordering *order = xrealloc_array(NULL, replay->n, sizeof(*order));
	bool has_nodes = true;

	for (size_t i = 0; i < replay->n; i++) {
		order[i] = (struct ordering){ nodes[i], items[i] };
		has_nodes = has_nodes && nodes[i] != NUMBER_NONE;
	}
	if (has_nodes)
		SORT_BY(order, replay->n, node);
	for (size_t i = 1; i < replay->n; i++)
		has_nodes = has_nodes && order[i].node != order[i - 1].node;
	for (size_t i = 0; i < replay->n; i++)
		at[i] = has_nodes ? order[i].item : items[i];
	free(order);
}

int64_t replay_busy_ns(const struct replays *r, const struct device_work *work,
		       const struct replay *replay)
{
	int64_t busy_ns = 0, until_ns = replay->start_ns;

	for (size_t i = 0; i < replay->n; i++) {
		const struct work_item *item = &work->items[r->at[replay->first + i]];
		int64_t from_ns = item->start_ns > until_ns ? item->start_ns : until_ns;
		if (item->end_ns <= from_ns)
			continue;
		busy_ns = sum_add(busy_ns, sum_sub(item->end_ns, from_ns));
		until_ns = item->end_ns;
	}
	return busy_ns;
}
