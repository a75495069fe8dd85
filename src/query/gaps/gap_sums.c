/* Sums of blame: see gap_sums.h. */
#include "query/gaps/gap_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/sum.h"

#define SLOTS_FIRST 64

static uint64_t hash_of(const struct gap_sum *s)
{
	uint64_t places = (uint64_t)s->device << 32 | s->key;

	return hash_u64(hash_u64(places) ^ ((uint64_t)s->blamed << 8 | s->cause));
}

static bool is_same(const struct gap_sum *a, const struct gap_sum *b)
{
	return a->device == b->device && a->key == b->key && a->blamed == b->blamed &&
	       a->cause == b->cause;
}

static void grow(struct gap_sums *s)
{
	size_t nslots = s->nslots ? s->nslots * 2 : SLOTS_FIRST;

	free(s->slots);
	s->slots = xcalloc(nslots, sizeof(*s->slots));
	s->nslots = nslots;
	for (size_t i = 0; i < s->n; i++) {
		size_t at = hash_of(&s->items[i]) & (nslots - 1);
		while (s->slots[at])
			at = (at + 1) & (nslots - 1);
		s->slots[at] = (uint32_t)i + 1;
	}
}

static struct gap_sum *sum_of(struct gap_sums *s, const struct gap_sum *of)
{
	/* most are of the same as the one before */
	if (s->newest < s->n && is_same(&s->items[s->newest], of))
		return &s->items[s->newest];
	if (s->n * 2 >= s->nslots)
		grow(s);
	size_t at = hash_of(of) & (s->nslots - 1);
	for (; s->slots[at]; at = (at + 1) & (s->nslots - 1))
		if (is_same(&s->items[s->slots[at] - 1], of)) {
			s->newest = s->slots[at] - 1;
			return &s->items[s->newest];
		}
	struct gap_sum *sum = ARRAY_PUSH(s->items, s->n, s->cap);
	*sum = *of;
	sum->idle_ns = sum->gaps = sum->gap_ns = 0;
	sum->longest_ns = sum->stepped_ns = sum->long_ns = 0;
	s->slots[at] = (uint32_t)s->n;
	s->newest = s->n - 1;
	return sum;
}

void gap_sums_add(struct gap_sums *s, const struct gap_sum *of, uint32_t gap, int64_t ns,
		  bool in_step)
{
	struct gap_sum *sum = sum_of(s, of);

	if (sum->gaps == 0 || sum->last_gap != gap) {
		sum->gaps++;
		sum->gap_ns = 0;
	}
	sum->last_gap = gap;
	sum->idle_ns = sum_add(sum->idle_ns, ns);
	sum->long_ns = sum_add(sum->long_ns, gap_long_ns(sum->gap_ns, ns));
	sum->gap_ns = sum_add(sum->gap_ns, ns);
	if (sum->gap_ns > sum->longest_ns)
		sum->longest_ns = sum->gap_ns;
	if (in_step)
		sum->stepped_ns = sum_add(sum->stepped_ns, ns);
}

size_t gap_sums_place(struct gap_sums *s, const struct gap_sum *of)
{
	return (size_t)(sum_of(s, of) - s->items);
}

void gap_sums_put(struct gap_sums *s, const struct gap_sum *sum)
{
	*sum_of(s, sum) = *sum;
}

/* Few sums leave no large table behind: what it takes is in proportion to them. */
void gap_sums_clear(struct gap_sums *s)
{
	if (s->n < s->nslots / SLOTS_FIRST) {
		free(s->slots);
		s->slots = NULL;
		s->nslots = 0;
	} else if (s->nslots) {
		memset(s->slots, 0, s->nslots * sizeof(*s->slots));
	}
	s->n = 0;
}

void gap_sums_release(struct gap_sums *s)
{
	free(s->items);
	free(s->slots);
	*s = (struct gap_sums){ .n = 0 };
}

static int compare_texts(const struct text_pool *texts, uint32_t a, uint32_t b)
{
	return str_compare(text_pool_str(texts, a), text_pool_str(texts, b));
}

bool gap_sum_is_more(const struct text_pool *texts, const struct gap_sum *x,
		     const struct gap_sum *y)
{
	if (x->idle_ns != y->idle_ns)
		return x->idle_ns > y->idle_ns;
	return compare_texts(texts, x->blamed, y->blamed) < 0;
}

/* Is it more of the row than what the row is charged to most so far? */
static bool is_larger(const struct gap_sum *sum, int64_t cause_ns,
		      const struct gap_row *row, const struct text_pool *texts)
{
	const struct gap_sum *largest = &row->largest;

	if (largest->gaps == 0)
		return true;
	if (cause_ns != row->cause_ns)
		return cause_ns > row->cause_ns;
	if (sum->cause != largest->cause)
		return sum->cause < largest->cause;
	return gap_sum_is_more(texts, sum, largest);
}

struct ordering {
	const struct gap_row *rows;
	const struct text_pool *texts;
	enum gap_order order;
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct ordering *o = context;
	const struct gap_sum *x = &o->rows[a].sum, *y = &o->rows[b].sum;

	if (x->device != y->device)
		return x->device < y->device;
	if (o->order != GAP_BY_KEY && x->idle_ns != y->idle_ns)
		return x->idle_ns > y->idle_ns;
	if (o->order == GAP_LARGEST_BY_TEXT)
		return compare_texts(o->texts, x->key, y->key) < 0;
	return x->key < y->key;
}

static void put_in_order(struct gap_row *rows, size_t n, const struct text_pool *texts,
			 enum gap_order order)
{
	struct ordering o = { rows, texts, order };
	uint32_t *at = sorted_places(n, is_before, &o);
	struct gap_row *sorted = xrealloc_array(NULL, n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = rows[at[i]];
	memcpy(rows, sorted, n * sizeof(*rows));
	free(sorted);
	free(at);
}

void gap_sums_of_causes(const struct gap_sums *sums, struct gap_sums *causes)
{
	for (size_t i = 0; i < sums->n; i++) {
		struct gap_sum of = sums->items[i];
		of.blamed = TEXT_NONE;
		gap_sums_add(causes, &of, 0, sums->items[i].idle_ns, false);
	}
}

size_t gap_rows_from(const struct gap_row_sums *from, const struct text_pool *texts,
		     enum gap_order order, struct gap_row **out)
{
	const struct gap_sums *sums = from->sums, *totals = from->totals;
	struct gap_sums index = { .n = 0 };
	struct gap_row *rows = xcalloc(totals->n + 1, sizeof(*rows));

	for (size_t i = 0; i < totals->n; i++) {
		rows[i].sum = totals->items[i];
		rows[i].largest.blamed = TEXT_NONE;
		sum_of(&index, &totals->items[i]);
	}
	for (size_t i = 0; i < sums->n; i++) {
		struct gap_sum of = sums->items[i];
		of.blamed = TEXT_NONE;
		int64_t cause_ns = sum_of(from->causes, &of)->idle_ns;
		of.cause = GAP_NONE;
		size_t place = gap_sums_place(&index, &of);
		if (place >= totals->n) /* of no total, in a store that was edited */
			continue;
		struct gap_row *row = &rows[place];
		if (!is_larger(&sums->items[i], cause_ns, row, texts))
			continue;
		row->largest = sums->items[i];
		row->cause_ns = cause_ns;
	}
	gap_sums_release(&index);
	put_in_order(rows, totals->n, texts, order);
	*out = rows;
	return totals->n;
}

size_t gap_rows_make(const struct gap_sums *sums, const struct gap_sums *totals,
		     const struct text_pool *texts, enum gap_order order,
		     struct gap_row **out)
{
	struct gap_sums causes = { .n = 0 };
	const struct gap_row_sums from = { sums, totals, &causes };

	gap_sums_of_causes(sums, &causes);
	size_t n = gap_rows_from(&from, texts, order, out);
	gap_sums_release(&causes);
	return n;
}
