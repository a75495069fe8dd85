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
	uint32_t *tied; /* those whose clock can be that of the newest one, in order */
	size_t ntied;
	bool *met, *seen; /* by participant, and by match: it was looked at for that */
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

	for (size_t i = 0; i < a->ntied; i++)
		if (!a->known[a->tied[i]])
			any |= align_one(a, a->tied[i], only_synchronizing);
	return any;
}

static void tie(struct aligning *a, uint32_t p)
{
	if (!a->met[p])
		a->tied[a->ntied++] = p;
	a->met[p] = true;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return sort_order(*x, *y);
}

/* Whom matches tie to the participant, itself among them, also by way of others. */
static void find_tied(struct aligning *a, uint32_t p)
{
	a->ntied = 0;
	tie(a, p);
	for (size_t i = 0; i < a->ntied; i++)
		for (size_t k = a->first[a->tied[i]]; k < a->first[a->tied[i] + 1]; k++) {
			const struct comm_match *match = &a->m->matches[a->own[k].match];
			if (a->seen[a->own[k].match])
				continue;
			a->seen[a->own[k].match] = true;
			for (size_t part = 0; part < match->n; part++)
				tie(a, a->m->parts[match->first + part].participant);
		}
	qsort(a->tied, a->ntied, sizeof(*a->tied), by_number);
}

/* The first that nothing ties to the others has a clock of its own. */
static void begin_clock(struct aligning *a, uint32_t p, uint32_t clock)
{
	set_known(a, p);
	a->m->participants[p].clock = clock;
	find_tied(a, p);
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
	a.tied = xcalloc(m->nparticipants + 1, sizeof(*a.tied));
	a.met = xcalloc(m->nparticipants + 1, sizeof(*a.met));
	a.seen = xcalloc(m->nmatches + 1, sizeof(*a.seen));
	for (uint32_t p = 0; p < m->nparticipants; p++) {
		if (a.known[p])
			continue;
		begin_clock(&a, p, clocks++);
		while (align_round(&a, true) || align_round(&a, false))
			;
	}
	free(a.first);
	free(a.known);
	free(a.own);
	free(a.aligned);
	free(a.numbers);
	free(a.tied);
	free(a.met);
	free(a.seen);
}
