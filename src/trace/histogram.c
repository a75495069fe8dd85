/* Log-histograms: see histogram.h. */
#include "trace/histogram.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/varint.h"

#define SUB_BITS  6
#define SUB_COUNT (1 << SUB_BITS)

void histogram_release(struct histogram *h)
{
	if (h->cap)
		free(h->more);
	*h = (struct histogram){ 0 };
}

/* Below 64 every value has a bucket of its own. */
uint16_t histogram_bucket_of(int64_t ns)
{
	uint64_t v = ns < 0 ? 0 : (uint64_t)ns;

	if (v < SUB_COUNT)
		return (uint16_t)v;
	int power = 63 - __builtin_clzll(v);
	uint64_t sub = v >> (power - SUB_BITS) & (SUB_COUNT - 1);
	return (uint16_t)((power - SUB_BITS + 1) * SUB_COUNT + (int)sub);
}

int64_t histogram_value_of(uint16_t bucket)
{
	if (bucket < SUB_COUNT)
		return bucket;
	int shift = bucket / SUB_COUNT - 1;
	uint64_t low = (uint64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift;
	return (int64_t)(low + ((UINT64_C(1) << shift) >> 1));
}

/* Where the bucket is or belongs. */
static size_t find(const struct histogram *h, uint16_t bucket)
{
	const struct histogram_bucket *buckets = histogram_buckets(h);
	size_t low = 0, high = h->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (buckets[middle].bucket < bucket)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* There are few of most, and many histograms. */
static void grow(struct histogram *h)
{
	struct histogram_bucket *grown;
	uint32_t cap = h->cap ? 4 * h->cap : 4;

	if (h->n < (h->cap ? h->cap : 1))
		return;
	grown = xrealloc_array(h->cap ? h->more : NULL, cap, sizeof(*grown));
	if (!h->cap)
		grown[0] = h->one;
	h->more = grown;
	h->cap = cap;
}

static void add_count(struct histogram *h, uint16_t bucket, uint64_t count)
{
	size_t at = find(h, bucket);
	bool is_there = at < h->n && histogram_buckets(h)[at].bucket == bucket;

	if (!is_there)
		grow(h);
	struct histogram_bucket *buckets = h->cap ? h->more : &h->one;
	if (is_there) {
		buckets[at].count += count;
		return;
	}
	memmove(&buckets[at + 1], &buckets[at], (h->n - at) * sizeof(*buckets));
	buckets[at] = (struct histogram_bucket){ bucket, count };
	h->n++;
}

void histogram_add(struct histogram *h, int64_t ns)
{
	add_count(h, histogram_bucket_of(ns), 1);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	const struct histogram_bucket *buckets = histogram_buckets(from);

	for (size_t i = 0; i < from->n; i++)
		add_count(into, buckets[i].bucket, buckets[i].count);
}

static void encode_number(struct buf *out, uint64_t value)
{
	uint8_t bytes[VARINT_MAX];

	buf_add(out, bytes, (size_t)(varint_put(bytes, value) - bytes));
}

void histogram_encode(const struct histogram *h, struct buf *out)
{
	const struct histogram_bucket *buckets = histogram_buckets(h);
	uint16_t before = 0;

	for (size_t i = 0; i < h->n; i++) {
		encode_number(out, (uint64_t)(buckets[i].bucket - before));
		encode_number(out, buckets[i].count);
		before = buckets[i].bucket;
	}
}

bool histogram_decode(struct bytes blob, struct histogram *h)
{
	uint64_t distance, count, bucket = 0;
	const uint8_t *p = blob.p, *end = blob.p + blob.n;

	*h = (struct histogram){ 0 };
	while (p < end) {
		if (!varint_get(&p, end, &distance) || !varint_get(&p, end, &count))
			return false;
		if (distance > UINT16_MAX || (bucket += distance) > UINT16_MAX)
			return false;
		add_count(h, (uint16_t)bucket, count);
	}
	return true;
}

int64_t histogram_percentile(const struct histogram *h, double percent)
{
	const struct histogram_bucket *buckets = histogram_buckets(h);
	uint64_t total = 0, seen = 0;

	for (size_t i = 0; i < h->n; i++)
		total += buckets[i].count;
	for (size_t i = 0; i < h->n; i++) {
		seen += buckets[i].count;
		if ((double)seen >= (double)total * percent / 100.0)
			return histogram_value_of(buckets[i].bucket);
	}
	return 0;
}
