/* Columns that leave a line that is too short for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/fit_columns.h"

enum { NAME, TOTAL, MIN, MAX, N };

static const struct fit_column all[N] = {
	{ { "name", "Name", UNIT_TEXT }, NAME, 0, 20 },
	{ { "total_ns", "Total", UNIT_NS }, TOTAL, 0, 0 },
	{ { "min_ns", "Min", UNIT_NS }, MIN, 2, 0 },
	{ { "max_ns", "Max", UNIT_NS }, MAX, 1, 0 },
};

static void assert_kept(int width, const int *ids, size_t n, const char *left_titles)
{
	struct fit_column columns[N];
	struct buf left;

	memcpy(columns, all, sizeof(all));
	buf_init(&left, 100);
	assert_int_equal(n, fit_columns(columns, N, width, &left));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ids[i], columns[i].id);
	assert_int_equal(strlen(left_titles), left.n);
	assert_true(str_is(buf_str(&left), left_titles));
	buf_release(&left);
}

static void no_width_keeps_all(void **state)
{
	(void)state;
	assert_kept(0, (const int[]){ NAME, TOTAL, MIN, MAX }, 4, "");
	assert_kept(200, (const int[]){ NAME, TOTAL, MIN, MAX }, 4, "");
}

static void the_largest_number_leaves_first(void **state)
{
	(void)state;
	assert_kept(48, (const int[]){ NAME, TOTAL, MAX }, 3, "Min");
	assert_kept(36, (const int[]){ NAME, TOTAL }, 2, "Min, Max");
}

static void what_must_stay_stays(void **state)
{
	(void)state;
	assert_kept(1, (const int[]){ NAME, TOTAL }, 2, "Min, Max");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_width_keeps_all),
		cmocka_unit_test(the_largest_number_leaves_first),
		cmocka_unit_test(what_must_stay_stays),
	};

	return cmocka_run_group_tests_name("fit_columns", tests, NULL, NULL);
}
