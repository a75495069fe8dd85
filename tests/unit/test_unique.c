/* Records are stored once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/unique.h"

struct pair {
	int64_t a, b;
};

static void equal_records_are_one(void **state)
{
	const struct pair x = { 1, 2 }, same = { 1, 2 };
	struct uniques u;
	(void)state;
	uniques_init(&u, sizeof(struct pair), NULL);

	uint32_t place = uniques_add(&u, &x);
	assert_int_equal(place, uniques_add(&u, &same));
	assert_int_equal(1, u.n);
	assert_memory_equal(&x, uniques_at(&u, place), sizeof(x));
	uniques_release(&u);
}

static void thousands_of_records_keep_their_places(void **state)
{
	struct uniques u;
	(void)state;
	uniques_init(&u, sizeof(struct pair), NULL);

	for (int round = 0; round < 2; round++)
		for (int64_t i = 0; i < 5000; i++) {
			const struct pair pair = { i * 4096, -i };
			assert_int_equal(i, uniques_add(&u, &pair));
		}
	assert_int_equal(5000, u.n);
	for (uint32_t i = 0; i < 5000; i++) {
		const struct pair *pair = uniques_at(&u, i);
		assert_true(pair->a == i * INT64_C(4096) && pair->b == -(int64_t)i);
	}
	uniques_release(&u);
}

static void one_byte_makes_another_record(void **state)
{
	char record[13] = { 0 };
	struct uniques u;
	(void)state;
	uniques_init(&u, sizeof(record), NULL);

	for (uint32_t i = 0; i < sizeof(record); i++) {
		record[i] = 1;
		assert_int_equal(i, uniques_add(&u, record));
		record[i] = 0;
	}
	assert_int_equal(sizeof(record), uniques_add(&u, record));
	uniques_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_records_are_one),
		cmocka_unit_test(thousands_of_records_keep_their_places),
		cmocka_unit_test(one_byte_makes_another_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
