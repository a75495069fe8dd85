/* Names as torch's table spells them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "trace/optree.h"

static int texts_setup(void **state)
{
	struct intern *texts = xmalloc(sizeof(*texts));

	intern_init(texts);
	*state = texts;
	return 0;
}

static int texts_teardown(void **state)
{
	intern_release(*state);
	free(*state);
	return 0;
}

static void assert_name(void **state, const char *text, bool is_op, const char *name,
			const char *overload)
{
	struct op_name got = op_name_of(str_of(text), is_op, *state);
	struct str spelt = intern_str(*state, got.name);

	if (!str_is(spelt, name))
		fail_msg("'%s' became '" STR_FMT "'", text, STR_ARG(spelt));
	if (!overload)
		assert_int_equal(TEXT_NONE, got.overload);
	else
		assert_true(str_is(intern_str(*state, got.overload), overload));
}

/* torch._C._demangle takes every label for a mangled name. */
static void labels_that_look_mangled_are_demangled(void **state)
{
	assert_name(state, "Ss", false, "std::string", NULL);
	assert_name(state, "PKc", false, "char const*", NULL);
	assert_name(state, "Sa", false, "std::allocator", NULL);
	assert_name(state, "N4demo3FooE", false, "demo::Foo", NULL);
	assert_name(state, "_Z3fooi", false, "foo(int)", NULL);
	assert_name(state, "_ZN2at6native6kernelILi4EEEvPf", false,
		    "void at::native::kernel<4>(float*)", NULL);
}

static void one_letter_and_plain_names_stay(void **state)
{
	assert_name(state, "f", false, "f", NULL);
	assert_name(state, "", false, "", NULL);
	assert_name(state, "aten::mm", true, "aten::mm", NULL);
	assert_name(state, "forward pass", false, "forward pass", NULL);
	assert_name(state, "_Zsomething", false, "_Zsomething", NULL);
	assert_name(state, "N4demo3FooE ", false, "N4demo3FooE ", NULL);
}

static void steps_are_one_row(void **state)
{
	assert_name(state, "ProfilerStep#12", false, "ProfilerStep*", NULL);
	assert_name(state, "ProfilerStep#", false, "ProfilerStep*", NULL);
	assert_name(state, "ProfilerStep 12", false, "ProfilerStep 12", NULL);
	assert_name(state, "my ProfilerStep#1", false, "my ProfilerStep#1", NULL);
}

/* With capture_overload_names an operator's name ends in its overload. */
static void an_operators_overload_is_taken_off(void **state)
{
	assert_name(state, "aten::add.Tensor", true, "aten::add", "Tensor");
	assert_name(state, "aten::sum.dim_IntList", true, "aten::sum", "dim_IntList");
	assert_name(state, "my_ns::op_2.out", true, "my_ns::op_2", "out");
}

static void other_names_with_dots_keep_them(void **state)
{
	assert_name(state, "aten::add.Tensor", false, "aten::add.Tensor", NULL);
	assert_name(state, "aten::add.", true, "aten::add.", NULL);
	assert_name(state, "aten::.x", true, "aten::.x", NULL);
	assert_name(state, "aten::a.b.c", true, "aten::a.b.c", NULL);
	assert_name(state, "Optimizer.step#SGD.step", true, "Optimizer.step#SGD.step",
		    NULL);
	assert_name(state, "a::b::c.d", true, "a::b::c.d", NULL);
	assert_name(state, "::x.y", true, "::x.y", NULL);
}

/* Views ask for it of each slice, and a name of 1 MiB may be that of all. */
static void of_a_long_name_no_overload_is_looked_for(void **state)
{
	char name[301] = "aten::";

	for (size_t n = strlen(name); n < sizeof(name) - 1; n++)
		name[n] = n == 100 ? '.' : 'a';
	assert_int_equal(100, op_name_plain((struct str){ name, 200 }).n);
	assert_int_equal(300, op_name_plain(str_of(name)).n);
	assert_name(state, name, true, name, NULL);
}

static bool is_dropped(void **state, const char *text)
{
	return op_name_of(str_of(text), true, *state).dropped;
}

static void the_names_torch_leaves_out_are_dropped(void **state)
{
	assert_true(is_dropped(state, "[memory]"));
	assert_true(is_dropped(state, "[OutOfMemory]"));
	assert_true(is_dropped(state, "profiler::_record_function_enter"));
	assert_true(is_dropped(state, "profiler::_record_function_enter_new"));
	assert_true(is_dropped(state, "profiler::_record_function_exit"));
	assert_true(is_dropped(state, "aten::is_leaf"));
	assert_true(is_dropped(state, "aten::output_nr"));
	assert_true(is_dropped(state, "aten::_version"));
	assert_false(is_dropped(state, "aten::_version2"));
	assert_false(is_dropped(state, "profiler::_record_function"));
}

static bool is_async(void **state, const char *text)
{
	return op_name_of(str_of(text), false, *state).is_async;
}

static void ranges_of_c10d_are_asynchronous(void **state)
{
	assert_true(is_async(state, "gloo:all_reduce"));
	assert_true(is_async(state, "nccl:broadcast"));
	assert_true(is_async(state, "ucc:x"));
	assert_true(is_async(state, "rccl:x"));
	assert_false(is_async(state, "nccl"));
	assert_false(is_async(state, "my nccl:all_reduce"));
	assert_false(is_async(state, "c10d::allreduce_"));
}

/* A name may hold any byte that JSON can spell. */
static void a_name_with_a_nul_byte_stays_whole(void **state)
{
	struct op_name got = op_name_of((struct str){ "Ss\0x", 4 }, false, *state);

	assert_int_equal(4, intern_str(*state, got.name).n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_that_look_mangled_are_demangled),
		cmocka_unit_test(one_letter_and_plain_names_stay),
		cmocka_unit_test(steps_are_one_row),
		cmocka_unit_test(an_operators_overload_is_taken_off),
		cmocka_unit_test(other_names_with_dots_keep_them),
		cmocka_unit_test(of_a_long_name_no_overload_is_looked_for),
		cmocka_unit_test(the_names_torch_leaves_out_are_dropped),
		cmocka_unit_test(ranges_of_c10d_are_asynchronous),
		cmocka_unit_test(a_name_with_a_nul_byte_stays_whole),
	};

	return cmocka_run_group_tests(tests, texts_setup, texts_teardown);
}
