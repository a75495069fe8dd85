/* Tensor Cores in the operator table: see top_rows.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/kernels/tensor_core.h"
#include "query/query.h"
#include "query/top/top_rows.h"

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
	enum tensor_core says; /* of the kernels whose time this is */
};

static void add_times(struct tensor_core_times *into, struct tensor_core_times from)
{
	into->yes_ns = sum_add(into->yes_ns, from.yes_ns);
	into->unknown_ns = sum_add(into->unknown_ns, from.unknown_ns);
}

void top_tensor_merge(struct top_tensor *into, const struct top_tensor *from)
{
	add_times(&into->self, from->self);
	add_times(&into->total, from->total);
	into->eligible |= from->eligible;
}

int top_tensor_add(struct top_rows *rows, const struct top_query *query,
		   const struct top_place *place, const struct opstat_key *key,
		   const struct top_tensor *add, struct err *err)
{
	size_t known = rows->stats.n;
	uint32_t row = top_row(rows, query, place, key);

	if (row >= known)
		return query_damaged("operators", err);
	top_tensor_merge(&rows->tensor[row], add);
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
		.eligible = (c->says == TENSOR_CORE_YES &&
			     call->stat.sums.self_device_ns > 0) ||
			    tensor_core_op(
				    text_pool_str(&c->rows->texts, call->stat.key.name)),
	};
}

static struct tensor_core_times times_of(enum tensor_core says, int64_t ns)
{
	return (struct tensor_core_times){
		.yes_ns = says == TENSOR_CORE_YES ? ns : 0,
		.unknown_ns = says == TENSOR_CORE_YES ? 0 : ns,
	};
}

static int add_call(void *to, const struct slice_call *call, struct err *err)
{
	struct collecting *c = to;
	enum op_kind kind = (enum op_kind)call->stat.key.kind;
	const struct opstat_sums *device = &call->stat.sums;
	const struct top_tensor sums = { times_of(c->says, device->self_device_ns),
					 times_of(c->says, device->total_device_ns),
					 false };
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

/* Once for each of what names can say, as a tree adds up one kind of time. */
static int from_calls(struct store *store, const struct scope_profile *profile,
		      const struct top_query *query, int capability,
		      struct top_rows *rows, struct err *err)
{
	static const enum tensor_core both[] = { TENSOR_CORE_YES, TENSOR_CORE_UNKNOWN };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(both) / sizeof(*both); i++) {
		struct collecting c = {
			.query = query, .profile = profile, .rows = rows, .says = both[i]
		};
		const struct tensor_core_choice kernels = { both[i], capability };
		const struct slice_ops_request request = {
			.profile = profile,
			.python = filter_wants_python(query->filter),
			.kernels = &kernels,
			.categories = true,
			.call = add_call,
			.to = &c,
		};
		rc = slice_ops_each(store, &rows->texts, &request, err);
		if (rc == 0)
			end_track(&c);
		free(c.calls);
	}
	return rc;
}

/* Kernels themselves are rows too. */
static void set_device_rows(struct top_rows *rows, int capability)
{
	for (size_t i = 0; i < rows->stats.n; i++) {
		const struct opstat *stat = &rows->stats.rows[i];
		if (stat->key.kind != OP_DEVICE)
			continue;
		enum tensor_core says = tensor_core_kernel(
			text_pool_str(&rows->texts, stat->key.name), capability);
		if (says != TENSOR_CORE_NO)
			rows->tensor[i] = (struct top_tensor){
				times_of(says, stat->sums.self_device_ns),
				times_of(says, stat->sums.total_device_ns), false
			};
	}
}

int top_load_tensor(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct top_rows *rows, struct err *err)
{
	int capability, rc = tensor_core_of_scope(store, scope, &capability, err);

	rows->tensor = xcalloc(rows->stats.n + 1, sizeof(*rows->tensor));
	for (size_t i = 0; i < scope->n && rc >= 0; i++) {
		const struct scope_profile *profile = &scope->profiles[i];
		rc = top_tensor_tree(store, profile, query, capability, rows, err);
		if (rc == 0)
			rc = from_calls(store, profile, query, capability, rows, err);
	}
	if (rc < 0)
		return -1;
	set_device_rows(rows, capability);
	return 0;
}

static void add_charge(struct tensor_charges *out, const struct work_item *item,
		       enum tensor_core says)
{
	int64_t id = item->op_id ? item->op_id : item->launch_id;
	int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);
	struct tensor_charge charge = { .slice_id = id, .is_launch = !item->op_id };

	if (!id || says == TENSOR_CORE_NO)
		return;
	if (says == TENSOR_CORE_YES)
		charge.times.yes_ns = dur_ns;
	else
		charge.times.unknown_ns = dur_ns;
	*ARRAY_PUSH(out->items, out->n, out->cap) = charge;
}

/* Names are judged once each. */
static void add_charges(struct tensor_charges *out, const struct device_work *work,
			const struct text_pool *texts, int capability)
{
	uint8_t *judged = xcalloc(texts->intern.n + 1, 1); /* enum tensor_core + 1 */

	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		enum tensor_core says = TENSOR_CORE_UNKNOWN;
		if (item->class != CLASS_KERNEL)
			continue;
		if (item->name != TEXT_NONE && judged[item->name]) {
			says = (enum tensor_core)(judged[item->name] - 1);
		} else if (item->name != TEXT_NONE) {
			says = tensor_core_kernel(text_pool_str(texts, item->name),
						  capability);
			judged[item->name] = (uint8_t)(says + 1);
		}
		add_charge(out, item, says);
	}
	free(judged);
}

int tensor_charges_load(struct store *store, const struct scope_profile *profile,
			struct text_pool *texts, int capability,
			struct tensor_charges *out, struct err *err)
{
	struct device_work work;

	*out = (struct tensor_charges){ .n = 0 };
	int rc = device_work_load(store, texts, profile, false, &work, err);
	if (rc == 0)
		add_charges(out, &work, texts, capability);
	device_work_release(&work);
	SORT_BY(out->items, out->n, slice_id);
	return rc;
}

void tensor_charges_release(struct tensor_charges *c)
{
	free(c->items);
	*c = (struct tensor_charges){ .n = 0 };
}

size_t tensor_charges_from(const struct tensor_charges *c, int64_t slice_id)
{
	return SORT_FIRST(c->items, c->n, slice_id, slice_id);
}
