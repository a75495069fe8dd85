/* Natural merge sort: see sort.h. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
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

/* Where the run before `middle` goes on behind the item there: a search from its end. */
static size_t first_behind(const struct sorting *s, const uint32_t *at, size_t first,
			   size_t middle)
{
	size_t step = 1, to = middle, place;

	while (to - first > step && s->before(s->context, at[middle], at[to - step])) {
		to -= step;
		step *= 2;
	}
	size_t from = to - first > step ? to - step : first;
	SEARCH(place, from, to, !s->before(s->context, at[middle], at[place]));
	return place;
}

/* So many times as long as a run may be what moves behind it. */
#define MOVED_TIMES 4

/*
 * Merges each run with what is before it where only the end of that moves: runs overlap
 * mostly with the next one alone.  Returns whether all is in order.
 */
static bool merge_neighbours(const struct sorting *s, uint32_t *at, size_t n)
{
	bool in_order = true;
	size_t first = 0, end;

	for (size_t middle = run_end(s, at, 0, n); middle < n; middle = end) {
		end = run_end(s, at, middle, n);
		size_t from = first_behind(s, at, first, middle);
		if ((middle - from) / MOVED_TIMES <= end - middle) {
			merge(s, at + from, middle - from, end - from);
		} else {
			first = middle;
			in_order = false;
		}
	}
	return in_order;
}

void sort_spilled(struct spill *spill, uint32_t *at, size_t n, uint32_t *spare,
		  sort_before *before, const void *context)
{
	struct sorting s = { spill, spare, before, context };

	if (n == 0 || merge_neighbours(&s, at, n))
		return;
	for (size_t runs = 2; runs > 1;) {
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

struct numbered {
	sort_number *number;
	const void *context;
};

static bool number_before(const void *context, uint32_t a, uint32_t b)
{
	const struct numbered *n = context;

	return n->number(n->context, a) < n->number(n->context, b);
}

/* The least number, and how far the largest is above it; 0: all is in order. */
static uint64_t reach_of(const struct numbered *by, struct spill *spill,
			 const uint32_t *at, size_t n, int64_t *least)
{
	int64_t most = INT64_MIN, newest = INT64_MIN;
	bool is_sorted = true;

	*least = INT64_MAX;
	for (size_t i = 0; i < n; i++) {
		spill_tick(spill, i);
		int64_t number = by->number(by->context, at[i]);
		is_sorted &= number >= newest;
		newest = number;
		most = number > most ? number : most;
		*least = number < *least ? number : *least;
	}
	return is_sorted ? 0 : (uint64_t)most - (uint64_t)*least;
}

#define DIGIT_BITS 11
#define NDIGITS    (1 << DIGIT_BITS)
#define PLACE_BITS 32 /* of an item, below a half of its number */
#define FEW        (NDIGITS / 2)

/* By one digit, stable. */
static void sort_digit(const uint64_t *from, uint64_t *to, size_t n, int shift)
{
	size_t starts[NDIGITS + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		starts[(from[i] >> shift & (NDIGITS - 1)) + 1]++;
	for (int i = 0; i < NDIGITS; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < n; i++)
		to[starts[from[i] >> shift & (NDIGITS - 1)]++] = from[i];
}

struct halves {
	const struct numbered *by;
	struct spill *spill;
	uint64_t *items, *spare;
	int64_t least;
};

/* By 32 bits of the numbers from `low` on, as far as there are any. */
static void sort_half(struct halves *h, uint32_t *at, size_t n, int low, uint64_t most)
{
	for (size_t i = 0; i < n; i++) {
		spill_tick(h->spill, i);
		uint64_t number = (uint64_t)h->by->number(h->by->context, at[i]) -
				  (uint64_t)h->least;
		h->items[i] = number >> low << PLACE_BITS | at[i];
	}
	for (int shift = PLACE_BITS;
	     shift < 2 * PLACE_BITS && most >> low >> (shift - PLACE_BITS);
	     shift += DIGIT_BITS) {
		uint64_t *sorted = h->spare;
		sort_digit(h->items, sorted, n, shift);
		h->spare = h->items;
		h->items = sorted;
		spill_pass(h->spill);
	}
	for (size_t i = 0; i < n; i++)
		at[i] = (uint32_t)h->items[i];
}

void sort_numbered(struct spill *spill, uint32_t *at, size_t n, uint32_t *spare,
		   sort_number *number, const void *context)
{
	const struct numbered by = { number, context };
	struct halves halves = { .by = &by, .spill = spill };

	if (n < FEW) {
		sort_spilled(spill, at, n, spare, number_before, &by);
		return;
	}
	uint64_t most = reach_of(&by, spill, at, n, &halves.least);
	if (most == 0)
		return;
	halves.items = spill_alloc(spill, n, sizeof(*halves.items));
	halves.spare = spill_alloc(spill, n, sizeof(*halves.spare));
	sort_half(&halves, at, n, 0, most);
	if (most >> PLACE_BITS)
		sort_half(&halves, at, n, PLACE_BITS, most);
	spill_free(spill, halves.items);
	spill_free(spill, halves.spare);
}

size_t sort_first(const void *items, size_t n, size_t size, size_t offset, int64_t key)
{
	const char *first = items; /* NULL, perhaps, where n is 0 */
	int64_t value;
	size_t at;

	SEARCH(at, 0, n,
	       *(int64_t *)memcpy(&value, first + offset + at * size, sizeof(value)) <
		       key);
	return at;
}

struct item_field {
	const char *items;
	size_t size, offset;
};

static int64_t field_of(const void *context, uint32_t item)
{
	const struct item_field *f = context;
	int64_t value;

	memcpy(&value, f->items + item * f->size + f->offset, sizeof(value));
	return value;
}

static bool field_before(const void *context, uint32_t a, uint32_t b)
{
	return field_of(context, a) < field_of(context, b);
}

void sort_by_field(void *items, size_t n, size_t size, size_t offset)
{
	const struct item_field field = { items, size, offset };
	size_t sorted = n > 0;

	while (sorted < n &&
	       !field_before(&field, (uint32_t)sorted, (uint32_t)sorted - 1))
		sorted++;
	if (sorted == n)
		return;
	uint32_t *at = xrealloc_array(NULL, 2 * n, sizeof(*at));
	char *from = xrealloc_array(NULL, n, size);
	for (size_t i = 0; i < n; i++)
		at[i] = (uint32_t)i;
	sort_numbered(NULL, at, n, at + n, field_of, &field);
	memcpy(from, items, n * size);
	for (size_t i = 0; i < n; i++)
		memcpy((char *)items + i * size, from + at[i] * size, size);
	free(from);
	free(at);
}

uint32_t *sorted_places(size_t n, sort_before *before, const void *context)
{
	uint32_t *at = xrealloc_array(NULL, (n * 2) + 1, sizeof(*at));

	for (size_t i = 0; i < n; i++)
		at[i] = (uint32_t)i;
	sort_indexes(at, n, at + n, before, context);
	return at;
}

void sort_groups_make(struct sort_groups *g, size_t n, sort_before *before,
		      const void *context)
{
	*g = (struct sort_groups){ .at = sorted_places(n, before, context) };
	g->items = xcalloc(n + 1, sizeof(*g->items));
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !before(context, g->at[i], g->at[end]);
		     end++)
			;
		g->items[g->n++] = (struct sort_group){ g->at + i, end - i };
	}
}

void sort_groups_release(struct sort_groups *g)
{
	free(g->items);
	free(g->at);
	*g = (struct sort_groups){ .n = 0 };
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at the start of a text without leading zeros; *text moves behind them. */
static struct str take_number(struct str *text)
{
	size_t zeros = 0, end;

	while (zeros < text->n && text->p[zeros] == '0')
		zeros++;
	for (end = zeros; end < text->n && is_digit(text->p[end]);)
		end++;
	struct str digits = { text->p + zeros, end - zeros };
	*text = (struct str){ text->p + end, text->n - end };
	return digits;
}

static int compare_numbers(struct str *a, struct str *b)
{
	struct str x = take_number(a), y = take_number(b);

	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return x.n ? memcmp(x.p, y.p, x.n) : 0;
}

/* A folder's files stand before those of its name's continuation: "a/b" before "a.b". */
static int weight(char c)
{
	return c == '/' ? 0 : (unsigned char)c + 1;
}

int natural_compare(struct str a, struct str b)
{
	struct str x = a, y = b;

	while (x.n > 0 && y.n > 0) {
		if (is_digit(*x.p) && is_digit(*y.p)) {
			int order = compare_numbers(&x, &y);
			if (order)
				return order;
			continue;
		}
		if (*x.p != *y.p)
			return weight(*x.p) < weight(*y.p) ? -1 : 1;
		x = (struct str){ x.p + 1, x.n - 1 };
		y = (struct str){ y.p + 1, y.n - 1 };
	}
	if (x.n != y.n)
		return x.n < y.n ? -1 : 1;
	return str_compare(a, b);
}
