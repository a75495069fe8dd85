/* Rows of a comparison: what is renamed, how deltas are split, what is tested. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "query/diff/diff_account.h"
#include "query/diff/diff_rows.h"

/* Names until NULL on either side, of weights 1, 2, ...: who is whose partner. */
static void match(const struct diff_relaxing *ways, const char *const *base,
		  const char *const *after, char out[256])
{
	struct diff_single singles[16];
	struct intern names;
	uint32_t partner[16];
	size_t n = 0;

	intern_init(&names);
	for (int side = 0; side < 2; side++)
		for (const char *const *name = side ? after : base; *name; name++) {
			uint32_t row = intern_add(&names, str_of(*name));
			singles[n] = (struct diff_single){ (int64_t)n, row, side == 1 };
			n++;
		}
	diff_match_renamed(&names, ways, singles, n, partner);
	out[0] = 0;
	for (size_t i = 0; i < n; i++) {
		if (singles[i].is_new || partner[i] == DIFF_NO_PARTNER)
			continue;
		assert_int_equal(i, partner[partner[i]]);
		size_t at = strlen(out);
		snprintf(out + at, 256 - at, "%s=%s;",
			 intern_str(&names, singles[i].row).p,
			 intern_str(&names, singles[partner[i]].row).p);
	}
	intern_release(&names);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void functions_of_one_name_move_together_where_one_was_added(void **state)
{
	char out[256];

	(void)state;
	match(diff_function_relaxings, LIST("m.py:10(f)", "m.py:50(f)", "m.py:90(f)"),
	      LIST("m.py:3(f)", "m.py:15(f)", "m.py:55(f)", "m.py:95(f)"), out);
	assert_string_equal("m.py:10(f)=m.py:15(f);m.py:50(f)=m.py:55(f);"
			    "m.py:90(f)=m.py:95(f);",
			    out);
	match(diff_function_relaxings,
	      LIST("m.py:3(f)", "m.py:15(f)", "m.py:55(f)", "m.py:95(f)"),
	      LIST("m.py:10(f)", "m.py:50(f)", "m.py:90(f)"), out);
	assert_string_equal("m.py:15(f)=m.py:10(f);m.py:55(f)=m.py:50(f);"
			    "m.py:95(f)=m.py:90(f);",
			    out);
	/* those between which lines were added go on by the nearest; a tie is the same
	 * from both sides */
	match(diff_function_relaxings, LIST("m.py:10(f)", "m.py:50(f)"),
	      LIST("m.py:15(f)", "m.py:30(f)", "m.py:62(f)"), out);
	assert_string_equal("m.py:10(f)=m.py:15(f);m.py:50(f)=m.py:62(f);", out);
	match(diff_function_relaxings, LIST("m.py:15(f)"),
	      LIST("m.py:10(f)", "m.py:20(f)"), out);
	assert_string_equal("m.py:15(f)=m.py:10(f);", out);
	match(diff_function_relaxings, LIST("m.py:10(f)", "m.py:20(f)"),
	      LIST("m.py:15(f)"), out);
	assert_string_equal("m.py:10(f)=m.py:15(f);", out);
}

/* Of so many pairs some are looked at: one side has functions more, before the others. */
enum { ALIKE = 150, MORE = 60, SHIFTED = 1000 };

/* At lines of no regular distance. */
static int line_of(int i)
{
	return 7 * i + i * i % 5;
}

static void match_many(bool base_has_more, uint32_t partner[2 * ALIKE + MORE])
{
	struct diff_single singles[2 * ALIKE + MORE];
	struct intern names;
	size_t n = 0;

	intern_init(&names);
	for (int side = 0; side < 2; side++) {
		bool has_more = (side == 0) == base_has_more;
		for (int i = has_more ? 0 : MORE; i < MORE + ALIKE; i++) {
			char name[32];
			int line = line_of(i) + (has_more && i >= MORE ? SHIFTED : 0);
			snprintf(name, sizeof(name), "m.py:%d(f)", line + 1);
			uint32_t row = intern_add(&names, str_of(name));
			singles[n] = (struct diff_single){ (int64_t)n, row, side == 1 };
			n++;
		}
	}
	diff_match_renamed(&names, diff_function_relaxings, singles, n, partner);
	intern_release(&names);
}

static void many_functions_of_one_name_move_together(void **state)
{
	uint32_t partner[2 * ALIKE + MORE];

	(void)state;
	match_many(false, partner);
	for (size_t i = 0; i < ALIKE; i++)
		assert_int_equal(ALIKE + MORE + i, partner[i]);
	for (size_t i = 0; i < MORE; i++)
		assert_int_equal(DIFF_NO_PARTNER, partner[ALIKE + i]);
	match_many(true, partner);
	for (size_t i = 0; i < ALIKE; i++)
		assert_int_equal(MORE + i, partner[ALIKE + MORE + i]);
	for (size_t i = 0; i < MORE; i++)
		assert_int_equal(DIFF_NO_PARTNER, partner[i]);
}

static void kernels_are_renamed_by_architecture_sizes_and_base_name(void **state)
{
	char out[256];

	(void)state;
	match(diff_kernel_relaxings,
	      LIST("ampere_sgemm_128x64_nn", "ampere_sgemm_32x32_nn"),
	      LIST("volta_sgemm_128x64_nn", "volta_sgemm_64x32_nn"), out);
	assert_string_equal("ampere_sgemm_128x64_nn=volta_sgemm_128x64_nn;"
			    "ampere_sgemm_32x32_nn=volta_sgemm_64x32_nn;",
			    out);
	match(diff_kernel_relaxings, LIST("void f<int>(int*)"),
	      LIST("void f<float>(float)"), out);
	assert_string_equal("void f<int>(int*)=void f<float>(float);", out);
	/* which of two it became is not known */
	match(diff_kernel_relaxings, LIST("void f<int>(int*)"),
	      LIST("void f<float>(float)", "void f<half>(half)"), out);
	assert_string_equal("", out);
	match(diff_kernel_relaxings, LIST("Memcpy HtoD (Pinned -> Device)", "small"),
	      LIST("Memcpy HtoD (Pageable -> Device)", "smart"), out);
	assert_string_equal("", out);
}

static void functions_are_renamed_by_line_and_address(void **state)
{
	char out[256];

	(void)state;
	match(diff_function_relaxings, LIST("a.py:9(<lambda>)", "a.py:3(<lambda>)"),
	      LIST("a.py:4(<lambda>)", "a.py:12(<lambda>)"), out);
	assert_string_equal("a.py:9(<lambda>)=a.py:12(<lambda>);"
			    "a.py:3(<lambda>)=a.py:4(<lambda>);",
			    out);
	match(diff_function_relaxings, LIST("{method 'f' of <C object at 0x7f01>}"),
	      LIST("{method 'f' of <C object at 0x55ab>}", "b.py:3(f)"), out);
	assert_string_equal("{method 'f' of <C object at 0x7f01>}="
			    "{method 'f' of <C object at 0x55ab>};",
			    out);
	match(diff_function_relaxings, LIST("a.py:3(f)"), LIST("b.py:3(f)"), out);
	assert_string_equal("", out);
	match(diff_function_relaxings, LIST("a.py:0(f)", "a (1): q.py:3(f)"),
	      LIST("a.py:5(f)", "a (1): q.py:4(f)"), out);
	assert_string_equal("a.py:0(f)=a.py:5(f);a (1): q.py:3(f)=a (1): q.py:4(f);",
			    out);
	/* of samplers, and of traces */
	match(diff_function_relaxings, LIST("f (a.py:3)", "a.py(5): g", "h (a.py)"),
	      LIST("f (a.py:4)", "a.py(6): g", "h (b.py)"), out);
	assert_string_equal("f (a.py:3)=f (a.py:4);a.py(5): g=a.py(6): g;", out);
}

static void calls_of_cuda_and_hip_are_paired_by_what_they_do(void **state)
{
	char out[256];

	(void)state;
	match(diff_call_relaxings, LIST("cudaDeviceSynchronize", "cudaMemcpyAsync"),
	      LIST("hipDeviceSynchronize", "hipMemcpyWithStream"), out);
	assert_string_equal("cudaDeviceSynchronize=hipDeviceSynchronize;"
			    "cudaMemcpyAsync=hipMemcpyWithStream;",
			    out);
	/* the same name is a better partner than one that does the same */
	match(diff_call_relaxings, LIST("cudaMemcpyAsync"),
	      LIST("hipMemcpyWithStream", "hipMemcpyAsync"), out);
	assert_string_equal("cudaMemcpyAsync=hipMemcpyAsync;", out);
	match(diff_call_relaxings, LIST("cuLaunchKernel"), LIST("hipModuleLaunchKernel"),
	      out);
	assert_string_equal("cuLaunchKernel=hipModuleLaunchKernel;", out);
	/* no calls at all, though they begin so */
	match(diff_call_relaxings, LIST("cudnn_convolution", "customOp", "Synchronize"),
	      LIST("hipdnn_convolution", "stomOp", "cudaSynchronize"), out);
	assert_string_equal("", out);
}

static void iterators_of_a_loader_are_paired_in_any_number_of_processes(void **state)
{
	char out[256];

	(void)state;
	match(diff_loader_relaxings, LIST("enumerate(DataLoader)#_Single.__next__", "f"),
	      LIST("enumerate(DataLoader)#_Multi.__next__", "g"), out);
	assert_string_equal("enumerate(DataLoader)#_Single.__next__="
			    "enumerate(DataLoader)#_Multi.__next__;",
			    out);
	match(diff_loader_relaxings, LIST("cudaMemcpyAsync"), LIST("hipMemcpyAsync"),
	      out);
	assert_string_equal("", out);
}

static int64_t from_calls(int64_t n0, int64_t ns0, int64_t n1, int64_t ns1)
{
	const struct diff_measure of[] = { { .calls = n0, .amount = ns0, .mean = ns0 },
					   { .calls = n1, .amount = ns1, .mean = ns1 } };
	const struct diff_measure swapped[] = { of[1], of[0] };
	const int64_t units[] = { 1, 1 };
	int64_t value = diff_from_calls(of, units);

	assert_int_equal(-value, diff_from_calls(swapped, units));
	return value;
}

static void calls_take_the_mean_of_both_durations(void **state)
{
	(void)state;
	assert_int_equal(30, from_calls(4, 40, 7, 70));
	assert_int_equal(0, from_calls(4, 40, 4, 99));
	assert_int_equal(45, from_calls(2, 20, 5, 100)); /* 3 more of (10 + 20) / 2 */
	assert_int_equal(3, from_calls(1, 2, 2, 6));     /* 1 more of 2.5, away from 0 */
	assert_int_equal(INT64_MAX, from_calls(1, INT64_MAX, INT64_MAX, INT64_MAX));
}

static void divisions_round_half_away_from_zero_and_close(void **state)
{
	int64_t parts[] = { 1, 1, 1, 4 };

	(void)state;
	assert_int_equal(2, diff_divide(3, 2));
	assert_int_equal(-2, diff_divide(-3, 2));
	assert_int_equal(1, diff_divide(4, 3));
	assert_int_equal(INT64_MIN, diff_divide(INT64_MIN, 1));
	diff_account_divide(parts, 4, 2);
	assert_int_equal(diff_divide(7, 2), parts[0] + parts[1] + parts[2] + parts[3]);
}

static void sums_of_a_row_come_together_whatever_their_order(void **state)
{
	struct diff_sums sums = { .n = 0 };

	(void)state;
	diff_sums_add(&sums, (struct diff_sum){ 7, 1, 1, INT64_MAX });
	diff_sums_add(&sums, (struct diff_sum){ 2, 0, 1, 5 });
	diff_sums_add(&sums, (struct diff_sum){ 7, 1, 2, 3 });
	diff_sums_add(&sums, (struct diff_sum){ 7, 0, 4, -4 });
	diff_sums_merge(&sums);
	assert_int_equal(3, sums.n);
	assert_int_equal(0, diff_sums_first(&sums, 0));
	assert_int_equal(1, diff_sums_first(&sums, 7));
	assert_int_equal(-4, sums.items[1].amount);
	assert_int_equal(3, sums.items[2].calls);
	assert_int_equal(INT64_MAX, sums.items[2].amount);
	assert_int_equal(3, diff_sums_first(&sums, 8));
	diff_sums_release(&sums);
}

static void a_change_counts_when_it_is_sure_and_large(void **state)
{
	struct diff_test tests[] = {
		{ .p = 0.001, .change_pct = 9, .is_tested = true },
		{ .p = 0.001, .change_pct = 0.5, .is_tested = true },
		{ .p = 0.2, .change_pct = 90, .is_tested = true },
		{ .p = 0.001, .change_pct = 90, .is_tested = false },
		{ .p = (double)NAN, .change_pct = 90, .is_tested = true },
	};
	const struct diff_limits limits = { 0.05, 1 };

	(void)state;
	diff_test_rows(tests, 5, &limits);
	assert_true(tests[0].is_significant);
	assert_true(fabs(tests[0].q - 0.0015) < 1e-12); /* of three tests */
	assert_false(tests[1].is_significant);
	assert_false(tests[2].is_significant);
	assert_true(isnan(tests[3].q) && !tests[3].is_significant);
	assert_true(isnan(tests[4].q) && !tests[4].is_significant);
}

/* Beyond 50 values a side p is approximated; the interval keeps its exact places. */
static void the_interval_of_few_against_many_is_exact(void **state)
{
	enum { MANY = 100 };
	const double base[] = { 0, 1000, 2000 };
	const struct diff_limits limits = { 0.05, 1 };
	struct diff_headline h;
	double many[MANY];

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		many[i] = 5000 + (double)i;
	diff_test_headline(base, 3, many, MANY, &limits, &h);
	/* the differences are 3000..3099, 4000..4099 and 5000..5099; the place is 51 */
	assert_true(h.shift.low == 3050 && h.shift.high == 5049);
	assert_true(h.shift.shift == 4049.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_one_name_move_together_where_one_was_added),
		cmocka_unit_test(many_functions_of_one_name_move_together),
		cmocka_unit_test(kernels_are_renamed_by_architecture_sizes_and_base_name),
		cmocka_unit_test(functions_are_renamed_by_line_and_address),
		cmocka_unit_test(calls_of_cuda_and_hip_are_paired_by_what_they_do),
		cmocka_unit_test(
			iterators_of_a_loader_are_paired_in_any_number_of_processes),
		cmocka_unit_test(calls_take_the_mean_of_both_durations),
		cmocka_unit_test(divisions_round_half_away_from_zero_and_close),
		cmocka_unit_test(sums_of_a_row_come_together_whatever_their_order),
		cmocka_unit_test(a_change_counts_when_it_is_sure_and_large),
		cmocka_unit_test(the_interval_of_few_against_many_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
