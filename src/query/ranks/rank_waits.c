/* Waits, and what they end in: see rank_waits.h. */
#include "query/ranks/rank_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_judge.h"
#include "query/ranks/rank_account.h"

static const char *const whys[NRANK_WHYS - NGAP_CAUSES][2] = {
	[RANK_WHY_COMPUTE - NGAP_CAUSES] = { "compute", "longer compute" },
	[RANK_WHY_COPY - NGAP_CAUSES] = { "copy", "longer copies" },
	[RANK_WHY_TRANSFER - NGAP_CAUSES] = { "transfer", "longer collectives" },
	[RANK_WHY_OUTSIDE - NGAP_CAUSES] = { "outside", "outside of steps" },
	[RANK_WHY_UNKNOWN - NGAP_CAUSES] = { "none", "no visible cause" },
};

const char *rank_why_code(int why)
{
	return why < NGAP_CAUSES ? gap_causes[why].code : whys[why - NGAP_CAUSES][0];
}

const char *rank_why_title(int why)
{
	return why < NGAP_CAUSES ? gap_causes[why].title : whys[why - NGAP_CAUSES][1];
}

/* How many collectives back the one before is looked for. */
#define BACK_MOST 1024
/*
 * How many roots a wait has at most: in a line of n ranks, each of which waits for the one
 * before, they would be n * n / 2.  Once ROOTS_ALL were followed, the largest ones do.
 */
#define ROOTS_MOST 1024
#define ROOTS_FEW  16
#define ROOTS_ALL  32000000
/*
 * A rank may be waited for by n others after n waits of its own, each of which then is a
 * cause of each: once WAITS_ALL were followed, the newest ones of a window do.
 */
#define WAITS_FEW 64
#define WAITS_ALL 16000000

/* What a rank did of a match; times as those of its parts. */
struct own_call {
	int64_t slice_id, start_ns, end_ns;
	size_t match;
};

struct own_calls {
	struct own_call *by_slice, *in_time; /* in one block; the first owns it */
	size_t n;
};

struct finding {
	const struct comm_matches *m;
	const struct rank_facts *facts;
	struct rank_waits *out;
	struct own_calls *calls;       /* owned; by participant */
	struct comm_verdict *verdicts; /* owned; by match */
	struct rank_root *spare;       /* owned; roots under way */
	size_t nspare, spare_cap;
	uint32_t *places;         /* owned; by participant and reason: in spare, plus 1 */
	size_t nfollowed, nwaits; /* roots and waits that were followed, so far */
	struct rank_accounts accounts;
};

static int by_slice(const void *a, const void *b)
{
	const struct own_call *x = a, *y = b;

	return sort_order(x->slice_id, y->slice_id);
}

static int in_time(const void *a, const void *b)
{
	const struct own_call *x = a, *y = b;
	int order = sort_order(x->start_ns, y->start_ns);

	return order ? order : by_slice(a, b);
}

static void list_calls(struct finding *f)
{
	const struct comm_matches *m = f->m;

	for (size_t i = 0; i < m->nmatches; i++)
		for (size_t k = 0; k < m->matches[i].n; k++)
			f->calls[m->parts[m->matches[i].first + k].participant].n++;
	for (size_t p = 0; p < m->nparticipants; p++) {
		struct own_calls *c = &f->calls[p];
		c->by_slice = xcalloc((c->n * 2) + 1, sizeof(*c->by_slice));
		c->in_time = c->by_slice + c->n;
		c->n = 0;
	}
	for (size_t i = 0; i < m->nmatches; i++)
		for (size_t k = 0; k < m->matches[i].n; k++) {
			const struct comm_part *part = &m->parts[m->matches[i].first + k];
			struct own_calls *c = &f->calls[part->participant];
			c->by_slice[c->n++] = (struct own_call){ part->call.slice_id,
								 part->call.start_ns,
								 part->call.end_ns, i };
		}
	for (size_t p = 0; p < m->nparticipants; p++) {
		struct own_calls *c = &f->calls[p];
		if (!c->n)
			continue;
		memcpy(c->in_time, c->by_slice, c->n * sizeof(*c->in_time));
		qsort(c->by_slice, c->n, sizeof(*c->by_slice), by_slice);
		qsort(c->in_time, c->n, sizeof(*c->in_time), in_time);
	}
}

static const struct own_call *call_of(const struct own_calls *c, int64_t slice_id)
{
	size_t at;

	SEARCH(at, 0, c->n, c->by_slice[at].slice_id < slice_id);
	return at < c->n && c->by_slice[at].slice_id == slice_id ? &c->by_slice[at]
								 : NULL;
}

/* The moment of the aligned clock as the participant's parts count. */
static int64_t own_time(const struct comm_matches *m, uint32_t p, int64_t ns)
{
	const struct comm_participant *who = &m->participants[p];

	return sum_sub(sum_add(ns, who->offset_ns), who->origin_ns);
}

static void add_waits(struct finding *f, uint32_t p)
{
	const struct rank_facts *facts = &f->facts[p];

	for (size_t i = 0; i < facts->nparts; i++) {
		const struct rank_part *part = &facts->parts[i];
		const struct own_call *call =
			part->call ? call_of(&f->calls[p], part->call) : NULL;
		if (!call || f->verdicts[call->match].late == p)
			continue;
		const struct comm_verdict *v = &f->verdicts[call->match];
		int64_t came_ns = sum_add(v->start_ns, v->skew_ns);
		int64_t ns = sum_sub(own_time(f->m, p, came_ns), part->start_ns);
		if (ns <= 0)
			continue;
		*ARRAY_PUSH(f->out->items, f->out->n, f->out->cap) = (struct rank_wait){
			.rank = p,
			.late = v->late,
			.step = part->step,
			.match = call->match,
			.start_ns = part->start_ns,
			.ns = ns < part->ns ? ns : part->ns,
			.came_ns = came_ns,
		};
	}
}

/* Did the participant take part?  Its own part, or NULL. */
static const struct comm_part *part_of(const struct comm_matches *m, size_t match,
				       uint32_t p)
{
	const struct comm_part *parts = m->parts + m->matches[match].first;
	size_t at;

	SEARCH(at, 0, m->matches[match].n, parts[at].participant < p);
	return at < m->matches[match].n && parts[at].participant == p ? &parts[at] : NULL;
}

/* Where the step begins that is under way then, or all that is known of the rank. */
static int64_t step_start(const struct rank_facts *f, int64_t ns)
{
	int64_t start_ns = f->nparts ? f->parts[0].start_ns : ns;
	size_t after; /* the place of the first that begins later */

	SEARCH(after, 0, f->nsteps, f->steps[after].start_ns <= ns);
	while (after > 0 && f->steps[after - 1].number == NUMBER_NONE)
		after--;
	if (after > 0)
		start_ns = f->steps[after - 1].start_ns;
	return start_ns < ns ? start_ns : ns;
}

/* The windows of both before the match: from the newest collective that both were in. */
static void find_windows(const struct finding *f, const struct rank_wait *wait,
			 struct rank_window *waiting, struct rank_window *late)
{
	const struct own_calls *calls = &f->calls[wait->rank];
	const struct comm_part *mine = part_of(f->m, wait->match, wait->rank);
	const struct comm_part *theirs = part_of(f->m, wait->match, wait->late);
	int64_t start_ns = mine->call.start_ns;
	size_t at, back = 0;

	*waiting = (struct rank_window){ wait->rank, wait->late, 0, start_ns };
	*late = (struct rank_window){ wait->late, wait->rank, 0, theirs->call.start_ns };
	SEARCH(at, 0, calls->n, calls->in_time[at].start_ns < start_ns);
	while (at-- > 0 && back++ < BACK_MOST) {
		const struct own_call *before = &calls->in_time[at];
		const struct comm_part *other = part_of(f->m, before->match, wait->late);
		if (!other || before->end_ns > start_ns ||
		    other->call.end_ns > late->to_ns)
			continue;
		waiting->from_ns = before->end_ns;
		late->from_ns = other->call.end_ns;
		return;
	}
	waiting->from_ns = step_start(&f->facts[wait->rank], start_ns);
	late->from_ns = step_start(&f->facts[wait->late], late->to_ns);
}

static uint32_t *place_of(const struct finding *f, uint32_t rank, int why)
{
	return &f->places[((size_t)rank * NRANK_WHYS) + (size_t)why];
}

/* Adds to the roots under way; those of one rank and reason are one. */
static void add_root(struct finding *f, uint32_t rank, int why, int64_t ns)
{
	uint32_t *place = place_of(f, rank, why);

	if (*place) {
		struct rank_root *root = &f->spare[*place - 1];
		root->ns = sum_add(root->ns, ns);
	} else if (ns) {
		*ARRAY_PUSH(f->spare, f->nspare, f->spare_cap) =
			(struct rank_root){ rank, (uint8_t)why, ns };
		*place = (uint32_t)f->nspare;
	}
}

static int largest_first(const void *a, const void *b)
{
	const struct rank_root *x = a, *y = b;
	int order = sort_order(y->ns, x->ns);

	if (!order)
		order = sort_order(x->rank, y->rank);
	return order ? order : sort_order(x->why, y->why);
}

static size_t roots_most(const struct finding *f)
{
	return f->nfollowed < ROOTS_ALL ? ROOTS_MOST : ROOTS_FEW;
}

/* The largest come first; what is too much for these is the late one's, without a cause. */
static void keep_largest(struct finding *f, uint32_t late)
{
	size_t most = roots_most(f);
	struct rank_root rest = { late, RANK_WHY_UNKNOWN, 0 };

	if (f->nspare <= ROOTS_FEW)
		return;
	qsort(f->spare, f->nspare, sizeof(*f->spare), largest_first);
	if (f->nspare <= most)
		return;
	while (f->nspare >= most)
		rest.ns = sum_add(rest.ns, f->spare[--f->nspare].ns);
	f->spare[f->nspare++] = rest;
}

/* The roots under way are those of the wait; the next one begins with none. */
static void take_roots(struct finding *f, struct rank_wait *wait)
{
	for (size_t i = 0; i < f->nspare; i++)
		*place_of(f, f->spare[i].rank, f->spare[i].why) = 0;
	keep_largest(f, wait->late);
	wait->first_root = f->out->nroots;
	wait->nroots = f->nspare;
	for (size_t i = 0; i < f->nspare; i++)
		*ARRAY_PUSH(f->out->roots, f->out->nroots, f->out->roots_cap) =
			f->spare[i];
	f->nspare = 0;
}

/* What of an amount falls to the weights up to `sum` of `total`: all of it at the end. */
static int64_t share_of(int64_t amount, int64_t sum, int64_t total)
{
	return sum >= total
		       ? amount
		       : sum_of_double((double)amount * ((double)sum / (double)total));
}

/* An amount that is shared out by weight, so that all of it is. */
struct sharing {
	int64_t amount, total, sum, given;
};

static void share(struct finding *f, struct sharing *s, struct rank_root root)
{
	s->sum = sum_add(s->sum, root.ns);
	int64_t upto = share_of(s->amount, s->sum, s->total);
	add_root(f, root.rank, root.why, upto - s->given);
	s->given = upto;
}

static void share_roots(struct finding *f, struct sharing *s,
			const struct rank_wait *wait)
{
	const struct rank_root *roots = f->out->roots + wait->first_root;
	size_t most = roots_most(f), n = wait->nroots < most ? wait->nroots : most;
	struct rank_root rest = { wait->late, RANK_WHY_UNKNOWN, wait->ns };

	f->nfollowed += n;
	for (size_t i = 0; i < n; i++) {
		rest.ns = sum_sub(rest.ns, roots[i].ns);
		share(f, s, roots[i]);
	}
	if (n < wait->nroots)
		share(f, s, rest);
}

/* An amount that ends in what the waits of the window for third ranks end in. */
static void follow(struct finding *f, const struct rank_window *w, int64_t amount)
{
	struct sharing sharing = { .amount = amount };
	const struct rank_wait *waits = f->out->items;
	size_t from, to;

	rank_window_waits(f->out, w, &from, &to);
	if (f->nwaits >= WAITS_ALL && to - from > WAITS_FEW)
		from = to - WAITS_FEW;
	f->nwaits += to - from;
	for (size_t i = from; i < to; i++)
		if (waits[i].late != w->other && waits[i].nroots)
			sharing.total = sum_add(sharing.total, waits[i].ns);
	if (!sharing.total) {
		add_root(f, w->rank, RANK_WHY_UNKNOWN, amount);
		return;
	}
	for (size_t i = from; i < to; i++)
		if (waits[i].late != w->other)
			share_roots(f, &sharing, &waits[i]);
}

/* What the late one did more of, in proportion. */
static void charge(struct finding *f, struct rank_wait *wait)
{
	struct rank_window mine, theirs;
	int64_t more[NRANK_WHYS + 1], total = 0, sum = 0, given = 0;

	find_windows(f, wait, &mine, &theirs);
	struct rank_account a = rank_account_of(&f->accounts, &mine);
	struct rank_account b = rank_account_of(&f->accounts, &theirs);
	for (int i = 0; i <= NRANK_WHYS; i++) {
		int64_t ns = i < NRANK_WHYS ? sum_sub(b.ns[i], a.ns[i])
					    : sum_sub(b.waited_ns, a.waited_ns);
		more[i] = ns > 0 ? ns : 0;
		total = sum_add(total, more[i]);
	}
	for (int i = 0; i <= NRANK_WHYS && total; i++) {
		if (!more[i])
			continue;
		sum = sum_add(sum, more[i]);
		int64_t upto = share_of(wait->ns, sum, total);
		if (i < NRANK_WHYS)
			add_root(f, wait->late, i, upto - given);
		else
			follow(f, &theirs, upto - given);
		given = upto;
	}
	if (!total)
		add_root(f, wait->late, RANK_WHY_UNKNOWN, wait->ns);
	take_roots(f, wait);
}

static bool came_before(const void *context, uint32_t a, uint32_t b)
{
	const struct rank_wait *items = context;

	return items[a].came_ns < items[b].came_ns;
}

void rank_waits_find(const struct comm_matches *m, const struct rank_facts *facts,
		     struct rank_waits *out)
{
	struct finding f = { .m = m, .facts = facts, .out = out };

	*out = (struct rank_waits){ .n = 0 };
	out->first = xcalloc(m->nparticipants + 1, sizeof(*out->first));
	f.calls = xcalloc(m->nparticipants + 1, sizeof(*f.calls));
	f.verdicts = xcalloc(m->nmatches + 1, sizeof(*f.verdicts));
	f.places = xcalloc((m->nparticipants * NRANK_WHYS) + 1, sizeof(*f.places));
	list_calls(&f);
	for (size_t i = 0; i < m->nmatches; i++)
		f.verdicts[i] = comm_judge(m, &m->matches[i]);
	for (uint32_t p = 0; p < m->nparticipants; p++) {
		out->first[p] = out->n;
		add_waits(&f, p);
	}
	out->first[m->nparticipants] = out->n;
	rank_accounts_make(facts, m->nparticipants, out, &f.accounts);
	/* what a late one itself waited for came before it did */
	uint32_t *order = sorted_places(out->n, came_before, out->items);
	for (size_t i = 0; i < out->n; i++)
		charge(&f, &out->items[order[i]]);
	free(order);
	rank_accounts_release(&f.accounts);
	for (size_t p = 0; p < m->nparticipants; p++)
		free(f.calls[p].by_slice);
	free(f.calls);
	free(f.verdicts);
	free(f.spare);
	free(f.places);
}

void rank_waits_release(struct rank_waits *w)
{
	free(w->items);
	free(w->first);
	free(w->roots);
	*w = (struct rank_waits){ .n = 0 };
}
