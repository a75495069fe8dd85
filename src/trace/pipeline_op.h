/*
 * Operations of pipeline-parallel training as ByteDance's StragglerAnalysis records and
 * draws them (its analyzer/to_timeline.py, metatypes.py): on which of a worker's threads
 * they are, which workers take part in them, and what kind they are of.
 */
#ifndef PTOOL_TRACE_PIPELINE_OP_H
#define PTOOL_TRACE_PIPELINE_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* profile.format of such a timeline. */
#define PIPELINE_FORMAT "stragglers"

/* A worker's threads: its tids are PIPELINE_THREADS times its rank, and one of these more. */
enum pipeline_thread {
	PIPELINE_COMPUTE,
	PIPELINE_PP,
	PIPELINE_TP,
	PIPELINE_DP,
	PIPELINE_MISC,
	PIPELINE_THREADS
};

/* Which workers take part in it. */
enum pipeline_group {
	PIPELINE_ALONE,
	PIPELINE_PEER, /* the stage before or after it: sends and receives */
	PIPELINE_OF_TP,
	PIPELINE_OF_DP,
	PIPELINE_OF_ENDS, /* the first and the last stage */
	PIPELINE_OF_ALL
};

/* The kinds that the what-if analysis tells apart; others have no place in a pipeline. */
enum pipeline_kind {
	PIPELINE_FORWARD,
	PIPELINE_BACKWARD,
	PIPELINE_FORWARD_SEND,
	PIPELINE_FORWARD_RECV,
	PIPELINE_BACKWARD_SEND,
	PIPELINE_BACKWARD_RECV,
	PIPELINE_PARAMS,      /* params-all-gather */
	PIPELINE_GRADS,       /* grads-reduce-scatter */
	PIPELINE_OTHER_GRADS, /* separate-grads-all-reduce */
	PIPELINE_LAYERNORM,
	PIPELINE_EMBEDDING,
	PIPELINE_CLIP, /* optimizer-clip-main-grad */
	PIPELINE_OPTIMIZER,
	PIPELINE_GC,
	PIPELINE_KINDS,
	PIPELINE_NO_KIND = PIPELINE_KINDS
};
/* For sets of kinds. */
#define PIPELINE_BIT(kind) (1U << (kind))

struct pipeline_op {
	const char *name;
	uint8_t thread; /* enum pipeline_thread */
	uint8_t group;  /* enum pipeline_group */
	uint8_t kind;   /* enum pipeline_kind */
};

/* For any other name: an operation of no kind, on PIPELINE_MISC. */
const struct pipeline_op *pipeline_op_find(struct str name);
/* The operation of a kind, below PIPELINE_KINDS. */
const struct pipeline_op *pipeline_op_of(enum pipeline_kind kind);
/* The worker's rank and thread that a tid stands for; false: it is no worker's. */
bool pipeline_tid(int64_t tid, int64_t *rank, enum pipeline_thread *thread);

#endif
