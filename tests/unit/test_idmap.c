/* Ids to rows: several rows of one id keep their order, however the table grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/idmap.h"
#include "store/idtable.h"

static uint32_t only_row(const struct idmap *map, int64_t id)
{
	size_t at = idmap_first(map, id);
	uint32_t row = idmap_next(map, &at);

	assert_int_equal(UINT32_MAX, idmap_next(map, &at));
	return row;
}

static void an_id_gives_its_row_and_an_unknown_one_none(void **state)
{
	struct idmap map;
	(void)state;
	idmap_init(&map, 0);

	idmap_add(&map, 7, 70);
	idmap_add(&map, -7, 71);
	idmap_add(&map, INT64_MIN, 72);
	idmap_add(&map, 0, 73);

	assert_int_equal(70, only_row(&map, 7));
	assert_int_equal(71, only_row(&map, -7));
	assert_int_equal(72, only_row(&map, INT64_MIN));
	assert_int_equal(73, only_row(&map, 0));
	assert_int_equal(UINT32_MAX, only_row(&map, 8));
	idmap_release(&map);
}

static void rows_of_one_id_come_in_the_order_they_were_added(void **state)
{
	struct idmap map;
	(void)state;
	idmap_init(&map, 0);

	for (uint32_t i = 0; i < 1000; i++)
		idmap_add(&map, i % 10, i);
	for (int64_t id = 0; id < 10; id++) {
		size_t at = idmap_first(&map, id);
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(10 * (int64_t)i + id, idmap_next(&map, &at));
		assert_int_equal(UINT32_MAX, idmap_next(&map, &at));
	}
	idmap_release(&map);
}

/* A hundred thousand times one id, and ids that differ in their high bits alone. */
static void hostile_ids_take_no_longer_than_others(void **state)
{
	struct idmap map;
	(void)state;
	idmap_init(&map, 0);

	for (uint32_t i = 0; i < 100000; i++)
		idmap_add(&map, 1, i);
	for (uint32_t i = 0; i < 100000; i++)
		idmap_add(&map, (int64_t)((uint64_t)(i + 1) << 40), i);
	assert_int_equal(99999, only_row(&map, INT64_C(100000) << 40));
	idmap_release(&map);
}

/* How many rows the id has; they must be the expected ones, in order. */
static void assert_rows(const struct idtable *t, int64_t id, const uint32_t *expected,
			size_t n)
{
	struct idtable_rows rows = idtable_find(t, id);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(expected[i], idtable_next(t, &rows));
	assert_int_equal(UINT32_MAX, idtable_next(t, &rows));
	assert_int_equal(UINT32_MAX, idtable_next(t, &rows));
}

static void a_table_of_ids_from_a_counter_is_an_array(void **state)
{
	struct idtable t = { 0 };
	(void)state;

	for (uint32_t i = 0; i < 100; i++)
		idtable_add(&t, 70000 + 2 * (int64_t)i, i);
	idtable_add(&t, 70010, 1000);
	idtable_build(&t);

	assert_true(t.npages > 0);
	assert_rows(&t, 70000, (const uint32_t[]){ 0 }, 1);
	assert_rows(&t, 70010, (const uint32_t[]){ 5, 1000 }, 2);
	assert_rows(&t, 70001, NULL, 0);
	assert_rows(&t, 69999, NULL, 0);
	assert_rows(&t, 70199, NULL, 0);
	assert_rows(&t, INT64_MIN, NULL, 0);
	idtable_release(&t);
}

static void an_array_has_the_pages_alone_that_have_ids(void **state)
{
	struct idtable t = { 0 };
	(void)state;

	for (uint32_t i = 0; i < 2000; i++)
		idtable_add(&t, (i < 1000 ? -5 : 300000) + (int64_t)i, i);
	idtable_add(&t, 300999, 7);
	idtable_build(&t);

	assert_true(t.npages > 1000);
	assert_int_equal(0, t.pages[500]);
	assert_rows(&t, -5, (const uint32_t[]){ 0 }, 1);
	assert_rows(&t, 994, (const uint32_t[]){ 999 }, 1);
	assert_rows(&t, 301000, (const uint32_t[]){ 1000 }, 1);
	assert_rows(&t, 301999, (const uint32_t[]){ 1999 }, 1);
	assert_rows(&t, 300999, (const uint32_t[]){ 7 }, 1);
	assert_rows(&t, 995, NULL, 0);
	assert_rows(&t, 150000, NULL, 0);
	assert_rows(&t, INT64_MAX, NULL, 0);
	idtable_release(&t);
}

static void a_table_of_ids_far_apart_is_a_map(void **state)
{
	struct idtable t = { 0 };
	(void)state;

	idtable_add(&t, INT64_MIN, 1);
	idtable_add(&t, INT64_MAX, 2);
	idtable_add(&t, 0, 3);
	idtable_add(&t, INT64_MAX, 4);
	idtable_build(&t);

	assert_int_equal(0, t.npages);
	assert_rows(&t, INT64_MIN, (const uint32_t[]){ 1 }, 1);
	assert_rows(&t, INT64_MAX, (const uint32_t[]){ 2, 4 }, 2);
	assert_rows(&t, 1, NULL, 0);
	idtable_release(&t);
}

static void an_empty_table_knows_no_id(void **state)
{
	struct idtable t = { 0 };
	(void)state;

	idtable_build(&t);
	assert_rows(&t, 0, NULL, 0);
	idtable_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_gives_its_row_and_an_unknown_one_none),
		cmocka_unit_test(rows_of_one_id_come_in_the_order_they_were_added),
		cmocka_unit_test(hostile_ids_take_no_longer_than_others),
		cmocka_unit_test(a_table_of_ids_from_a_counter_is_an_array),
		cmocka_unit_test(an_array_has_the_pages_alone_that_have_ids),
		cmocka_unit_test(a_table_of_ids_far_apart_is_a_map),
		cmocka_unit_test(an_empty_table_knows_no_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
