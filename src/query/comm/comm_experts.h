/*
 * What experts (MoE) did on each rank, call by call: for `ptool comm --imbalance`.
 */
#ifndef PTOOL_QUERY_COMM_EXPERTS_H
#define PTOOL_QUERY_COMM_EXPERTS_H

#include "query/scope.h"
#include "query/text_pool.h"

/* What a rank's experts did between two communications. */
struct expert_call {
	int64_t moe_ns;
	int64_t then_ns; /* the communication after it; 0: there was none */
	int64_t tokens;  /* that it took, or NUMBER_NONE */
};

struct expert_rank {
	const struct scope_profile *profile;
	int64_t device;
	uint32_t span;             /* as of a comm_participant; for the caller to set */
	struct expert_call *calls; /* owned */
	size_t ncalls, calls_cap;
};

struct experts {
	struct expert_rank *ranks; /* owned; as they are read */
	size_t nranks, ranks_cap;
};

/* Of each device of a rank that has kernels of experts.  experts_release() in both cases. */
int experts_load(struct store *store, struct text_pool *texts, const struct scope *scope,
		 struct experts *m, struct err *err);
void experts_release(struct experts *m);

#endif
