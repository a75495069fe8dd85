/*
 * Matrix products: see op_work.h.  An operation is a multiplication or
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

const struct dtype *op_result_type(const struct op_call *c, int at,
				   const struct dtype *missing)
{
	static const struct {
		int64_t number;
		const char *name;
	} types[] = { { 3, "int32" },        { 4, "int64" },         { 5, "float16" },
		      { 6, "float32" },      { 7, "float64" },       { 15, "bfloat16" },
		      { 23, "float8_e5m2" }, { 24, "float8_e4m3fn" } };
	if (at < -1) {
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
	const struct dtype *result = kind->flags & OP_KIND_INT32
					     ? dtype_find(STR_LIT("int32"))
					     : op_result_type(c, kind->d, a->dtype);
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
				    op_result_type(c, kind->d, a->dtype)));
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

/*
 * x [m, k] with weights of few bits, whose rows are kind->a times those of their tensor;
 * kind->c: the place of the scales.
 */
void op_rule_int4(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *x = tensor_at(c, 0), *w = tensor_at(c, 1);

	if (!x || !w || x->n != 2 || w->n < 2)
		return;
	int64_t written = op_times(x->dims[0], op_times(w->dims[0], kind->a));
	out->dtype = x->dtype;
	out->flops = op_times(op_times(written, 2), x->dims[1]);
	out->bytes = op_plus(
		op_plus(op_bytes(x), op_bytes(w)),
		op_plus(op_bytes_of(written, x->dtype), op_bytes(tensor_at(c, kind->c))));
}

/* x [m, k] with weights of few bits, which have n columns: what is read and written. */
static void set_weights(const struct op_arg *x, const struct op_arg *w,
			const struct op_arg *scales, int64_t n, struct op_work *out)
{
	int64_t written = op_times(x->dims[0], n);

	out->dtype = x->dtype;
	out->flops = op_times(op_times(written, 2), x->dims[1]);
	out->bytes = op_plus(op_plus(op_bytes(x), op_bytes(w)),
			     op_plus(op_bytes_of(written, x->dtype), op_bytes(scales)));
}

/*
 * Weights [k / those of a number, n / kind->d], with scales at kind->c, of vLLM: what is
 * computed in fewer than 16 bits has a result of another type, which is not told.
 */
void op_rule_packed(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *x = tensor_at(c, kind->a), *w = tensor_at(c, kind->b);

	if (!x || !w || x->n != 2 || w->n != 2 || x->dims[1] < 1 || w->dims[0] < 1 ||
	    x->dims[1] % w->dims[0] != 0)
		return;
	set_weights(x, w, tensor_at(c, kind->c), op_times(w->dims[1], kind->d), out);
	if (!x->dtype || x->dtype->bytes < 2)
		out->bytes = NUMBER_NONE;
}

/*
 * Marlin's weights lie in tiles: m, n and k are numbers one after the other, in places
 * that moved from release to release.  Scales are the first matrix behind the weights.
 */
void op_rule_sized(const struct op_kind *kind, const struct op_call *c,
		   struct op_work *out)
{
	const struct op_arg *x = tensor_at(c, kind->a), *w = tensor_at(c, kind->b);
	const struct op_arg *scales = NULL;
	size_t at = (size_t)kind->b + 1;

	if (!x || !w || x->n != 2 || x->dims[1] < 1)
		return;
	for (size_t i = at; i < c->n && !scales; i++) {
		const struct op_arg *arg = op_call_tensor(c, i);
		scales = arg && arg->n == 2 ? arg : NULL;
	}
	while (at + 2 < c->n && (op_call_number(c, at, -1) != x->dims[0] ||
				 op_call_number(c, at + 2, -1) != x->dims[1]))
		at++;
	if (at + 2 < c->n && scales)
		set_weights(x, w, scales, op_call_number(c, at + 1, -1), out);
	if (!x->dtype || x->dtype->bytes < 2)
		out->bytes = NUMBER_NONE;
}

/*
 * Recurrent layers: each row of the input [..., k] goes through all matrices of the list
 * of weights at kind->a.  kind->b: of the backward pass, the place of what it computes.
 */
void op_rule_rnn(const struct op_kind *kind, const struct op_call *c, struct op_work *out)
{
	const struct op_arg *x = tensor_at(c, 0);
	struct op_arg mask;
	struct op_list weights;
	int64_t rows = 1, passes = 1;

	if (!x || x->n < 2 || !op_call_list(c, (size_t)kind->a, &weights))
		return;
	if (kind->b) {
		if (!op_call_numbers(c, (size_t)kind->b, &mask) || mask.n != 4)
			return;
		passes = (mask.dims[0] != 0) + (mask.dims[3] != 0);
	}
	for (size_t i = 0; i + 1 < x->n; i++)
		rows = op_times(rows, x->dims[i]);
	out->dtype = x->dtype;
	out->flops = op_times(op_times(rows, 2 * passes), weights.matrix_elements);
}
