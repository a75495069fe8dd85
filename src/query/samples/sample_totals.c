/* What functions, lines and files weigh in sampled stacks: see sample_set.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/samples/sample_set.h"
#include "trace/fact.h"

/* What a node's own stack has, and with all stacks that begin with it. */
struct weighed {
	int64_t self, total, self_samples, samples;
	uint32_t first, next; /* callee, and sibling; SAMPLE_ROOT */
};

static void add_sums(const struct sample_set *set, uint32_t thread,
		     struct weighed *weighed)
{
	for (size_t i = 0; i < set->nsums; i++) {
		const struct sample_sum *sum = &set->sums[i];
		if (sum->node == SAMPLE_ROOT ||
		    (thread != UINT32_MAX && sum->thread != thread))
			continue;
		struct weighed *w = &weighed[sum->node];
		int64_t samples = sum->samples == NUMBER_NONE ? 0 : sum->samples;
		w->self = sum_add(w->self, sum->weight);
		w->self_samples = sum_add(w->self_samples, samples);
	}
}

/* Totals from the innermost stacks outwards, and who is called by whom. */
static uint32_t link_nodes(const struct sample_set *set, struct weighed *weighed)
{
	uint32_t root = SAMPLE_ROOT;

	for (size_t i = 0; i < set->nnodes; i++) {
		weighed[i].total = weighed[i].self;
		weighed[i].samples = weighed[i].self_samples;
		weighed[i].first = SAMPLE_ROOT;
	}
	for (size_t i = set->nnodes; i-- > 0;) {
		uint32_t caller = set->nodes[i].caller;
		uint32_t *first = caller == SAMPLE_ROOT ? &root : &weighed[caller].first;
		weighed[i].next = *first;
		*first = (uint32_t)i;
		if (caller == SAMPLE_ROOT)
			continue;
		struct weighed *w = &weighed[caller];
		w->total = sum_add(w->total, weighed[i].total);
		w->samples = sum_add(w->samples, weighed[i].samples);
	}
	return root;
}

void sample_add_up(const struct sample_set *set, const uint32_t *group, size_t ngroups,
		   uint32_t thread, struct sample_totals *out)
{
	struct weighed *weighed = xcalloc(set->nnodes + 1, sizeof(*weighed));
	uint32_t *open = xcalloc(ngroups + 1, sizeof(*open));

	add_sums(set, thread, weighed);
	uint32_t at = link_nodes(set, weighed);
	while (at != SAMPLE_ROOT) {
		const struct weighed *w = &weighed[at];
		struct sample_totals *t = &out[group[at]];
		t->self = sum_add(t->self, w->self);
		t->self_samples = sum_add(t->self_samples, w->self_samples);
		if (open[group[at]]++ == 0) {
			t->total = sum_add(t->total, w->total);
			t->samples = sum_add(t->samples, w->samples);
		}
		if (w->first != SAMPLE_ROOT) {
			at = w->first;
			continue;
		}
		/* up to the next that was not looked at */
		while (at != SAMPLE_ROOT) {
			open[group[at]]--;
			if (weighed[at].next != SAMPLE_ROOT)
				break;
			at = set->nodes[at].caller;
		}
		if (at != SAMPLE_ROOT)
			at = weighed[at].next;
	}
	free(weighed);
	free(open);
}
