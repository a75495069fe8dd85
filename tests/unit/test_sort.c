/* Orders by number and by several threads are those that one comparison sort gives.  Runs under TSAN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/sort.h"

#define N 3000

static int64_t number_of(const void *context, uint32_t item)
{
	return ((const int64_t *)context)[item];
}

static bool before(const void *context, uint32_t a, uint32_t b)
{
	return number_of(context, a) < number_of(context, b);
}

static void fill(uint32_t *at)
{
	for (uint32_t i = 0; i < N; i++)
		at[i] = i;
}

/* Both ways of n items, beside the plain one. */
static void assert_sorted_alike(const int64_t *numbers, size_t n)
{
	uint32_t expected[N], got[N], spare[N];

	fill(expected);
	sort_indexes(expected, n, spare, before, numbers);
	for (size_t i = 1; i < n; i++) {
		int64_t a = numbers[expected[i - 1]], b = numbers[expected[i]];
		assert_true(a < b || (a == b && expected[i - 1] < expected[i]));
	}
	fill(got);
	sort_numbered(NULL, got, n, spare, number_of, numbers);
	assert_memory_equal(expected, got, n * sizeof(*got));
	for (unsigned others = 0; others < 4; others++) {
		fill(got);
		sort_by_crew((struct crew_sort){ .others = others,
						 .at = got,
						 .spare = spare,
						 .n = n,
						 .before = before,
						 .context = numbers });
		assert_memory_equal(expected, got, n * sizeof(*got));
	}
}

static void equal_numbers_keep_their_order(void **state)
{
	static const int64_t spans[] = { 1, 7, 5000, INT64_C(1) << 33, INT64_MAX };
	int64_t numbers[N];

	(void)state;
	srand(4);
	for (size_t s = 0; s < sizeof(spans) / sizeof(*spans); s++) {
		for (size_t i = 0; i < N; i++)
			numbers[i] = ((int64_t)rand() << 32 | rand()) % spans[s] -
				     spans[s] / 2;
		assert_sorted_alike(numbers, N);
		assert_sorted_alike(numbers, 13);
	}
}

static void numbers_may_be_as_far_apart_as_there_are(void **state)
{
	const int64_t numbers[] = { 3, INT64_MAX, INT64_MIN, 0, INT64_MIN, INT64_MAX };

	(void)state;
	assert_sorted_alike(numbers, 6);
	assert_sorted_alike(numbers, 0);
}

static void runs_are_merged_where_they_overlap_alone(void **state)
{
	int64_t numbers[N];

	(void)state;
	for (int i = 0; i < N; i++)
		numbers[i] = i;
	assert_sorted_alike(numbers, N);
	for (int i = 0; i < N; i++) /* two threads in turns, one of them late */
		numbers[i] = i % 700 + i / 700 * 300;
	assert_sorted_alike(numbers, N);
	for (int i = 0; i < N; i++)
		numbers[i] = N - i;
	assert_sorted_alike(numbers, N);
}

struct counted {
	const int64_t *numbers;
	size_t comparisons;
};

static bool counted_before(const void *context, uint32_t a, uint32_t b)
{
	struct counted *counted = *(struct counted *const *)context;

	counted->comparisons++;
	return counted->numbers[a] < counted->numbers[b];
}

/* As a recording has them: operators, then calls among them, turn after turn. */
static void runs_that_overlap_with_neighbours_are_looked_at_once(void **state)
{
	uint32_t at[N], spare[N];
	int64_t numbers[N];
	struct counted counted = { numbers, 0 }, *context = &counted;

	(void)state;
	for (int i = 0; i < N; i++) /* 30 turns of 50 even numbers, then 50 odd ones */
		numbers[i] = i / 100 * 100 + i % 50 * 2 + i % 100 / 50;
	assert_sorted_alike(numbers, N);
	fill(at);
	sort_indexes(at, N, spare, counted_before, &context);
	assert_in_range(counted.comparisons, N, 5 * N / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_numbers_keep_their_order),
		cmocka_unit_test(numbers_may_be_as_far_apart_as_there_are),
		cmocka_unit_test(runs_are_merged_where_they_overlap_alone),
		cmocka_unit_test(runs_that_overlap_with_neighbours_are_looked_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
