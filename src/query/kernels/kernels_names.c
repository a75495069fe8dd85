/* What kernels are called, and what follows from it: see kernels_gather.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "query/kernels/kernels_gather.h"
#include "query/kernels/tensor_core.h"
#include "query/slices/slice_pack.h"
#include "trace/optree.h"

static struct name_facts *facts_of(struct gathering *g, uint32_t text)
{
	size_t known = g->facts_cap;

	if (text >= known) {
		g->facts = xgrow(g->facts, &g->facts_cap, text + (size_t)1,
				 sizeof(*g->facts));
		for (size_t i = known; i < g->facts_cap; i++)
			g->facts[i] = (struct name_facts){ .table_name = TEXT_NONE };
	}
	return &g->facts[text];
}

enum tensor_core kernels_tensor_core(struct gathering *g, uint32_t name)
{
	if (name == TEXT_NONE)
		return TENSOR_CORE_UNKNOWN;
	struct name_facts *facts = facts_of(g, name);
	if (!facts->is_judged)
		facts->tensor_core = tensor_core_kernel(
			text_pool_str(&g->out->texts, name), g->capability);
	facts->is_judged = true;
	return facts->tensor_core;
}

/* The name as the operator table spells it. */
static int set_op(void *context, size_t place, const struct packed_slice *slice,
		  int64_t track_id, struct err *err)
{
	struct gathering *g = context;
	struct intern *texts = &g->out->texts.intern;
	uint32_t name;

	(void)track_id;
	if (text_pool_number(&g->out->texts, slice->name_id, &name, err) < 0)
		return -1;
	if (name == TEXT_NONE)
		return 0;
	if (facts_of(g, name)->table_name == TEXT_NONE) {
		bool is_op = slice->class == CLASS_OP;
		uint32_t found = op_name_of(intern_str(texts, name), is_op, texts).name;
		facts_of(g, name)->table_name = found;
	}
	g->ops[place] = facts_of(g, name)->table_name;
	return 0;
}

int kernels_find_ops(struct gathering *g, struct err *err)
{
	const struct device_work *work = &g->work;
	int64_t *ids = xrealloc_array(NULL, work->n + 1, sizeof(*ids));

	free(g->ops);
	g->ops = xrealloc_array(NULL, work->n + 1, sizeof(*g->ops));
	for (size_t i = 0; i < work->n; i++) {
		ids[i] = work->items[i].op_id;
		g->ops[i] = TEXT_NONE;
	}
	int rc = slice_pick(g->store, g->profile,
			    &(struct slice_picks){ .ids = ids,
						   .n = work->n,
						   .columns = PACKED_NAME | PACKED_CLASS,
						   .each = set_op,
						   .context = g },
			    err);
	free(ids);
	return rc;
}
