/* Lanes, against a look at each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/lanes.h"

#define MOST   70
#define ROUNDS 20000

static int64_t any_end(void)
{
	switch (rand() % 8) {
	case 0:
		return LANE_FREE;
	case 1:
		return INT64_MIN;
	default:
		return rand() % 30;
	}
}

static void the_first_lane_that_fits_is_found(void **state)
{
	struct lanes l = { .n = 0 };
	int64_t ends[MOST] = { 0 };
	size_t n = 0;

	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		int64_t end = any_end();
		size_t least = 0, most = 0;
		while (least < n && ends[least] > end)
			least++;
		while (most < n && ends[most] < end)
			most++;
		assert_int_equal(lanes_at_most(&l, end), least);
		assert_int_equal(lanes_at_least(&l, end), most);
		if (n == MOST || rand() % 500 == 0) {
			lanes_clear(&l);
			n = 0;
		} else if (n == 0 || rand() % 4 == 0) {
			lanes_add(&l, ends[n++] = any_end());
		} else {
			size_t lane = (size_t)rand() % n;
			lanes_set(&l, lane, ends[lane] = any_end());
		}
		assert_int_equal(l.n, n);
	}
	lanes_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_lane_that_fits_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
