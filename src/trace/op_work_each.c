/*
 * What goes over elements: see op_work.h.  Arithmetic is one operation an element for
 * each function that an operator applies, whatever the function; moving is none.
 */
#include <string.h>

#include "trace/fact.h"
#include "trace/op_kind.h"

/* complex over floating over integers over bool, and then the wider one. */
static int category_of(const struct dtype *dtype)
{
	if (str_starts_with(str_of(dtype->name), STR_LIT("complex")))
		return 3;
	if (strstr(dtype->name, "float"))
		return 2;
	return strcmp(dtype->name, "bool") != 0;
}

bool dtype_is_over(const struct dtype *a, const struct dtype *b)
{
	int x = category_of(a), y = category_of(b);

	return x != y ? x > y : a->bytes > b->bytes;
}

/* Of the first n inputs; those without dimensions decide only the category. */
static const struct dtype *promoted(const struct op_call *c, size_t n)
{
	const struct dtype *whole = NULL, *single = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct op_arg *arg = op_call_tensor(c, i);
		if (!arg)
			continue;
		if (!arg->dtype)
			return NULL;
		const struct dtype **of = arg->n ? &whole : &single;
		if (!*of || dtype_is_over(arg->dtype, *of))
			*of = arg->dtype;
	}
	if (!whole || !single || category_of(single) <= category_of(whole))
		return whole ? whole : single;
	return category_of(single) == 2 ? dtype_find(STR_LIT("float32")) : single;
}

/* The shape that the first n inputs are broadcast to. */
static bool broadcast(const struct op_call *c, size_t n, struct op_arg *out)
{
	bool is_any = false;

	*out = (struct op_arg){ .is_tensor = true };
	for (size_t i = 0; i < n; i++) {
		const struct op_arg *arg = op_call_tensor(c, i);
		if (!arg)
			continue;
		is_any = true;
		for (; out->n < arg->n; out->n++) {
			memmove(out->dims + 1, out->dims, out->n * sizeof(*out->dims));
			out->dims[0] = 1;
		}
		for (size_t d = 0; d < arg->n; d++) {
			int64_t *into = &out->dims[out->n - 1 - d];
			int64_t dim = arg->dims[arg->n - 1 - d];
			if (*into != dim && *into != 1 && dim != 1)
				return false;
			if (*into == 1)
				*into = dim;
		}
	}
	return is_any;
}

/*
 * The type of the result, of n inputs, where arithmetic gives `type`; with out= it is that of
 * the last tensor, where none but that can stand behind the n inputs.
 */
static const struct dtype *result_of(const struct op_kind *kind, const struct op_call *c,
				     size_t n, const struct dtype *type,
				     bool may_have_out)
{
	const struct op_arg *into = c->n > n ? op_call_tensor(c, c->n - 1) : NULL;
	bool is_whole = type && category_of(type) < 2;

	if (c->is_in_place)
		into = op_call_tensor(c, 0);
	if (into && (may_have_out || c->is_in_place ||
		     kind->flags & (OP_KIND_INT64 | OP_KIND_FLOAT | OP_KIND_TYPED)))
		return into->dtype;
	if (is_whole && kind->flags & OP_KIND_INT64)
		type = dtype_find(STR_LIT("int64"));
	if (is_whole && kind->flags & OP_KIND_FLOAT && c->n < 3)
		type = dtype_find(STR_LIT("float32"));
	return kind->flags & OP_KIND_TYPED ? op_result_type(c, (int)c->n - 1, type)
					   : type;
}

static void set_each(const struct op_kind *kind, const struct op_call *c,
		     const struct dtype *type, bool may_have_out, struct op_work *out)
{
	size_t n = (size_t)kind->a;
	struct op_arg y;

	if (!broadcast(c, n, &y))
		return;
	out->flops = op_times(op_elements(&y), kind->b);
	const struct dtype *result = result_of(kind, c, n, type, may_have_out);
	bool is_double = kind->flags & OP_KIND_PAIRED && result == type;
	out->bytes = op_times(op_bytes_of(op_elements(&y), result), is_double ? 2 : 1);
	for (size_t i = 0; i < n; i++)
		out->bytes = op_plus(out->bytes, op_bytes(op_call_tensor(c, i)));
}

/* kind->a: how many inputs, of which two have no tensors behind; kind->b: operations an element. */
void op_rule_each(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	out->dtype = promoted(c, (size_t)kind->a);
	set_each(kind, c, out->dtype, kind->a == 2, out);
}

/* The same, but what comes out is true or false. */
void op_rule_compare(const struct op_kind *kind, const struct op_call *c,
		     struct op_work *out)
{
	out->dtype = promoted(c, (size_t)kind->a);
	set_each(kind, c, dtype_find(STR_LIT("bool")), true, out);
}

/* where(condition, a, b) and masked_fill(a, mask): the type is that of kind->c. */
void op_rule_select(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *typed = op_call_tensor(c, (size_t)kind->c);

	out->dtype = typed ? typed->dtype : NULL;
	set_each(kind, c, out->dtype, false, out);
}

/* To the first input from the second. */
void op_rule_copy(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *to = op_call_tensor(c, 0), *from = op_call_tensor(c, 1);

	(void)kind;
	if (!to || !from)
		return;
	out->dtype = to->dtype;
	out->flops = 0;
	out->bytes = op_plus(op_bytes(to), op_bytes(from));
}

/* Writes the first input alone. */
void op_rule_fill(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *to = op_call_tensor(c, 0);

	(void)kind;
	if (!to)
		return;
	out->dtype = to->dtype;
	out->flops = 0;
	out->bytes = op_bytes(to);
}

/*
 * Reads the inputs of the bits kind->a, writes results like those of kind->c, and does
 * kind->b operations for each element of input kind->d; -1: of all that is written.
 */
void op_rule_like(const struct op_kind *kind, const struct op_call *c,
		  struct op_work *out)
{
	const struct op_arg *first = NULL; /* that is written */
	int64_t written = 0;

	out->bytes = 0;
	for (size_t i = 0; i < 7; i++) {
		const struct op_arg *arg = op_call_tensor(c, i);
		if (kind->a & (1 << i))
			out->bytes = op_plus(out->bytes, op_bytes(arg));
		if (!(kind->c & (1 << i)) || !arg)
			continue;
		out->bytes = op_plus(out->bytes, op_bytes(arg));
		written = op_plus(written, op_elements(arg));
		first = first ? first : arg;
	}
	const struct op_arg *of =
		kind->d < 0 ? first : op_call_tensor(c, (size_t)kind->d);
	out->dtype = of ? of->dtype : NULL;
	out->flops = op_times(kind->d < 0 ? written : op_elements(of), kind->b);
	if (!of)
		out->bytes = NUMBER_NONE;
}

/*
 * Writes one like the first, too, whose type the last input tells: of the backward pass by
 * its number, else half_to_float makes it float32.
 */
void op_rule_softmax(const struct op_kind *kind, const struct op_call *c,
		     struct op_work *out)
{
	op_rule_like(kind, c, out);
	const struct dtype *result =
		op_call_number(c, c->n - 1, 0) == 1
			? dtype_find(STR_LIT("float32"))
			: op_result_type(c, (int)c->n - 1, out->dtype);
	out->bytes = op_plus(out->bytes,
			     op_bytes_of(op_elements(op_call_tensor(c, 0)), result));
}

/*
 * Elements that are left of dimensions that are reduced; one without a list of them.
 * keepdim follows such a list: the last input is the result's type, or std's unbiased.
 */
static int64_t reduced(const struct op_arg *x, const struct op_call *c, int at)
{
	struct op_arg dims, y = *x;

	if (at < 1 || c->n < (size_t)at + 2 || !op_call_numbers(c, (size_t)at, &dims) ||
	    dims.n == 0)
		return op_elements(x) ? 1 : 0;
	for (size_t i = 0; i < dims.n; i++) {
		int64_t d = dims.dims[i];
		if (d < 0)
			d += (int64_t)x->n;
		if (d < 0 || (size_t)d >= x->n)
			return NUMBER_NONE;
		y.dims[d] = 1;
	}
	return op_elements(&y);
}

/*
 * kind->a: the place of the dimensions, or 0; kind->b: operations an element;
 * kind->c: what comes out for each: 'x' the same type, 'i' an index, 'p' both, 'b' a
 * bool, '2' two of the same.
 */
void op_rule_reduce(const struct op_kind *kind, const struct op_call *c,
		    struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0);

	if (!x)
		return;
	/* max(x, y) is that of each element; with a dimension it has three inputs. */
	if (kind->c == 'p' && c->n == 2 && op_call_tensor(c, 1)) {
		op_rule_each(&(struct op_kind){ .a = 2, .b = 1 }, c, out);
		return;
	}
	int64_t left = reduced(x, c, kind->a);
	const struct dtype *result = result_of(kind, c, 1, x->dtype, false);
	int64_t size = result ? result->bytes : NUMBER_NONE;
	if (kind->c == 'i')
		size = 8;
	else if (kind->c == 'b')
		size = 1;
	else if (kind->c == 'p' && left != 1)
		size = op_plus(size, 8);
	else if (kind->c == '2')
		size = op_times(size, 2);
	out->dtype = x->dtype;
	out->flops = op_times(op_elements(x), kind->b);
	out->bytes = op_plus(op_bytes(x), op_times(left, size));
}

/* Along one axis; NUMBER_NONE where it does not fit. */
static int64_t window_count(int64_t in, const struct op_arg *const v[4], size_t axis)
{
	int64_t n[4]; /* kernel, stride, padding, dilation */

	for (size_t i = 0; i < 4; i++) {
		size_t at = v[i]->n == 1 ? 0 : axis;
		if (at >= v[i]->n || v[i]->dims[at] < (i != 2) ||
		    v[i]->dims[at] > INT32_MAX)
			return NUMBER_NONE;
		n[i] = v[i]->dims[at];
	}
	if (in < 0 || in > INT32_MAX)
		return NUMBER_NONE;
	int64_t span = in + 2 * n[2] - n[3] * (n[0] - 1) - 1;
	return span < 0 ? NUMBER_NONE : span / n[1] + 1;
}

/* Without values (before torch 2.1) the result tells the bytes. */
static void set_pooled(const struct op_kind *kind, const struct op_call *c,
		       struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0);
	int64_t n = c->result.is_tensor ? op_elements(&c->result) : NUMBER_NONE;

	out->dtype = x->dtype;
	out->bytes = op_plus(op_plus(op_bytes(x), op_bytes_of(n, x->dtype)),
			     op_times(n, kind->b));
}

/* An element of each window is compared; written are the largest, and where they were. */
void op_rule_max_pool(const struct op_kind *kind, const struct op_call *c,
		      struct op_work *out)
{
	const struct op_arg *x = op_call_tensor(c, 0);
	struct op_arg v[4];

	if (!x || x->n < 3)
		return;
	for (size_t i = 0; i < 4; i++)
		if ((int)i < kind->a && !op_call_numbers(c, 1 + i, &v[i])) {
			set_pooled(kind, c, out);
			return;
		}
	if (kind->a < 4)
		v[3] = (struct op_arg){ .n = 1, .dims = { 1 } };
	if (v[1].n == 0) /* as the kernel is */
		v[1] = v[0];
	/* Rounded up it has a window more, perhaps. */
	if (op_call_number(c, (size_t)kind->a + 1, 0) != 0)
		return;
	const struct op_arg *const windows[4] = { &v[0], &v[1], &v[2], &v[3] };
	struct op_arg y = *x;
	int64_t each = 1;
	for (size_t i = 0; i < 2; i++) {
		size_t d = x->n - 2 + i;
		y.dims[d] = window_count(x->dims[d], windows, i);
		if (y.dims[d] == NUMBER_NONE)
			return;
		each = op_times(each, v[0].dims[v[0].n == 1 ? 0 : i]);
	}
	out->dtype = x->dtype;
	out->flops = op_times(op_elements(&y), each);
	out->bytes = op_plus(op_plus(op_bytes(x), op_bytes(&y)),
			     op_times(op_elements(&y), kind->b));
}
