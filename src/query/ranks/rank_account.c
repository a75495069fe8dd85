/* What a rank did in a window: see rank_account.h. */
#include "query/ranks/rank_account.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

#define EACH_PARTS 64 /* sums are kept in front of every part of so many */

/* Differences of sums of any times are exact. */
__extension__ typedef __int128 wide;

/* Of the parts of a rank in front of one. */
struct part_sums {
	wide ns[NRANK_WHYS];
};

struct rank_account_sums {
	struct part_sums *parts; /* owned; of all ranks */
	size_t *first;           /* owned; by participant: its place in parts */
	wide *waits;             /* owned; by wait: of all in front of it */
	uint32_t *by_late;       /* owned; waits by (rank, late, start_ns) */
	wide *late_waits;        /* owned; by place in by_late: of all in front of it */
};

static int64_t narrow(wide sum)
{
	if (sum > INT64_MAX)
		return INT64_MAX;
	return sum < -INT64_MAX ? -INT64_MAX : (int64_t)sum;
}

static void add_parts(const struct rank_facts *f, size_t from, size_t to,
		      struct part_sums *sums)
{
	static const int why_of[] = { [RANK_COMPUTE] = RANK_WHY_COMPUTE,
				      [RANK_COPY] = RANK_WHY_COPY,
				      [RANK_COLLECTIVE] = RANK_WHY_TRANSFER };

	for (size_t at = from; at < to; at++) {
		const struct rank_part *part = &f->parts[at];
		int why = part->what == RANK_IDLE ? part->cause : why_of[part->what];
		sums->ns[why] += part->ns;
	}
}

static void sum_parts(struct rank_account_sums *s, const struct rank_facts *facts,
		      size_t nranks)
{
	size_t n = 0;

	s->first = xcalloc(nranks + 1, sizeof(*s->first));
	for (size_t p = 0; p < nranks; p++) {
		s->first[p] = n;
		n += facts[p].nparts / EACH_PARTS + 1;
	}
	s->parts = xcalloc(n + 1, sizeof(*s->parts));
	for (size_t p = 0; p < nranks; p++) {
		struct part_sums sums = { .ns = { 0 } }, *to = &s->parts[s->first[p]];
		for (size_t i = 0; i < facts[p].nparts / EACH_PARTS; i++) {
			add_parts(&facts[p], i * EACH_PARTS, (i + 1) * EACH_PARTS, &sums);
			to[i + 1] = sums;
		}
	}
}

static bool late_before(const void *context, uint32_t a, uint32_t b)
{
	const struct rank_wait *x = &((const struct rank_wait *)context)[a];
	const struct rank_wait *y = &((const struct rank_wait *)context)[b];

	return x->rank != y->rank ? x->rank < y->rank : x->late < y->late;
}

static void sum_waits(struct rank_account_sums *s, const struct rank_waits *w)
{
	s->waits = xcalloc(w->n + 1, sizeof(*s->waits));
	s->late_waits = xcalloc(w->n + 1, sizeof(*s->late_waits));
	s->by_late = sorted_places(w->n, late_before, w->items);
	for (size_t i = 0; i < w->n; i++) {
		s->waits[i + 1] = s->waits[i] + w->items[i].ns;
		s->late_waits[i + 1] = s->late_waits[i] + w->items[s->by_late[i]].ns;
	}
}

void rank_accounts_make(const struct rank_facts *facts, size_t nranks,
			const struct rank_waits *waits, struct rank_accounts *out)
{
	*out = (struct rank_accounts){ facts, waits, xcalloc(1, sizeof(*out->sums)) };
	sum_parts(out->sums, facts, nranks);
	sum_waits(out->sums, waits);
}

void rank_accounts_release(struct rank_accounts *a)
{
	free(a->sums->parts);
	free(a->sums->first);
	free(a->sums->waits);
	free(a->sums->by_late);
	free(a->sums->late_waits);
	free(a->sums);
	*a = (struct rank_accounts){ .sums = NULL };
}

void rank_window_waits(const struct rank_waits *waits, const struct rank_window *window,
		       size_t *from, size_t *to)
{
	const struct rank_wait *items = waits->items;
	size_t at, end = waits->first[window->rank + 1];

	SEARCH(at, waits->first[window->rank], end, items[at].start_ns < window->from_ns);
	*from = at;
	SEARCH(at, *from, end, items[at].start_ns < window->to_ns);
	*to = at;
}

/* The first of the rank's waits for the other one that begins no earlier: place in by_late. */
static size_t late_place(const struct rank_accounts *a, const struct rank_window *window,
			 int64_t ns)
{
	const size_t *first = &a->waits->first[window->rank];
	const struct rank_wait *items = a->waits->items;
	const uint32_t *by_late = a->sums->by_late;
	size_t at;

	SEARCH(at, first[0], first[1],
	       items[by_late[at]].late != window->other
		       ? items[by_late[at]].late < window->other
		       : items[by_late[at]].start_ns < ns);
	return at;
}

static void add_window(const struct rank_accounts *a, const struct rank_window *window,
		       struct part_sums *to)
{
	const struct rank_facts *f = &a->facts[window->rank];
	const struct part_sums *sums = &a->sums->parts[a->sums->first[window->rank]];
	size_t at, from;

	SEARCH(at, 0, f->nparts, f->parts[at].start_ns < window->from_ns);
	from = at;
	SEARCH(at, from, f->nparts, f->parts[at].start_ns < window->to_ns);
	size_t first = from / EACH_PARTS + 1, last = at / EACH_PARTS;
	if (first >= last) {
		add_parts(f, from, at, to);
		return;
	}
	add_parts(f, from, first * EACH_PARTS, to);
	for (int why = 0; why < NRANK_WHYS; why++)
		to->ns[why] += sums[last].ns[why] - sums[first].ns[why];
	add_parts(f, last * EACH_PARTS, at, to);
}

struct rank_account rank_account_of(const struct rank_accounts *a,
				    const struct rank_window *window)
{
	struct rank_account out = { .length_ns =
					    sum_sub(window->to_ns, window->from_ns) };
	struct part_sums sums = { .ns = { 0 } };
	wide known = 0, waited = 0, for_other = 0;
	size_t from, to;

	add_window(a, window, &sums);
	for (int why = 0; why < NRANK_WHYS; why++) {
		out.ns[why] = narrow(sums.ns[why]);
		known += sums.ns[why];
	}
	rank_window_waits(a->waits, window, &from, &to);
	if (from < to) {
		waited = a->sums->waits[to] - a->sums->waits[from];
		for_other = a->sums->late_waits[late_place(a, window, window->to_ns)] -
			    a->sums->late_waits[late_place(a, window, window->from_ns)];
	}
	out.waited_ns = narrow(waited - for_other);
	out.ns[RANK_WHY_TRANSFER] = sum_sub(out.ns[RANK_WHY_TRANSFER], narrow(waited));
	if (known < out.length_ns)
		out.ns[RANK_WHY_OUTSIDE] = out.length_ns - narrow(known);
	return out;
}
