/* Segments by kind: see gap_tally.h. */
#include "query/gaps/gap_tally.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"

struct ordering {
	const struct gap_segment *items;
	enum gap_key key;
};

static uint32_t key_of(const struct gap_segment *s, enum gap_key key)
{
	switch (key) {
	case GAP_KEY_OP:
		return s->op;
	case GAP_KEY_FRAME:
		return s->frame;
	case GAP_KEY_ANNOTATION:
		return s->annotation;
	case GAP_KEY_NONE:
		break;
	}
	return 0;
}

/* Below 0, 0 when they are of one kind, or above. */
static int compare_kinds(const struct ordering *o, uint32_t a, uint32_t b)
{
	const struct gap_segment *x = &o->items[a], *y = &o->items[b];

	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->blamed != y->blamed)
		return x->blamed < y->blamed ? -1 : 1;
	return sort_order(key_of(x, o->key), key_of(y, o->key));
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	return compare_kinds(context, a, b) < 0;
}

static int64_t length(const struct gap_tally *t, uint32_t place)
{
	const struct gap_segment *s = &t->line->items[t->order[place]];

	return sum_sub(s->end_ns, s->start_ns);
}

/* Of two places the longer one, of equal ones the first. */
static uint32_t longer(const struct gap_tally *t, uint32_t a, uint32_t b)
{
	int64_t a_ns = length(t, a), b_ns = length(t, b);

	return a_ns > b_ns || (a_ns == b_ns && a < b) ? a : b;
}

void gap_tally_make(struct gap_tally *t, const struct gap_line *line, enum gap_key key)
{
	const struct ordering ordering = { line->items, key };
	uint32_t n = (uint32_t)line->n;

	*t = (struct gap_tally){ .line = line };
	t->order = xrealloc_array(NULL, ((size_t)n * 2) + 1, sizeof(*t->order));
	t->before = xcalloc((size_t)n + 1, sizeof(*t->before));
	t->longest = xcalloc(((size_t)n * 2) + 1, sizeof(*t->longest));
	for (uint32_t i = 0; i < n; i++)
		t->order[i] = i;
	sort_indexes(t->order, n, t->order + n, is_before, &ordering);
	for (uint32_t i = 0; i < n; i++) {
		t->before[i + 1] = sum_add(t->before[i], length(t, i));
		t->longest[n + i] = i;
		if (i && !compare_kinds(&ordering, t->order[i - 1], t->order[i])) {
			t->kinds[t->nkinds - 1].n++;
			continue;
		}
		*ARRAY_PUSH(t->kinds, t->nkinds, t->cap) = (struct gap_kind){ i, 1 };
	}
	for (uint32_t i = n; i-- > 1;)
		t->longest[i] = longer(t, t->longest[2 * (size_t)i],
				       t->longest[2 * (size_t)i + 1]);
}

void gap_tally_release(struct gap_tally *t)
{
	free(t->order);
	free(t->before);
	free(t->longest);
	free(t->kinds);
	*t = (struct gap_tally){ .line = NULL };
}

/* The place of the first of the kind that is `segment` or a later one. */
static uint32_t place_of(const struct gap_tally *t, const struct gap_kind *kind,
			 uint32_t segment)
{
	uint32_t low = kind->first, high = kind->first + kind->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->order[middle] < segment)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The longest of the places from low up to end, of which there is one at least. */
static uint32_t longest_of(const struct gap_tally *t, uint32_t low, uint32_t end)
{
	size_t a = t->line->n + low, b = t->line->n + end;
	uint32_t best = low;

	for (; a < b; a /= 2, b /= 2) {
		if (a & 1)
			best = longer(t, best, t->longest[a++]);
		if (b & 1)
			best = longer(t, best, t->longest[--b]);
	}
	return best;
}

static int compare_found(const void *a, const void *b)
{
	const struct gap_found *x = a, *y = b;

	return sort_order(x->first, y->first);
}

size_t gap_tally_find(const struct gap_tally *t, uint32_t first, uint32_t end,
		      struct gap_found *out)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nkinds; i++) {
		uint32_t low = place_of(t, &t->kinds[i], first);
		uint32_t high = place_of(t, &t->kinds[i], end);
		if (low == high)
			continue;
		out[n++] = (struct gap_found){
			.ns = sum_sub(t->before[high], t->before[low]),
			.first = t->order[low],
			.longest = t->order[longest_of(t, low, high)],
		};
	}
	if (n > 1)
		qsort(out, n, sizeof(*out), compare_found);
	return n;
}
