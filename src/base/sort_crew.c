/*
 * The natural merge sort of sort.h by several threads: pieces are sorted apart, then
 * neighbours are merged, and each merge is cut where its output is (merge path), so that
 * the last one, of all items, is shared out as well.  Pieces that are in order already
 * cost one comparison.
 */
#include "base/sort.h"

#include <string.h>

#include "base/crew.h"
#include "base/spill.h"

static size_t cut_of(const struct crew_sort *s, size_t piece)
{
	return crew_cut(s->n, s->pieces, piece < s->pieces ? piece : s->pieces);
}

static void sort_piece(void *to, size_t i)
{
	const struct crew_sort *s = to;
	size_t first = cut_of(s, i);

	sort_spilled(s->spill, s->at + first, cut_of(s, i + 1) - first, s->spare + first,
		     s->before, s->context);
}

/* The two runs that a piece lies in. */
struct pair {
	size_t first, middle, end;
};

static struct pair pair_of(const struct crew_sort *s, size_t piece)
{
	size_t from = piece / (2 * s->width) * 2 * s->width;

	return (struct pair){ cut_of(s, from), cut_of(s, from + s->width),
			      cut_of(s, from + 2 * s->width) };
}

/* Asked of `at` before a round and of `spare` in it. */
static bool is_in_order(const struct crew_sort *s, const uint32_t *at,
			const struct pair *p)
{
	return p->middle == p->end || p->middle == p->first ||
	       !s->before(s->context, at[p->middle], at[p->middle - 1]);
}

static void copy_piece(void *to, size_t i)
{
	const struct crew_sort *s = to;
	size_t first = cut_of(s, i);

	memcpy(s->spare + first, s->at + first,
	       (cut_of(s, i + 1) - first) * sizeof(*s->at));
}

/* How many of the first `k` items of a merge come from its first run. */
static size_t split(const struct crew_sort *s, const struct pair *p, size_t k)
{
	const uint32_t *a = s->spare + p->first, *b = s->spare + p->middle;
	size_t na = p->middle - p->first, nb = p->end - p->middle;
	size_t low = k > nb ? k - nb : 0, high = k < na ? k : na;

	while (low < high) {
		size_t i = low + (high - low) / 2;
		if (s->before(s->context, b[k - i - 1], a[i]))
			high = i;
		else
			low = i + 1;
	}
	return low;
}

/* The part of a merge that comes to lie in one piece. */
static void merge_piece(void *to, size_t i)
{
	const struct crew_sort *s = to;
	const struct pair p = pair_of(s, i);
	size_t first = cut_of(s, i), end = cut_of(s, i + 1);

	if (is_in_order(s, s->spare, &p))
		return;
	size_t taken = split(s, &p, first - p.first);
	const uint32_t *a = s->spare + p.first + taken;
	const uint32_t *b = s->spare + p.middle + (first - p.first - taken);
	const uint32_t *a_end = s->spare + p.middle, *b_end = s->spare + p.end;
	for (size_t at = first; at < end; at++) {
		spill_tick(s->spill, at);
		if (b < b_end && (a == a_end || s->before(s->context, *b, *a)))
			s->at[at] = *b++;
		else
			s->at[at] = *a++;
	}
}

static bool is_all_in_order(const struct crew_sort *s)
{
	for (size_t i = 0; i < s->pieces; i += 2 * s->width) {
		const struct pair p = pair_of(s, i);
		if (!is_in_order(s, s->at, &p))
			return false;
	}
	return true;
}

void sort_by_crew(struct crew_sort s)
{
	s.pieces = 4 * ((size_t)s.others + 1);
	if (s.others == 0 || s.n < s.pieces) {
		sort_spilled(s.spill, s.at, s.n, s.spare, s.before, s.context);
		return;
	}
	crew_run(s.others, s.pieces, sort_piece, &s);
	for (s.width = 1; s.width < s.pieces; s.width *= 2) {
		if (is_all_in_order(&s))
			continue;
		crew_run(s.others, s.pieces, copy_piece, &s);
		crew_run(s.others, s.pieces, merge_piece, &s);
	}
}
