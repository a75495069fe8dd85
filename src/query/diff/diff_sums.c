/* What a side measured: see diff_sums.h. */
#include "query/diff/diff_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

void diff_sums_add(struct diff_sums *s, struct diff_sum sum)
{
	struct diff_sum *last = s->n ? &s->items[s->n - 1] : NULL;

	if (last && last->row == sum.row && last->replicate == sum.replicate) {
		last->calls = sum_add(last->calls, sum.calls);
		last->amount = sum_add(last->amount, sum.amount);
		return;
	}
	s->items = xgrow(s->items, &s->cap, s->n + 1, sizeof(*s->items));
	s->items[s->n++] = sum;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct diff_sum *items = context;
	const struct diff_sum *x = &items[a], *y = &items[b];

	return x->row != y->row ? x->row < y->row : x->replicate < y->replicate;
}

void diff_sums_merge(struct diff_sums *s)
{
	uint32_t *at = xrealloc_array(NULL, s->n * 2, sizeof(*at));
	struct diff_sums merged = { .n = 0 };

	for (size_t i = 0; i < s->n; i++)
		at[i] = (uint32_t)i;
	sort_indexes(at, s->n, at + s->n, is_before, s->items);
	for (size_t i = 0; i < s->n; i++)
		diff_sums_add(&merged, s->items[at[i]]);
	free(at);
	free(s->items);
	*s = merged;
}

void diff_sums_release(struct diff_sums *s)
{
	free(s->items);
	*s = (struct diff_sums){ .n = 0 };
}

size_t diff_sums_first(const struct diff_sums *s, uint32_t row)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->items[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
