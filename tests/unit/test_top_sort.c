/* The names that ptool top --sort takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "query/top/top.h"

static void assert_sorts_by(const char *field, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		const struct field *key = view_field(&top_view, names[i]);
		if (!key) {
			fail_msg("nothing is called '%s'", names[i]);
			return; /* analyzers do not know that fail_msg never returns */
		}
		if (strcmp(key->name, field) != 0)
			fail_msg("'%s' sorts by '%s'", names[i], key->name);
	}
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void every_attribute_of_torch_sorts(void **state)
{
	(void)state;
	assert_sorts_by("key", NAMES("key"));
	assert_sorts_by("calls", NAMES("count"));
	assert_sorts_by("avg_cpu_ns", NAMES("cpu_time"));
	assert_sorts_by("total_cpu_ns", NAMES("cpu_time_total"));
	assert_sorts_by("self_cpu_ns", NAMES("self_cpu_time_total"));
	assert_sorts_by("avg_device_ns", NAMES("device_time"));
	assert_sorts_by("total_device_ns", NAMES("device_time_total"));
	assert_sorts_by("self_device_ns", NAMES("self_device_time_total"));
	assert_sorts_by("cpu_mem_bytes", NAMES("cpu_memory_usage"));
	assert_sorts_by("self_cpu_mem_bytes", NAMES("self_cpu_memory_usage"));
	assert_sorts_by("device_mem_bytes", NAMES("device_memory_usage"));
	assert_sorts_by("self_device_mem_bytes", NAMES("self_device_memory_usage"));
	assert_sorts_by("flops", NAMES("flops"));
	assert_sorts_by("none", NAMES("node_id", "none"));
	assert_sorts_by("input_shapes", NAMES("input_shapes"));
	assert_sorts_by("is_user_annotation", NAMES("is_user_annotation"));
}

static void the_names_of_devices_are_rewritten(void **state)
{
	(void)state;
	assert_sorts_by("avg_device_ns",
			NAMES("cuda_time", "xpu_time", "privateuse1_time"));
	assert_sorts_by("total_device_ns",
			NAMES("cuda_time_total", "xpu_time_total",
			      "privateuse1_time_total", "hpu_time_total"));
	assert_sorts_by("self_device_ns",
			NAMES("self_cuda_time_total", "self_mtia_time_total"));
	assert_sorts_by("self_device_mem_bytes", NAMES("self_cuda_memory_usage"));
}

static void the_names_of_pstats_and_pprof_sort(void **state)
{
	(void)state;
	assert_sorts_by("calls", NAMES("calls", "ncalls"));
	assert_sorts_by("primitive_calls", NAMES("pcalls"));
	assert_sorts_by("total_cpu_ns", NAMES("cumulative", "cumtime", "cum"));
	assert_sorts_by("self_cpu_ns", NAMES("tottime", "time", "flat"));
	assert_sorts_by("name", NAMES("name", "nfl", "stdname", "filename", "file",
				      "module", "line"));
}

static void columns_sort_with_and_without_their_unit(void **state)
{
	(void)state;
	assert_sorts_by("self_cpu_ns", NAMES("self_cpu_ns", "self_cpu", "self-cpu"));
	assert_sorts_by("device_mem_bytes",
			NAMES("device_mem_bytes", "device_mem", "cuda-mem"));
}

static void what_is_no_key_is_not_found(void **state)
{
	char *long_name = xcalloc(1, 1000);

	(void)state;
	memset(long_name, 'a', 999);
	assert_null(view_field(&top_view, ""));
	assert_null(view_field(&top_view, "self_cpu_"));
	assert_null(view_field(&top_view, "calls_ns"));
	assert_null(view_field(&top_view, "cumul"));
	assert_null(view_field(&top_view, long_name));
	free(long_name);
}

static void no_name_means_two_columns(void **state)
{
	struct arena arena = { 0 };
	const char *const *names = view_sort_names(&top_view, &arena);
	size_t n = 0;

	(void)state;
	for (; names[n]; n++)
		for (size_t i = 0; i < n; i++)
			assert_string_not_equal(names[i], names[n]);
	assert_true(n > 50);
	arena_release(&arena);
}

static void words_of_by_are_added_up(void **state)
{
	struct err err = ERR_INIT;
	struct top_query query = { .top_level = false };

	(void)state;
	assert_int_equal(0, top_by_add(&query, "name,stack:3,rank", &err));
	assert_int_equal(0, top_by_add(&query, "overload", &err));
	assert_int_equal(TOP_STACK | TOP_OVERLOAD | TOP_SPLIT(TOP_BY_RANK),
			 query.show.asked);
	assert_int_equal(3, query.stack_frames);
}

static void other_words_of_by_are_refused(void **state)
{
	static const char *const lists[] = { "",       "shapes", "stack:0", "stack:x",
					     "rank:1", "shape,", "stack:",  "stack:-1" };
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct err err = ERR_INIT;
		struct top_query query = { .top_level = false };
		assert_int_equal(-1, top_by_add(&query, lists[i], &err));
		assert_int_equal(ERR_USAGE, err.kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attribute_of_torch_sorts),
		cmocka_unit_test(the_names_of_devices_are_rewritten),
		cmocka_unit_test(the_names_of_pstats_and_pprof_sort),
		cmocka_unit_test(columns_sort_with_and_without_their_unit),
		cmocka_unit_test(what_is_no_key_is_not_found),
		cmocka_unit_test(no_name_means_two_columns),
		cmocka_unit_test(words_of_by_are_added_up),
		cmocka_unit_test(other_words_of_by_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
