/* Orders, groups and places of what is sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sort.h"

static const int64_t values[] = { 5, 3, 5, 9, 3 };

static bool is_less(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *of = context;

	return of[a] < of[b];
}

static void equal_ones_come_together_in_their_order(void **state)
{
	static const uint32_t at[] = { 1, 4, 0, 2, 3 };
	static const size_t sizes[] = { 2, 2, 1 };
	struct sort_groups g;

	(void)state;
	sort_groups_make(&g, 5, is_less, values);
	assert_memory_equal(at, g.at, sizeof(at));
	assert_int_equal(3, g.n);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		assert_int_equal(sizes[i], g.items[i].n);
	assert_int_equal(0, g.items[1].at[0]);
	sort_groups_release(&g);
	sort_groups_make(&g, 0, is_less, NULL);
	assert_int_equal(0, g.n);
	sort_groups_release(&g);
}

static void the_first_that_is_not_before_a_key(void **state)
{
	static const struct item {
		char name[3];
		int64_t ns;
	} items[] = { { "a", -1 }, { "b", 4 }, { "c", 4 }, { "d", 8 } };
	static const struct {
		int64_t key;
		size_t at;
	} cases[] = { { INT64_MIN, 0 }, { 4, 1 }, { 5, 3 }, { 9, 4 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(cases[i].at,
				 sort_first(items, 4, sizeof(items[0]),
					    offsetof(struct item, ns), cases[i].key));
	assert_int_equal(0, sort_first(NULL, 0, 8, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_ones_come_together_in_their_order),
		cmocka_unit_test(the_first_that_is_not_before_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
