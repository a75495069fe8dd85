/* What is around a call tells of it: see op_told.h. */
#include "query/roofline/op_told.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_slice_sequence_sql);

void op_told_close(struct op_told *t)
{
	sqlite3_finalize(t->sequence);
	free(t->nodes);
	*t = (struct op_told){ .ops = NULL };
}

/* The autograd sequence number of a slice; NUMBER_NONE: it has none. */
static int sequence_of(struct op_told *t, int64_t id, int64_t *sequence, struct err *err)
{
	if (!t->sequence && query_prepare(t->store, asset_query_views_slice_sequence_sql,
					  &t->sequence, err) < 0)
		return -1;
	sqlite3_reset(t->sequence);
	query_bind_int(t->sequence, ":id", id);
	int rc = sqlite3_step(t->sequence);
	*sequence = NUMBER_NONE;
	if (rc == SQLITE_ROW) {
		*sequence = query_number(t->sequence, 0);
		return 0;
	}
	return rc == SQLITE_DONE ? 0 : query_damaged("slices", err);
}

/* "CudnnConvolutionBackward", "ConvolutionBackward0", "MaxPool2DWithIndicesBackward0". */
static bool is_node(struct str name)
{
	const struct str backward = STR_LIT("Backward");

	while (name.n && name.p[name.n - 1] >= '0' && name.p[name.n - 1] <= '9')
		name.n--;
	if (!str_ends_with(name, backward) || memchr(name.p, ':', name.n))
		return false;
	return memmem(name.p, name.n, "Conv", 4) || memmem(name.p, name.n, "MaxPool", 7);
}

/* One of each sequence number is left. */
static void merge_nodes(struct op_told *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nnodes; i++) {
		if (n == 0 || t->nodes[n - 1].sequence != t->nodes[i].sequence)
			t->nodes[n++] = t->nodes[i];
		else if (t->nodes[n - 1].shapes != t->nodes[i].shapes)
			t->nodes[n - 1].shapes = TEXT_NONE;
	}
	t->nnodes = n;
}

static int load_nodes(struct op_told *t, struct err *err)
{
	/* The first is of no call. */
	*ARRAY_PUSH(t->nodes, t->nnodes, t->cap) =
		(struct node_shape){ NUMBER_NONE, TEXT_NONE };
	for (size_t i = 0; i < t->ops->n; i++) {
		const struct owned_op *op = &t->ops->items[i];
		struct node_shape node;
		if (!is_node(text_pool_str(t->texts, op->name)))
			continue;
		const struct call_inputs *in = call_kinds_inputs(t->kinds, op->detail_id);
		if (!in)
			continue;
		node.shapes = in->shapes;
		if (sequence_of(t, op->id, &node.sequence, err) < 0)
			return -1;
		if (node.sequence != NUMBER_NONE)
			*ARRAY_PUSH(t->nodes, t->nnodes, t->cap) = node;
	}
	SORT_BY(t->nodes, t->nnodes, sequence);
	merge_nodes(t);
	return 0;
}

static int find_result(struct op_told *t, const struct owned_op *op, uint32_t *shapes,
		       struct err *err)
{
	const struct call_inputs *in = call_kinds_inputs(t->kinds, op->detail_id);
	int64_t sequence;
	size_t at;

	if (!in || in->values != TEXT_NONE) /* they tell it */
		return 0;
	if ((!t->nnodes && load_nodes(t, err) < 0) ||
	    sequence_of(t, op->id, &sequence, err) < 0)
		return -1;
	if (sequence == NUMBER_NONE)
		return 0;
	SEARCH(at, 0, t->nnodes, t->nodes[at].sequence < sequence);
	if (at < t->nnodes && t->nodes[at].sequence == sequence)
		*shapes = t->nodes[at].shapes;
	return 0;
}

/* cudnn_convolution_backward calls one for the input, and one for the weights. */
static bool is_gradient(struct str name)
{
	return str_ends_with(name, STR_LIT("_backward_input")) ||
	       str_ends_with(name, STR_LIT("_backward_weight")) ||
	       str_ends_with(name, STR_LIT("_backward_weights"));
}

static void add_inner(struct op_told *t, uint32_t at, struct call_told *out)
{
	const struct dtype *only = NULL;
	bool differ = false;

	for (size_t i = (size_t)at + 1; i < t->ops->n && t->ops->items[i].owner == at;
	     i++) {
		const struct owned_op *op = &t->ops->items[i];
		out->gradients += is_gradient(text_pool_str(t->texts, op->name));
		const struct dtype *dtype = call_kinds_dtype(t->kinds, op->detail_id);
		differ |= only && dtype && dtype != only;
		only = dtype ? dtype : only;
	}
	if (!out->list_dtype && !differ)
		out->list_dtype = only;
}

int op_told_of(struct op_told *t, uint32_t at, const struct op_spent *spent,
	       struct call_told *out, struct err *err)
{
	const struct owned_op *op = &t->ops->items[at];
	const struct op_kind *kind = op_owners_kind(t->ops, op->name);
	bool lists = op_kind_needs_lists(kind), result = op_kind_needs_result(kind);

	*out = (struct call_told){ .result = TEXT_NONE };
	if (lists || result) {
		if (lists && !spent->has_dtypes)
			out->list_dtype = spent->dtype;
		add_inner(t, at, out);
		if (!lists || spent->has_dtypes)
			out->list_dtype = NULL;
	}
	return result ? find_result(t, op, &out->result, err) : 0;
}
