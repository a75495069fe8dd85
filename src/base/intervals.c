/* Sets of intervals: see intervals.h. */
#include "base/intervals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

/* Of smaller sets a walk is as quick as looking up sums. */
#define SUMS_FROM 64
/* A set of so many times as many is looked into, not walked through. */
#define LOOK_UP_FROM 32

static int64_t min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void forget_sums(struct intervals *set)
{
	free(set->before);
	set->before = NULL;
}

/* Once it is a set.  Sums beyond int64 stick at its end, and are of no use. */
static void keep_sums(struct intervals *set)
{
	forget_sums(set);
	if (set->n < SUMS_FROM)
		return;
	set->before = xrealloc_array(NULL, set->n + 1, sizeof(*set->before));
	set->before[0] = 0;
	for (size_t i = 0; i < set->n; i++)
		set->before[i + 1] =
			sum_add(set->before[i],
				sum_sub(set->items[i].end_ns, set->items[i].start_ns));
	if (set->before[set->n] == INT64_MAX)
		forget_sums(set);
}

void intervals_add(struct intervals *to, int64_t start_ns, int64_t end_ns)
{
	if (start_ns >= end_ns)
		return;
	forget_sums(to);
	*ARRAY_PUSH(to->items, to->n, to->cap) = (struct interval){ start_ns, end_ns };
}

void intervals_unite(struct intervals *set)
{
	struct interval *items = set->items;
	size_t last = 0;

	if (set->n == 0)
		return;
	SORT_BY(items, set->n, start_ns);
	for (size_t i = 1; i < set->n; i++) {
		if (items[i].start_ns > items[last].end_ns)
			items[++last] = items[i];
		else
			items[last].end_ns = max_ns(items[last].end_ns, items[i].end_ns);
	}
	set->n = last + 1;
	keep_sums(set);
}

void intervals_release(struct intervals *set)
{
	free(set->items);
	free(set->before);
	*set = (struct intervals){ .n = 0 };
}

int64_t intervals_length(const struct intervals *set)
{
	return intervals_length_within(set, INT64_MIN, INT64_MAX);
}

size_t intervals_after(const struct intervals *set, int64_t ns)
{
	size_t at;

	SEARCH(at, 0, set->n, set->items[at].end_ns <= ns);
	return at;
}

/* The place behind the last that begins before ns. */
static size_t begun_before(const struct intervals *set, int64_t ns)
{
	size_t at;

	SEARCH(at, 0, set->n, set->items[at].start_ns < ns);
	return at;
}

int64_t intervals_length_within(const struct intervals *set, int64_t from_ns,
				int64_t to_ns)
{
	size_t first = intervals_after(set, from_ns), end = begun_before(set, to_ns);
	int64_t length = 0;

	if (from_ns >= to_ns || first >= end)
		return 0;
	if (set->before && end - first > 2) {
		length = set->before[end - 1] - set->before[first + 1];
		return length +
		       (set->items[first].end_ns -
			max_ns(set->items[first].start_ns, from_ns)) +
		       (min_ns(set->items[end - 1].end_ns, to_ns) -
			set->items[end - 1].start_ns);
	}
	for (size_t i = first; i < end; i++)
		length =
			sum_add(length, sum_sub(min_ns(set->items[i].end_ns, to_ns),
						max_ns(set->items[i].start_ns, from_ns)));
	return length;
}

int64_t intervals_overlap(const struct intervals *a, const struct intervals *b)
{
	const struct intervals *few = a->n < b->n ? a : b, *many = few == a ? b : a;
	int64_t length = 0;

	if (few->n < many->n / LOOK_UP_FROM) {
		for (size_t i = 0; i < few->n; i++)
			length = sum_add(length, intervals_length_within(
							 many, few->items[i].start_ns,
							 few->items[i].end_ns));
		return length;
	}

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct interval *x = &a->items[i], *y = &b->items[k];
		int64_t start = max_ns(x->start_ns, y->start_ns);
		int64_t end = min_ns(x->end_ns, y->end_ns);
		if (start < end)
			length = sum_add(length, sum_sub(end, start));
		if (x->end_ns < y->end_ns)
			i++;
		else
			k++;
	}
	return length;
}

void intervals_intersect(const struct intervals *a, const struct intervals *b,
			 struct intervals *out)
{
	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct interval *x = &a->items[i], *y = &b->items[k];
		intervals_add(out, max_ns(x->start_ns, y->start_ns),
			      min_ns(x->end_ns, y->end_ns));
		if (x->end_ns < y->end_ns)
			i++;
		else
			k++;
	}
	keep_sums(out);
}

void intervals_join(const struct intervals *a, const struct intervals *b,
		    struct intervals *out)
{
	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
		bool is_a = k == b->n ||
			    (i < a->n && a->items[i].start_ns <= b->items[k].start_ns);
		const struct interval *next = is_a ? &a->items[i++] : &b->items[k++];
		intervals_add(out, next->start_ns, next->end_ns);
	}
	intervals_unite(out);
}

void intervals_subtract(const struct intervals *a, const struct intervals *b,
			struct intervals *out)
{
	size_t k = 0;

	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0; i < a->n; i++) {
		int64_t from = a->items[i].start_ns, end = a->items[i].end_ns;
		while (k < b->n && b->items[k].end_ns <= from)
			k++;
		for (; k < b->n && b->items[k].start_ns < end; k++) {
			intervals_add(out, from, b->items[k].start_ns);
			from = b->items[k].end_ns;
			if (from > end)
				break; /* and it may reach into the next of a */
		}
		intervals_add(out, from, end);
	}
	keep_sums(out);
}

void intervals_within(const struct intervals *a, int64_t from_ns, int64_t to_ns,
		      struct intervals *out)
{
	*out = (struct intervals){ .n = 0 };
	for (size_t i = intervals_after(a, from_ns);
	     i < a->n && a->items[i].start_ns < to_ns; i++)
		intervals_add(out, max_ns(a->items[i].start_ns, from_ns),
			      min_ns(a->items[i].end_ns, to_ns));
	keep_sums(out);
}
