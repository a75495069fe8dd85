/* What late ranks cost: see comm_blocking.h. */
#include "query/comm/comm_blocking.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_judge.h"

/* In one collective, on the waiting one's own clock. */
struct wait {
	uint32_t late, waiting;         /* participants */
	int64_t from_ns, to_ns, end_ns; /* of the wait; of the collective */
};

/* Of one device, or of the host. */
static void add_exposed(const struct comm_profile *from, uint32_t device,
			int64_t origin_ns, struct intervals *to)
{
	struct intervals ran = { .n = 0 }, exposed;

	for (size_t i = 0; i < from->calls.n; i++) {
		const struct comm_call *call = &from->calls.items[i];
		if (call->device == device)
			intervals_add(&ran, call->start_ns, call->end_ns);
	}
	intervals_unite(&ran);
	intervals_subtract(&ran, &from->compute[device], &exposed);
	for (size_t i = 0; i < exposed.n; i++)
		intervals_add(to, sum_add(origin_ns, exposed.items[i].start_ns),
			      sum_add(origin_ns, exposed.items[i].end_ns));
	intervals_release(&ran);
	intervals_release(&exposed);
}

void comm_blocking_add(struct comm_matches *m, const struct scope_profile *profile,
		       const struct comm_profile *from)
{
	struct comm_participant *who = comm_matches_who(m, profile);

	if (!who)
		return;
	for (uint32_t i = 0; i <= from->ndevices; i++)
		add_exposed(from, i, who->origin_ns, &who->exposed);
	intervals_unite(&who->exposed);
}

static int by_pair(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;
	int order = sort_order(x->late, y->late);

	return order ? order : sort_order(x->waiting, y->waiting);
}

/* What the others waited in one collective for the last. */
static size_t find_waits(const struct comm_matches *m, const struct comm_match *match,
			 struct wait *out)
{
	struct comm_verdict v = comm_judge(m, match);
	int64_t last_ns = sum_add(v.start_ns, v.skew_ns);
	size_t n = 0;

	for (size_t i = 0; v.late_ns > 0 && i < match->n; i++) {
		const struct comm_part *part = &m->parts[match->first + i];
		int64_t offset_ns = m->participants[part->participant].offset_ns;
		int64_t to_ns = sum_add(last_ns, offset_ns);
		if (part->participant == v.late)
			continue;
		out[n++] = (struct wait){
			.late = v.late,
			.waiting = part->participant,
			.from_ns = sum_sub(to_ns, v.late_ns),
			.to_ns = to_ns < part->end_ns ? to_ns : part->end_ns,
			.end_ns = part->end_ns,
		};
	}
	return n;
}

/*
 * What n waits of one participant for another cost it.  Without a wait the collective
 * ends earlier by as much; that gains what it was exposed for until its end, no more.
 */
static int64_t blocked_ns(const struct comm_matches *m, const struct wait *waits,
			  size_t n)
{
	const struct intervals *exposed = &m->participants[waits[0].waiting].exposed;
	struct intervals when = { .n = 0 }, whole = { .n = 0 };
	int64_t ns = 0;

	for (size_t i = 0; i < n; i++) {
		if (waits[i].from_ns >= waits[i].to_ns)
			continue;
		intervals_add(&when, waits[i].from_ns, waits[i].to_ns);
		intervals_add(&whole, waits[i].from_ns, waits[i].end_ns);
	}
	intervals_unite(&when);
	intervals_unite(&whole);
	for (size_t i = 0; i < whole.n; i++) {
		const struct interval *w = &whole.items[i];
		int64_t waited_ns =
			intervals_length_within(&when, w->start_ns, w->end_ns);
		int64_t exposed_ns =
			intervals_length_within(exposed, w->start_ns, w->end_ns);
		ns = sum_add(ns, waited_ns < exposed_ns ? waited_ns : exposed_ns);
	}
	intervals_release(&when);
	intervals_release(&whole);
	return ns;
}

void comm_blocking_sum(const struct comm_matches *m, int64_t *out)
{
	struct wait *waits = xrealloc_array(NULL, m->nparts + 1, sizeof(*waits));
	size_t n = 0;

	for (size_t i = 0; i < m->nparticipants; i++)
		out[i] = 0;
	for (size_t i = 0; i < m->nmatches; i++)
		n += find_waits(m, &m->matches[i], waits + n);
	if (n)
		qsort(waits, n, sizeof(*waits), by_pair);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !by_pair(&waits[i], &waits[end]); end++)
			;
		int64_t ns = blocked_ns(m, waits + i, end - i);
		if (ns > out[waits[i].late])
			out[waits[i].late] = ns;
	}
	free(waits);
}
