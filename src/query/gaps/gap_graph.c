/* Work of replayed graphs: see gap_graph.h. */
#include "query/gaps/gap_graph.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "query/query.h"

ASSET(asset_query_views_gap_graphs_sql);

enum { NODE_SLICE, NODE_GRAPH, NODE_CORRELATION };

/* Where a piece of work is, by its slice. */
struct place {
	int64_t slice_id;
	uint32_t item, device;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

static int compare_items(const void *a, const void *b)
{
	const struct graph_node *x = a, *y = b;

	return (x->item > y->item) - (x->item < y->item);
}

/* One replay after the other; devices follow each other in the order of items. */
static int compare_replays(const void *a, const void *b)
{
	const struct graph_node *x = a, *y = b;

	if (x->graph_id != y->graph_id)
		return x->graph_id < y->graph_id ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return compare_items(a, b);
}

static bool is_same_replay(const struct graph_node *a, const struct graph_node *b)
{
	return a->graph_id == b->graph_id && a->correlation == b->correlation &&
	       a->device == b->device;
}

/* The work without a launch, by slice; *out is the caller's to free. */
static size_t find_places(const struct device_work *work, struct place **out)
{
	struct place *places = NULL;
	size_t n = 0, cap = 0;

	for (size_t d = 0; d < work->ndevices; d++) {
		const struct work_device *device = &work->devices[d];
		for (size_t i = device->first; i < device->first + device->n; i++) {
			if (work->items[i].launch_id)
				continue;
			*ARRAY_PUSH(places, n, cap) =
				(struct place){ work->items[i].slice_id, (uint32_t)i,
						(uint32_t)d };
		}
	}
	if (n)
		qsort(places, n, sizeof(*places), compare_places);
	*out = places;
	return n;
}

static int read_nodes(struct gap_graphs *g, const struct place *places, size_t nplaces,
		      struct err *err)
{
	struct query q =
		query_open(g->request->store, asset_query_views_gap_graphs_sql, err);

	query_bind_int(q.stmt, ":first", places[0].slice_id);
	query_bind_int(q.stmt, ":last", places[nplaces - 1].slice_id);
	while (query_next(&q, err)) {
		struct place wanted = { .slice_id = sqlite3_column_int64(q.stmt,
									 NODE_SLICE) };
		const struct place *found = bsearch(&wanted, places, nplaces,
						    sizeof(*places), compare_places);
		if (!found) /* not device work, or set apart */
			continue;
		*ARRAY_PUSH(g->nodes, g->n, g->cap) = (struct graph_node){
			.graph_id = sqlite3_column_int64(q.stmt, NODE_GRAPH),
			.correlation = sqlite3_column_int64(q.stmt, NODE_CORRELATION),
			.item = found->item,
			.device = found->device,
		};
	}
	return query_end(&q);
}

/* Each name of a launching call is judged once. */
static void judge_calls(struct gap_graphs *g)
{
	const struct device_work *work = g->request->work;

	for (size_t i = 0; i < work->n; i++) {
		uint32_t name = work->items[i].launch_name;
		uint8_t *call = ARRAY_AT(g->calls, g->calls_cap, (size_t)(name + 1U));
		if (!*call)
			*call = gap_call_is_graph(text_pool_str(g->request->texts, name))
					? 2
					: 1;
	}
}

int gap_graphs_load(const struct gap_blame_request *request, struct gap_graphs *out,
		    struct err *err)
{
	struct place *places;
	size_t nplaces = find_places(request->work, &places);
	int rc = 0;

	*out = (struct gap_graphs){ .request = request };
	judge_calls(out);
	if (nplaces)
		rc = read_nodes(out, places, nplaces, err);
	free(places);
	if (rc < 0 || out->n == 0)
		return rc;
	qsort(out->nodes, out->n, sizeof(*out->nodes), compare_replays);
	for (size_t i = 1; i < out->n; i++)
		out->nodes[i].is_later =
			out->nodes[i].correlation &&
			is_same_replay(&out->nodes[i - 1], &out->nodes[i]);
	qsort(out->nodes, out->n, sizeof(*out->nodes), compare_items);
	return 0;
}

void gap_graphs_release(struct gap_graphs *g)
{
	free(g->nodes);
	free(g->calls);
	*g = (struct gap_graphs){ .n = 0 };
}

static const struct graph_node *node_of(const struct gap_graphs *g, uint32_t item)
{
	const struct graph_node wanted = { .item = item };

	if (g->n == 0)
		return NULL;
	return bsearch(&wanted, g->nodes, g->n, sizeof(*g->nodes), compare_items);
}

bool gap_graphs_has(const struct gap_graphs *g, uint32_t item)
{
	if (item == GAP_NO_WORK)
		return false;
	const struct work_item *w = &g->request->work->items[item];
	if (w->launch_id)
		return g->calls[w->launch_name + 1U] == 2;
	return node_of(g, item) != NULL;
}

const struct graph_node *gap_graphs_later_node(const struct gap_graphs *g, uint32_t item,
					       uint32_t previous)
{
	const struct graph_node *node = node_of(g, item);

	if (!node || node->is_later)
		return node;
	if (node->correlation)
		return NULL;
	const uint32_t before[] = { previous, item ? item - 1 : GAP_NO_WORK };
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		const struct graph_node *other = node_of(g, before[i]);
		if (other && is_same_replay(other, node))
			return node;
	}
	return NULL;
}
