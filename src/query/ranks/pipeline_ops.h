/*
 * The operations of a pipeline's workers (trace/pipeline_op.h), of all profiles of a run:
 * what the what-if analysis of their timelines reads.
 */
#ifndef PTOOL_QUERY_PIPELINE_OPS_H
#define PTOOL_QUERY_PIPELINE_OPS_H

#include "query/scope.h"
#include "trace/pipeline_op.h"

struct pipeline_worker {
	int64_t rank, dp, pp, tp;
	uint32_t replica; /* place among the replicas */
};

/* A data parallel replica, of one tensor parallel rank; by (tp, dp). */
struct pipeline_replica {
	int64_t dp, tp;
};

struct pipeline_item {
	int64_t start_ns, end_ns; /* an end may come before its start */
	int64_t chunk, sequence;  /* or NUMBER_NONE */
	int64_t pp;
	uint32_t step, worker; /* places */
	uint8_t kind;          /* enum pipeline_kind */
};

struct pipeline_ops {
	struct pipeline_item *items; /* owned; by (step, replica), else as recorded */
	size_t n, cap;
	struct pipeline_worker *workers; /* owned; by rank */
	size_t nworkers;
	struct pipeline_replica *replicas; /* owned */
	size_t nreplicas;
	int64_t *steps; /* owned: their numbers, rising */
	size_t nsteps, steps_cap;
	int64_t left_out; /* operations that have no place in a pipeline */
};

/* Are all profiles workers of a pipeline? */
bool pipeline_ops_is(const struct scope *scope);
/*
 * There is an item.  ERR_EMPTY: none, only one worker, or stages that are not known or too
 * many.  pipeline_ops_release() in both cases.
 */
int pipeline_ops_load(struct store *store, const struct scope *scope,
		      struct pipeline_ops *out, struct err *err);
void pipeline_ops_release(struct pipeline_ops *p);

#endif
