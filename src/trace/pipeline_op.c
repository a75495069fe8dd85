/* Operations of pipelines: see pipeline_op.h. */
#include "trace/pipeline_op.h"

#include <stddef.h>

/* More ranks than this are no job. */
#define RANKS_MAX ((int64_t)1 << 24)

#define COMPUTE PIPELINE_COMPUTE, PIPELINE_ALONE
#define PEER    PIPELINE_PP, PIPELINE_PEER
#define OF_TP   PIPELINE_TP, PIPELINE_OF_TP, PIPELINE_NO_KIND
#define OF_DP   PIPELINE_DP, PIPELINE_OF_DP

static const struct pipeline_op ops[] = {
	{ "forward-compute", COMPUTE, PIPELINE_FORWARD },
	{ "backward-compute", COMPUTE, PIPELINE_BACKWARD },
	{ "data-load", COMPUTE, PIPELINE_NO_KIND },
	{ "data-sync", COMPUTE, PIPELINE_NO_KIND },
	{ "optimizer", COMPUTE, PIPELINE_OPTIMIZER },
	{ "gc", COMPUTE, PIPELINE_GC },
	{ "backward-wgrad-compute", COMPUTE, PIPELINE_NO_KIND },
	{ "forward-backward", COMPUTE, PIPELINE_NO_KIND },
	{ "forward-send", PEER, PIPELINE_FORWARD_SEND },
	{ "backward-send", PEER, PIPELINE_BACKWARD_SEND },
	{ "forward-recv", PEER, PIPELINE_FORWARD_RECV },
	{ "backward-recv", PEER, PIPELINE_BACKWARD_RECV },
	{ "forward-send-backward-recv", PEER, PIPELINE_NO_KIND },
	{ "backward-send-forward-recv", PEER, PIPELINE_NO_KIND },
	{ "tp-reducescatter", OF_TP },
	{ "tp-allgather", OF_TP },
	{ "tp-allreduce", OF_TP },
	{ "grads-reduce-scatter", OF_DP, PIPELINE_GRADS },
	{ "separate-grads-all-reduce", OF_DP, PIPELINE_OTHER_GRADS },
	{ "grads-reduce-scatter-nonoverlapping", OF_DP, PIPELINE_NO_KIND },
	{ "params-all-gather", OF_DP, PIPELINE_PARAMS },
	{ "params-all-gather-nonoverlapping", OF_DP, PIPELINE_NO_KIND },
	{ "embedding-grads-all-reduce", PIPELINE_DP, PIPELINE_OF_ENDS,
	  PIPELINE_EMBEDDING },
	{ "layernorm-grads-all-reduce", PIPELINE_DP, PIPELINE_OF_TP, PIPELINE_LAYERNORM },
	{ "optimizer-clip-main-grad", PIPELINE_DP, PIPELINE_OF_ALL, PIPELINE_CLIP },
	{ "optimizer-inner-step", PIPELINE_DP, PIPELINE_ALONE, PIPELINE_NO_KIND },
};
#define NOPS (sizeof(ops) / sizeof(*ops))

const struct pipeline_op *pipeline_op_find(struct str name)
{
	static const struct pipeline_op other = { "", PIPELINE_MISC, PIPELINE_ALONE,
						  PIPELINE_NO_KIND };

	for (size_t i = 0; i < NOPS; i++)
		if (str_is(name, ops[i].name))
			return &ops[i];
	return &other;
}

const struct pipeline_op *pipeline_op_of(enum pipeline_kind kind)
{
	size_t at = 0;

	while (ops[at].kind != kind)
		at++;
	return &ops[at];
}

bool pipeline_tid(int64_t tid, int64_t *rank, enum pipeline_thread *thread)
{
	if (tid < 0 || tid / PIPELINE_THREADS >= RANKS_MAX)
		return false;
	*rank = tid / PIPELINE_THREADS;
	*thread = (enum pipeline_thread)(tid % PIPELINE_THREADS);
	return true;
}
