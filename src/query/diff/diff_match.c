/* Renamed rows: see diff_match.h. */
#include "query/diff/diff_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

struct relaxed {
	uint32_t class; /* its relaxed name */
	int64_t place;
};

struct matching {
	const struct intern *names;
	const struct diff_single *singles;
	struct relaxed *relaxed; /* owned; by single */
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct matching *m = context;
	const struct diff_single *x = &m->singles[a], *y = &m->singles[b];
	const struct relaxed *p = &m->relaxed[a], *q = &m->relaxed[b];

	if (p->class != q->class)
		return p->class < q->class;
	if (x->is_new != y->is_new)
		return y->is_new;
	if (p->place != q->place)
		return p->place < q->place;
	if (x->amount != y->amount)
		return x->amount > y->amount;
	return str_compare(intern_str(m->names, x->row), intern_str(m->names, y->row)) <
	       0;
}

static void relax_names(struct matching *m, const uint32_t *at, size_t n,
			const struct diff_relaxing *way)
{
	struct intern classes;
	struct buf text;

	intern_init(&classes);
	buf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < n; i++) {
		struct relaxed *relaxed = &m->relaxed[at[i]];
		buf_clear(&text);
		relaxed->place =
			way->relax(intern_str(m->names, m->singles[at[i]].row), &text);
		relaxed->class = intern_add(&classes, buf_str(&text));
	}
	buf_release(&text);
	intern_release(&classes);
}

/* at[from..to) is one class, base's singles first. */
static void pair_class(const struct matching *m, const uint32_t *at, size_t from,
		       size_t to, bool is_unique, uint32_t *partner)
{
	size_t middle = from;

	while (middle < to && !m->singles[at[middle]].is_new)
		middle++;
	if (is_unique && (middle - from != 1 || to - middle != 1))
		return;
	for (size_t i = 0; from + i < middle && middle + i < to; i++) {
		partner[at[from + i]] = at[middle + i];
		partner[at[middle + i]] = at[from + i];
	}
}

/* Those without a partner yet, by their classes. */
static void match_one_way(struct matching *m, const struct diff_relaxing *way, size_t all,
			  uint32_t *at, uint32_t *partner)
{
	size_t n = 0;

	for (size_t i = 0; i < all; i++)
		if (partner[i] == DIFF_NO_PARTNER)
			at[n++] = (uint32_t)i;
	relax_names(m, at, n, way);
	sort_indexes(at, n, at + all, is_before, m);
	for (size_t from = 0, to; from < n; from = to) {
		to = from + 1;
		while (to < n && m->relaxed[at[to]].class == m->relaxed[at[from]].class)
			to++;
		pair_class(m, at, from, to, way->is_unique, partner);
	}
}

void diff_match_renamed(const struct intern *names, const struct diff_relaxing *ways,
			const struct diff_single *singles, size_t n, uint32_t *partner)
{
	struct matching m = { names, singles,
			      xrealloc_array(NULL, n, sizeof(struct relaxed)) };
	uint32_t *at = xrealloc_array(NULL, n * 2, sizeof(*at));

	for (size_t i = 0; i < n; i++)
		partner[i] = DIFF_NO_PARTNER;
	for (; ways->relax; ways++)
		match_one_way(&m, ways, n, at, partner);
	free(m.relaxed);
	free(at);
}
