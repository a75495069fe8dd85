/* Collectives across ranks: which belong together, clocks, and who waited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/comm/comm_align.h"
#include "query/comm/comm_judge.h"

/* Two or three ranks with a profile each; clocks begin at their origin. */
struct job {
	struct scope_profile profiles[3];
	struct scope scope;
	struct comm_matches m;
};

static void begin(struct job *job, size_t n)
{
	*job = (struct job){ .scope.n = n };
	for (size_t i = 0; i < n; i++)
		job->profiles[i] = (struct scope_profile){ .id = (int64_t)i + 1,
							   .rank = (int64_t)i,
							   .has_rank = true };
	job->scope.profiles = job->profiles;
	comm_matches_init(&job->scope, &job->m);
}

static struct comm_call call_at(int64_t start_ns, int64_t end_ns)
{
	return (struct comm_call){ .start_ns = start_ns,
				   .end_ns = end_ns,
				   .slice_id = start_ns + 1,
				   .bytes = NUMBER_NONE,
				   .group_size = NUMBER_NONE,
				   .sequence = NUMBER_NONE,
				   .kind = COLLECTIVE_ALL_REDUCE };
}

static void add(struct job *job, size_t rank, struct comm_call call)
{
	struct comm_calls calls = { .items = &call, .n = 1 };

	comm_matches_add(&job->m, &job->profiles[rank], &calls);
}

static void finish(struct job *job)
{
	comm_matches_find(&job->m);
	comm_align(&job->m);
}

static void ends_tell_what_clocks_differ_by(void **state)
{
	struct job job;
	(void)state;

	begin(&job, 2);
	add(&job, 0, call_at(100, 500));
	add(&job, 1, call_at(1300, 1501)); /* 1000 later, and 1 more */
	add(&job, 0, call_at(600, 700));
	add(&job, 1, call_at(1600, 1700));
	add(&job, 0, call_at(800, 900));
	add(&job, 1, call_at(1800, 1900));
	finish(&job);
	assert_int_equal(3, job.m.nmatches);
	assert_int_equal(1000, job.m.participants[1].offset_ns);
	assert_int_equal(0, job.m.participants[1].error_ns);
	assert_int_equal(3, job.m.participants[1].shared);

	struct comm_verdict v = comm_judge(&job.m, &job.m.matches[0]);
	assert_int_equal(200, v.skew_ns);
	assert_int_equal(200, v.late_ns);
	assert_int_equal(1, v.late);
	assert_int_equal(200, v.wait_ns);
	assert_int_equal(v.total_ns, v.wait_ns + v.transfer_ns);
	assert_int_equal(201, v.shortest_ns);
	assert_int_equal(1, v.end_skew_ns);
	comm_matches_release(&job.m);
}

static void nobody_waits_longer_than_it_lasted(void **state)
{
	struct job job;
	(void)state;

	begin(&job, 2);
	struct comm_call early = call_at(0, 10), late = call_at(100, 200);
	early.kind = late.kind = COLLECTIVE_BROADCAST;
	add(&job, 0, call_at(300, 400));
	add(&job, 1, call_at(300, 400));
	early.collective = late.collective = 1;
	add(&job, 0, early);
	add(&job, 1, late);
	finish(&job);
	assert_int_equal(0, job.m.participants[1].offset_ns);
	struct comm_verdict v = comm_judge(&job.m, &job.m.matches[1]);
	assert_int_equal(10, v.wait_ns);
	assert_int_equal(100, v.transfer_ns);
	comm_matches_release(&job.m);
}

static void sequence_numbers_tell_more_than_places(void **state)
{
	struct job job;
	(void)state;

	begin(&job, 2);
	for (int64_t i = 0; i < 3; i++) {
		struct comm_call call = call_at(i * 100, (i * 100) + 50);
		call.sequence = 10 + i;
		add(&job, 0, call);
		call.sequence = 11 + i; /* began to record later */
		add(&job, 1, call);
	}
	finish(&job);
	assert_int_equal(2, job.m.nmatches);
	assert_int_equal(2, job.m.unmatched);
	assert_int_equal(11, job.m.parts[job.m.matches[0].first].number);
	assert_int_equal(-100, job.m.participants[1].offset_ns);
	comm_matches_release(&job.m);
}

static void ranks_without_a_common_collective_have_clocks_of_their_own(void **state)
{
	struct job job;
	struct comm_call other = call_at(0, 10);
	(void)state;

	begin(&job, 3);
	add(&job, 0, call_at(0, 10));
	add(&job, 1, call_at(5, 15));
	other.group = 7;
	add(&job, 2, other);
	finish(&job);
	assert_int_equal(1, job.m.nmatches);
	assert_int_equal(1, job.m.unmatched);
	assert_int_equal(0, job.m.participants[1].clock);
	assert_int_equal(1, job.m.participants[2].clock);
	comm_matches_release(&job.m);
}

static void later_spans_of_a_rank_are_matched_with_later_spans(void **state)
{
	struct job job = { .scope.n = 3 };
	(void)state;

	begin(&job, 3);
	comm_matches_release(&job.m);
	job.profiles[1].rank = 0; /* the second span of rank 0 */
	job.profiles[2].rank = 1;
	comm_matches_init(&job.scope, &job.m);
	add(&job, 0, call_at(0, 10));
	add(&job, 1, call_at(100, 110));
	add(&job, 2, call_at(0, 10));
	finish(&job);
	assert_int_equal(1, job.m.nmatches);
	assert_int_equal(0, job.m.parts[job.m.matches[0].first].participant);
	assert_int_equal(2, job.m.parts[job.m.matches[0].first + 1].participant);
	comm_matches_release(&job.m);
}

static void a_rank_that_lacks_a_span_is_matched_by_time(void **state)
{
	struct job job = { .scope.n = 3 };
	(void)state;

	begin(&job, 3);
	comm_matches_release(&job.m);
	job.profiles[1].rank = 0; /* the second span of rank 0 */
	job.profiles[2].rank = 1; /* its first is not there; the second began earlier */
	for (size_t i = 0; i < 3; i++) {
		job.profiles[i].has_base = true;
		job.profiles[i].base_ns = (int64_t[]){ 1000, 9000, 8900 }[i];
		job.profiles[i].dur_ns = 500;
	}
	comm_matches_init(&job.scope, &job.m);
	add(&job, 0, call_at(0, 10));
	add(&job, 1, call_at(100, 110));
	add(&job, 2, call_at(200, 210));
	finish(&job);
	assert_int_equal(1, job.m.nmatches);
	assert_int_equal(1, job.m.parts[job.m.matches[0].first].participant);
	assert_int_equal(2, job.m.parts[job.m.matches[0].first + 1].participant);
	comm_matches_release(&job.m);
}

static void sends_are_not_compared(void **state)
{
	struct job job;
	struct comm_call send = call_at(0, 10);
	(void)state;

	begin(&job, 2);
	send.kind = COLLECTIVE_SEND;
	add(&job, 0, send);
	add(&job, 1, send);
	finish(&job);
	assert_int_equal(0, job.m.nmatches);
	assert_int_equal(2, job.m.direct);
	comm_matches_release(&job.m);
}

static void times_at_the_ends_of_their_range_stay_in_it(void **state)
{
	struct job job;
	(void)state;

	begin(&job, 2);
	comm_matches_release(&job.m);
	job.profiles[0].start_ns = INT64_MAX;
	job.profiles[1].start_ns = INT64_MIN;
	comm_matches_init(&job.scope, &job.m);
	add(&job, 0, call_at(0, INT64_MAX));
	add(&job, 1, call_at(0, INT64_MAX));
	finish(&job);
	struct comm_verdict v = comm_judge(&job.m, &job.m.matches[0]);
	assert_int_equal(INT64_MAX, v.total_ns);
	assert_true(v.wait_ns >= 0 && v.transfer_ns >= 0);
	comm_matches_release(&job.m);
}

static void is_missing(const char *ranks, int64_t group_size, int64_t world,
		       const char *missing)
{
	static const int64_t present[] = { 1, 3 };
	struct arena arena = { 0 };
	const char *got =
		comm_missing_ranks(str_of(ranks), group_size, world, present, 2, &arena);

	if (missing)
		assert_string_equal(missing, got);
	else
		assert_null(got);
	arena_release(&arena);
}

static void missing_ranks_are_those_of_the_group(void **state)
{
	(void)state;
	is_missing("[0, 1, 2, 3]", 4, NUMBER_NONE, "[0, 2]");
	is_missing("[1, 3]", 2, 8, "[]");
	is_missing("[1, 3, 5]", NUMBER_NONE, NUMBER_NONE, "[5]");
	is_missing("", 4, 4, "[0, 2]");
	/* cut short, no list, no group: nothing can be said */
	is_missing("[0, 1, ...]", 8, NUMBER_NONE, NULL);
	is_missing("[0, 1, 2]", 4, NUMBER_NONE, NULL);
	is_missing("[]", 2, NUMBER_NONE, NULL);
	is_missing("[3, 1]", 2, NUMBER_NONE, NULL);
	is_missing("[3, 1]", NUMBER_NONE, NUMBER_NONE, NULL);
	is_missing("[0, 9999999999]", 2, NUMBER_NONE, NULL);
	is_missing("", 4, 8, NULL);
	is_missing("", NUMBER_NONE, 8, NULL);
	is_missing("", INT64_MAX, INT64_MAX, NULL);
}

static void the_lower_of_two_medians_counts(void **state)
{
	int64_t numbers[] = { 4, 1, 3, 2 };
	(void)state;

	assert_int_equal(2, comm_median(numbers, 4));
	assert_int_equal(1, comm_median(numbers, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_tell_what_clocks_differ_by),
		cmocka_unit_test(nobody_waits_longer_than_it_lasted),
		cmocka_unit_test(sequence_numbers_tell_more_than_places),
		cmocka_unit_test(
			ranks_without_a_common_collective_have_clocks_of_their_own),
		cmocka_unit_test(later_spans_of_a_rank_are_matched_with_later_spans),
		cmocka_unit_test(a_rank_that_lacks_a_span_is_matched_by_time),
		cmocka_unit_test(sends_are_not_compared),
		cmocka_unit_test(times_at_the_ends_of_their_range_stay_in_it),
		cmocka_unit_test(missing_ranks_are_those_of_the_group),
		cmocka_unit_test(the_lower_of_two_medians_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
