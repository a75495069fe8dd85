/* Groups of calls: see opstat.h. */
#include "trace/opstat.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/spill.h"
#include "base/sum.h"
#include "base/varint.h"
#include "trace/fact.h"
#include "trace/optree.h"

void opstats_init(struct opstats *s)
{
	opstats_init_in(s, NULL);
}

void opstats_init_in(struct opstats *s, struct spill *spill)
{
	*s = (struct opstats){ .spill = spill };
	slots_init(&s->slots, spill);
}

void opstats_release(struct opstats *s)
{
	for (size_t i = 0; i < s->n; i++) {
		spill_tick(s->spill, i);
		histogram_release(&s->rows[i].histogram);
	}
	spill_free(s->spill, s->rows);
	slots_release(&s->slots);
	spill_free(s->spill, s->order);
	*s = (struct opstats){ 0 };
}

static bool is_row_of(const struct opstats *s, uint32_t row, const struct opstat_key *key)
{
	return memcmp(&s->rows[row].key, key, sizeof(*key)) == 0;
}

/* The group's row, a new and empty one when it was not seen before. */
static uint32_t find_row(struct opstats *s, const struct opstat_key *key)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));
	size_t at;
	uint32_t row = slots_first(&s->slots, hash, &at);

	while (row != SLOT_FREE && !is_row_of(s, row, key))
		row = slots_next(&s->slots, hash, &at);
	if (row != SLOT_FREE)
		return row;
	slots_add(&s->slots, hash, (uint32_t)s->n);
	s->rows = spill_grow(s->spill, s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	s->rows[s->n] = (struct opstat){ .key = *key, .sums.flops = NUMBER_NONE };
	return (uint32_t)s->n++;
}

/* The calls of a step have the same few names again and again. */
struct opstat *opstats_group(struct opstats *s, const struct opstat_key *key)
{
	uint32_t *near = &s->near[(key->name ^ key->shapes * 31) % OPSTATS_NEAR];

	if (*near >= s->n || !is_row_of(s, *near, key))
		*near = find_row(s, key);
	return &s->rows[*near];
}

bool opstat_is_before(const struct opstat_first *a, const struct opstat_first *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns;
	return a->order < b->order;
}

static void opstat_add_sums(struct opstat_sums *into, const struct opstat_sums *from)
{
	if (from->calls == 0)
		return;
	if (into->calls == 0) {
		*into = *from;
		return;
	}
	into->calls = sum_add(into->calls, from->calls);
	into->primitive_calls = sum_add(into->primitive_calls, from->primitive_calls);
	into->self_ns = sum_add(into->self_ns, from->self_ns);
	into->total_ns = sum_add(into->total_ns, from->total_ns);
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->squares = squares_add(into->squares, from->squares);
	into->self_device_ns = sum_add(into->self_device_ns, from->self_device_ns);
	into->total_device_ns = sum_add(into->total_device_ns, from->total_device_ns);
	into->cpu_bytes = sum_add(into->cpu_bytes, from->cpu_bytes);
	into->self_cpu_bytes = sum_add(into->self_cpu_bytes, from->self_cpu_bytes);
	into->device_bytes = sum_add(into->device_bytes, from->device_bytes);
	into->self_device_bytes =
		sum_add(into->self_device_bytes, from->self_device_bytes);
	if (from->flops != NUMBER_NONE)
		into->flops = into->flops == NUMBER_NONE
				      ? from->flops
				      : sum_add(into->flops, from->flops);
}

void opstat_merge(struct opstat *into, const struct opstat *from)
{
	if (into->sums.calls == 0 || opstat_is_before(&from->first, &into->first)) {
		into->first = from->first;
		into->is_async = from->is_async;
		into->is_top_level = from->is_top_level;
	}
	opstat_add_sums(&into->sums, &from->sums);
	histogram_merge(&into->histogram, &from->histogram);
}

static bool is_first(const void *context, uint32_t a, uint32_t b)
{
	const struct opstat *rows = context;

	return opstat_is_before(&rows[a].first, &rows[b].first);
}

/* The rows stay where they are: they are large, and may lie in a file. */
void opstats_sort(struct opstats *s)
{
	s->order = spill_alloc(s->spill, s->n, sizeof(*s->order));
	uint32_t *spare = spill_alloc(s->spill, s->n, sizeof(*spare));

	for (size_t i = 0; i < s->n; i++)
		s->order[i] = (uint32_t)i;
	sort_spilled(s->spill, s->order, s->n, spare, is_first, s->rows);
	spill_free(s->spill, spare);
}

struct opstat_sums opstat_of_node(const struct op_node *node, int64_t flops)
{
	int64_t total_ns = sum_sub(node->end_ns, node->start_ns);

	return (struct opstat_sums){ .calls = 1,
				     .primitive_calls = !node->recursive,
				     .self_ns = node->self_ns,
				     .total_ns = total_ns,
				     .min_ns = total_ns,
				     .max_ns = total_ns,
				     .squares = squares_of(total_ns, 1),
				     .self_device_ns = node->self_device_ns,
				     .total_device_ns = op_node_device_ns(node),
				     .cpu_bytes = node->cpu_bytes,
				     .self_cpu_bytes = node->self_cpu_bytes,
				     .device_bytes = node->device_bytes,
				     .self_device_bytes = node->self_device_bytes,
				     .flops = flops };
}

#define SUB_BITS  6
#define SUB_COUNT (1 << SUB_BITS)

void histogram_release(struct histogram *h)
{
	if (h->cap)
		free(h->more);
	free(h->places);
	*h = (struct histogram){ 0 };
}

_Static_assert(HISTOGRAM_BUCKETS == (62 - SUB_BITS + 2) * SUB_COUNT,
	       "INT64_MAX's is last");

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

/* Where the bucket is or belongs: a search without branches, as no call is as the last. */
static size_t find(const struct histogram *h, uint16_t bucket)
{
	const struct histogram_bucket *buckets = histogram_buckets(h);
	size_t at = 0, n = h->n;

	if (h->places && h->places[bucket])
		return h->places[bucket] - 1U;
	while (n > 0) {
		size_t half = n / 2;
		bool is_behind = buckets[at + half].bucket < bucket;
		at += is_behind ? half + 1 : 0;
		n = is_behind ? n - half - 1 : half;
	}
	return at;
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

/* So many buckets are of a group of more calls, which is worth a table of them all. */
#define PLACES_FROM 128

/* The buckets from that one on have moved, or have no places yet. */
static void note_places(struct histogram *h, size_t from)
{
	if (h->n < PLACES_FROM)
		return;
	if (!h->places) {
		h->places = xcalloc((HISTOGRAM_BUCKETS - 1) + 1, sizeof(*h->places));
		from = 0;
	}
	for (size_t i = from; i < h->n; i++)
		h->places[h->more[i].bucket] = (uint16_t)(i + 1);
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
	note_places(h, at);
}

void histogram_add(struct histogram *h, int64_t ns, uint64_t count)
{
	add_count(h, histogram_bucket_of(ns), count);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	const struct histogram_bucket *buckets = histogram_buckets(from);

	for (size_t i = 0; i < from->n; i++)
		add_count(into, buckets[i].bucket, buckets[i].count);
}

void histogram_encode(const struct histogram *h, struct buf *out)
{
	const struct histogram_bucket *buckets = histogram_buckets(h);
	uint16_t before = 0;

	for (size_t i = 0; i < h->n; i++) {
		buf_add_varint(out, (uint64_t)(buckets[i].bucket - before));
		buf_add_varint(out, buckets[i].count);
		before = buckets[i].bucket;
	}
}

bool histogram_decode(struct bytes blob, struct histogram *into)
{
	const uint8_t *p = blob.p, *end = p + blob.n;
	uint64_t distance, count, bucket = 0;

	while (p < end) {
		if (!varint_get(&p, end, &distance) || !varint_get(&p, end, &count) ||
		    distance >= HISTOGRAM_BUCKETS - bucket)
			return false;
		bucket += distance;
		add_count(into, (uint16_t)bucket, count);
	}
	return true;
}

struct opstat_sums opstat_of_memory(int64_t bytes, bool is_cpu)
{
	int64_t cpu = is_cpu ? bytes : 0, device = is_cpu ? 0 : bytes;

	return (struct opstat_sums){ .calls = 1,
				     .primitive_calls = 1,
				     .cpu_bytes = cpu,
				     .self_cpu_bytes = cpu,
				     .device_bytes = device,
				     .self_device_bytes = device,
				     .flops = NUMBER_NONE };
}

struct opstat_sums opstat_of_work(int64_t dur_ns)
{
	return (struct opstat_sums){ .calls = 1,
				     .primitive_calls = 1,
				     .min_ns = dur_ns,
				     .max_ns = dur_ns,
				     .squares = squares_of(dur_ns, 1),
				     .self_device_ns = dur_ns,
				     .total_device_ns = dur_ns,
				     .flops = NUMBER_NONE };
}
