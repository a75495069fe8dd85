/* Histograms of durations: percentiles within 1 %, mergeable, small on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/opstat.h"

#define SUB_BITS  6
#define SUB_COUNT (1 << SUB_BITS)

/* What who reads a store does with a blob, ptool-store(5): the middle of a bucket, in ns, */
static int64_t value_of(uint16_t bucket)
{
	if (bucket < SUB_COUNT)
		return bucket;
	int shift = bucket / SUB_COUNT - 1;
	uint64_t low = (uint64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift;
	return (int64_t)(low + ((UINT64_C(1) << shift) >> 1));
}

/* and the value below which `percent` of the durations lie. */
static int64_t percentile(const struct histogram *h, double percent)
{
	const struct histogram_bucket *buckets = histogram_buckets(h);
	uint64_t total = 0, seen = 0;

	for (size_t i = 0; i < h->n; i++)
		total += buckets[i].count;
	for (size_t i = 0; i < h->n; i++) {
		seen += buckets[i].count;
		if ((double)seen >= (double)total * percent / 100.0)
			return value_of(buckets[i].bucket);
	}
	return 0;
}

static void assert_within_1_percent(int64_t exact, int64_t got)
{
	double error = (double)(got - exact) / (double)exact;

	if (error < -0.01 || error > 0.01)
		fail_msg("%lld is not within 1 %% of %lld", (long long)got,
			 (long long)exact);
}

static void the_middle_of_a_bucket_is_within_1_percent_of_all_in_it(void **state)
{
	(void)state;
	for (int64_t ns = 1; ns < INT64_MAX / 3; ns += ns / 100 + 1)
		assert_within_1_percent(ns, value_of(histogram_bucket_of(ns)));
	assert_within_1_percent(INT64_MAX, value_of(histogram_bucket_of(INT64_MAX)));
}

static void buckets_ascend_with_durations(void **state)
{
	uint16_t before = 0;

	(void)state;
	for (int64_t ns = 0; ns < INT64_MAX / 3; ns += ns / 100 + 1) {
		assert_true(histogram_bucket_of(ns) >= before);
		before = histogram_bucket_of(ns);
	}
}

static void below_64_ns_values_are_exact_and_negative_ones_are_0(void **state)
{
	(void)state;
	for (int64_t ns = 0; ns < 64; ns++)
		assert_int_equal(ns, value_of(histogram_bucket_of(ns)));
	assert_int_equal(0, histogram_bucket_of(-1));
	assert_int_equal(0, histogram_bucket_of(INT64_MIN));
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void percentiles_are_within_1_percent_of_the_exact_ones(void **state)
{
	static const double percents[] = { 1, 25, 50, 75, 90, 95, 99, 99.9, 100 };
	enum { N = 5000 };
	struct histogram h = { 0 };
	int64_t values[N];
	unsigned random = 1;

	(void)state;
	for (int i = 0; i < N; i++) {
		random = random * 1103515245u + 12345u;
		values[i] = 100 + (int64_t)(random >> 8) * (random >> 28);
		histogram_add(&h, values[i], 1);
	}
	qsort(values, N, sizeof(*values), by_value);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		size_t rank = (size_t)((double)N * percents[i] / 100.0 + 0.999999);
		assert_within_1_percent(values[rank - 1], percentile(&h, percents[i]));
	}
	histogram_release(&h);
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(histogram_buckets(a)[i].bucket,
				 histogram_buckets(b)[i].bucket);
		assert_int_equal(histogram_buckets(a)[i].count,
				 histogram_buckets(b)[i].count);
	}
}

static void merging_two_is_adding_all(void **state)
{
	struct histogram one = { 0 }, two = { 0 }, all = { 0 };

	(void)state;
	for (int64_t ns = 1; ns < INT64_C(1) << 40; ns *= 3) {
		histogram_add(ns % 2 ? &one : &two, ns, 1);
		histogram_add(&all, ns, 1);
		histogram_add(&one, 1000, 1);
		histogram_add(&two, 1000, 1);
		histogram_add(&all, 1000, 1);
		histogram_add(&all, 1000, 1);
	}
	histogram_merge(&one, &two);
	assert_same(&all, &one);
	histogram_release(&one);
	histogram_release(&two);
	histogram_release(&all);
}

static void a_blob_gives_back_what_was_put_in(void **state)
{
	struct histogram h = { 0 }, back = { 0 };
	struct buf blob;

	(void)state;
	buf_init(&blob, 1 << 20);
	for (int64_t ns = 1; ns < INT64_MAX / 3; ns *= 3)
		for (int i = 0; i < 200; i++)
			histogram_add(&h, ns, 1);
	histogram_encode(&h, &blob);
	assert_true(histogram_decode((struct bytes){ (const uint8_t *)blob.p, blob.n },
				     &back));
	assert_same(&h, &back);
	histogram_release(&h);
	histogram_release(&back);
	buf_release(&blob);
}

/* One call: the distance 70 (two bytes would be wrong) and the count 1. */
static void a_blob_of_one_duration_is_two_bytes(void **state)
{
	struct histogram h = { 0 };
	struct buf blob;

	(void)state;
	buf_init(&blob, 64);
	histogram_add(&h, 70, 1);
	histogram_encode(&h, &blob);
	assert_int_equal(2, blob.n);
	assert_int_equal(70, blob.p[0]);
	assert_int_equal(1, blob.p[1]);
	histogram_release(&h);
	buf_release(&blob);
}

/* A blob of a store may hold anything. */
static void what_is_no_histogram_is_refused(void **state)
{
	static const struct {
		uint8_t bytes[4];
		size_t n;
	} blobs[] = {
		{ { 70 }, 1 },            /* a bucket without a count */
		{ { 70, 0x80 }, 2 },      /* a number that is cut off */
		{ { 0x80, 0x1d, 1 }, 3 }, /* bucket 3712, one too many */
		{ { 0x7f, 1, 0x81, 0x1c }, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(blobs) / sizeof(*blobs); i++) {
		struct histogram h = { 0 };
		assert_false(histogram_decode(
			(struct bytes){ blobs[i].bytes, blobs[i].n }, &h));
		histogram_release(&h);
	}
}

/* There is one histogram a group, and a group a name or shape. */
static void one_bucket_takes_no_memory_of_its_own(void **state)
{
	struct histogram h = { 0 };

	(void)state;
	histogram_add(&h, 70, 1);
	histogram_add(&h, 70, 1);
	assert_int_equal(0, h.cap);
	histogram_add(&h, 7000, 1);
	assert_int_equal(2, h.n);
	assert_int_equal(2, histogram_buckets(&h)[0].count);
	histogram_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_middle_of_a_bucket_is_within_1_percent_of_all_in_it),
		cmocka_unit_test(buckets_ascend_with_durations),
		cmocka_unit_test(below_64_ns_values_are_exact_and_negative_ones_are_0),
		cmocka_unit_test(percentiles_are_within_1_percent_of_the_exact_ones),
		cmocka_unit_test(merging_two_is_adding_all),
		cmocka_unit_test(a_blob_gives_back_what_was_put_in),
		cmocka_unit_test(a_blob_of_one_duration_is_two_bytes),
		cmocka_unit_test(what_is_no_histogram_is_refused),
		cmocka_unit_test(one_bucket_takes_no_memory_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
