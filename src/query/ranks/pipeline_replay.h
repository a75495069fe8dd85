/*
 * A pipeline's steps played again with other durations, as ByteDance's StragglerAnalysis
 * does (its analyzer/simulator.py, analysis_util.py).
 *
 * Each operation begins when all that it comes after has ended (pipeline_graph.h).  A
 * computation takes as long as it did.  What joins workers takes, from when the last of
 * them has begun, as long as it did from then on: its transfer, which is 0 where clocks
 * differ so much that it is -10 ms or less.  Without stragglers a computation takes the mean
 * of its kind over all workers and steps, and a transfer the median.
 */
#ifndef PTOOL_QUERY_PIPELINE_REPLAY_H
#define PTOOL_QUERY_PIPELINE_REPLAY_H

#include "query/ranks/pipeline_graph.h"

/* Whose operations take as long as they did. */
enum pipeline_choice_what {
	PIPELINE_CHOOSE_NONE,
	PIPELINE_CHOOSE_ALL,
	PIPELINE_CHOOSE_KINDS, /* bits of enum pipeline_kind */
	PIPELINE_CHOOSE_DP,
	PIPELINE_CHOOSE_PP,
	PIPELINE_CHOOSE_MARKED /* those of workers that `marked` has */
};

struct pipeline_choice {
	enum pipeline_choice_what what;
	int64_t number;     /* of CHOOSE_KINDS bits, of CHOOSE_DP and _PP the place */
	const bool *marked; /* by place among the ops' workers */
};

struct pipeline_replay;

/* All steps' times together, in ns. */
struct pipeline_time {
	double whole_ns; /* from the first begin to the last end */
	double optimizer_ns; /* from the step's begin to the end of the last optimizer, if there is one */
};

/*
 * Of ops, borrowed, which have an item.  ERR_EMPTY: no step has the same operations of all
 * replicas, or their order cannot be.  pipeline_replay_free() frees.
 */
struct pipeline_replay *pipeline_replay_new(const struct pipeline_ops *ops,
					    struct err *err);
void pipeline_replay_free(struct pipeline_replay *p);
struct pipeline_time pipeline_replay_run(struct pipeline_replay *p,
					 const struct pipeline_choice *choice);
/* As they were recorded, from the first start to the last end of each. */
double pipeline_replay_recorded(const struct pipeline_replay *p);
/* Steps that lack an operation of a worker, or have one more: they are not played. */
size_t pipeline_replay_left_out(const struct pipeline_replay *p);
/* Bits of the kinds that there are. */
unsigned pipeline_replay_kinds(const struct pipeline_replay *p);

#endif
