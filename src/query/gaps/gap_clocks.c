/* Clocks of ranks: see gap_clocks.h. */
#include "query/gaps/gap_clocks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

/* A group of a rank among the same groups of others. */
struct member {
	uint32_t rank, group; /* places in ranks and in its groups */
};

/* The same collectives of one process group, on the host or on devices of all ranks. */
struct class
{
	size_t first, n; /* members, by rank */
	size_t length;   /* collectives of each */
	int64_t by_rank; /* the rank that others are aligned to */
	int aligned_by; /* how many ranks they are: two are enough, as none is to itself */
	bool on_device;
	bool tells_error; /* its ends aligned a clock */
};

struct clocks {
	struct gap_ranks *r;
	struct class *classes;  /* owned */
	struct member *members; /* owned; of one class after the other */
	size_t nclasses;
	int64_t *distances; /* owned; room for the collectives of any rank */
	uint32_t *order;    /* owned; ranks in the order in which they were aligned */
	size_t nordered;
};

static const struct gap_group *group_of(const struct clocks *c, struct member m)
{
	return &c->r->ranks[m.rank].groups[m.group];
}

static const struct gap_collective *items_of(const struct clocks *c, struct member m)
{
	return &c->r->ranks[m.rank].items[group_of(c, m)->first];
}

/* The end of the group that begins at `first`. */
static size_t group_end(const struct gap_rank *rank, size_t first)
{
	const struct gap_collective *items = rank->items;
	size_t end = first + 1;

	while (end < rank->n && items[end].members == items[first].members &&
	       items[end].on_device == items[first].on_device)
		end++;
	return end;
}

/* What a group has in common with those that are the same on other ranks. */
static uint32_t class_of(const struct gap_rank *rank, size_t first, size_t end,
			 struct intern *keys, struct buf *key)
{
	uint32_t head[2] = { rank->items[first].members, rank->items[first].on_device };

	buf_clear(key);
	buf_add_str(key, str_bytes(head, sizeof(head)));
	for (size_t i = first; i < end; i++)
		buf_add_str(key,
			    str_bytes(&rank->items[i].name, sizeof(rank->items[i].name)));
	return intern_add(keys, buf_str(key));
}

static void find_groups(struct gap_rank *rank, struct intern *keys, struct buf *key)
{
	size_t cap = 0;

	for (size_t i = 0, end; i < rank->n; i = end) {
		end = group_end(rank, i);
		*ARRAY_PUSH(rank->groups, rank->ngroups, cap) =
			(struct gap_group){ i, end - i, class_of(rank, i, end, keys, key),
					    0 };
	}
}

static void find_all_groups(struct clocks *c)
{
	struct intern keys;
	struct buf key;
	size_t most = 0;

	intern_init(&keys);
	buf_init(&key, SIZE_MAX);
	for (size_t i = 0; i < c->r->n; i++) {
		find_groups(&c->r->ranks[i], &keys, &key);
		most = c->r->ranks[i].n > most ? c->r->ranks[i].n : most;
	}
	c->nclasses = keys.n;
	c->distances = xrealloc_array(NULL, most + 1, sizeof(*c->distances));
	intern_release(&keys);
	buf_release(&key);
}

static void list_members(struct clocks *c)
{
	size_t at = 0, lasts = 0;

	c->classes = xcalloc(c->nclasses + 1, sizeof(*c->classes));
	for (size_t i = 0; i < c->r->n; i++)
		for (size_t k = 0; k < c->r->ranks[i].ngroups; k++)
			c->classes[c->r->ranks[i].groups[k].class].n++;
	for (size_t i = 0; i < c->nclasses; i++) {
		c->classes[i].first = at;
		at += c->classes[i].n;
		c->classes[i].n = 0;
	}
	c->members = xrealloc_array(NULL, at + 1, sizeof(*c->members));
	for (uint32_t i = 0; i < c->r->n; i++)
		for (uint32_t k = 0; k < c->r->ranks[i].ngroups; k++) {
			struct gap_group *group = &c->r->ranks[i].groups[k];
			struct class *class = &c->classes[group->class];
			if (!class->n) {
				class->length = group->n;
				lasts += group->n;
			}
			class->on_device = c->r->ranks[i].items[group->first].on_device;
			c->members[class->first + class->n++] = (struct member){ i, k };
		}
	c->r->lasts = xcalloc(lasts + 1, sizeof(*c->r->lasts));
}

/* The member of a class that is the rank's, or NULL. */
static const struct member *member_of(const struct clocks *c, const struct class *class,
				      uint32_t rank)
{
	size_t at;

	SEARCH(at, class->first, class->first + class->n, c->members[at].rank < rank);
	return at < class->first + class->n && c->members[at].rank == rank
		       ? &c->members[at]
		       : NULL;
}

/* By the median of the distances of all ends that both have, on the device or the host. */
static void align_to(struct clocks *c, uint32_t late, uint32_t to, bool on_device)
{
	struct gap_rank *rank = &c->r->ranks[late];
	size_t n = 0;

	for (size_t i = 0; i < rank->ngroups; i++) {
		const struct gap_group *own = &rank->groups[i];
		struct class *class = &c->classes[own->class];
		const struct member *other = member_of(c, class, to);
		if (class->on_device != on_device || !other)
			continue;
		class->tells_error = true;
		for (size_t k = 0; k < own->n; k++)
			c->distances[n++] = sum_sub(rank->items[own->first + k].end_ns,
						    items_of(c, *other)[k].end_ns);
	}
	qsort(c->distances, n, sizeof(*c->distances), sort_compare_int64);
	rank->clock_ns = sum_add(c->r->ranks[to].clock_ns, c->distances[n / 2]);
	rank->aligned_to = c->r->ranks[to].aligned_to;
	c->r->is_aligned = true;
	c->order[c->nordered++] = late;
}

/* Aligns to this rank all of others that share collectives with it. */
static void align_others(struct clocks *c, uint32_t at, bool on_device)
{
	const struct gap_rank *rank = &c->r->ranks[at];
	int64_t number = rank->profile->rank;

	for (size_t i = 0; i < rank->ngroups; i++) {
		struct class *class = &c->classes[rank->groups[i].class];
		if (class->on_device != on_device || class->aligned_by == 2 ||
		    (class->aligned_by == 1 && class->by_rank == number))
			continue;
		class->aligned_by++;
		class->by_rank = number;
		for (size_t k = 0; k < class->n; k++) {
			uint32_t other = c->members[class->first + k].rank;
			if (!c->r->ranks[other].aligned_to &&
			    c->r->ranks[other].profile->rank != number)
				align_to(c, other, at, on_device);
		}
	}
}

/* Devices first, from each rank that is reached: their ends are closer to each other. */
static void align_all(struct clocks *c)
{
	size_t on_device = 0, on_host = 0;

	c->order = xrealloc_array(NULL, c->r->n, sizeof(*c->order));
	for (uint32_t first = 0; first < c->r->n; first++) {
		if (c->r->ranks[first].aligned_to)
			continue;
		c->r->ranks[first].aligned_to = first + 1;
		c->order[c->nordered++] = first;
		while (on_host < c->nordered) {
			while (on_device < c->nordered)
				align_others(c, c->order[on_device++], true);
			align_others(c, c->order[on_host++], false);
		}
	}
}

static bool has_two_ranks(const struct clocks *c, const struct class *class)
{
	for (size_t i = 1; i < class->n; i++)
		if (c->r->ranks[c->members[class->first + i].rank].profile->rank !=
		    c->r->ranks[c->members[class->first].rank].profile->rank)
			return true;
	return false;
}

/* How far apart its ends are in the common clock. */
static int64_t error_of(const struct clocks *c, const struct class *class, size_t nth)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t i = 0; i < class->n; i++) {
		struct member m = c->members[class->first + i];
		int64_t end_ns =
			sum_sub(items_of(c, m)[nth].end_ns, c->r->ranks[m.rank].clock_ns);
		first_ns = end_ns < first_ns ? end_ns : first_ns;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
	}
	return sum_sub(last_ns, first_ns);
}

static void come(struct gap_last *last, int64_t came_ns, int64_t rank)
{
	int at = 0;

	while (at < last->n && last->rank[at] != rank && came_ns <= last->came_ns[at])
		at++;
	if (at == 2 || (at < last->n && came_ns <= last->came_ns[at]))
		return;
	bool is_known = at < last->n && last->rank[at] == rank;
	if (!is_known && at == 0 &&
	    last->n) { /* the second's place, even if it was this */
		last->came_ns[1] = last->came_ns[0];
		last->rank[1] = last->rank[0];
		last->n = 2;
	} else if (at == last->n) {
		last->n++;
	}
	last->came_ns[at] = came_ns;
	last->rank[at] = rank;
}

/* Who came last to each collective of a class. */
static void find_lasts(struct clocks *c, const struct class *class,
		       struct gap_last *lasts)
{
	for (size_t i = 0; i < class->n; i++) {
		struct member m = c->members[class->first + i];
		const struct gap_rank *rank = &c->r->ranks[m.rank];
		for (size_t k = 0; k < class->length; k++)
			come(&lasts[k],
			     sum_sub(items_of(c, m)[k].start_ns, rank->clock_ns),
			     rank->profile->rank);
	}
}

static void compare_ranks(struct clocks *c)
{
	size_t at = 0;

	for (size_t i = 0; i < c->nclasses; i++) {
		struct class *class = &c->classes[i];
		bool is_shared = has_two_ranks(c, class);
		for (size_t k = 0; k < class->n; k++) {
			struct member m = c->members[class->first + k];
			c->r->ranks[m.rank].groups[m.group].lasts = at;
		}
		if (is_shared && !class->on_device)
			find_lasts(c, class, &c->r->lasts[at]);
		for (size_t k = 0; is_shared && class->tells_error && k < class->length;
		     k++) {
			int64_t error_ns = error_of(c, class, k);
			if (error_ns > c->r->error_ns)
				c->r->error_ns = error_ns;
		}
		at += class->length;
	}
}

void gap_clocks_align(struct gap_ranks *r)
{
	struct clocks c = { .r = r };

	if (!r->n)
		return;
	find_all_groups(&c);
	list_members(&c);
	align_all(&c);
	compare_ranks(&c);
	free(c.classes);
	free(c.members);
	free(c.distances);
	free(c.order);
}

bool gap_clocks_last(const struct gap_ranks *r, const struct gap_rank *rank,
		     const struct gap_group *group, size_t nth, int64_t *came_ns,
		     int64_t *late_rank)
{
	const struct gap_last *last = &r->lasts[group->lasts + nth];

	for (int i = 0; i < last->n; i++)
		if (last->rank[i] != rank->profile->rank) {
			*came_ns = sum_add(last->came_ns[i], rank->clock_ns);
			*late_rank = last->rank[i];
			return true;
		}
	return false;
}
