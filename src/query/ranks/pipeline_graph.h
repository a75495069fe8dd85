/*
 * What each operation of a pipeline's step waits for, as StragglerAnalysis's dependency
 * model has it (its analyzer/dependency_model.py): found once, from one replica's step, as
 * all steps and replicas follow one schedule.
 *
 * Within a stage computations follow each other, and so do the sends and the receives of
 * each direction, and the collectives of data parallel ranks.  A receive comes after the
 * computation before the one that needs its data, a send after the one that made them.
 * What joins workers moves its data when all of them have come: a send and its receive, the
 * embedding's gradients of the first and last stage, collectives of data parallel ranks, and
 * the clipping of gradients by all.
 */
#ifndef PTOOL_QUERY_PIPELINE_GRAPH_H
#define PTOOL_QUERY_PIPELINE_GRAPH_H

#include "base/intern.h"
#include "query/ranks/pipeline_ops.h"

/* With which replicas a node is joined. */
enum pipeline_sync {
	PIPELINE_SYNC_NONE, /* none: with its group alone */
	PIPELINE_SYNC_DP,   /* those of its tensor parallel rank */
	PIPELINE_SYNC_ALL
};

/* An operation of each replica and step. */
struct pipeline_node {
	int64_t pp;
	uint8_t kind, sync; /* enum pipeline_kind, enum pipeline_sync */
	bool is_joined;     /* it waits for others, or could */
	uint32_t group;     /* of which nodes it is */
	uint32_t first, n;  /* in `after`: what it comes after */
};

/* Nodes that end together, or one alone: in `members`. */
struct pipeline_joint {
	uint32_t first, n;
};

struct pipeline_graph {
	struct intern keys;          /* by (stage, kind, sequence): the node */
	struct pipeline_node *nodes; /* owned */
	size_t n;
	uint32_t *after;               /* owned */
	struct pipeline_joint *groups; /* owned; in an order in which they can end */
	size_t ngroups;
	uint32_t *members; /* owned */
};

/* The node of an item; out->n or more: it has none. */
uint32_t pipeline_graph_node(struct pipeline_graph *g, const struct pipeline_item *item);
/*
 * Of the n items of one replica's step.  ERR_EMPTY: operations wait for each other in a
 * circle.  pipeline_graph_release() in both cases.
 */
int pipeline_graph_make(const struct pipeline_item *items, size_t n, bool has_replicas,
			struct pipeline_graph *out, struct err *err);
void pipeline_graph_release(struct pipeline_graph *g);

#endif
