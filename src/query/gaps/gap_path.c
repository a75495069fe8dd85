/* Tracing roots through a shared line: see gap_path.h. */
#include "query/gaps/gap_path.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"

void gap_path_make(struct gap_path *p, const struct gap_line *line)
{
	uint32_t n = (uint32_t)line->n;

	*p = (struct gap_path){ .nspans = 0 };
	p->bursts_ns = xcalloc((size_t)n + 1, sizeof(*p->bursts_ns));
	p->next_drain = xcalloc((size_t)n + 1, sizeof(*p->next_drain));
	p->next_other = xcalloc((size_t)n + 1, sizeof(*p->next_other));
	p->next_drain[n] = p->next_other[n] = n;
	for (uint32_t i = 0; i < n; i++) {
		const struct gap_segment *s = &line->items[i];
		int64_t ns = gap_cause_is_burst((enum gap_cause)s->cause)
				     ? sum_sub(s->end_ns, s->start_ns)
				     : 0;
		p->bursts_ns[i + 1] = sum_add(p->bursts_ns[i], ns);
	}
	for (uint32_t i = n; i-- > 0;) {
		enum gap_cause cause = (enum gap_cause)line->items[i].cause;
		p->next_drain[i] = line->items[i].drains ? i : p->next_drain[i + 1];
		p->next_other[i] = gap_cause_is_burst(cause) ? p->next_other[i + 1] : i;
	}
}

void gap_path_release(struct gap_path *p)
{
	free(p->bursts_ns);
	free(p->next_drain);
	free(p->next_other);
	free(p->usual);
	free(p->spans);
	*p = (struct gap_path){ .nspans = 0 };
}

uint32_t gap_path_bursts(const struct gap_path *p, uint32_t at, uint32_t end,
			 int64_t most_ns)
{
	int64_t until_ns = sum_add(p->bursts_ns[at], most_ns);
	uint32_t low = at, high = p->next_other[at] < end ? p->next_other[at] : end;

	while (low < high) { /* the first whose end is beyond it */
		uint32_t middle = low + (high - low) / 2;
		if (p->bursts_ns[middle + 1] <= until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t gap_path_find(const struct gap_path *p, int64_t ns)
{
	size_t low = 0, high = p->nspans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->spans[middle].end_ns <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
