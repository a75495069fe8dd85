/* Keys of columns: each another, whatever the names are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/table_keys.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static void a_name_that_is_taken_gets_the_next_free_number(void **state)
{
	static const struct column columns[] = {
		{ .name = "a" }, { .name = "a_3" }, { .name = "a" },   { .name = "a" },
		{ .name = "b" }, { .name = "a_2" }, { .name = "a_3" }, { .name = "a" },
		{ .name = "" },  { .name = "" },    { .name = "b" },
	};
	static const char *const wanted[] = { "a",     "a_3", "a_4", "a_5", "b",  "a_2",
					      "a_3_2", "a_6", "",    "_2",  "b_2" };
	const struct table t = { .columns = columns, .ncolumns = LEN(columns) };
	struct arena arena = { 0 };

	(void)state;
	const char **keys = table_keys(&arena, &t);
	for (size_t i = 0; i < LEN(wanted); i++)
		assert_string_equal(wanted[i], keys[i]);
	arena_release(&arena);
}

/* Of 20,000 columns one by one would be a trillion comparisons. */
static void columns_that_collide_cost_what_they_weigh(void **state)
{
	enum { HALF = 10000 };
	struct column *columns = calloc(2 * (size_t)HALF, sizeof(*columns));
	static char names[HALF][16];
	struct table t = { .columns = columns, .ncolumns = 2 * (size_t)HALF };
	struct arena arena = { 0 };
	char wanted[16];

	(void)state;
	assert_non_null(columns);
	for (size_t i = 0; i < HALF; i++) {
		snprintf(names[i], sizeof(names[i]), "a_%zu", i + 2);
		columns[i].name = "a";
		columns[HALF + i].name = names[i];
	}
	const char **keys = table_keys(&arena, &t);
	assert_string_equal("a", keys[0]);
	for (size_t i = 1; i < HALF; i++) {
		snprintf(wanted, sizeof(wanted), "a_%zu", HALF + 1 + i);
		assert_string_equal(wanted, keys[i]);
		assert_string_equal(names[i], keys[HALF + i]);
	}
	arena_release(&arena);
	free(columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_is_taken_gets_the_next_free_number),
		cmocka_unit_test(columns_that_collide_cost_what_they_weigh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
