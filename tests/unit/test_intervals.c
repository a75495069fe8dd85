/* Sets of intervals, against a row of seconds that are marked one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/intervals.h"

#define NSECONDS 400
#define NROUNDS  2000

struct marked {
	bool at[NSECONDS];
};

/* The same random intervals as a set and as marks. */
static struct intervals make(struct marked *marked)
{
	struct intervals set = { .n = 0 };

	bool is_large = rand() % 4 == 0; /* so that sums are kept */

	memset(marked, 0, sizeof(*marked));
	for (int n = is_large ? 200 : rand() % 6; n > 0; n--) {
		int start = rand() % NSECONDS, length = rand() % (is_large ? 3 : 90);
		int end = start + length < NSECONDS ? start + length : NSECONDS;
		intervals_add(&set, start, end);
		for (int i = start; i < end; i++)
			marked->at[i] = true;
	}
	intervals_unite(&set);
	return set;
}

static bool in_both(bool a, bool b)
{
	return a && b;
}

static bool in_either(bool a, bool b)
{
	return a || b;
}

static bool in_first_alone(bool a, bool b)
{
	return a && !b;
}

/* The set is what `is` says of each second, in order, and nothing touches. */
static int64_t holds(const struct intervals *set, const struct marked *a,
		     const struct marked *b, bool (*is)(bool a, bool b))
{
	size_t at = 0;
	int64_t length = 0;

	for (int i = 0; i < NSECONDS; i++) {
		while (at < set->n && set->items[at].end_ns <= i)
			at++;
		bool has = at < set->n && set->items[at].start_ns <= i;
		assert_int_equal(is(a->at[i], b->at[i]), has);
		length += has;
	}
	for (size_t i = 1; i < set->n; i++)
		assert_true(set->items[i - 1].end_ns < set->items[i].start_ns);
	assert_int_equal(length, intervals_length(set));
	return length;
}

static void sets_are_combined_second_by_second(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < NROUNDS; round++) {
		struct marked ma, mb, none = { .at = { false } };
		struct intervals a = make(&ma), b = make(&mb), out;

		holds(&a, &ma, &none, in_either);
		intervals_intersect(&a, &b, &out);
		assert_int_equal(holds(&out, &ma, &mb, in_both),
				 intervals_overlap(&a, &b));
		intervals_release(&out);
		intervals_join(&a, &b, &out);
		holds(&out, &ma, &mb, in_either);
		intervals_release(&out);
		intervals_subtract(&a, &b, &out);
		holds(&out, &ma, &mb, in_first_alone);
		intervals_release(&out);
		intervals_release(&a);
		intervals_release(&b);
	}
}

static void a_part_is_what_lies_in_the_range(void **state)
{
	(void)state;
	srand(2);
	for (int round = 0; round < NROUNDS; round++) {
		struct marked ma, window;
		struct intervals a = make(&ma), out;
		int from = rand() % NSECONDS, to = rand() % NSECONDS;

		for (int i = 0; i < NSECONDS; i++)
			window.at[i] = i >= from && i < to;
		intervals_within(&a, from, to, &out);
		assert_int_equal(holds(&out, &ma, &window, in_both),
				 intervals_length_within(&a, from, to));
		intervals_release(&out);
		intervals_release(&a);
	}
}

static void the_ends_of_time_are_no_overflow(void **state)
{
	struct intervals all = { .n = 0 }, none = { .n = 0 }, out;

	(void)state;
	intervals_add(&all, INT64_MIN, INT64_MAX);
	intervals_add(&all, 5, 5);
	intervals_add(&all, 7, 3);
	intervals_unite(&all);
	intervals_unite(&none);
	assert_int_equal(1, all.n);
	assert_int_equal(INT64_MAX, intervals_length(&all));
	assert_int_equal(INT64_MAX, intervals_overlap(&all, &all));
	intervals_subtract(&all, &none, &out);
	assert_int_equal(1, out.n);
	intervals_release(&out);
	intervals_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_combined_second_by_second),
		cmocka_unit_test(a_part_is_what_lies_in_the_range),
		cmocka_unit_test(the_ends_of_time_are_no_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
