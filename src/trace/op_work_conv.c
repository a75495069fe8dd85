/*
 * Convolutions: see op_work.h.  An operation is a multiplication or an addition; biases
 * are not counted, as torch/utils/flop_counter.py has it.
 */
#include <stddef.h>

#include "trace/fact.h"
#include "trace/op_kind.h"

/* What a convolution is given besides tensors; one number stands for all axes. */
struct conv {
	struct op_arg stride, padding, dilation, output_padding;
	int64_t transposed, groups;
};

static int64_t along(const struct op_arg *list, size_t axis)
{
	if (list->n == 1)
		return list->dims[0];
	return axis < list->n ? list->dims[axis] : NUMBER_NONE;
}

/* The extent of the result along an axis; NUMBER_NONE when it has none. */
static int64_t conv_extent(const struct conv *v, int64_t in, int64_t kernel, size_t axis)
{
	const int64_t limit = INT64_C(1) << 30;
	int64_t stride = along(&v->stride, axis), padding = along(&v->padding, axis);
	int64_t dilation = along(&v->dilation, axis);

	if (stride <= 0 || padding < 0 || dilation <= 0 || kernel <= 0 || in < 0 ||
	    stride > limit || padding > limit || dilation > limit || kernel > limit ||
	    in > limit)
		return NUMBER_NONE;
	int64_t reach = dilation * (kernel - 1) + 1;
	if (!v->transposed) {
		int64_t span = in + 2 * padding - reach;
		return span < 0 ? NUMBER_NONE : span / stride + 1;
	}
	int64_t more = v->output_padding.n ? along(&v->output_padding, axis) : 0;
	int64_t extent = (in - 1) * stride - 2 * padding + reach + more;
	return more < 0 || more > limit || extent < 0 ? NUMBER_NONE : extent;
}

/* kind->d: in which order the values from kind->b on are. */
enum { CONV_ATEN, CONV_VENDOR, CONV_VENDOR_TRANSPOSED };

static bool read_conv(const struct op_kind *kind, const struct op_call *c, struct conv *v)
{
	size_t at = (size_t)kind->b;
	static const uint8_t orders[][4] = {
		/* stride, padding, dilation, groups */
		[CONV_ATEN] = { 0, 1, 2, 5 },
		[CONV_VENDOR] = { 1, 0, 2, 3 },
		[CONV_VENDOR_TRANSPOSED] = { 2, 0, 3, 4 },
	};
	const uint8_t *order = orders[kind->d];

	*v = (struct conv){ .transposed = kind->d == CONV_VENDOR_TRANSPOSED };
	if (!op_call_numbers(c, at + order[0], &v->stride) ||
	    !op_call_numbers(c, at + order[1], &v->padding) ||
	    !op_call_numbers(c, at + order[2], &v->dilation))
		return false;
	v->groups = op_call_number(c, at + order[3], NUMBER_NONE);
	if (kind->d == CONV_ATEN)
		v->transposed = op_call_number(c, at + 3, NUMBER_NONE);
	if (kind->d != CONV_VENDOR)
		op_call_numbers(c, at + (kind->d == CONV_ATEN ? 4 : 1),
				&v->output_padding);
	return v->transposed != NUMBER_NONE && v->groups > 0;
}

/*
 * Of recordings without values (before torch 2.1) the result tells the extents; weights
 * are [out, in / groups, ...], and transposed [in, out / groups, ...].  Where both fit it
 * is the one that makes images smaller, or larger.
 */
static bool conv_from_result(const struct op_kind *kind, const struct op_call *c,
			     const struct op_arg *x, const struct op_arg *w,
			     struct conv *v)
{
	const struct op_arg *y = &c->result;
	bool plain, transposed, grows = false;

	if (!y->is_tensor || y->n != x->n || y->dims[0] != x->dims[0] || w->dims[1] < 1)
		return false;
	plain = y->dims[1] == w->dims[0] && x->dims[1] % w->dims[1] == 0;
	transposed = x->dims[1] == w->dims[0] && y->dims[1] % w->dims[1] == 0;
	for (size_t i = 2; i < x->n; i++)
		grows |= y->dims[i] > x->dims[i];
	*v = (struct conv){ .groups = 1 };
	v->transposed = kind->d == CONV_VENDOR_TRANSPOSED ||
			(transposed && (!plain || (kind->d == CONV_ATEN && grows)));
	return v->transposed ? transposed : plain;
}

/* The shape of the result. */
static bool conv_result(const struct op_kind *kind, const struct op_call *c,
			const struct op_arg *x, const struct op_arg *w, struct conv *v,
			struct op_arg *y)
{
	if (!read_conv(kind, c, v)) {
		if (!conv_from_result(kind, c, x, w, v))
			return false;
		*y = c->result;
		y->dtype = x->dtype;
		return true;
	}
	*y = *x;
	y->dims[1] = v->transposed ? op_times(w->dims[1], v->groups) : w->dims[0];
	for (size_t i = 2; i < x->n; i++)
		y->dims[i] = conv_extent(v, x->dims[i], w->dims[i], i - 2);
	return true;
}

static int64_t times_extents(int64_t n, const struct op_arg *arg)
{
	return op_times(n, op_elements_from(arg, 2));
}

/* The input, then weights; kind->c: the bias, or -1. */
void op_rule_conv(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0), *w = op_call_tensor(c, 1);
	struct op_arg y;
	struct conv v;

	if (!x || !w || x->n < 3 || x->n != w->n || !conv_result(kind, c, x, w, &v, &y))
		return;
	out->dtype = x->dtype;
	out->flops = op_times(op_times(op_elements(w), 2), x->dims[0]);
	out->flops = times_extents(out->flops, v.transposed ? x : &y);
	out->torch_flops = kind->flags & OP_KIND_TORCH ? out->flops : NUMBER_NONE;
	out->bytes = op_plus(
		op_plus(op_bytes(x), op_bytes(w)),
		op_plus(op_bytes(&y),
			op_bytes(kind->c < 0 ? NULL
					     : op_call_tensor(c, (size_t)kind->c))));
}

/*
 * Gradients of the input, a convolution the other way, and of the weights.  For the
 * weights torch multiplies all channels with all, also those of different groups.
 */
void op_rule_conv_backward(const struct op_kind *kind, const struct op_call *c,
			   struct op_work *out)
{
	const struct op_arg *grad = op_call_tensor(c, 0), *x = op_call_tensor(c, 1);
	const struct op_arg *w = op_call_tensor(c, 2);
	struct op_arg mask;
	struct conv v;

	if (!grad || !x || !w || x->n < 3 || x->n != w->n || grad->n != x->n ||
	    !read_conv(kind, c, &v) || !op_call_numbers(c, 10, &mask) || mask.n != 3)
		return;
	const struct op_arg *smaller = v.transposed ? x : grad;
	out->dtype = grad->dtype;
	out->flops = out->torch_flops = 0;
	out->bytes = op_bytes(grad);
	if (mask.dims[0]) {
		int64_t n = op_times(op_times(op_elements(w), 2), grad->dims[0]);
		out->flops = times_extents(n, smaller);
		out->torch_flops = out->flops;
		out->bytes = op_plus(out->bytes, op_plus(op_bytes(w), op_bytes(x)));
	}
	if (mask.dims[1]) {
		int64_t n = op_times(op_times(2, x->dims[1]),
				     op_times(grad->dims[1], x->dims[0]));
		n = times_extents(times_extents(n, w), smaller);
		out->torch_flops = op_plus(out->torch_flops, n);
		out->flops = op_plus(out->flops, n == NUMBER_NONE ? n : n / v.groups);
		out->bytes = op_plus(out->bytes, op_plus(op_bytes(x), op_bytes(w)));
	}
	if (mask.dims[2])
		out->bytes = op_plus(out->bytes, op_bytes_of(grad->dims[1], grad->dtype));
}

/*
 * The same before torch 1.11: the input comes before the gradient, there are no values,
 * and which gradients it computes the calls inside tell.  kind->d: it is transposed.
 */
void op_rule_conv_backward_old(const struct op_kind *kind, const struct op_call *c,
			       struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0), *grad = op_call_tensor(c, 1);
	const struct op_arg *w = op_call_tensor(c, 2);
	int64_t passes = c->gradients;

	if (!grad || !x || !w || x->n < 3 || x->n != w->n || grad->n != x->n || !passes)
		return;
	out->dtype = grad->dtype;
	out->flops = times_extents(
		op_times(op_times(op_elements(w), 2 * passes), grad->dims[0]),
		kind->d ? x : grad);
	out->bytes = op_plus(op_bytes(grad),
			     op_times(op_plus(op_bytes(w), op_bytes(x)), passes));
}
