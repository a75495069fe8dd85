/* Tensor Cores in the operator table: see top_tensor.h. */
#include "query/top/top_tensor.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/kernels/tensor_core.h"
#include "query/query.h"

#define NO_ROW UINT32_MAX

/* A call of a track's tree; folded ones are not wanted, and nobody's parents. */
struct tree_call {
	uint32_t parent, row; /* NODE_NONE; NO_ROW: the filters leave it out */
	bool is_known, eligible;
};

struct collecting {
	const struct top_query *query;
	const struct scope_profile *profile;
	struct top_rows *rows;
	const struct call_track *track; /* whose calls these are */
	struct tree_call *calls;        /* owned; by node */
	size_t ncalls, calls_cap;
};

int top_tensor_add(struct top_rows *rows, const struct top_query *query,
		   const struct top_place *place, const struct opstat_key *key,
		   const struct top_tensor *add, struct err *err)
{
	size_t known = rows->stats.n;
	uint32_t row = top_row(rows, query, place, key);

	if (row >= known)
		return query_damaged("operators do", err);
	struct top_tensor *t = &rows->tensor[row];
	t->self_ns = sum_add(t->self_ns, add->self_ns);
	t->total_ns = sum_add(t->total_ns, add->total_ns);
	t->eligible |= add->eligible;
	return 0;
}

/* The children stand behind their parents: from the last call on, eligibility rises. */
static void end_track(struct collecting *c)
{
	for (size_t i = c->ncalls; i-- > 0;) {
		const struct tree_call *call = &c->calls[i];
		if (!call->is_known || !call->eligible)
			continue;
		if (call->parent < i)
			c->calls[call->parent].eligible = true;
		if (call->row != NO_ROW)
			c->rows->tensor[call->row].eligible = true;
	}
	c->ncalls = 0;
}

static void add_tree_call(struct collecting *c, const struct slice_call *call,
			  uint32_t row)
{
	if (call->track != c->track)
		end_track(c);
	c->track = call->track;
	if (call->node >= c->ncalls) {
		c->calls =
			xgrow(c->calls, &c->calls_cap, call->node + 1, sizeof(*c->calls));
		memset(c->calls + c->ncalls, 0,
		       (call->node + 1 - c->ncalls) * sizeof(*c->calls));
		c->ncalls = call->node + 1;
	}
	c->calls[call->node] = (struct tree_call){
		.parent = call->parent,
		.row = row,
		.is_known = true,
		.eligible = call->stat.sums.self_device_ns > 0 ||
			    tensor_core_op(
				    text_pool_str(&c->rows->texts, call->stat.key.name)),
	};
}

static int add_call(void *to, const struct slice_call *call, struct err *err)
{
	struct collecting *c = to;
	enum op_kind kind = (enum op_kind)call->stat.key.kind;
	const struct top_tensor sums = { call->stat.sums.self_device_ns,
					 call->stat.sums.total_device_ns, false };
	bool is_wanted;
	uint32_t row = NO_ROW;

	if (kind != OP_HOST && kind != OP_PYTHON)
		return 0;
	const struct top_place place =
		top_place_of_call(c->rows, c->query, c->profile, call, &is_wanted);
	if (is_wanted) {
		if (top_tensor_add(c->rows, c->query, &place, &call->stat.key, &sums,
				   err) < 0)
			return -1;
		row = top_row(c->rows, c->query, &place, &call->stat.key);
	}
	add_tree_call(c, call, row);
	return 0;
}

static int from_calls(struct store *store, const struct scope_profile *profile,
		      const struct top_query *query, struct top_rows *rows,
		      struct err *err)
{
	struct collecting c = { .query = query, .profile = profile, .rows = rows };
	const struct slice_ops_request request = {
		.profile = profile,
		.python = filter_wants_python(query->filter),
		.tensor_cores = true,
		.call = add_call,
		.to = &c,
	};
	int rc = slice_ops_each(store, &rows->texts, &request, err);

	if (rc == 0)
		end_track(&c);
	free(c.calls);
	return rc;
}

/* Kernels themselves are rows too. */
static void set_device_rows(struct top_rows *rows)
{
	for (size_t i = 0; i < rows->stats.n; i++) {
		const struct opstat *stat = &rows->stats.rows[i];
		if (stat->key.kind == OP_DEVICE &&
		    tensor_core_kernel(text_pool_str(&rows->texts, stat->key.name)))
			rows->tensor[i] =
				(struct top_tensor){ stat->sums.self_device_ns,
						     stat->sums.total_device_ns, false };
	}
}

int top_load_tensor(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct top_rows *rows, struct err *err)
{
	int rc = 0;

	rows->tensor = xcalloc(rows->stats.n + 1, sizeof(*rows->tensor));
	for (size_t i = 0; i < scope->n && rc >= 0; i++) {
		rc = top_tensor_tree(store, &scope->profiles[i], query, rows, err);
		if (rc == 0)
			rc = from_calls(store, &scope->profiles[i], query, rows, err);
	}
	if (rc < 0)
		return -1;
	set_device_rows(rows);
	return 0;
}
