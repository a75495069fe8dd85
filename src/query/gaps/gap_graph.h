/*
 * Which device work belongs to a replay of a CUDA or HIP graph: the work of one call
 * whose name contains GraphLaunch; where the call was not recorded, work with one graph
 * id and one correlation.
 */
#ifndef PTOOL_QUERY_GAP_GRAPH_H
#define PTOOL_QUERY_GAP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/gaps/gap_blame.h"

/* Work of a graph whose launch was not recorded. */
struct graph_node {
	int64_t graph_id;
	int64_t correlation; /* 0: none */
	uint32_t item, device;
	bool is_later; /* its replay has work before it on the device, by correlation */
};

struct gap_graphs {
	const struct gap_blame_request *request; /* borrowed */
	struct graph_node *nodes;                /* owned; by item */
	size_t n, cap;
	uint8_t *
		calls; /* owned; by name of a launch + 1: 1 it is of no graph, 2 of one */
	size_t calls_cap;
};

/* gap_graphs_release() in both cases. */
int gap_graphs_load(const struct gap_blame_request *request, struct gap_graphs *out,
		    struct err *err);
void gap_graphs_release(struct gap_graphs *g);

/* Is it work of a graph?  False of GAP_NO_WORK. */
bool gap_graphs_has(const struct gap_graphs *g, uint32_t item);
/*
 * The node of work whose launch was not recorded, when other work of its replay comes
 * before it on its device; else NULL.  `previous` is the work before it on its stream,
 * or GAP_NO_WORK.
 */
const struct graph_node *gap_graphs_later_node(const struct gap_graphs *g, uint32_t item,
					       uint32_t previous);

#endif
