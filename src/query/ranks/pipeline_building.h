/* A pipeline's graph while it is made: see pipeline_graph.h. */
#ifndef PTOOL_QUERY_PIPELINE_BUILDING_H
#define PTOOL_QUERY_PIPELINE_BUILDING_H

#include "query/ranks/pipeline_graph.h"

struct pipeline_edge {
	uint32_t node, before; /* the node comes after that one */
};

struct pipeline_building {
	struct pipeline_graph *graph;
	const struct pipeline_item **items; /* owned; by node */
	uint32_t *order;             /* owned; nodes by (stage, start, sequence, name) */
	struct pipeline_edge *edges; /* owned */
	size_t nedges, edges_cap;
	struct intern groups; /* what joins nodes: their group's number */
	int64_t nstages, nchunks;
	bool has_dp;   /* there are data parallel collectives, and they count */
	bool overlaps; /* gradients are reduced while others are computed */
	/* The stage under way. */
	const uint32_t *stage; /* its nodes, in order */
	size_t nstage;
	int64_t pp;
	uint32_t *picked; /* owned; room for all of them */
};

/* pipeline_edges.c: adds the edges of the stage under way, and groups of sends and receives. */
void pipeline_stage_edges(struct pipeline_building *b);

/* Nodes of one key are of one group; `kind` tells kinds of joining apart. */
struct pipeline_join {
	int64_t kind, from, to, place;
};
void pipeline_join(struct pipeline_building *b, uint32_t node, struct pipeline_join join);

#endif
