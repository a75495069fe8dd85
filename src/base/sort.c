/* Natural merge sort: see sort.h. */
#include "base/sort.h"

#include <string.h>

#include "base/spill.h"

struct sorting {
	struct spill *spill;
	uint32_t *spare;
	sort_before *before;
	const void *context;
};

/* One past the longest run from `i` on that is in order. */
static size_t run_end(const struct sorting *s, const uint32_t *at, size_t i, size_t n)
{
	for (i++; i < n; i++) {
		spill_tick(s->spill, i);
		if (s->before(s->context, at[i], at[i - 1]))
			break;
	}
	return i;
}

static void merge(const struct sorting *s, uint32_t *at, size_t middle, size_t end)
{
	memcpy(s->spare, at, middle * sizeof(*at));
	size_t a = 0, b = middle, to = 0;
	while (a < middle && b < end) {
		spill_tick(s->spill, to);
		at[to++] = s->before(s->context, at[b], s->spare[a]) ? at[b++]
								     : s->spare[a++];
	}
	while (a < middle)
		at[to++] = s->spare[a++];
}

void sort_spilled(struct spill *spill, uint32_t *at, size_t n, uint32_t *spare,
		  sort_before *before, const void *context)
{
	struct sorting s = { spill, spare, before, context };

	for (size_t runs = 2; n && runs > 1;) {
		size_t first = 0;
		for (runs = 0; first < n; runs++) {
			size_t middle = run_end(&s, at, first, n);
			if (middle == n) {
				runs++;
				break;
			}
			size_t end = run_end(&s, at, middle, n);
			merge(&s, at + first, middle - first, end - first);
			first = end;
		}
	}
}

void sort_indexes(uint32_t *at, size_t n, uint32_t *spare, sort_before *before,
		  const void *context)
{
	sort_spilled(NULL, at, n, spare, before, context);
}
