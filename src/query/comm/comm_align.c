/* Clocks of ranks: see comm_align.h. */
#include "query/comm/comm_align.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

/* The parts of each participant, and room for differences. */
struct aligning {
	struct comm_matches *m;
	size_t *first;    /* by participant, and one behind: places in own */
	size_t *own;      /* matches of each, one behind the other */
	int64_t *numbers; /* as many as a participant has matches */
	bool *known;
};

int64_t comm_median(int64_t *numbers, size_t n)
{
	qsort(numbers, n, sizeof(*numbers), sort_compare_int64);
	return numbers[(n - 1) / 2];
}

static void list_matches(struct aligning *a)
{
	const struct comm_matches *m = a->m;
	size_t *fill = xcalloc(m->nparticipants + 1, sizeof(*fill));

	for (size_t i = 0; i < m->nmatches; i++)
		for (size_t k = 0; k < m->matches[i].n; k++)
			a->first[m->parts[m->matches[i].first + k].participant + 1]++;
	for (size_t i = 0; i < m->nparticipants; i++) {
		a->first[i + 1] += a->first[i];
		fill[i] = a->first[i];
	}
	a->own = xcalloc(a->first[m->nparticipants] + 1, sizeof(*a->own));
	for (size_t i = 0; i < m->nmatches; i++)
		for (size_t k = 0; k < m->matches[i].n; k++)
			a->own[fill[m->parts[m->matches[i].first + k].participant]++] = i;
	free(fill);
}

/* What the end of participant p differs by from an aligned one's; false without one. */
static bool end_difference(const struct aligning *a, const struct comm_match *match,
			   uint32_t p, int64_t *difference_ns, uint32_t *clock)
{
	const struct comm_part *parts = a->m->parts + match->first;
	const struct comm_part *mine = NULL, *other = NULL;

	for (size_t i = 0; i < match->n; i++) {
		if (parts[i].participant == p)
			mine = &parts[i];
		else if (!other && a->known[parts[i].participant])
			other = &parts[i];
	}
	if (!mine || !other)
		return false;
	const struct comm_participant *aligned = &a->m->participants[other->participant];
	*difference_ns =
		sum_sub(mine->end_ns, sum_sub(other->end_ns, aligned->offset_ns));
	*clock = aligned->clock;
	return true;
}

static bool align_one(struct aligning *a, uint32_t p, bool only_synchronizing)
{
	struct comm_participant *participant = &a->m->participants[p];
	size_t n = 0;

	for (size_t i = a->first[p]; i < a->first[p + 1]; i++) {
		const struct comm_match *match = &a->m->matches[a->own[i]];
		const struct comm_call *call = &a->m->parts[match->first].call;
		uint32_t clock;
		if (only_synchronizing &&
		    !collective_synchronizes((enum collective)call->kind))
			continue;
		if (!end_difference(a, match, p, &a->numbers[n], &clock) ||
		    (n && clock != participant->clock))
			continue;
		participant->clock = clock;
		n++;
	}
	if (!n)
		return false;
	participant->offset_ns = comm_median(a->numbers, n);
	for (size_t i = 0; i < n; i++) {
		int64_t off = sum_sub(a->numbers[i], participant->offset_ns);
		a->numbers[i] = off < 0 ? sum_sub(0, off) : off;
	}
	participant->error_ns = comm_median(a->numbers, n);
	participant->shared = (int64_t)n;
	a->known[p] = true;
	return true;
}

/* Aligns all that can be; false when none could. */
static bool align_round(struct aligning *a, bool only_synchronizing)
{
	bool any = false;

	for (uint32_t p = 0; p < a->m->nparticipants; p++)
		if (!a->known[p])
			any |= align_one(a, p, only_synchronizing);
	return any;
}

/* The first that nothing ties to the others has a clock of its own. */
static bool begin_clock(struct aligning *a, uint32_t *clocks)
{
	for (uint32_t p = 0; p < a->m->nparticipants; p++)
		if (!a->known[p]) {
			a->known[p] = true;
			a->m->participants[p].clock = (*clocks)++;
			return true;
		}
	return false;
}

void comm_align(struct comm_matches *m)
{
	struct aligning a = { .m = m };
	uint32_t clocks = 0;

	a.first = xcalloc(m->nparticipants + 2, sizeof(*a.first));
	a.known = xcalloc(m->nparticipants + 1, sizeof(*a.known));
	list_matches(&a);
	a.numbers = xcalloc(m->nmatches + 1, sizeof(*a.numbers));
	while (begin_clock(&a, &clocks))
		while (align_round(&a, true) || align_round(&a, false))
			;
	free(a.first);
	free(a.known);
	free(a.own);
	free(a.numbers);
}
