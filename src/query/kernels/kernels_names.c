/* What kernels are called, and what follows from it: see kernels_gather.h. */
#include <sqlite3.h>

#include "base/alloc.h"
#include "query/kernels/kernels_gather.h"
#include "query/kernels/tensor_core.h"
#include "query/query.h"
#include "store/optree.h"

static struct name_facts *facts_of(struct gathering *g, uint32_t text)
{
	size_t known = g->facts_cap;

	if (text >= known) {
		g->facts = xgrow(g->facts, &g->facts_cap, text + (size_t)1,
				 sizeof(*g->facts));
		for (size_t i = known; i < g->facts_cap; i++)
			g->facts[i] = (struct name_facts){ 0, TEXT_NONE };
	}
	return &g->facts[text];
}

bool kernels_is_tensor_core(struct gathering *g, uint32_t name)
{
	if (name == TEXT_NONE)
		return false;
	struct name_facts *facts = facts_of(g, name);
	if (!facts->tensor_core)
		facts->tensor_core =
			tensor_core_kernel(text_pool_str(&g->out->texts, name)) ? 2 : 1;
	return facts->tensor_core == 2;
}

/* Reads it from the store: the name as the operator table spells it. */
static int read_op(struct gathering *g, int64_t op_id, uint32_t *op, struct err *err)
{
	struct intern *texts = &g->out->texts.intern;
	uint32_t name = TEXT_NONE;
	bool is_op = false;

	query_bind_int(g->op_name, ":id", op_id);
	int rc = sql_step(g->op_name, err);
	if (rc > 0) {
		is_op = sqlite3_column_int64(g->op_name, 1) == CLASS_OP;
		rc = text_pool_number(&g->out->texts, sqlite3_column_int64(g->op_name, 0),
				      &name, err);
	} else if (rc == 0) {
		rc = query_damaged("device work does", err);
	}
	sqlite3_reset(g->op_name);
	*op = name;
	if (rc < 0 || name == TEXT_NONE)
		return rc;
	if (facts_of(g, name)->table_name == TEXT_NONE) {
		uint32_t found = op_name_of(intern_str(texts, name), is_op, texts).name;
		facts_of(g, name)->table_name = found;
	}
	*op = facts_of(g, name)->table_name;
	return 0;
}

int kernels_find_op(struct gathering *g, int64_t op_id, uint32_t *op, struct err *err)
{
	*op = TEXT_NONE;
	if (op_id == 0)
		return 0;
	if (op_id != g->op_id && read_op(g, op_id, &g->op, err) < 0)
		return -1;
	g->op_id = op_id;
	*op = g->op;
	return 0;
}
