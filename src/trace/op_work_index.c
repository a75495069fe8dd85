/* Rows and elements that indices choose: see op_work.h. */
#include "trace/fact.h"
#include "trace/op_kind.h"

/* Rows of the table, one for each index: read, and written. */
void op_rule_embedding(const struct op_kind *kind, const struct op_call *c,
		       struct op_work *out)
{
	const struct op_arg *table = op_call_tensor(c, 0);
	const struct op_arg *index = op_call_tensor(c, (size_t)kind->a);

	if (!table || !index || table->n != 2)
		return;
	int64_t moved =
		op_bytes_of(op_times(op_elements(index), table->dims[1]), table->dtype);
	out->dtype = table->dtype;
	out->flops = 0;
	out->bytes = op_plus(op_bytes(index), op_times(moved, 2));
}

/* Gradients are added into rows; the whole table is written. */
void op_rule_embedding_backward(const struct op_kind *kind, const struct op_call *c,
				struct op_work *out)
{
	const struct op_arg *grad = op_call_tensor(c, 0), *index = op_call_tensor(c, 1);
	int64_t rows = op_call_number(c, 2, NUMBER_NONE);

	(void)kind;
	if (!grad || !index || grad->n < 1)
		return;
	out->dtype = grad->dtype;
	out->flops = op_elements(grad);
	out->bytes = op_plus(
		op_plus(op_bytes(grad), op_bytes(index)),
		op_bytes_of(op_times(rows, grad->dims[grad->n - 1]), grad->dtype));
}

/*
 * As many elements as the index at kind->a has are read and written, and as many more
 * read for each of kind->c; kind->b: operations for each.
 */
void op_rule_gather(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0);
	const struct op_arg *index = op_call_tensor(c, (size_t)kind->a);

	if (!x || !index)
		return;
	int64_t n = op_elements(index);
	out->dtype = x->dtype;
	out->flops = op_times(n, kind->b);
	out->bytes =
		op_plus(op_bytes(index), op_times(op_bytes_of(n, x->dtype), 2 + kind->c));
}

/* Each index is a row that is read; a row for each bag is written. */
void op_rule_embedding_bag(const struct op_kind *kind, const struct op_call *c,
			   struct op_work *out)
{
	const struct op_arg *table = op_call_tensor(c, 0), *index = op_call_tensor(c, 1);
	const struct op_arg *offsets = op_call_tensor(c, 2);

	(void)kind;
	if (!table || !index || !offsets || table->n != 2 || offsets->n != 1)
		return;
	int64_t bags = offsets->dims[0] - (op_call_number(c, 7, 0) == 1);
	int64_t read = op_times(op_elements(index), table->dims[1]);
	out->dtype = table->dtype;
	out->flops = read;
	out->bytes =
		op_plus(op_plus(op_bytes(index), op_bytes(offsets)),
			op_plus(op_bytes(op_call_tensor(c, 6)),
				op_bytes_of(op_plus(read, op_times(bags, table->dims[1])),
					    table->dtype)));
}

void op_rule_embedding_bag_backward(const struct op_kind *kind, const struct op_call *c,
				    struct op_work *out)
{
	const struct op_arg *grad = op_call_tensor(c, 0), *index = op_call_tensor(c, 1);
	int64_t rows = op_call_number(c, 5, NUMBER_NONE);

	(void)kind;
	if (!grad || !index || grad->n != 2)
		return;
	out->dtype = grad->dtype;
	out->flops = op_times(op_elements(index), grad->dims[1]);
	out->bytes = op_plus(op_plus(op_bytes(grad), op_bytes(index)),
			     op_bytes_of(op_times(rows, grad->dims[1]), grad->dtype));
}

/* The extent of an axis, and how many elements each place along it has. */
static int64_t across(const struct op_arg *x, int64_t axis, int64_t *others)
{
	struct op_arg rest = *x;

	axis += axis < 0 ? (int64_t)x->n : 0;
	if (axis < 0 || (size_t)axis >= x->n)
		return NUMBER_NONE;
	rest.dims[axis] = 1;
	*others = op_elements(&rest);
	return x->dims[axis];
}

void op_rule_index_select(const struct op_kind *kind, const struct op_call *c,
			  struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0), *index = op_call_tensor(c, 2);
	int64_t others;

	(void)kind;
	if (!x || !index)
		return;
	out->dtype = x->dtype;
	out->flops = 0;
	if (across(x, op_call_number(c, 1, INT64_MAX / 2), &others) != NUMBER_NONE)
		out->bytes = op_plus(
			op_bytes(index),
			op_bytes_of(op_times(op_times(others, 2), op_elements(index)),
				    x->dtype));
}

/* The largest along an axis, and where they were; kind->a: all of them, sorted. */
void op_rule_topk(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0);
	int64_t written = NUMBER_NONE, others;

	if (!x)
		return;
	if (kind->a)
		written = op_elements(x);
	else if (across(x, op_call_number(c, 2, INT64_MAX / 2), &others) != NUMBER_NONE)
		written = op_times(others, op_call_number(c, 1, NUMBER_NONE));
	out->dtype = x->dtype;
	out->flops = op_elements(x);
	out->bytes = op_plus(op_bytes(x), op_plus(op_bytes_of(written, x->dtype),
						  op_times(written, 8)));
}
