/* Bundles of short slices: see timeline_bundle.h. */
#include "query/timeline/timeline_bundle.h"

#include <stdlib.h>

#include "base/array.h"

/* Where no threshold is enough, one that leaves a quarter more than the largest would. */
#define NEARLY 4

#define BLOCK_BITS 10 /* a bundle spans at most so many thresholds: 2^10 */

void bundler_clear(struct bundler *b)
{
	for (size_t i = 0; i < b->nrows; i++)
		b->rows[i].can_bundle = false;
	b->nrows = 0;
}

void bundler_release(struct bundler *b)
{
	free(b->rows);
	b->rows = NULL;
	b->nrows = b->cap = 0;
}

static unsigned bits_of(uint64_t value)
{
	return value ? 64U - (unsigned)__builtin_clzll(value) : 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static unsigned smallest_of(const struct bundle_row *before, const struct bundle_row *s)
{
	if (!before->can_bundle || !s->can_bundle)
		return BUNDLE_NEVER;
	uint64_t dur = larger((uint64_t)(before->end_ns - before->start_ns),
			      (uint64_t)(s->end_ns - s->start_ns));
	uint64_t gap = (uint64_t)(s->start_ns - before->end_ns);
	uint64_t apart =
		((uint64_t)s->start_ns ^ (uint64_t)before->start_ns) >> BLOCK_BITS;
	unsigned bits = bits_of(larger(larger(dur, gap), apart));
	return bits < BUNDLE_NEVER ? bits : BUNDLE_NEVER;
}

unsigned bundler_add(struct bundler *b, uint32_t row, const struct bundle_row *slice,
		     uint32_t *entry)
{
	struct bundle_row *newest = ARRAY_AT(b->rows, b->cap, row);
	unsigned smallest = smallest_of(newest, slice);

	if (b->nrows <= row)
		b->nrows = row + (size_t)1;
	*entry = newest->entry;
	*newest = *slice;
	newest->entry = *entry;
	b->joins[smallest]++;
	return smallest;
}

void bundler_enter(struct bundler *b, uint32_t row, uint32_t entry)
{
	b->rows[row].entry = entry;
}

bool bundler_choose(const struct bundler *b, int64_t n, int64_t most, unsigned *out)
{
	int64_t least = n;

	for (unsigned k = 0; k < BUNDLE_NEVER; k++)
		least -= b->joins[k];
	bool is_reached = least <= most;
	if (!is_reached)
		most = least + least / NEARLY;
	for (*out = 0; n - b->joins[*out] > most; ++*out)
		n -= b->joins[*out];
	return is_reached;
}
