/* Pages of tables are those that SQLite writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "btree_rows.h"

#define INPUT_BYTES 3000

static void random_rows_are_as_sqlite_writes_them(void **state)
{
	uint8_t data[INPUT_BYTES];
	size_t nrows = 0;
	uint64_t seed = 88172645463325252;

	(void)state;
	for (unsigned i = 0; i < 25; i++) {
		for (size_t j = 0; j < sizeof(data); j++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			data[j] = (uint8_t)(seed >> 32);
		}
		data[0] = (uint8_t)(i % 5);
		nrows += btree_rows_compare(data, sizeof(data));
	}
	assert_true(nrows > 20000);
}

static void deep_trees_are_whole(void **state)
{
	/* Open the tree; short rows; the same 1,020 times, twenty times, in two turns. */
	uint8_t data[64] = { 0, 0, 32, 1, 1, 7, 0 };
	size_t n = 7;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		if (i == 10)
			data[n++] = 0, data[n++] = 0;
		data[n++] = 16;
		data[n++] = 255;
	}
	assert_true(btree_rows_compare(data, n) > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_rows_are_as_sqlite_writes_them),
		cmocka_unit_test(deep_trees_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
