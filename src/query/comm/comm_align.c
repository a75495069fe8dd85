/* Clocks of ranks: see comm_align.h. */
#include "query/comm/comm_align.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"

/* What a participant did in a match. */
struct own_part {
	size_t match, part;
};

/* The parts of each participant, and room for differences. */
struct aligning {
	struct comm_matches *m;
	size_t *first;        /* by participant, and one behind: places in own */
	struct own_part *own; /* of each, one behind the other */
	size_t *aligned;      /* by match: the first part whose clock is known, or NONE */
	int64_t *numbers;     /* as many as a participant has matches */
	bool *known;
};

#define NONE SIZE_MAX

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
		for (size_t k = 0; k < m->matches[i].n; k++) {
			size_t part = m->matches[i].first + k;
			a->own[fill[m->parts[part].participant]++] =
				(struct own_part){ i, part };
		}
	free(fill);
}

/* Its clock is known from now on. */
static void set_known(struct aligning *a, uint32_t p)
{
	a->known[p] = true;
	for (size_t i = a->first[p]; i < a->first[p + 1]; i++) {
		const struct own_part *own = &a->own[i];
		if (own->part < a->aligned[own->match])
			a->aligned[own->match] = own->part;
	}
}

/* What its end differs by from an aligned participant's; false without one. */
static bool end_difference(const struct aligning *a, const struct own_part *own,
			   int64_t *difference_ns, uint32_t *clock)
{
	const struct comm_part *mine = &a->m->parts[own->part], *other;

	if (a->aligned[own->match] == NONE)
		return false;
	other = &a->m->parts[a->aligned[own->match]];
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
		const struct comm_match *match = &a->m->matches[a->own[i].match];
		const struct comm_call *call = &a->m->parts[match->first].call;
		uint32_t clock;
		if (only_synchronizing &&
		    !collective_synchronizes((enum collective)call->kind))
			continue;
		if (!end_difference(a, &a->own[i], &a->numbers[n], &clock) ||
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
	set_known(a, p);
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
			set_known(a, p);
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
	a.aligned = xrealloc_array(NULL, m->nmatches, sizeof(*a.aligned));
	for (size_t i = 0; i < m->nmatches; i++)
		a.aligned[i] = NONE;
	a.numbers = xcalloc(m->nmatches + 1, sizeof(*a.numbers));
	while (begin_clock(&a, &clocks))
		while (align_round(&a, true) || align_round(&a, false))
			;
	free(a.first);
	free(a.known);
	free(a.own);
	free(a.aligned);
	free(a.numbers);
}
