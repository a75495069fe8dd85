/*
 * Groups of calls and their sums: the rows of op_stat.  All are integers, and those of
 * parts add up to those of the whole in any order.
 */
#ifndef PTOOL_TRACE_OPSTAT_H
#define PTOOL_TRACE_OPSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/squares.h"

/*
 * A log-histogram of durations: 64 buckets to a power of two, so that a
 * percentile read from it is within 1 %, and two of them merge by adding.
 *
 * As a blob: for every bucket that is not empty, in ascending order, the
 * distance from the one before and the count, both LEB128.
 */
#define HISTOGRAM_BUCKETS 3712

struct histogram_bucket {
	uint16_t bucket;
	uint64_t count;
};

/* Zeroed is empty; ascending by bucket.  Most of a million groups have one bucket. */
struct histogram {
	union {
		struct histogram_bucket one;
		struct histogram_bucket *more; /* owned */
	};
	uint32_t n, cap; /* cap 0: there is `one` or none */
	uint16_t *
		places; /* owned, or NULL where there are few: by bucket, its place + 1 */
};

void histogram_release(struct histogram *h);
/* The n buckets, borrowed until it changes or moves. */
static inline const struct histogram_bucket *histogram_buckets(const struct histogram *h)
{
	return h->cap ? h->more : &h->one;
}

/* Negative durations count as 0. */
uint16_t histogram_bucket_of(int64_t ns);
void histogram_add(struct histogram *h, int64_t ns, uint64_t count);
void histogram_merge(struct histogram *into, const struct histogram *from);
void histogram_encode(const struct histogram *h, struct buf *out);
/* Adds what a blob says; false, and what came before in `into`, where it is no histogram. */
bool histogram_decode(struct bytes blob, struct histogram *into);

struct spill;

/* op_stat.kind */
enum op_kind {
	OP_HOST = 0,
	OP_DEVICE = 1,
	OP_DEVICE_ANNOTATION = 2,
	OP_PYTHON = 3,
	OP_MEMORY = 4
};

/* What makes a group; compared as bytes, so there is no padding. */
struct opstat_key {
	uint32_t step; /* index, or UINT32_MAX */
	uint32_t name;
	uint32_t shapes, stack, overload; /* texts, or TEXT_NONE */
	uint16_t kind, is_annotation;
};

/* Where the first call of a group stood: the order torch lists rows in. */
struct opstat_first {
	int64_t ts_ns, dur_ns;
	uint64_t order;
};

/* One call, or the sums of many. */
struct opstat_sums {
	int64_t calls, primitive_calls;
	int64_t self_ns, total_ns, min_ns, max_ns;
	struct squares squares; /* of durations: those that min_ns and max_ns are of */
	int64_t self_device_ns, total_device_ns;
	int64_t cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes;
	int64_t flops; /* NUMBER_NONE: no call has a formula */
};

struct opstat {
	struct opstat_key key;
	struct opstat_first first;
	bool is_async, is_top_level; /* of the first call */
	struct opstat_sums sums;
	struct histogram histogram;
};

#define OPSTATS_NEAR 256 /* a power of two */

struct opstats {
	struct opstat *rows; /* owned */
	size_t n, cap;
	uint32_t near[OPSTATS_NEAR]; /* rows asked for last, by a few bits of their key */
	struct slots slots;          /* rows by key */
	uint32_t *order;             /* owned: rows by first call; NULL: as they are */
	struct spill *spill; /* borrowed, or NULL: where all but the histograms lies */
};

void opstats_init(struct opstats *s);
/* Groups that may be as many as events. */
void opstats_init_in(struct opstats *s, struct spill *spill);
void opstats_release(struct opstats *s);
/* The group, a new and empty one when it was not seen before; until the next call. */
struct opstat *opstats_group(struct opstats *s, const struct opstat_key *key);
bool opstat_is_before(const struct opstat_first *a, const struct opstat_first *b);
/* Adds calls to a group: b's first, flags and histogram count when it is earlier. */
void opstat_merge(struct opstat *into, const struct opstat *from);
/* By first call, for opstats_at(): the order of torch's unsorted table. */
void opstats_sort(struct opstats *s);

static inline const struct opstat *opstats_at(const struct opstats *s, size_t i)
{
	return &s->rows[s->order ? s->order[i] : i];
}

/* The sums of one call, a node of a built tree. */
struct op_node;
struct opstat_sums opstat_of_node(const struct op_node *node, int64_t flops);
/* The same of device work, and of an annotation of the device. */
struct opstat_sums opstat_of_work(int64_t dur_ns);
/* Of a memory event outside all operators: a call of no time.  `bytes` are the event's. */
struct opstat_sums opstat_of_memory(int64_t bytes, bool is_cpu);
/* Added to its order: it stands behind every slice that begins at the same time. */
#define OPSTAT_MEMORY_ORDER (UINT64_C(1) << 40)

#endif
