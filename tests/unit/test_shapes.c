/*
 * "Input Dims" of operators: the text torch groups by, and flops.  The numbers
 * of the first flops test are those that torch 2.14.1 printed for a transformer
 * (key_averages with with_flops), one call each; the others are by hand.
 */
#include "reading.h"

#include "ingest/shapes.h"
#include "ingest/sink.h"

static void assert_python_text(const char *json, const char *expected)
{
	struct buf out;

	buf_init(&out, 1000);
	shapes_python_text(in_window(json), &out);
	assert_string_equal(out.p, expected);
	buf_release(&out);
}

static void shapes_read_as_python_prints_them(void **state)
{
	(void)state;
	assert_python_text("[[8, 3], []]", "[[8, 3], []]");
	assert_python_text("[[8,3],[]]", "[[8, 3], []]");
	assert_python_text("[ [ 8 , 3 ] ]", "[[8, 3]]");
	assert_python_text("[]", "[]");
	assert_python_text("[[], 1, \"x\"]", "[[], 1, 'x']");
}

static void a_list_of_tensors_has_no_shape(void **state)
{
	(void)state;
	assert_python_text("[[[2, 3], [4]], [5]]", "[[], [5]]");
	assert_python_text("[[[]]]", "[[]]");
}

/* Values, and of lists of tensors their shapes without blanks. */
static void values_have_shapes_of_lists(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	shapes_lists_text(in_window("[[\"\",\"\",\"a;b\"],[[\n [8, 3],\n []\n],[2],[]]]"),
			  &out);
	assert_string_equal(out.p, "[[8,3],[]];;ab");
	shapes_lists_text(in_window("[[\"\"],[[8, 3]]]"), &out);
	assert_int_equal(out.n, 0);
	buf_release(&out);
}

/* Was quadratic: this list took an hour. */
static void a_long_list_takes_one_pass(void **state)
{
	const size_t n = 8u << 20;
	struct buf list, out;

	(void)state;
	buf_init(&list, n + 16);
	buf_init(&out, 2 * n);
	buf_add_text(&list, "[[1");
	while (list.n < n)
		buf_add_text(&list, ",1");
	buf_add_text(&list, "]]");
	struct str text = buf_str(&list);
	for (size_t i = 0; i < JSON_PADDING; i++)
		buf_add_char(&list, '\0');
	text.p = list.p;
	shapes_python_text(text, &out);
	assert_true(out.n > n);
	assert_memory_equal(out.p + out.n - 5, ", 1]]", 5);
	buf_release(&out);
	buf_release(&list);
}

static void what_is_no_list_has_no_shapes(void **state)
{
	(void)state;
	assert_python_text("", "[]");
	assert_python_text("null", "[]");
	assert_python_text("[[8, 3", "[]");
}

static void an_entry_is_a_flat_list_of_integers(void **state)
{
	struct str dims = in_window("[[8, 3], [], [[1], [2]], 7, [1.5]]");
	struct shape shape;

	(void)state;
	shapes_entry(dims, 0, &shape);
	assert_true(shape.present);
	assert_int_equal(shape.n, 2);
	assert_int_equal(shape.dims[0], 8);
	assert_int_equal(shape.dims[1], 3);
	shapes_entry(dims, 1, &shape);
	assert_true(shape.present);
	assert_int_equal(shape.n, 0);
	for (size_t i = 2; i < 6; i++) {
		shapes_entry(dims, i, &shape);
		assert_false(shape.present);
	}
}

static void more_dimensions_than_torch_has_are_refused(void **state)
{
	struct shape shape;

	(void)state;
	assert_true(shape_of_text(in_window("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"),
				  &shape));
	assert_false(shape_of_text(
		in_window("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"), &shape));
	assert_true(shape_of_text(in_window("12"), &shape));
	assert_int_equal(shape.dims[0], 12);
	assert_false(shape_of_text(in_window(""), &shape));
	assert_false(shape_of_text(in_window("True"), &shape));
}

static void assert_flops(const char *op, const char *dims, const char *types,
			 const char *concrete, int64_t expected)
{
	assert_int_equal(shapes_flops(str_of(op), in_window(dims), in_window(types),
				      in_window(concrete)),
			 expected);
}

#define NO_CONCRETE ""
#define TENSORS     "[\"float\", \"float\", \"float\"]"

static void flops_are_those_of_torch(void **state)
{
	static const struct {
		const char *op, *dims;
		int64_t calls, flops; /* of all calls, as torch adds them up */
	} rows[] = {
		{ "aten::add", "[[16, 32, 64], [32, 64], []]", 3, 98304 },
		{ "aten::add", "[[16, 4, 32, 32], [32, 32], []]", 6, 393216 },
		{ "aten::add", "[[16, 32, 64], [16, 32, 64], []]", 12, 393216 },
		{ "aten::mul", "[[16, 32, 64], [16, 32, 64]]", 24, 786432 },
		{ "aten::addmm", "[[192], [512, 64], [64, 192], [], []]", 6, 75497472 },
		{ "aten::addmm", "[[64], [512, 64], [64, 64], [], []]", 6, 25165824 },
		{ "aten::addmm", "[[256], [512, 64], [64, 256], [], []]", 6, 100663296 },
		{ "aten::addmm", "[[100], [512, 64], [64, 100], [], []]", 3, 19660800 },
		{ "aten::mm", "[[512, 100], [100, 64]]", 3, 19660800 },
		{ "aten::mm", "[[100, 512], [512, 64]]", 3, 19660800 },
		{ "aten::mm", "[[256, 512], [512, 64]]", 6, 100663296 },
		{ "aten::bmm", "[[64, 32, 16], [64, 16, 32]]", 12, 25165824 },
		{ "aten::bmm", "[[64, 32, 32], [64, 32, 16]]", 18, 37748736 },
		{ "aten::bmm", "[[64, 16, 32], [64, 32, 32]]", 6, 12582912 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_flops(rows[i].op, rows[i].dims, TENSORS, NO_CONCRETE,
			     rows[i].flops / rows[i].calls);
}

static void a_product_counts_two_for_each_multiplication(void **state)
{
	(void)state;
	assert_flops("aten::mm", "[[2, 3], [3, 5]]", TENSORS, NO_CONCRETE,
		     2LL * 2 * 3 * 5);
	assert_flops("aten::addmm", "[[5], [2, 3], [3, 5], [], []]", TENSORS, NO_CONCRETE,
		     2LL * 2 * 3 * 5);
	assert_flops("aten::bmm", "[[4, 2, 3], [4, 3, 5]]", TENSORS, NO_CONCRETE,
		     2LL * 4 * 2 * 3 * 5);
	assert_flops("aten::baddbmm", "[[4, 2, 5], [4, 2, 3], [4, 3, 5]]", TENSORS,
		     NO_CONCRETE, 2LL * 4 * 2 * 3 * 5);
	assert_flops("aten::mm", "[[2, 0], [0, 5]]", TENSORS, NO_CONCRETE, 0);
}

static void an_element_wise_operator_counts_one_for_each_element(void **state)
{
	(void)state;
	assert_flops("aten::add", "[[8, 3], [8, 3], []]", TENSORS, NO_CONCRETE, 24);
	assert_flops("aten::add.Tensor", "[[8, 3], [8, 3], []]", TENSORS, NO_CONCRETE,
		     24);
	assert_flops("aten::mul", "[[], []]", "[\"double\", \"float\"]", NO_CONCRETE, 1);
	assert_flops("aten::mul", "[[], []]", "[\"Scalar\", \"float\"]", NO_CONCRETE,
		     NUMBER_NONE);
	assert_flops("aten::mul", "[[], []]", "[\"\", \"\"]", NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::add", "[[[2], [3]], []]", "[\"TensorList\"]", NO_CONCRETE,
		     NUMBER_NONE);
}

static void a_convolution_counts_its_windows(void **state)
{
	const char *dims = "[[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []]";

	(void)state;
	/* 30 x 30 windows without padding, 32 x 32 with 1, 16 x 16 with stride 2 */
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[1, 1]\", \"1\"]",
		     2LL * 8 * 30 * 30 * 3 * 3 * 3 * 16);
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\"]",
		     2LL * 8 * 32 * 32 * 3 * 3 * 3 * 16);
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"1\"]",
		     2LL * 8 * 16 * 16 * 3 * 3 * 3 * 16);
	/* a dilated kernel spans 5 x 5: 28 x 28 windows */
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[2, 2]\", \"1\"]",
		     2LL * 8 * 28 * 28 * 3 * 3 * 3 * 16);
	/* in groups, each output sees a part of the channels only */
	assert_flops("aten::conv2d", "[[8, 4, 32, 32], [16, 2, 3, 3]]", TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[1, 1]\", \"2\"]",
		     2LL * 8 * 30 * 30 * 3 * 3 * 4 * 16 / 2);
}

static void a_convolution_without_its_parameters_has_no_flops(void **state)
{
	const char *dims = "[[8, 3, 32, 32], [16, 3, 3, 3]]";

	(void)state;
	assert_flops("aten::conv2d", dims, TENSORS, NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"same\", \"[1, 1]\", \"1\"]",
		     NUMBER_NONE);
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[1, 1]\", \"[]\"]",
		     NUMBER_NONE);
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[1, 1]\", \"[0, 0]\", \"[1, 1]\", \"0\"]",
		     NUMBER_NONE);
	assert_flops("aten::conv2d", "[[8, 3, 32], [16, 3, 3]]", TENSORS,
		     "[\"\", \"\", \"\", \"[1]\", \"[0]\", \"[1]\", \"1\"]", NUMBER_NONE);
	assert_flops("aten::conv2d", dims, TENSORS,
		     "[\"\", \"\", \"\", \"[0, 0]\", \"[0, 0]\", \"[1, 1]\", \"1\"]", 0);
}

static void other_operators_have_no_flops(void **state)
{
	(void)state;
	assert_flops("aten::matmul", "[[2, 3], [3, 5]]", TENSORS, NO_CONCRETE,
		     NUMBER_NONE);
	assert_flops("mm", "[[2, 3], [3, 5]]", TENSORS, NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::mm", "", TENSORS, NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::mm", "[]", TENSORS, NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::mm", "[[], []]", TENSORS, NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::add_", "[[8], [8]]", TENSORS, NO_CONCRETE, NUMBER_NONE);
}

static void numbers_beyond_64_bits_or_below_zero_give_none(void **state)
{
	(void)state;
	assert_flops("aten::add", "[[4294967296, 4294967296]]", TENSORS, NO_CONCRETE,
		     NUMBER_NONE);
	assert_flops("aten::add", "[[99999999999999999999]]", TENSORS, NO_CONCRETE,
		     NUMBER_NONE);
	assert_flops("aten::add", "[[-1, 3]]", TENSORS, NO_CONCRETE, NUMBER_NONE);
	assert_flops("aten::mm", "[[2, -3], [-3, 5]]", TENSORS, NO_CONCRETE, NUMBER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_read_as_python_prints_them),
		cmocka_unit_test(a_list_of_tensors_has_no_shape),
		cmocka_unit_test(values_have_shapes_of_lists),
		cmocka_unit_test(a_long_list_takes_one_pass),
		cmocka_unit_test(what_is_no_list_has_no_shapes),
		cmocka_unit_test(an_entry_is_a_flat_list_of_integers),
		cmocka_unit_test(more_dimensions_than_torch_has_are_refused),
		cmocka_unit_test(flops_are_those_of_torch),
		cmocka_unit_test(a_product_counts_two_for_each_multiplication),
		cmocka_unit_test(an_element_wise_operator_counts_one_for_each_element),
		cmocka_unit_test(a_convolution_counts_its_windows),
		cmocka_unit_test(a_convolution_without_its_parameters_has_no_flops),
		cmocka_unit_test(other_operators_have_no_flops),
		cmocka_unit_test(numbers_beyond_64_bits_or_below_zero_give_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
