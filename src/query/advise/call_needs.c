/* What operators need by their shapes: see call_needs.h. */
#include "query/advise/call_needs.h"

#include <stdbool.h>
#include <stddef.h>

#include "trace/optree.h"

#define NS_PER_CALL     50000.0
#define NS_PER_ELEMENT  50.0
#define NS_PER_MULTIPLY 0.5
#define TENSORS_MAX     16 /* of one call */
#define DIMS_MAX        8
#define TEXT_MAX        4096 /* of shapes; longer ones are no shapes */
#define NS_MAX          9e18 /* below INT64_MAX */

struct tensor {
	double dims[DIMS_MAX];
	size_t n;
	double elements; /* 0: no tensor, or one without elements */
};

struct tensors {
	struct tensor items[TENSORS_MAX];
	size_t n;
};

enum kind {
	VIEW,     /* looks at no element */
	ELEMENTS, /* a few passes over the inputs */
	PRODUCT,  /* of the last two: [..., m, k] and [..., k, n] */
	CONV,     /* input, weight */
	CONV_BACK /* gradient, input, weight */
};

/* Without "aten::" and the "_" at the end of those in place. */
static const struct {
	const char *name;
	enum kind kind;
} known[] = {
	{ "mm", PRODUCT },
	{ "addmm", PRODUCT },
	{ "bmm", PRODUCT },
	{ "baddbmm", PRODUCT },
	{ "mkldnn_convolution", CONV },
	{ "convolution_backward", CONV_BACK },
	{ "abs", ELEMENTS },
	{ "add", ELEMENTS },
	{ "addcdiv", ELEMENTS },
	{ "addcmul", ELEMENTS },
	{ "avg_pool2d", ELEMENTS },
	{ "avg_pool2d_backward", ELEMENTS },
	{ "bernoulli", ELEMENTS },
	{ "clamp", ELEMENTS },
	{ "clamp_max", ELEMENTS },
	{ "clamp_min", ELEMENTS },
	{ "div", ELEMENTS },
	{ "eq", ELEMENTS },
	{ "exp", ELEMENTS },
	{ "fill", ELEMENTS },
	{ "ge", ELEMENTS },
	{ "gelu", ELEMENTS },
	{ "gelu_backward", ELEMENTS },
	{ "gt", ELEMENTS },
	{ "hardtanh", ELEMENTS },
	{ "hardtanh_backward", ELEMENTS },
	{ "le", ELEMENTS },
	{ "leaky_relu", ELEMENTS },
	{ "leaky_relu_backward", ELEMENTS },
	{ "lerp", ELEMENTS },
	{ "log", ELEMENTS },
	{ "_log_softmax", ELEMENTS },
	{ "_log_softmax_backward_data", ELEMENTS },
	{ "lt", ELEMENTS },
	{ "max_pool2d_with_indices", ELEMENTS },
	{ "max_pool2d_with_indices_backward", ELEMENTS },
	{ "maximum", ELEMENTS },
	{ "mean", ELEMENTS },
	{ "minimum", ELEMENTS },
	{ "mse_loss", ELEMENTS },
	{ "mse_loss_backward", ELEMENTS },
	{ "mul", ELEMENTS },
	{ "native_batch_norm", ELEMENTS },
	{ "native_batch_norm_backward", ELEMENTS },
	{ "native_dropout", ELEMENTS },
	{ "native_dropout_backward", ELEMENTS },
	{ "native_group_norm", ELEMENTS },
	{ "native_group_norm_backward", ELEMENTS },
	{ "native_layer_norm", ELEMENTS },
	{ "native_layer_norm_backward", ELEMENTS },
	{ "ne", ELEMENTS },
	{ "neg", ELEMENTS },
	{ "nll_loss_backward", ELEMENTS },
	{ "nll_loss_forward", ELEMENTS },
	{ "normal", ELEMENTS },
	{ "reciprocal", ELEMENTS },
	{ "relu", ELEMENTS },
	{ "rsqrt", ELEMENTS },
	{ "sigmoid", ELEMENTS },
	{ "sigmoid_backward", ELEMENTS },
	{ "silu", ELEMENTS },
	{ "silu_backward", ELEMENTS },
	{ "_softmax", ELEMENTS },
	{ "_softmax_backward_data", ELEMENTS },
	{ "sqrt", ELEMENTS },
	{ "sub", ELEMENTS },
	{ "sum", ELEMENTS },
	{ "tanh", ELEMENTS },
	{ "tanh_backward", ELEMENTS },
	{ "threshold_backward", ELEMENTS },
	{ "tril", ELEMENTS },
	{ "triu", ELEMENTS },
	{ "uniform", ELEMENTS },
	{ "where", ELEMENTS },
	{ "zero", ELEMENTS },
	{ "as_strided", VIEW },
	{ "detach", VIEW },
	{ "expand", VIEW },
	{ "permute", VIEW },
	{ "select", VIEW },
	{ "slice", VIEW },
	{ "squeeze", VIEW },
	{ "t", VIEW },
	{ "transpose", VIEW },
	{ "unsqueeze", VIEW },
	{ "view", VIEW },
};

#define NKNOWN (sizeof(known) / sizeof(known[0]))

/* The dimensions up to the "]"; what is behind it. */
static struct str read_tensor(struct str text, struct tensor *out)
{
	double dim = 0;
	bool has_digits = false;

	*out = (struct tensor){ .elements = 1 };
	for (; text.n; text = str_behind(text, 1)) {
		char c = *text.p;
		if (c >= '0' && c <= '9') {
			dim = dim * 10 + (c - '0');
			has_digits = true;
			continue;
		}
		if (has_digits) {
			out->elements *= dim;
			if (out->n < DIMS_MAX)
				out->dims[out->n++] = dim;
		}
		if (c == ']')
			break;
		dim = 0;
		has_digits = false;
	}
	if (out->n == 0)
		out->elements = 0; /* a scalar, or none */
	return text;
}

/* "[[8, 3], []]"; false: there are lists of tensors, or more than are read. */
static bool read_tensors(struct str text, struct tensors *out)
{
	out->n = 0;
	if (!text.n || *text.p != '[')
		return false;
	for (text = str_behind(text, 1); text.n && *text.p != ']';
	     text = str_behind(text, 1)) {
		if (*text.p != '[')
			continue;
		if (out->n == TENSORS_MAX)
			return false;
		text = read_tensor(str_behind(text, 1), &out->items[out->n++]);
		if (!text.n)
			return false;
	}
	return true;
}

/* Of all tensors together. */
static double sum_elements(const struct tensors *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->items[i].elements;
	return sum;
}

/* Of what they are broadcast to. */
static double broadcast_elements(const struct tensors *t)
{
	double broadcast = 1;

	for (size_t back = 1; back <= DIMS_MAX; back++) {
		double most = 1;
		for (size_t i = 0; i < t->n; i++) {
			const struct tensor *each = &t->items[i];
			if (each->n >= back && each->dims[each->n - back] > most)
				most = each->dims[each->n - back];
		}
		broadcast *= most;
	}
	return broadcast;
}

static double count_elements(enum kind kind, const struct tensors *t)
{
	double sum = sum_elements(t), broadcast = broadcast_elements(t);

	if (kind == VIEW)
		return 0;
	return kind == ELEMENTS && broadcast > sum ? broadcast : sum;
}

/* Of [..., m, k] by [..., k, n]. */
static double product(const struct tensors *t)
{
	if (t->n < 2)
		return -1;
	/* addmm and baddbmm have what they add in front; scalars follow */
	size_t b = t->n - 1;
	while (b > 0 && t->items[b].n < 2)
		b--;
	if (b == 0 || t->items[b - 1].n < 2)
		return -1;
	return t->items[b - 1].elements * t->items[b].dims[t->items[b].n - 1];
}

/* Each weight once at each place of the image: [n, c, ...] by [o, c, ...]. */
static double convolution(const struct tensor *image, const struct tensor *weight)
{
	if (image->n < 3 || weight->n < 3 || image->dims[1] <= 0)
		return -1;
	return image->elements / image->dims[1] * weight->elements;
}

/* Multiplications; -1: the shapes do not say. */
static double count_products(enum kind kind, const struct tensors *t)
{
	if (kind == VIEW || kind == ELEMENTS)
		return 0;
	if (kind == PRODUCT)
		return product(t);
	if (kind == CONV)
		return t->n < 2 ? -1 : convolution(&t->items[0], &t->items[1]);
	if (t->n < 3)
		return -1;
	double in = convolution(&t->items[1], &t->items[2]);
	double out = convolution(&t->items[0], &t->items[2]);
	return in < 0 || out < 0 ? -1 : 2 * (in > out ? in : out);
}

/* NKNOWN: none. */
static size_t find_known(struct str name)
{
	const struct str head = STR_LIT("aten::");
	size_t i = 0;

	if (!str_starts_with(name, head))
		return NKNOWN;
	name = str_behind(op_name_plain(name), head.n);
	if (name.n && name.p[name.n - 1] == '_')
		name.n--;
	while (i < NKNOWN && !str_is(name, known[i].name))
		i++;
	return i;
}

int64_t call_needs_ns(struct str name, struct str shapes)
{
	struct tensors t;
	size_t at = find_known(name);

	if (at == NKNOWN || shapes.n > TEXT_MAX || !read_tensors(shapes, &t))
		return -1;
	bool has_tensor = false;
	for (size_t i = 0; i < t.n; i++)
		has_tensor |= t.items[i].n > 0;
	double products = count_products(known[at].kind, &t);
	if (!has_tensor || products < 0)
		return -1;
	double ns = NS_PER_CALL + count_elements(known[at].kind, &t) * NS_PER_ELEMENT +
		    products * NS_PER_MULTIPLY;
	return ns < NS_MAX ? (int64_t)ns : INT64_MAX;
}
