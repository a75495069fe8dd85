/* Calls of operators from their texts: see op_call.h. */
#include "trace/op_call.h"

#include <string.h>

#include "trace/fact.h"

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == ','))
		p++;
	return p;
}

/* A number that is no shape's is read to its end, too: *ok says whether it was one. */
static const char *read_number(const char *p, const char *end, int64_t *number, bool *ok)
{
	const char *from = p;
	bool minus = p < end && *p == '-';
	int64_t n = 0;

	for (p += minus; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *p - '0', &n)) {
			n = 0; /* which can be negated */
			*ok = false;
		}
	*ok &= p > from + minus;
	*number = minus ? -n : n;
	return p;
}

/* "8, 3]": behind the bracket; NULL when it is no list of numbers. */
static const char *read_list(const char *p, const char *end, struct op_arg *arg)
{
	bool ok = true;

	arg->n = 0;
	for (p = skip_blanks(p, end); p < end && *p != ']'; p = skip_blanks(p, end)) {
		if (arg->n == OP_CALL_DIMS)
			return NULL;
		p = read_number(p, end, &arg->dims[arg->n++], &ok);
		if (!ok)
			return NULL;
	}
	return p < end ? p + 1 : NULL;
}

static bool read_shapes(struct op_call *c, struct str text)
{
	const char *p = text.p, *end = text.p + text.n;

	if (text.n < 2 || *p != '[')
		return false;
	for (p = skip_blanks(p + 1, end); p < end && *p != ']'; p = skip_blanks(p, end)) {
		if (*p != '[')
			return false;
		if (c->n == OP_CALL_ARGS) {
			c->is_cut = true;
			return true;
		}
		struct op_arg *arg = &c->args[c->n++];
		*arg = (struct op_arg){ .n = 0 };
		p = read_list(p + 1, end, arg);
		if (!p)
			return false;
		arg->is_tensor = arg->n > 0;
	}
	return p < end;
}

/* The part before the next ';', which is taken off. */
static struct str next_part(struct str *rest)
{
	const char *at = rest->n ? memchr(rest->p, ';', rest->n) : NULL;
	size_t n = at ? (size_t)(at - rest->p) : rest->n;
	struct str part = { rest->p, n };

	*rest = at ? (struct str){ at + 1, rest->n - n - 1 } : (struct str){ NULL, 0 };
	return part;
}

bool op_call_read(struct op_call *c, struct str shapes, struct str types,
		  struct str values)
{
	bool has_types = types.n > 0;

	c->n = 0;
	c->is_cut = false;
	c->list_dtype = NULL;
	c->result = (struct op_arg){ .n = 0 };
	c->gradients = 0;
	c->is_in_place = false;
	if (!read_shapes(c, shapes))
		return false;
	for (size_t i = 0; i < c->n; i++) {
		struct op_arg *arg = &c->args[i];
		struct str type = next_part(&types);
		arg->dtype = type.n ? dtype_find(type) : NULL;
		/* Without dimensions only its type tells a tensor from a number. */
		if (has_types)
			arg->is_tensor = arg->dtype != NULL;
		arg->value = next_part(&values);
		for (size_t d = 0; d < arg->n; d++)
			if (arg->dims[d] < 0)
				return false;
	}
	return true;
}

const struct op_arg *op_call_tensor(const struct op_call *c, size_t at)
{
	return at < c->n && c->args[at].is_tensor ? &c->args[at] : NULL;
}

bool op_call_numbers(const struct op_call *c, size_t at, struct op_arg *out)
{
	struct str text = at < c->n ? c->args[at].value : (struct str){ NULL, 0 };
	bool ok = true;

	*out = (struct op_arg){ .n = 1 };
	if (!text.n)
		return false;
	const char *end = text.p + text.n;
	if (*text.p == '[' && text.n > 1 && (text.p[1] == 'T' || text.p[1] == 'F')) {
		out->n = 0;
		for (const char *p = text.p; p < end && out->n < OP_CALL_DIMS; p++)
			if (*p == 'T' || *p == 'F')
				out->dims[out->n++] = *p == 'T';
		return true;
	}
	if (*text.p == '[')
		return read_list(text.p + 1, end, out) == end;
	if (str_is(text, "True") || str_is(text, "False")) {
		out->dims[0] = text.n == 4;
		return true;
	}
	return read_number(text.p, end, &out->dims[0], &ok) == end && ok;
}

bool op_call_list(const struct op_call *c, size_t at, struct op_list *out)
{
	struct str text = at < c->n ? c->args[at].value : (struct str){ NULL, 0 };
	const char *p;

	*out = (struct op_list){ .tensors = 0 };
	if (text.n < 2 || *text.p != '[')
		return false;
	const char *end = text.p + text.n;
	for (p = skip_blanks(text.p + 1, end); p < end && *p == '[';) {
		struct op_arg one = { .n = 0 };
		p = read_list(p + 1, end, &one);
		if (!p)
			return false;
		int64_t n = op_elements(&one);
		out->tensors++;
		out->elements = op_plus(out->elements, n);
		if (one.n == 2)
			out->matrix_elements = op_plus(out->matrix_elements, n);
		p = skip_blanks(p, end);
	}
	return out->tensors > 0 && p + 1 == end && *p == ']';
}

int64_t op_call_number(const struct op_call *c, size_t at, int64_t missing)
{
	struct op_arg numbers;

	return op_call_numbers(c, at, &numbers) && numbers.n == 1 ? numbers.dims[0]
								  : missing;
}

int64_t op_times(int64_t a, int64_t b)
{
	int64_t product;

	if (a == NUMBER_NONE || b == NUMBER_NONE || a < 0 || b < 0 ||
	    __builtin_mul_overflow(a, b, &product))
		return NUMBER_NONE;
	return product;
}

int64_t op_plus(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == NUMBER_NONE || b == NUMBER_NONE || __builtin_add_overflow(a, b, &sum))
		return NUMBER_NONE;
	return sum;
}

int64_t op_elements_from(const struct op_arg *arg, size_t from)
{
	int64_t n = arg ? 1 : NUMBER_NONE;
	bool has_none = false;

	/* An empty tensor is empty, however large its other dimensions are. */
	for (size_t i = from; arg && i < arg->n; i++)
		has_none |= arg->dims[i] == 0;
	for (size_t i = from; arg && i < arg->n && !has_none; i++)
		n = op_times(n, arg->dims[i]);
	return has_none ? 0 : n;
}

int64_t op_bytes_of(int64_t elements, const struct dtype *dtype)
{
	return dtype ? op_times(elements, dtype->bytes) : NUMBER_NONE;
}

int64_t op_bytes(const struct op_arg *arg)
{
	return arg ? op_bytes_of(op_elements(arg), arg->dtype) : 0;
}
