/* Kernels found by their names in order: see sequence_match.h. */
#include "query/graphs/sequence_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"

/* Comparisons for each item of the source: no graph needs nearly as many. */
#define WORK_MOST 1024

/* What an item is sorted by in a round: its own rank, and that of the one so far on. */
struct suffix {
	int64_t key;
	uint32_t at;
};

/* Ranks from the keys; true when all differ. */
static bool set_ranks(const struct suffix *suffixes, size_t n, uint32_t *ranks)
{
	uint32_t rank = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || suffixes[i].key != suffixes[i - 1].key)
			rank++;
		ranks[suffixes[i].at] = rank;
	}
	return rank == n;
}

/* Sorts the items by the names from each on: twice as many are compared in each round. */
static void sort_suffixes(struct sequence_match *m)
{
	const struct launch_source *s = m->source;
	struct suffix *suffixes = xrealloc_array(NULL, s->n + 1, sizeof(*suffixes));
	uint32_t *ranks = xrealloc_array(NULL, s->n + 1, sizeof(*ranks));
	bool is_sorted = s->n == 0;

	for (size_t i = 0; i < s->n; i++)
		ranks[i] = s->items[i].name;
	for (size_t width = 0; !is_sorted; width = width ? width * 2 : 1) {
		for (size_t i = 0; i < s->n; i++) {
			int64_t next = width && i + width < s->n ? ranks[i + width] : 0;
			suffixes[i] = (struct suffix){ (int64_t)ranks[i] << 31 | next,
						       (uint32_t)i };
		}
		SORT_BY(suffixes, s->n, key);
		is_sorted = set_ranks(suffixes, s->n, ranks);
	}
	m->order = xrealloc_array(NULL, s->n + 1, sizeof(*m->order));
	for (size_t i = 0; i < s->n; i++)
		m->order[i] = suffixes[i].at;
	free(suffixes);
	free(ranks);
}

/* What all work of a name agrees in. */
static void find_only(struct sequence_match *m)
{
	const struct launch_source *s = m->source;

	m->nonly = s->texts->n;
	m->only = xcalloc(m->nonly + 1, sizeof(*m->only));
	for (size_t i = 0; i < m->nonly; i++)
		m->only[i].name = UINT32_MAX;
	for (size_t i = 0; i < s->n; i++) {
		struct launched *only = &m->only[s->items[i].name];
		if (only->name == UINT32_MAX)
			*only = s->items[i];
		else
			launched_agree(only, &s->items[i]);
	}
}

void sequence_match_init(struct sequence_match *m, const struct launch_source *source)
{
	*m = (struct sequence_match){ .source = source,
				      .left = ((uint64_t)source->n + 1) * WORK_MOST };
	sort_suffixes(m);
	find_only(m);
}

void sequence_match_release(struct sequence_match *m)
{
	free(m->order);
	free(m->only);
	free(m->pieces);
	*m = (struct sequence_match){ .left = 0 };
}

/* Places in m->order whose items begin alike. */
struct alike {
	size_t from, to;
};

/* The name so many items after that in the order, plus 1; 0 behind the last. */
static uint64_t name_at(const struct sequence_match *m, size_t place, size_t depth)
{
	size_t at = m->order[place] + depth;

	return at < m->source->n ? m->source->items[at].name + UINT64_C(1) : 0;
}

/* Those of them that go on with the name. */
static struct alike narrow(const struct sequence_match *m, struct alike a, size_t depth,
			   uint32_t name)
{
	uint64_t wanted = name + UINT64_C(1);
	size_t from, to;

	SEARCH(from, a.from, a.to, name_at(m, from, depth) < wanted);
	SEARCH(to, from, a.to, name_at(m, to, depth) <= wanted);
	return (struct alike){ from, to };
}

/* How many of the names lie there as they are; *a: where they do. */
static size_t longest(const struct sequence_match *m, const uint32_t *names, size_t n,
		      struct alike *a)
{
	size_t depth = 0;

	for (; depth < n; depth++) {
		struct alike next = narrow(m, *a, depth, names[depth]);
		if (next.from == next.to)
			break;
		*a = next;
	}
	return depth;
}

/* A piece of the graph, and the places of the other recording that it lies in. */
struct match_piece {
	size_t at, n;
	struct alike places;
};

static int compare_pieces(const void *a, const void *b)
{
	const struct match_piece *x = a, *y = b;

	if (x->places.from != y->places.from)
		return x->places.from < y->places.from ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int compare_places(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Do they lie over each other?  Then they do not tell which is which. */
static bool overlap(const uint32_t *places, size_t n, size_t length)
{
	for (size_t i = 1; i < n; i++)
		if (places[i] - places[i - 1] < length)
			return true;
	return false;
}

/* Where the places tell nothing, the names alone may. */
static void set_only(const struct sequence_match *m, const struct match_piece *piece,
		     const uint32_t *names, uint32_t *paths)
{
	for (size_t i = piece->at; i < piece->at + piece->n; i++)
		paths[i] = launched_path(&m->only[names[i]]);
}

/* The piece that is the number-th of `turn` like it: what it is in each turn there. */
static void set_piece(const struct sequence_match *m, const struct match_piece *piece,
		      const uint32_t *places, size_t nplaces, size_t turn,
		      uint32_t *paths)
{
	const struct launched *items = m->source->items;

	for (size_t i = 0; i < piece->n; i++) {
		struct launched all = items[places[0] + i];
		for (size_t k = turn; k < nplaces; k += turn)
			launched_agree(&all, &items[places[k] + i]);
		paths[piece->at + i] = launched_path(&all);
	}
}

/* Pieces that are alike, in their order. */
static void set_pieces(struct sequence_match *m, const struct match_piece *pieces,
		       size_t npieces, const uint32_t *names, uint32_t *paths)
{
	size_t n = pieces->places.to - pieces->places.from, length = pieces->n;
	size_t turn = n % npieces ? 1 : npieces;
	uint64_t work = (uint64_t)n * length * (turn == 1 ? npieces : 1);
	bool is_clear = work <= m->left;
	uint32_t *places = NULL;

	if (is_clear) {
		m->left -= work;
		places = xrealloc_array(NULL, n, sizeof(*places));
		memcpy(places, m->order + pieces->places.from, n * sizeof(*places));
		qsort(places, n, sizeof(*places), compare_places);
		is_clear = !overlap(places, n, length);
	}
	for (size_t i = 0; i < npieces; i++) {
		size_t first = turn == 1 ? 0 : i;
		if (is_clear)
			set_piece(m, &pieces[i], places + first, n - first, turn, paths);
		else
			set_only(m, &pieces[i], names, paths);
	}
	free(places);
}

bool sequence_match_find(struct sequence_match *m, const uint32_t *names, size_t n,
			 uint32_t *paths)
{
	m->npieces = 0;
	for (size_t at = 0; at < n;) {
		struct alike a = { 0, m->source->n };
		size_t length = longest(m, names + at, n - at, &a);
		if (length == n || length >= MATCH_LEAST)
			*ARRAY_PUSH(m->pieces, m->npieces, m->pieces_cap) =
				(struct match_piece){ at, length, a };
		at += length ? length : 1;
	}
	for (size_t i = 0; i < n; i++)
		paths[i] = CALL_PATH_NONE;
	if (m->npieces)
		qsort(m->pieces, m->npieces, sizeof(*m->pieces), compare_pieces);
	for (size_t i = 0, next; i < m->npieces; i = next) {
		const struct match_piece *first = &m->pieces[i];
		for (next = i + 1; next < m->npieces; next++)
			if (m->pieces[next].places.from != first->places.from ||
			    m->pieces[next].n != first->n)
				break;
		set_pieces(m, first, next - i, names, paths);
	}
	return m->npieces == 1 && m->pieces[0].n == n;
}
