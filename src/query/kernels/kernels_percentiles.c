/*
 * Exact percentiles of kernels, by nearest rank: of durations of slices, and of those that
 * rows of kernel_part have packed, which are unpacked for one group at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/varint.h"
#include "query/kernels/kernels_gather.h"
#include "trace/opstat.h"

/* So many are sorted; of more, those alone that are about as long as the one in demand. */
#define FEW 256

/* Calls that took as long. */
struct counted {
	int64_t ns;
	uint64_t calls;
};

/* What belongs to a group is places[first[group]] to places[first[group + 1] - 1]. */
struct by_group {
	uint32_t *places; /* owned */
	size_t *first;    /* owned */
};

struct ranking {
	struct gathering *g;
	struct by_group durations, packed;
	struct counted *items; /* owned: of one group */
	size_t n, cap;
	struct counted *few; /* owned: some of these */
	size_t nfew, few_cap;
	uint64_t *counts; /* owned: calls by bucket of a histogram */
};

bool kernels_durations_fit(struct str bytes, int64_t calls, int64_t least_ns,
			   int64_t most_ns)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	uint64_t ns = 0, distance, count, seen = 0;

	if (calls <= 0 || least_ns < 0 || most_ns < least_ns)
		return false;
	for (bool is_first = true; p < end; is_first = false) {
		if (!varint_get(&p, end, &distance) || !varint_get(&p, end, &count) ||
		    distance > (uint64_t)most_ns - ns || count == 0 ||
		    count > (uint64_t)calls - seen ||
		    (is_first ? distance != (uint64_t)least_ns : distance == 0))
			return false;
		ns += distance;
		seen += count;
	}
	return seen == (uint64_t)calls && ns == (uint64_t)most_ns;
}

static void add(struct ranking *r, int64_t ns, uint64_t calls)
{
	*ARRAY_PUSH(r->items, r->n, r->cap) = (struct counted){ ns, calls };
}

static void unpack(struct ranking *r, struct str bytes)
{
	const uint8_t *p = (const uint8_t *)bytes.p, *end = p + bytes.n;
	uint64_t ns = 0, distance, count;

	while (varint_get(&p, end, &distance) && varint_get(&p, end, &count)) {
		ns += distance;
		add(r, (int64_t)ns, count);
	}
}

/* Of n items of `size` bytes each, whose group is the uint32_t at `offset`. */
static struct by_group by_group(const void *items, size_t n, size_t size, size_t offset,
				size_t ngroups)
{
	struct by_group by = { xrealloc_array(NULL, n + 1, sizeof(*by.places)),
			       xcalloc(ngroups + 2, sizeof(*by.first)) };
	const char *at = items; /* NULL where there are none */
	uint32_t group;

	for (size_t i = 0; i < n; i++) {
		memcpy(&group, at + (i * size) + offset, sizeof(group));
		by.first[group + 2]++;
	}
	for (size_t i = 2; i < ngroups + 2; i++)
		by.first[i] += by.first[i - 1];
	for (size_t i = 0; i < n; i++) {
		memcpy(&group, at + (i * size) + offset, sizeof(group));
		by.places[by.first[group + 1]++] = (uint32_t)i;
	}
	return by;
}

static void by_group_release(struct by_group *by)
{
	free(by->places);
	free(by->first);
}

/* The duration of the call that `rank` calls reach, counted from 1 and the shortest. */
static int64_t at_rank(struct counted *items, size_t n, uint64_t rank)
{
	uint64_t seen = 0;
	size_t i = 0;

	if (!n) /* never: groups have calls */
		return 0;
	SORT_BY(items, n, ns);
	while (i + 1 < n && seen + items[i].calls < rank)
		seen += items[i++].calls;
	return items[i].ns;
}

/* The same of all items of the group, by the bucket that it is in. */
static int64_t find_rank(struct ranking *r, uint64_t rank)
{
	uint64_t seen = 0;
	size_t bucket = 0;

	if (r->n <= FEW)
		return at_rank(r->items, r->n, rank);
	while (bucket + 1 < HISTOGRAM_BUCKETS && seen + r->counts[bucket] < rank)
		seen += r->counts[bucket++];
	r->nfew = 0;
	for (size_t i = 0; i < r->n; i++)
		if (histogram_bucket_of(r->items[i].ns) == bucket)
			*ARRAY_PUSH(r->few, r->nfew, r->few_cap) = r->items[i];
	return at_rank(r->few, r->nfew, rank - seen);
}

static void count(struct ranking *r)
{
	if (r->n <= FEW)
		return;
	memset(r->counts, 0, HISTOGRAM_BUCKETS * sizeof(*r->counts));
	for (size_t i = 0; i < r->n; i++)
		r->counts[histogram_bucket_of(r->items[i].ns)] += r->items[i].calls;
}

/* The least number of calls that are so many percent of n, which is never 0. */
static uint64_t rank_of(uint64_t n, unsigned percent)
{
	uint64_t rank = (n / 100 * percent) + (((n % 100 * percent) + 99) / 100);

	return rank ? rank : 1;
}

static void rank_group(struct ranking *r, size_t i)
{
	struct gathering *g = r->g;
	struct kernel_group *group = &g->out->groups[i];
	uint64_t calls = (uint64_t)group->calls;

	r->n = 0;
	for (size_t k = r->durations.first[i]; k < r->durations.first[i + 1]; k++)
		add(r, g->durations[r->durations.places[k]].ns, 1);
	for (size_t k = r->packed.first[i]; k < r->packed.first[i + 1]; k++)
		unpack(r, g->packed[r->packed.places[k]].bytes);
	count(r);
	group->p50_ns = find_rank(r, rank_of(calls, 50));
	group->p95_ns = find_rank(r, rank_of(calls, 95));
}

void kernels_set_percentiles(struct gathering *g)
{
	size_t n = g->out->n;
	struct ranking r = {
		.g = g,
		.durations = by_group(g->durations, g->ndurations, sizeof(*g->durations),
				      offsetof(struct duration, group), n),
		.packed = by_group(g->packed, g->npacked, sizeof(*g->packed),
				   offsetof(struct packed_durations, group), n),
		.counts = xcalloc(HISTOGRAM_BUCKETS, sizeof(*r.counts)),
	};

	for (size_t i = 0; i < n; i++)
		rank_group(&r, i);
	by_group_release(&r.durations);
	by_group_release(&r.packed);
	free(r.items);
	free(r.few);
	free(r.counts);
}
