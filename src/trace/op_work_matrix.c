/*
 * Matrix products and convolutions: see op_work.h.  An operation is a multiplication or
 * an addition; biases are not counted, as torch/utils/flop_counter.py has it.
 */
#include <stddef.h>

#include "trace/fact.h"
#include "trace/op_kind.h"

static int64_t last_dim(const struct op_arg *arg, size_t from_end)
{
	return arg && arg->n >= from_end ? arg->dims[arg->n - from_end] : NUMBER_NONE;
}

static const struct op_arg *tensor_at(const struct op_call *c, int at)
{
	return at < 0 ? NULL : op_call_tensor(c, (size_t)at);
}

/* The type of the result: "out_dtype", a c10::ScalarType, at that place, where it is set. */
static const struct dtype *result_type(const struct op_call *c, int at,
				       const struct dtype *missing)
{
	static const struct {
		int64_t number;
		const char *name;
	} types[] = { { 3, "int32" },         { 5, "float16" },   { 6, "float32" },
		      { 7, "float64" },       { 15, "bfloat16" }, { 23, "float8_e5m2" },
		      { 24, "float8_e4m3fn" } };
	if (at < -1) { /* it is written into input -2 - at */
		const struct op_arg *into = op_call_tensor(c, (size_t)(-2 - at));
		return into ? into->dtype : NULL;
	}
	int64_t number = at < 0 ? -1 : op_call_number(c, (size_t)at, -1);

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].number == number)
			return dtype_find(str_of(types[i].name));
	return missing;
}

/* Two inputs are read, [m, n] is written `batch` times, and a bias is read. */
static void set_product(const struct op_call *c, const struct op_kind *kind,
			const int64_t extent[4], struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);
	int64_t written = op_times(extent[0], op_times(extent[1], extent[2]));

	out->dtype = a->dtype;
	out->flops = op_times(op_times(written, 2), extent[3]);
	out->torch_flops = kind->flags & OP_KIND_TORCH ? out->flops : NUMBER_NONE;
	const struct dtype *result = result_type(c, kind->d, a->dtype);
	out->bytes = op_plus(
		op_plus(op_bytes(a), op_bytes(b)),
		op_plus(op_bytes_of(written, result), op_bytes(tensor_at(c, kind->c))));
	/* Two numbers of 4 bits are one element. */
	if (a->dtype && str_is(str_of(a->dtype->name), "float4_e2m1fn_x2"))
		out->flops = op_times(out->flops, 2);
}

void op_rule_mm(const struct op_kind *kind, const struct op_call *c, struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);

	if (!a || !b || a->n != 2 || b->n != 2 || a->dims[1] != b->dims[0])
		return;
	set_product(c, kind, (int64_t[]){ 1, a->dims[0], b->dims[1], a->dims[1] }, out);
}

/* The second matrix is [n, k / 2], as the first is [m, k / 2]: two numbers a byte. */
void op_rule_mm_fp4(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);

	if (!a || !b || a->n != 2 || b->n != 2 || a->dims[1] != b->dims[1])
		return;
	set_product(c, kind,
		    (int64_t[]){ 1, a->dims[0], b->dims[0], op_times(a->dims[1], 2) },
		    out);
	out->dtype = dtype_find(STR_LIT("float4_e2m1fn_x2"));
	out->bytes =
		op_plus(op_plus(op_bytes(a), op_bytes(b)), op_bytes(tensor_at(c, 0)));
}

void op_rule_bmm(const struct op_kind *kind, const struct op_call *c, struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);

	if (!a || !b || a->n != 3 || b->n != 3 || a->dims[0] != b->dims[0] ||
	    a->dims[2] != b->dims[1])
		return;
	set_product(c, kind,
		    (int64_t[]){ a->dims[0], a->dims[1], b->dims[2], a->dims[2] }, out);
}

/* x [..., k] with weights [n, k]. */
void op_rule_linear(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *x = tensor_at(c, kind->a), *w = tensor_at(c, kind->b);
	int64_t rows = 1;

	if (!x || !w || x->n < 1 || w->n != 2 || last_dim(x, 1) != w->dims[1])
		return;
	for (size_t i = 0; i + 1 < x->n; i++)
		rows = op_times(rows, x->dims[i]);
	set_product(c, kind, (int64_t[]){ 1, rows, w->dims[0], w->dims[1] }, out);
}

/* Of two extents of a batch, as they are broadcast; NUMBER_NONE where they are not. */
static int64_t broadcast(int64_t a, int64_t b)
{
	if (a == b || b == 1)
		return a;
	return a == 1 ? b : NUMBER_NONE;
}

void op_rule_matmul(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, 0), *b = tensor_at(c, 1);
	int64_t batch = 1;

	if (!a || !b || a->n < 1 || b->n < 1)
		return;
	int64_t inner = b->n == 1 ? b->dims[0] : last_dim(b, 2);
	if (last_dim(a, 1) != inner)
		return;
	for (size_t i = 3; i <= a->n || i <= b->n; i++)
		batch = op_times(batch, broadcast(a->n < i ? 1 : last_dim(a, i),
						  b->n < i ? 1 : last_dim(b, i)));
	set_product(c, kind,
		    (int64_t[]){ batch, a->n == 1 ? 1 : last_dim(a, 2),
				 b->n == 1 ? 1 : last_dim(b, 1), inner },
		    out);
}

/*
 * Groups of rows, of columns or of the inner extent: which are in which group, the
 * offsets say, and the sum does not depend on them.
 */
void op_rule_grouped(const struct op_kind *kind, const struct op_call *c,
		     struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);

	if (!a || !b || a->n < 2 || a->n > 3 || b->n < 2 || b->n > 3 ||
	    last_dim(a, 1) != last_dim(b, 2))
		return;
	bool batched = a->n == 3 && b->n == 3;
	if (batched && a->dims[0] != b->dims[0])
		return;
	set_product(c, kind,
		    (int64_t[]){ batched ? a->dims[0] : 1, last_dim(a, 2), last_dim(b, 1),
				 last_dim(a, 1) },
		    out);
	const struct op_arg *offsets = op_call_tensor(c, (size_t)kind->c);
	if (a->n == 2 && b->n == 2) /* a matrix for each group is written */
		out->bytes = op_plus(
			op_plus(op_bytes(a), op_bytes(b)),
			op_bytes_of(op_times(offsets && offsets->n == 1 ? offsets->dims[0]
									: NUMBER_NONE,
					     op_times(a->dims[0], b->dims[1])),
				    result_type(c, kind->d, a->dtype)));
}

/* A matrix with a vector. */
void op_rule_mv(const struct op_kind *kind, const struct op_call *c, struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);

	if (a && b && a->n == 2 && b->n == 1 && a->dims[1] == b->dims[0])
		set_product(c, kind, (int64_t[]){ 1, a->dims[0], 1, a->dims[1] }, out);
}

void op_rule_dot(const struct op_kind *kind, const struct op_call *c, struct op_work *out)
{
	const struct op_arg *a = tensor_at(c, kind->a), *b = tensor_at(c, kind->b);

	if (a && b && a->n == 1 && b->n == 1 && a->dims[0] == b->dims[0])
		set_product(c, kind, (int64_t[]){ 1, 1, 1, a->dims[0] }, out);
}

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

/* kind->b: the place of the stride; those of cuDNN and MIOpen have the padding first. */
static bool read_conv(const struct op_kind *kind, const struct op_call *c, bool is_aten,
		      struct conv *v)
{
	size_t at = (size_t)kind->b;

	*v = (struct conv){ .groups = 1 };
	if (!op_call_numbers(c, at + !is_aten, &v->stride) ||
	    !op_call_numbers(c, at + is_aten, &v->padding) ||
	    !op_call_numbers(c, at + 2, &v->dilation))
		return false;
	if (is_aten) {
		v->transposed = op_call_number(c, at + 3, NUMBER_NONE);
		op_call_numbers(c, at + 4, &v->output_padding);
		v->groups = op_call_number(c, at + 5, NUMBER_NONE);
	} else {
		v->groups = op_call_number(c, at + 3, NUMBER_NONE);
	}
	return v->transposed != NUMBER_NONE && v->groups > 0;
}

static int64_t times_extents(int64_t n, const struct op_arg *arg)
{
	return op_times(n, op_elements_from(arg, 2));
}

/* kind->a: input, then weights; kind->c: the bias; kind->d: not aten's order of values. */
void op_rule_conv(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *x = tensor_at(c, kind->a), *w = tensor_at(c, kind->a + 1);
	struct conv v;

	if (!x || !w || x->n < 3 || x->n != w->n || !read_conv(kind, c, !kind->d, &v))
		return;
	struct op_arg y = *x;
	y.dims[1] = v.transposed ? op_times(w->dims[1], v.groups) : w->dims[0];
	for (size_t i = 2; i < x->n; i++)
		y.dims[i] = conv_extent(&v, x->dims[i], w->dims[i], i - 2);
	out->dtype = x->dtype;
	out->flops = op_times(op_times(op_elements(w), 2), x->dims[0]);
	out->flops = times_extents(out->flops, v.transposed ? x : &y);
	out->torch_flops = kind->flags & OP_KIND_TORCH ? out->flops : NUMBER_NONE;
	out->bytes = op_plus(op_plus(op_bytes(x), op_bytes(w)),
			     op_plus(op_bytes(&y), op_bytes(tensor_at(c, kind->c))));
}

/*
 * Gradients of the input, a convolution the other way, and of the weights.  For the
 * weights torch multiplies all channels with all, also those of different groups.
 */
void op_rule_conv_backward(const struct op_kind *kind, const struct op_call *c,
			   struct op_work *out)
{
	const struct op_arg *grad = tensor_at(c, 0), *x = tensor_at(c, 1);
	const struct op_arg *w = tensor_at(c, 2);
	struct op_arg mask;
	struct conv v;

	if (!grad || !x || !w || x->n < 3 || x->n != w->n || grad->n != x->n ||
	    !read_conv(kind, c, true, &v) || !op_call_numbers(c, 10, &mask) ||
	    mask.n != 3)
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
