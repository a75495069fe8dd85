/* What functions, lines and files weigh in sampled stacks: see sample_set.h. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/samples/sample_set.h"
#include "trace/fact.h"

/* What a node's own stack has, and with all stacks that begin with it. */
struct sample_weighed {
	int64_t self, total, self_samples, samples;
	uint32_t first, next; /* callee, and sibling; SAMPLE_ROOT */
	bool is_there;
};

static bool is_of_earlier_thread(const void *sums, uint32_t a, uint32_t b)
{
	const struct sample_sum *all = sums;

	return all[a].thread < all[b].thread;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void sample_adder_open(struct sample_adder *a, const struct sample_set *set,
		       const uint32_t *group, size_t ngroups)
{
	uint32_t *spare = xrealloc_array(NULL, set->nsums + 1, sizeof(*spare));

	*a = (struct sample_adder){ .set = set, .group = group };
	a->weighed = xcalloc(set->nnodes + 1, sizeof(*a->weighed));
	a->nodes = xrealloc_array(NULL, set->nnodes + 1, sizeof(*a->nodes));
	a->open = xcalloc(ngroups + 1, sizeof(*a->open));
	a->sums = xrealloc_array(NULL, set->nsums + 1, sizeof(*a->sums));
	a->totals = xcalloc(ngroups + 1, sizeof(*a->totals));
	a->groups = xrealloc_array(NULL, ngroups + 1, sizeof(*a->groups));
	for (size_t i = 0; i < set->nsums; i++)
		a->sums[i] = (uint32_t)i;
	sort_indexes(a->sums, set->nsums, spare, is_of_earlier_thread, set->sums);
	free(spare);
}

void sample_adder_close(struct sample_adder *a)
{
	free(a->weighed);
	free(a->nodes);
	free(a->open);
	free(a->sums);
	free(a->totals);
	free(a->groups);
	*a = (struct sample_adder){ .ngroups = 0 };
}

/* The node and its callers are among those that are looked at; returns how many are. */
static size_t reach(struct sample_adder *a, uint32_t node, size_t n)
{
	for (; node != SAMPLE_ROOT && !a->weighed[node].is_there;
	     node = a->set->nodes[node].caller) {
		a->weighed[node].is_there = true;
		a->nodes[n++] = node;
	}
	return n;
}

/* What the stack of each sum has itself; returns how many nodes these are on. */
static size_t add_sums(struct sample_adder *a, size_t end)
{
	size_t n = 0;

	for (; a->next_sum < end; a->next_sum++) {
		const struct sample_sum *sum = &a->set->sums[a->sums[a->next_sum]];
		if (sum->node == SAMPLE_ROOT)
			continue;
		struct sample_weighed *w = &a->weighed[sum->node];
		int64_t samples = sum->samples == NUMBER_NONE ? 0 : sum->samples;
		w->self = sum_add(w->self, sum->weight);
		w->self_samples = sum_add(w->self_samples, samples);
		n = reach(a, sum->node, n);
	}
	qsort(a->nodes, n, sizeof(*a->nodes), compare_numbers);
	return n;
}

/* Totals from the innermost stacks outwards, and who is called by whom. */
static uint32_t link_nodes(struct sample_adder *a, size_t n)
{
	uint32_t root = SAMPLE_ROOT;

	for (size_t i = 0; i < n; i++) {
		struct sample_weighed *w = &a->weighed[a->nodes[i]];
		w->total = w->self;
		w->samples = w->self_samples;
		w->first = SAMPLE_ROOT;
	}
	while (n-- > 0) {
		uint32_t at = a->nodes[n], caller = a->set->nodes[at].caller;
		struct sample_weighed *w = &a->weighed[at];
		uint32_t *first =
			caller == SAMPLE_ROOT ? &root : &a->weighed[caller].first;
		w->next = *first;
		*first = at;
		if (caller == SAMPLE_ROOT)
			continue;
		struct sample_weighed *of = &a->weighed[caller];
		of->total = sum_add(of->total, w->total);
		of->samples = sum_add(of->samples, w->samples);
	}
	return root;
}

/* On the way inwards: a group that is on the stack already counts no more. */
static void enter(struct sample_adder *a, uint32_t node)
{
	const struct sample_weighed *w = &a->weighed[node];
	uint32_t group = a->group[node];
	struct sample_totals *t = &a->totals[group];

	if (!t->is_there)
		a->groups[a->ngroups++] = group;
	t->is_there = true;
	t->self = sum_add(t->self, w->self);
	t->self_samples = sum_add(t->self_samples, w->self_samples);
	if (a->open[group]++ == 0) {
		t->total = sum_add(t->total, w->total);
		t->samples = sum_add(t->samples, w->samples);
	}
}

static void walk(struct sample_adder *a, uint32_t at)
{
	while (at != SAMPLE_ROOT) {
		enter(a, at);
		if (a->weighed[at].first != SAMPLE_ROOT) {
			at = a->weighed[at].first;
			continue;
		}
		/* up to the next that was not looked at */
		while (at != SAMPLE_ROOT) {
			a->open[a->group[at]]--;
			if (a->weighed[at].next != SAMPLE_ROOT)
				break;
			at = a->set->nodes[at].caller;
		}
		if (at != SAMPLE_ROOT)
			at = a->weighed[at].next;
	}
}

/* The sums from a->next_sum to `end`. */
static void add_up(struct sample_adder *a, size_t end)
{
	for (size_t i = 0; i < a->ngroups; i++)
		a->totals[a->groups[i]] = (struct sample_totals){ .self = 0 };
	a->ngroups = 0;
	size_t n = add_sums(a, end);
	walk(a, link_nodes(a, n));
	for (size_t i = 0; i < n; i++)
		a->weighed[a->nodes[i]] = (struct sample_weighed){ .self = 0 };
	qsort(a->groups, a->ngroups, sizeof(*a->groups), compare_numbers);
}

void sample_adder_next(struct sample_adder *a, uint32_t thread)
{
	const struct sample_set *set = a->set;
	size_t end;

	while (a->next_sum < set->nsums &&
	       set->sums[a->sums[a->next_sum]].thread < thread)
		a->next_sum++;
	for (end = a->next_sum;
	     end < set->nsums && set->sums[a->sums[end]].thread == thread; end++)
		;
	add_up(a, end);
}

void sample_add_up(const struct sample_set *set, const uint32_t *group, size_t ngroups,
		   struct sample_totals *out)
{
	struct sample_adder a;

	sample_adder_open(&a, set, group, ngroups);
	add_up(&a, set->nsums);
	memcpy(out, a.totals, ngroups * sizeof(*out));
	sample_adder_close(&a);
}
