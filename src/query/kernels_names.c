/* What kernels are called, and what follows from it: see kernels_gather.h. */
#include <sqlite3.h>
#include <stdio.h>

#include "base/alloc.h"
#include "query/kernels_gather.h"
#include "query/query.h"
#include "query/tensor_core.h"
#include "store/optree.h"

static struct name_facts *facts_of(struct gathering *g, uint32_t text)
{
	size_t known = g->facts_cap;

	if (text >= known) {
		g->facts = xgrow(g->facts, &g->facts_cap, text + (size_t)1,
				 sizeof(*g->facts));
		for (size_t i = known; i < g->facts_cap; i++)
			g->facts[i] = (struct name_facts){ 0, 0, TEXT_NONE };
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

int kernels_load_steps(struct gathering *g, struct err *err)
{
	struct sqlite3_stmt *stmt;
	char ids[32];
	int rc;

	g->nsteps = 0;
	if (query_prepare(g->store, asset_query_views_slice_steps_sql, &stmt, err) < 0)
		return -1;
	snprintf(ids, sizeof(ids), "[%lld]", (long long)g->profile->id);
	query_bind_text(stmt, ":profiles", ids);
	while ((rc = sql_step(stmt, err)) > 0) {
		g->steps =
			xgrow(g->steps, &g->steps_cap, g->nsteps + 1, sizeof(*g->steps));
		g->steps[g->nsteps++] =
			(struct step_number){ sqlite3_column_int64(stmt, 0),
					      sqlite3_column_int64(stmt, 1) };
	}
	sqlite3_finalize(stmt);
	return rc;
}

int64_t kernels_step(const struct gathering *g, int64_t step_id)
{
	size_t low = 0, high = g->nsteps;

	while (step_id && low < high) {
		size_t middle = low + ((high - low) / 2);
		if (g->steps[middle].id == step_id)
			return g->steps[middle].number;
		if (g->steps[middle].id < step_id)
			low = middle + 1;
		else
			high = middle;
	}
	return NUMBER_NONE;
}

int kernels_is_wanted_name(struct gathering *g, uint32_t name, struct err *err)
{
	if (name == TEXT_NONE)
		return filter_has_name(g->query->filter, STR_LIT(""), err);
	struct name_facts *facts = facts_of(g, name);
	if (!facts->wanted) {
		int has = filter_has_name(g->query->filter,
					  text_pool_str(&g->out->texts, name), err);
		if (has < 0)
			return -1;
		facts->wanted = has ? 2 : 1;
	}
	return facts->wanted == 2;
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
