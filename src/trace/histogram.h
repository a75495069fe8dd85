/*
 * A log-histogram of durations: 64 buckets to a power of two, so that a
 * percentile read from it is within 1 %, and two of them merge by adding.
 *
 * As a blob: for every bucket that is not empty, in ascending order, the
 * distance from the one before and the count, both LEB128.
 */
#ifndef PTOOL_TRACE_HISTOGRAM_H
#define PTOOL_TRACE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

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
};

void histogram_release(struct histogram *h);
/* The n buckets, borrowed until it changes or moves. */
static inline const struct histogram_bucket *histogram_buckets(const struct histogram *h)
{
	return h->cap ? h->more : &h->one;
}

/* Negative durations count as 0. */
uint16_t histogram_bucket_of(int64_t ns);
/* The middle of a bucket, in ns. */
int64_t histogram_value_of(uint16_t bucket);
void histogram_add(struct histogram *h, int64_t ns);
void histogram_merge(struct histogram *into, const struct histogram *from);
void histogram_encode(const struct histogram *h, struct buf *out);
/* False when the bytes are not of this form; *h is then what was read. */
bool histogram_decode(struct bytes blob, struct histogram *h);
/* The value below which `percent` of the durations lie; 0 when empty. */
int64_t histogram_percentile(const struct histogram *h, double percent);

#endif
