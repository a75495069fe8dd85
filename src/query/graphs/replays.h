/*
 * Replays of CUDA and HIP graphs: which device work ran as one launch of a graph, and
 * which launches are of one graph.
 *
 * A replay is the work of one call whose name contains GraphLaunch; where the call was
 * not recorded, the work with one graph id and one correlation, or without a correlation
 * what directly follows each other on a stream or on a device.  A graph is known by its
 * id; where the producer writes none, by the names of its work in order: the same names
 * are the same graph.
 */
#ifndef PTOOL_QUERY_REPLAYS_H
#define PTOOL_QUERY_REPLAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/devices/device_work.h"

struct replay {
	int64_t launch_id;        /* 0: the call was not recorded */
	int64_t start_ns, end_ns; /* of its first work, and the latest end */
	size_t first, n;          /* its places in replays.at, never none */
	uint32_t graph;           /* place in graphs */
};

struct replay_graph {
	int64_t id;     /* NUMBER_NONE: the producer writes none */
	int64_t number; /* then: 1 for the first such graph of the profile */
	uint32_t first; /* place of its first replay */
};

#define REPLAY_NONE UINT32_MAX

/* What a piece of work is to the replays. */
struct replay_place {
	uint32_t replay; /* place in items, or REPLAY_NONE */
	bool is_later;   /* other work of its replay came before it on its device */
};

struct replays {
	struct replay *items; /* owned; by start */
	size_t n;
	uint32_t *at;   /* owned: items of the work, replay after replay, each by start */
	int64_t *nodes; /* owned; by place in at: the graph node id, or NUMBER_NONE */
	size_t nat;
	struct replay_place *of;     /* owned; by item of the work */
	struct replay_graph *graphs; /* owned; by first replay */
	size_t ngraphs, graphs_cap;
};

/*
 * Of work that was loaded with launches.  0 or -1 with err set; replays_release() in both
 * cases.
 */
int replays_load(struct store *store, const struct text_pool *texts,
		 const struct device_work *work, struct replays *out, struct err *err);
/* Accepts a zeroed one. */
void replays_release(struct replays *r);

/*
 * The items of the replay in the order of the graph: of their node ids, where each has one
 * of its own, else of their starts.  `at` has room for replay->n.
 */
void replay_order(const struct replays *r, const struct replay *replay, uint32_t *at);
/* When any work of the replay ran. */
int64_t replay_busy_ns(const struct replays *r, const struct device_work *work,
		       const struct replay *replay);

#endif
