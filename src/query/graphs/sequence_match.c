/* Kernels found by their names in order: see sequence_match.h. */
#include "query/graphs/sequence_match.h"

#include <stdlib.h>

#include "base/alloc.h"
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
		sort_by_field(suffixes, s->n, sizeof(*suffixes),
			      offsetof(struct suffix, key));
		is_sorted = set_ranks(suffixes, s->n, ranks);
	}
	m->order = xrealloc_array(NULL, s->n + 1, sizeof(*m->order));
	for (size_t i = 0; i < s->n; i++)
		m->order[i] = suffixes[i].at;
	free(suffixes);
	free(ranks);
}

/* Names that only one path launches. */
static void find_only(struct sequence_match *m)
{
	const struct launch_source *s = m->source;

	m->nonly = s->texts->n;
	m->only = xcalloc(m->nonly + 1, sizeof(*m->only));
	for (size_t i = 0; i < s->n; i++) {
		uint32_t *only = &m->only[s->items[i].name];
		if (*only == CALL_PATH_NONE)
			*only = s->items[i].path ? s->items[i].path : UINT32_MAX;
		else if (*only != s->items[i].path)
			*only = UINT32_MAX;
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

/* The path that the item has in all places, or CALL_PATH_NONE. */
static uint32_t common_path(const struct sequence_match *m, struct alike a, size_t depth)
{
	const struct launched *items = m->source->items;
	uint32_t path = items[m->order[a.from] + depth].path;

	for (size_t i = a.from + 1; i < a.to; i++)
		if (items[m->order[i] + depth].path != path)
			return CALL_PATH_NONE;
	return path;
}

static void set_paths(struct sequence_match *m, struct alike a, const uint32_t *names,
		      size_t n, uint32_t *paths)
{
	uint64_t work = (uint64_t)(a.to - a.from) * n;
	/* pieces that lie over each other do not tell which is which */
	bool is_clear = work <= m->source->n && work <= m->left;

	if (is_clear)
		m->left -= work;
	for (size_t i = 0; i < n; i++) {
		uint32_t only = names[i] < m->nonly ? m->only[names[i]] : UINT32_MAX;
		paths[i] = is_clear             ? common_path(m, a, i)
			   : only != UINT32_MAX ? only
						: CALL_PATH_NONE;
	}
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

bool sequence_match_find(struct sequence_match *m, const uint32_t *names, size_t n,
			 uint32_t *paths)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		paths[i] = CALL_PATH_NONE;
	while (at < n) {
		struct alike a = { 0, m->source->n };
		size_t depth = longest(m, names + at, n - at, &a);
		if (depth == n || depth >= MATCH_LEAST)
			set_paths(m, a, names + at, depth, paths + at);
		if (depth == n)
			return true;
		at += depth ? depth : 1;
	}
	return false;
}
