/* Means weighted by time, of parts in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/kernels/kernel_mean.h"

enum { N = 60 };

static double value_of(int i)
{
	return i * 7 % 11 / 3.0;
}

static int64_t ns_of(int i)
{
	return 1000000007LL * (i % 13 + 1);
}

static void a_mean_is_the_same_bits_in_any_order(void **state)
{
	struct kernel_mean a = { .n = 0 }, b = { .n = 0 };

	(void)state;
	for (int i = 0; i < N; i++) {
		kernel_mean_add(&a, value_of(i), ns_of(i));
		kernel_mean_add(&b, value_of(i * 37 % N), ns_of(i * 37 % N));
	}
	struct cell x = kernel_mean_cell(&a), y = kernel_mean_cell(&b);
	assert_int_equal(CELL_REAL, x.type);
	assert_memory_equal(&x.as.real, &y.as.real, sizeof(double));
	kernel_mean_release(&a);
	kernel_mean_release(&b);
}

static void calls_of_few_values_take_few_places(void **state)
{
	struct kernel_mean m = { .n = 0 };

	(void)state;
	for (int i = 0; i < 1000 * N; i++)
		kernel_mean_add(&m, value_of(i), ns_of(i));
	assert_true(m.cap < 4 * N);
	kernel_mean_release(&m);
}

static void what_no_call_has_is_null(void **state)
{
	struct kernel_mean m = { .n = 0 };

	(void)state;
	kernel_mean_add(&m, -1, 5);
	assert_int_equal(CELL_NULL, kernel_mean_cell(&m).type);
	kernel_mean_add(&m, 50, 0);
	assert_int_equal(CELL_NULL, kernel_mean_cell(&m).type);
	kernel_mean_add(&m, 50, 3);
	kernel_mean_add(&m, 20, 1);
	assert_true(kernel_mean_cell(&m).as.real == 42.5);
	kernel_mean_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mean_is_the_same_bits_in_any_order),
		cmocka_unit_test(calls_of_few_values_take_few_places),
		cmocka_unit_test(what_no_call_has_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
