/* Operator shapes and flops: see shapes.h. */
#include "ingest/shapes.h"

#include "base/decimal.h"
#include "ingest/scan.h"
#include "ingest/sink.h"
#include "trace/dtype.h"
#include "trace/optree.h"

/* True when a list contains a list. */
static bool is_nested(struct str list)
{
	return list.n > 1 && memchr(list.p + 1, '[', list.n - 1);
}

/* One entry: numbers as they are, a flat list of them, [] for a nested list. */
static void add_entry(const struct json_value *value, struct buf *out)
{
	struct json_value element;

	if (value->type == JSON_STRING) {
		buf_add_char(out, '\'');
		buf_add_str(out, value->text);
		buf_add_char(out, '\'');
		return;
	}
	if (value->type != JSON_ARRAY) {
		buf_add_str(out, value->text);
		return;
	}
	buf_add_char(out, '[');
	struct json_items items = json_items_of(value->text);
	bool nested = is_nested(value->text); /* looks at all of it: once */
	for (bool first = true; !nested && json_next_element(&items, &element) > 0;
	     first = false) {
		if (!first)
			buf_add_text(out, ", ");
		buf_add_str(out, element.text);
	}
	buf_add_char(out, ']');
}

void shapes_python_text(struct str json, struct buf *out)
{
	struct json_items items = json_items_of(json);
	bool is_list = json.n && json.p[0] == '[';
	struct json_value value;

	buf_clear(out);
	buf_add_char(out, '[');
	for (bool first = true; is_list && json_next_element(&items, &value) > 0;
	     first = false) {
		if (!first)
			buf_add_text(out, ", ");
		add_entry(&value, out);
	}
	buf_add_char(out, ']');
}

/* What separates them is left out of them. */
static void add_part(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != ';')
			buf_add_char(out, text.p[i]);
}

static void joined_text(struct str json, bool are_types, struct buf *out)
{
	struct json_items items = json_items_of(json);
	bool is_list = json.n && json.p[0] == '[', holds = false;
	struct json_value value;

	buf_clear(out);
	for (bool first = true; is_list && json_next_element(&items, &value) > 0;
	     first = false) {
		const struct dtype *dtype = are_types ? dtype_find(value.text) : NULL;
		if (!first)
			buf_add_char(out, ';');
		holds |= value.text.n > 0;
		add_part(dtype ? str_of(dtype->name) : value.text, out);
	}
	if (!holds)
		buf_clear(out);
}

void shapes_types_text(struct str json, struct buf *out)
{
	joined_text(json, true, out);
}

void shapes_values_text(struct str json, struct buf *out)
{
	joined_text(json, false, out);
}

/* The shapes of a list, as short as they can be written. */
static void add_shapes(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++)
		if (!strchr("; \t\r\n", text.p[i]))
			buf_add_char(out, text.p[i]);
}

void shapes_lists_text(struct str pair, struct buf *out)
{
	struct json_items items = json_items_of(pair);
	struct json_value concrete, dims, value, shape;
	bool holds = false;

	buf_clear(out);
	if (json_next_element(&items, &concrete) <= 0 ||
	    json_next_element(&items, &dims) <= 0 || concrete.type != JSON_ARRAY ||
	    dims.type != JSON_ARRAY)
		return;
	struct json_items values = json_items_of(concrete.text);
	struct json_items shapes = json_items_of(dims.text);
	for (bool first = true; json_next_element(&values, &value) > 0; first = false) {
		bool is_list = json_next_element(&shapes, &shape) > 0 &&
			       shape.type == JSON_ARRAY && is_nested(shape.text);
		if (!first)
			buf_add_char(out, ';');
		holds |= is_list || value.text.n > 0;
		if (is_list)
			add_shapes(shape.text, out);
		else
			add_part(value.text, out);
	}
	if (!holds)
		buf_clear(out);
}

/* The value at `index` of a list; false when there is none. */
static bool list_entry(struct str json, size_t index, struct json_value *value)
{
	struct json_items items = json_items_of(json);

	if (json.n == 0 || json.p[0] != '[')
		return false;
	for (size_t i = 0; json_next_element(&items, value) > 0; i++)
		if (i == index)
			return true;
	return false;
}

/* The numbers of "[1, 64]", where all are plain. */
static bool plain_shape(struct str text, struct shape *out)
{
	const char *p = text.p, *end = text.p + text.n;
	struct json_value value;

	do {
		p = scan_plain_number(json_skip_blanks(p + 1), &value);
		if (!p || value.plain != JSON_PLAIN_INT || out->n == SHAPE_DIMS_MAX)
			return false;
		out->dims[out->n++] = value.number;
		p = json_skip_blanks(p);
	} while (*p == ',' && p < end);
	return *p == ']' && p + 1 == end;
}

bool shape_of_text(struct str text, struct shape *out)
{
	struct json_items items = json_items_of(text);
	struct json_value value;
	int more;

	out->present = false;
	out->n = 0;
	if (text.n && text.p[0] != '[') {
		out->n = 1;
		return decimal_int(text, &out->dims[0]) == DECIMAL_OK;
	}
	if (text.n == 0)
		return false;
	if (plain_shape(text, out))
		return true;
	out->n = 0;
	while ((more = json_next_element(&items, &value)) > 0)
		if (out->n == SHAPE_DIMS_MAX ||
		    json_int(&value, &out->dims[out->n++]) != DECIMAL_OK)
			return false;
	return more == 0;
}

void shapes_entry(struct str json, size_t index, struct shape *out)
{
	struct json_value value;

	*out = (struct shape){ 0 };
	if (list_entry(json, index, &value) && value.type == JSON_ARRAY)
		out->present = shape_of_text(value.text, out);
}

/* product * factor, or NUMBER_NONE when it leaves int64 or the factor is negative. */
static int64_t times(int64_t product, int64_t factor)
{
	int64_t result;

	if (product == NUMBER_NONE || factor < 0 ||
	    __builtin_mul_overflow(product, factor, &result))
		return NUMBER_NONE;
	return result;
}

static int64_t times_all(int64_t product, const struct shape *s)
{
	for (size_t i = 0; i < s->n; i++)
		product = times(product, s->dims[i]);
	return product;
}

/* mm, addmm (first = 1), bmm, baddbmm: twice the multiplications. */
static int64_t matrix_flops(struct str dims, size_t first, bool batched)
{
	struct shape a, b;

	shapes_entry(dims, first, &a);
	shapes_entry(dims, first + 1, &b);
	if (!a.present || !b.present || a.n < 1 || b.n < 1)
		return NUMBER_NONE;
	int64_t inner = a.dims[a.n - 1], batch = batched ? a.dims[0] : 1;
	if (inner <= 0 || batch <= 0)
		return inner == 0 || batch == 0 ? 0 : NUMBER_NONE;
	int64_t product = times_all(1, &a);
	if (product != NUMBER_NONE)
		product /= inner;
	if (product != NUMBER_NONE)
		product /= batch;
	return times(times_all(product, &b), 2);
}

static bool concrete_entry(struct str concrete, size_t index, struct shape *out)
{
	struct json_value value;

	return list_entry(concrete, index, &value) && shape_of_text(value.text, out);
}

/* Output extent of a convolution along one axis, 0 when it has none. */
static int64_t conv_extent(int64_t in, int64_t kernel, int64_t stride, int64_t padding,
			   int64_t dilation)
{
	const int64_t limit = INT64_C(1) << 30;

	if (stride <= 0 || in < 0 || kernel <= 0 || padding < 0 || dilation < 0 ||
	    in > limit || kernel > limit || padding > limit || dilation > limit)
		return 0;
	int64_t span = in + 2 * padding - dilation * (kernel - 1) - 1;
	return span < 0 ? 0 : span / stride + 1;
}

/* Concrete inputs 3 to 6 are stride, padding, dilation, groups. */
static int64_t conv2d_flops(struct str dims, struct str concrete)
{
	struct shape in, kernel, stride, padding, dilation, groups;

	shapes_entry(dims, 0, &in);
	shapes_entry(dims, 1, &kernel);
	if (in.n != 4 || kernel.n != 4 || !concrete_entry(concrete, 3, &stride) ||
	    !concrete_entry(concrete, 4, &padding) ||
	    !concrete_entry(concrete, 5, &dilation) ||
	    !concrete_entry(concrete, 6, &groups))
		return NUMBER_NONE;
	if (stride.n != 2 || padding.n != 2 || dilation.n != 2 || groups.n != 1 ||
	    groups.dims[0] <= 0)
		return NUMBER_NONE;
	int64_t product = 2;
	for (size_t axis = 0; axis < 2; axis++)
		product = times(product,
				conv_extent(in.dims[2 + axis], kernel.dims[2 + axis],
					    stride.dims[axis], padding.dims[axis],
					    dilation.dims[axis]));
	product = times(times(product, in.dims[0]), in.dims[1]);
	product = times_all(product,
			    &(struct shape){ .n = 3,
					     .dims = { kernel.dims[0], kernel.dims[2],
						       kernel.dims[3] } });
	return product == NUMBER_NONE ? product : product / groups.dims[0];
}

/* mul and add: one for each element of the first argument, when it is a tensor. */
static int64_t element_flops(struct str dims, struct str types)
{
	static const char *const no_tensor[] = { "", "Scalar", "ScalarList", "TensorList",
						 "GenericList" };
	struct json_value type;
	struct shape a;

	shapes_entry(dims, 0, &a);
	if (!a.present)
		return NUMBER_NONE;
	if (list_entry(types, 0, &type))
		for (size_t i = 0; i < sizeof(no_tensor) / sizeof(*no_tensor); i++)
			if (str_is(type.text, no_tensor[i]))
				return NUMBER_NONE;
	return times_all(1, &a);
}

int64_t shapes_flops(struct str op, struct str dims, struct str types,
		     struct str concrete)
{
	if (!str_starts_with(op, STR_LIT("aten::")) || dims.n == 0)
		return NUMBER_NONE;
	struct str name = op_name_plain(op);
	name = str_behind(name, STR_LIT("aten::").n);
	if (str_is(name, "mm"))
		return matrix_flops(dims, 0, false);
	if (str_is(name, "addmm"))
		return matrix_flops(dims, 1, false);
	if (str_is(name, "bmm"))
		return matrix_flops(dims, 0, true);
	if (str_is(name, "baddbmm"))
		return matrix_flops(dims, 1, true);
	if (str_is(name, "conv2d"))
		return conv2d_flops(dims, concrete);
	if (str_is(name, "mul") || str_is(name, "add"))
		return element_flops(dims, types);
	return NUMBER_NONE;
}
