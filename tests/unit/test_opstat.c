/* Groups of calls and their sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/sink.h"
#include "trace/opstat.h"

static struct opstat_key key(uint32_t name)
{
	return (struct opstat_key){ .step = UINT32_MAX,
				    .name = name,
				    .shapes = TEXT_NONE,
				    .stack = TEXT_NONE,
				    .overload = TEXT_NONE };
}

static struct opstat call(int64_t ts_ns, int64_t dur_ns)
{
	return (struct opstat){ .first = { ts_ns, dur_ns, (uint64_t)ts_ns },
				.sums = { .calls = 1,
					  .primitive_calls = 1,
					  .self_ns = dur_ns / 2,
					  .total_ns = dur_ns,
					  .min_ns = dur_ns,
					  .max_ns = dur_ns,
					  .squares = squares_of(dur_ns, 1),
					  .flops = NUMBER_NONE } };
}

static void a_group_is_found_again_among_thousands(void **state)
{
	struct opstats s;
	(void)state;
	opstats_init(&s);

	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t name = 0; name < 5000; name++) {
			struct opstat_key k = key(name);
			struct opstat c = call(round, name);
			opstat_merge(opstats_group(&s, &k), &c);
		}
	assert_int_equal(5000, s.n);
	for (uint32_t name = 0; name < 5000; name++) {
		struct opstat_key k = key(name);
		assert_int_equal(3, opstats_group(&s, &k)->sums.calls);
	}
	opstats_release(&s);
}

static void keys_that_differ_in_one_field_are_two_groups(void **state)
{
	struct opstats s;
	struct opstat_key keys[7];
	(void)state;
	opstats_init(&s);

	for (int i = 0; i < 7; i++)
		keys[i] = key(1);
	keys[1].step = 1;
	keys[2].shapes = 1;
	keys[3].stack = 1;
	keys[4].overload = 1;
	keys[5].kind = OP_DEVICE;
	keys[6].is_annotation = 1;
	for (int i = 0; i < 7; i++)
		opstats_group(&s, &keys[i]);
	assert_int_equal(7, s.n);
	opstats_release(&s);
}

static void groups_are_listed_by_their_first_call(void **state)
{
	static const int64_t ts_ns[] = { 300, 100, 100, 200 }, dur_ns[] = { 1, 5, 50, 1 };
	static const uint32_t expected[] = { 2, 1, 3, 0 };
	struct opstats s;
	(void)state;
	opstats_init(&s);

	for (uint32_t name = 0; name < 4; name++) {
		struct opstat_key k = key(name);
		struct opstat first = call(ts_ns[name], dur_ns[name]),
			      later = call(1000, 1);
		opstat_merge(opstats_group(&s, &k), &later);
		opstat_merge(opstats_group(&s, &k), &first);
	}
	opstats_sort(&s);
	for (size_t i = 0; i < 4; i++) {
		struct opstat_key k = key(expected[i]);
		assert_int_equal(expected[i], opstats_at(&s, i)->key.name);
		assert_ptr_equal(opstats_at(&s, i), opstats_group(&s, &k));
	}
	opstats_release(&s);
}

static void the_flags_of_a_group_are_those_of_its_first_call(void **state)
{
	struct opstat group = { .sums.flops = NUMBER_NONE };
	struct opstat late = call(200, 5), early = call(100, 5);
	(void)state;
	early.is_top_level = true;
	late.is_async = true;

	opstat_merge(&group, &late);
	assert_true(group.is_async);
	opstat_merge(&group, &early);
	assert_true(group.is_top_level);
	assert_false(group.is_async);
	assert_int_equal(100, group.first.ts_ns);
}

static void sums_least_and_most_add_up(void **state)
{
	struct opstat group = { .sums.flops = NUMBER_NONE };
	(void)state;

	for (int64_t dur_ns = 10; dur_ns <= 40; dur_ns += 10) {
		struct opstat c = call(dur_ns, dur_ns);
		opstat_merge(&group, &c);
	}
	assert_int_equal(4, group.sums.calls);
	assert_int_equal(100, group.sums.total_ns);
	assert_int_equal(50, group.sums.self_ns);
	assert_int_equal(10, group.sums.min_ns);
	assert_int_equal(40, group.sums.max_ns);
	assert_int_equal(3000, group.sums.squares.low);
	assert_int_equal(0, group.sums.squares.high);
}

/* What SQL does with the columns of op_stat, and then who reads them: a carry at the end. */
static void squares_of_parts_add_up_to_those_of_the_whole(void **state)
{
	enum { N = 3000, PARTS = 7 };
	struct opstat parts[PARTS], whole = { .sums.flops = NUMBER_NONE };
	int64_t limbs[SQUARES_LIMBS] = { 0 };
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < PARTS; i++)
		parts[i] = (struct opstat){ .sums.flops = NUMBER_NONE };
	for (int i = 0; i < N; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		struct opstat c = call(i, (int64_t)(random >> (8 + i % 56)));
		opstat_merge(&parts[i % PARTS], &c);
		opstat_merge(&whole, &c);
	}
	for (int i = 0; i < PARTS; i++)
		for (unsigned limb = 0; limb < SQUARES_LIMBS; limb++)
			limbs[limb] += squares_limb(parts[i].sums.squares, limb);
	for (unsigned limb = 0; limb + 1 < SQUARES_LIMBS; limb++) {
		limbs[limb + 1] += limbs[limb] >> 32;
		limbs[limb] &= UINT32_MAX;
	}
	for (unsigned limb = 0; limb < SQUARES_LIMBS; limb++)
		assert_int_equal(squares_limb(whole.sums.squares, limb), limbs[limb]);
	assert_true(whole.sums.squares.high > 0);
}

static void squares_stick_at_their_end(void **state)
{
	struct squares most = squares_of(INT64_MIN, 1), sum = most;

	(void)state;
	assert_int_equal(0, most.low);
	assert_true(most.high == UINT64_C(1) << 62);
	for (int i = 0; i < 4; i++)
		sum = squares_add(sum, most);
	assert_true(sum.low == UINT64_MAX && sum.high == UINT64_MAX);
	sum = squares_of(INT64_MAX, INT64_MAX);
	assert_true(sum.low == UINT64_MAX && sum.high == UINT64_MAX);
	assert_int_equal(75, squares_of(-5, 3).low);
	assert_int_equal(0, squares_of(5, 0).low);
}

static void flops_are_recorded_when_one_call_has_a_formula(void **state)
{
	struct opstat group = { .sums.flops = NUMBER_NONE };
	struct opstat without = call(1, 1), with = call(2, 1);
	(void)state;
	with.sums.flops = 2000;

	opstat_merge(&group, &without);
	assert_int_equal(NUMBER_NONE, group.sums.flops);
	opstat_merge(&group, &with);
	opstat_merge(&group, &with);
	opstat_merge(&group, &without);
	assert_int_equal(4000, group.sums.flops);
}

static void sums_beyond_64_bits_stick_at_the_end(void **state)
{
	struct opstat group = { .sums.flops = NUMBER_NONE };
	struct opstat c = call(1, INT64_MAX / 2 + 1);
	(void)state;

	for (int i = 0; i < 3; i++)
		opstat_merge(&group, &c);
	assert_int_equal(INT64_MAX, group.sums.total_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_found_again_among_thousands),
		cmocka_unit_test(keys_that_differ_in_one_field_are_two_groups),
		cmocka_unit_test(groups_are_listed_by_their_first_call),
		cmocka_unit_test(the_flags_of_a_group_are_those_of_its_first_call),
		cmocka_unit_test(sums_least_and_most_add_up),
		cmocka_unit_test(squares_of_parts_add_up_to_those_of_the_whole),
		cmocka_unit_test(squares_stick_at_their_end),
		cmocka_unit_test(flops_are_recorded_when_one_call_has_a_formula),
		cmocka_unit_test(sums_beyond_64_bits_stick_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
