/* Rows of collectives across ranks: see comm_ranks_rows.h. */
#include "query/comm/comm_ranks_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_blocking.h"
#include "query/comm/comm_rows.h"
#include "query/comm/transfers.h"

struct kind_sums {
	size_t first;                 /* a match */
	struct comm_rank sums;        /* of no profile */
	int64_t skew_ns, max_skew_ns; /* sum and largest */
	int64_t bus_ns;
	double bus_bytes;
	struct comm_rank late; /* of the rank that came last most often */
	size_t straggler;      /* its first participant */
	int64_t *ranks;        /* owned: those that took part */
	size_t nranks;
};

struct judging {
	const struct comm_ranks *r;
	struct comm_verdict *verdicts; /* by match */
	struct kind_sums *kinds;
	/* owned; room for one kind, which leaves all of it 0 */
	struct comm_rank *late; /* by the first participant of a rank */
	bool *seen;             /* by participant */
	int64_t *ranks;         /* as many as there are; left as they are */
};

/* Ranks of the parts of a match, sorted, each once; into `out`, which has room. */
static size_t comm_match_ranks(const struct comm_matches *m,
			       const struct comm_match *match, int64_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < match->n; i++) {
		const struct comm_part *part = &m->parts[match->first + i];
		int64_t rank = m->participants[part->participant].profile->rank;
		if (!n || out[n - 1] != rank)
			out[n++] = rank;
	}
	return n;
}

static const struct comm_part *part_of(const struct comm_matches *m, size_t match)
{
	return &m->parts[m->matches[match].first];
}

/* Groups and kinds have no order of their own: by what the first rank did first. */
static int compare_firsts(const struct comm_matches *m, size_t a, size_t b)
{
	const struct comm_part *x = part_of(m, a), *y = part_of(m, b);
	int order = sort_order(x->participant, y->participant);

	return order ? order : sort_order(x->call.slice_id, y->call.slice_id);
}

static struct comm_verdict *judge_all(const struct comm_matches *m)
{
	struct comm_verdict *verdicts = xcalloc(m->nmatches + 1, sizeof(*verdicts));

	for (size_t i = 0; i < m->nmatches; i++)
		verdicts[i] = comm_judge(m, &m->matches[i]);
	return verdicts;
}

static void add_verdict(struct comm_rank *s, const struct comm_verdict *v)
{
	s->calls++;
	s->total_ns = sum_add(s->total_ns, v->total_ns);
	s->wait_ns = sum_add(s->wait_ns, v->wait_ns);
	s->transfer_ns = sum_add(s->transfer_ns, v->transfer_ns);
}

/* The last of all, unless another came at the same time. */
static void add_late(struct comm_rank *s, const struct comm_verdict *v)
{
	s->late_calls += v->late_ns > 0;
	s->late_ns = sum_add(s->late_ns, v->late_ns);
}

static bool kind_before(const void *context, uint32_t a, uint32_t b)
{
	const struct judging *j = context;
	const struct comm_matches *m = j->r->matches;

	return comm_part_compare(part_of(m, a), part_of(m, b), j->r->by == COMM_BY_SIZE) <
	       0;
}

/* The ranks of all matches of a kind, which are at[0..n). */
static void collect_ranks(const struct judging *j, const uint32_t *at, size_t n,
			  struct kind_sums *k)
{
	const struct comm_matches *m = j->r->matches;
	size_t nseen = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t part = 0; part < m->matches[at[i]].n; part++) {
			uint32_t p = m->parts[m->matches[at[i]].first + part].participant;
			if (!j->seen[p])
				j->ranks[nseen++] = m->participants[p].profile->rank;
			j->seen[p] = true;
		}
	for (size_t i = 0; i < n; i++)
		for (size_t part = 0; part < m->matches[at[i]].n; part++)
			j->seen[m->parts[m->matches[at[i]].first + part].participant] =
				false;
	qsort(j->ranks, nseen, sizeof(*j->ranks), sort_compare_int64);
	k->ranks = xrealloc_array(NULL, nseen, sizeof(*k->ranks));
	for (size_t i = 0; i < nseen; i++)
		if (!i || j->ranks[i] != j->ranks[i - 1])
			k->ranks[k->nranks++] = j->ranks[i];
}

/* The rank that came last most often, then by the most; the lowest. */
static void find_straggler(const struct judging *j, const uint32_t *at, size_t n,
			   struct kind_sums *k)
{
	const struct comm_participant *who = j->r->matches->participants;

	k->straggler = who[j->verdicts[at[0]].late].first;
	for (size_t i = 0; i < n; i++) {
		size_t p = who[j->verdicts[at[i]].late].first, worst = k->straggler;
		int order = sort_order(j->late[p].late_calls, j->late[worst].late_calls);
		if (!order)
			order = sort_order(j->late[p].late_ns, j->late[worst].late_ns);
		if (order > 0 || (order == 0 && p < worst))
			k->straggler = p;
	}
	k->late = j->late[k->straggler];
	for (size_t i = 0; i < n; i++)
		j->late[who[j->verdicts[at[i]].late].first] =
			(struct comm_rank){ .late_calls = 0 };
}

static struct kind_sums sum_kind(const struct judging *j, const uint32_t *at, size_t n)
{
	const struct comm_matches *m = j->r->matches;
	struct kind_sums k = { .first = at[0] };

	for (size_t i = 0; i < n; i++) {
		const struct comm_verdict *v = &j->verdicts[at[i]];
		add_verdict(&k.sums, v);
		k.skew_ns = sum_add(k.skew_ns, v->skew_ns);
		k.max_skew_ns = v->skew_ns > k.max_skew_ns ? v->skew_ns : k.max_skew_ns;
		if (v->bus_bytes >= 0) {
			k.bus_bytes += v->bus_bytes;
			k.bus_ns = sum_add(k.bus_ns, v->transfer_ns);
		}
		add_late(&j->late[m->participants[v->late].first], v);
	}
	find_straggler(j, at, n, &k);
	collect_ranks(j, at, n, &k);
	return k;
}

static const char *missing_of(const struct comm_ranks *r, const struct comm_call *call,
			      const int64_t *ranks, size_t n, struct arena *arena)
{
	return comm_missing_ranks(text_pool_str(r->texts, call->ranks), call->group_size,
				  r->world_size, ranks, n, arena);
}

static double bandwidth_of(double bytes, int64_t ns)
{
	return ns > 0 && !sum_is_stuck(ns) ? bytes / (double)ns : -1;
}

static struct comm_ranks_row empty_row(const struct comm_call *call)
{
	return (struct comm_ranks_row){
		.call = call,
		.busbw_gbps = -1,
		.profile = NUMBER_NONE,
		.rank = NUMBER_NONE,
		.clock = NUMBER_NONE,
		.offset_ns = NUMBER_NONE,
		.error_ns = NUMBER_NONE,
		.blocking_ns = NUMBER_NONE,
		.number = NUMBER_NONE,
		.start_ns = NUMBER_NONE,
		.message_bytes = NUMBER_NONE,
		.ranks = NUMBER_NONE,
		.calls = NUMBER_NONE,
		.late_rank = NUMBER_NONE,
		.late_calls = NUMBER_NONE,
		.late_ns = NUMBER_NONE,
		.shortest_ns = NUMBER_NONE,
		.mean_skew_ns = NUMBER_NONE,
		.skew_ns = NUMBER_NONE,
		.end_skew_ns = NUMBER_NONE,
	};
}

static void set_sums(const struct comm_rank *s, struct comm_ranks_row *row)
{
	row->calls = s->calls;
	row->total_ns = s->total_ns;
	row->wait_ns = s->wait_ns;
	row->transfer_ns = s->transfer_ns;
}

static struct comm_ranks_row kind_row(const struct comm_ranks *r,
				      const struct kind_sums *k, struct arena *arena)
{
	const struct comm_matches *m = r->matches;
	const struct comm_call *call = &part_of(m, k->first)->call;
	struct comm_ranks_row row = empty_row(call);

	set_sums(&k->sums, &row);
	if (r->by == COMM_BY_SIZE)
		row.message_bytes = call->bytes;
	row.ranks = (int64_t)k->nranks;
	row.missing = missing_of(r, call, k->ranks, k->nranks, arena);
	row.busbw_gbps = bandwidth_of(k->bus_bytes, k->bus_ns);
	if (!sum_is_stuck(k->skew_ns))
		row.mean_skew_ns = k->skew_ns / k->sums.calls;
	row.skew_ns = k->max_skew_ns;
	if (k->late.late_calls) {
		row.late_rank = m->participants[k->straggler].profile->rank;
		row.late_calls = k->late.late_calls;
		row.late_ns = k->late.late_ns;
	}
	return row;
}

static struct comm_ranks_rows room_for(size_t n)
{
	return (struct comm_ranks_rows){
		xrealloc_array(NULL, n + 1, sizeof(struct comm_ranks_row)), n
	};
}

/* Waited for longest, then the first. */
static bool waited_more(const void *context, uint32_t a, uint32_t b)
{
	const struct judging *j = context;
	const struct kind_sums *x = &j->kinds[a], *y = &j->kinds[b];
	int order = sort_order(y->sums.wait_ns, x->sums.wait_ns);

	if (!order)
		order = compare_firsts(j->r->matches, x->first, y->first);
	return order < 0;
}

struct comm_ranks_rows comm_ranks_kinds(const struct comm_ranks *r, struct arena *arena)
{
	struct judging j = { .r = r, .verdicts = judge_all(r->matches) };
	size_t nranks = r->matches->nparticipants + 1;
	struct sort_groups groups;

	sort_groups_make(&groups, r->matches->nmatches, kind_before, &j);
	j.kinds = xcalloc(groups.n + 1, sizeof(*j.kinds));
	j.late = xcalloc(nranks, sizeof(*j.late));
	j.seen = xcalloc(nranks, sizeof(*j.seen));
	j.ranks = xcalloc(nranks, sizeof(*j.ranks));
	for (size_t i = 0; i < groups.n; i++)
		j.kinds[i] = sum_kind(&j, groups.items[i].at, groups.items[i].n);
	uint32_t *at = sorted_places(groups.n, waited_more, &j);
	struct comm_ranks_rows rows = room_for(groups.n);
	for (size_t i = 0; i < groups.n; i++)
		rows.items[i] = kind_row(r, &j.kinds[at[i]], arena);
	for (size_t i = 0; i < groups.n; i++)
		free(j.kinds[i].ranks);
	free(j.kinds);
	free(j.late);
	free(j.seen);
	free(j.ranks);
	free(j.verdicts);
	free(at);
	sort_groups_release(&groups);
	return rows;
}

static void add_part(const struct comm_matches *m, const struct comm_verdict *v,
		     const struct comm_part *part, struct comm_rank *s)
{
	int64_t dur_ns = part->call.end_ns - part->call.start_ns;
	int64_t wait_ns = comm_part_wait(m, v, part);

	s->calls++;
	s->total_ns = sum_add(s->total_ns, dur_ns);
	s->wait_ns = sum_add(s->wait_ns, wait_ns);
	s->transfer_ns = sum_add(s->transfer_ns, dur_ns - wait_ns);
}

struct comm_rank *comm_ranks_sum(const struct comm_matches *m)
{
	struct comm_rank *ranks = xcalloc(m->nparticipants + 1, sizeof(*ranks));
	int64_t *blocking_ns = xcalloc(m->nparticipants + 1, sizeof(*blocking_ns));

	comm_blocking_sum(m, blocking_ns);
	for (size_t i = 0; i < m->nmatches; i++) {
		const struct comm_match *match = &m->matches[i];
		struct comm_verdict v = comm_judge(m, match);
		for (size_t k = 0; k < match->n; k++) {
			const struct comm_part *part = &m->parts[match->first + k];
			add_part(m, &v, part, &ranks[part->participant]);
		}
		add_late(&ranks[v.late], &v);
	}
	for (size_t p = 0; p < m->nparticipants; p++) {
		const struct comm_participant *who = &m->participants[p];
		ranks[p].profile = who->profile;
		ranks[p].blocking_ns = blocking_ns[p];
		ranks[p].error_ns = who->shared ? who->error_ns : NUMBER_NONE;
	}
	free(blocking_ns);
	return ranks;
}

struct comm_ranks_rows comm_ranks_by_rank(const struct comm_ranks *r)
{
	const struct comm_matches *m = r->matches;
	struct comm_ranks_rows rows = room_for(m->nparticipants);
	struct comm_rank *ranks = comm_ranks_sum(m);

	rows.n = 0;
	for (size_t p = 0; p < m->nparticipants; p++) {
		struct comm_ranks_row row = empty_row(NULL);
		if (!scope_find(r->shown, ranks[p].profile->id))
			continue;
		row.axes = ranks[p].profile->axes;
		set_sums(&ranks[p], &row);
		row.profile = ranks[p].profile->id;
		row.rank = ranks[p].profile->rank;
		row.late_calls = ranks[p].late_calls;
		row.late_ns = ranks[p].late_ns;
		row.clock = m->participants[p].clock;
		row.offset_ns = m->participants[p].offset_ns;
		row.error_ns = ranks[p].error_ns;
		row.blocking_ns = ranks[p].blocking_ns;
		row.prefill_wait_ns = r->phases->sums[p].wait_ns;
		row.prefill_rank = r->phases->sums[p].rank;
		rows.items[rows.n++] = row;
	}
	free(ranks);
	return rows;
}

/* What has no place comes last. */
static int by_place(const void *a, const void *b)
{
	const struct comm_ranks_row *x = a, *y = b;

	for (int axis = 0; axis < NAXES; axis++)
		if (x->axes.at[axis] != y->axes.at[axis])
			return (uint64_t)x->axes.at[axis] < (uint64_t)y->axes.at[axis]
				       ? -1
				       : 1;
	return sort_order(x->rank, y->rank);
}

/* The rank only tells how many there are. */
static void add_rank(struct comm_ranks_row *to, const struct comm_ranks_row *from)
{
	to->ranks += to->rank != from->rank;
	to->rank = from->rank;
	to->calls = sum_add(to->calls, from->calls);
	to->total_ns = sum_add(to->total_ns, from->total_ns);
	to->wait_ns = sum_add(to->wait_ns, from->wait_ns);
	to->transfer_ns = sum_add(to->transfer_ns, from->transfer_ns);
	to->late_calls = sum_add(to->late_calls, from->late_calls);
	to->late_ns = sum_add(to->late_ns, from->late_ns);
}

struct comm_ranks_rows comm_ranks_by_axis(const struct comm_ranks *r)
{
	struct comm_ranks_rows rows = comm_ranks_by_rank(r);
	int axis = (int)(r->by - COMM_BY_AXES);
	size_t n = 0;

	for (size_t i = 0; i < rows.n; i++) {
		int64_t place = rows.items[i].axes.at[axis];
		rows.items[i].axes = (struct axes)AXES_NONE;
		rows.items[i].axes.at[axis] = place;
		rows.items[i].ranks = 1;
	}
	if (rows.n)
		qsort(rows.items, rows.n, sizeof(*rows.items), by_place);
	for (size_t i = 0; i < rows.n; i++) {
		const struct comm_ranks_row *row = &rows.items[i];
		if (n && rows.items[n - 1].axes.at[axis] == row->axes.at[axis])
			add_rank(&rows.items[n - 1], row);
		else
			rows.items[n++] = *row;
	}
	rows.n = n;
	return rows;
}

/* Where each aligned clock has its 0: the first event of its first participant. */
static int64_t *find_origins(const struct comm_matches *m)
{
	int64_t *origins = xcalloc(m->nparticipants + 1, sizeof(*origins));

	for (size_t p = m->nparticipants; p-- > 0;)
		origins[m->participants[p].clock] = m->participants[p].origin_ns;
	return origins;
}

static bool started_before(const void *context, uint32_t a, uint32_t b)
{
	const struct judging *j = context;
	const struct comm_matches *m = j->r->matches;
	int order = sort_order(m->participants[part_of(m, a)->participant].clock,
			       m->participants[part_of(m, b)->participant].clock);

	if (!order)
		order = sort_order(j->verdicts[a].start_ns, j->verdicts[b].start_ns);
	if (!order)
		order = compare_firsts(m, a, b);
	return order < 0;
}

/* origins: by clock.  `ranks`: room for those of all participants. */
static struct comm_ranks_row single_row(const struct comm_ranks *r,
					const struct comm_match *match,
					const struct comm_verdict *v,
					const int64_t *origins, int64_t *ranks,
					struct arena *arena)
{
	const struct comm_matches *m = r->matches;
	const struct comm_part *part = &m->parts[match->first];
	struct comm_ranks_row row = empty_row(&part->call);

	row.number = part->number;
	row.clock = m->participants[part->participant].clock;
	row.start_ns = sum_sub(v->start_ns, origins[row.clock]);
	row.ranks = (int64_t)comm_match_ranks(m, match, ranks);
	row.missing = missing_of(r, row.call, ranks, (size_t)row.ranks, arena);
	row.message_bytes = part->call.bytes;
	row.total_ns = v->total_ns;
	row.wait_ns = v->wait_ns;
	row.transfer_ns = v->transfer_ns;
	row.shortest_ns = v->shortest_ns;
	if (v->bus_bytes >= 0)
		row.busbw_gbps = bandwidth_of(v->bus_bytes, v->transfer_ns);
	row.skew_ns = v->skew_ns;
	row.end_skew_ns = v->end_skew_ns;
	if (v->late_ns > 0)
		row.late_rank = m->participants[v->late].profile->rank;
	row.late_ns = v->late_ns;
	return row;
}

struct comm_ranks_rows comm_ranks_single(const struct comm_ranks *r, struct arena *arena)
{
	const struct comm_matches *m = r->matches;
	struct judging j = { .r = r, .verdicts = judge_all(m) };
	uint32_t *at = sorted_places(m->nmatches, started_before, &j);
	int64_t *ranks = xcalloc(m->nparticipants + 1, sizeof(*ranks));
	int64_t *origins = find_origins(m);
	struct comm_ranks_rows rows = room_for(m->nmatches);

	for (size_t i = 0; i < rows.n; i++)
		rows.items[i] = single_row(r, &m->matches[at[i]], &j.verdicts[at[i]],
					   origins, ranks, arena);
	free(ranks);
	free(origins);
	free(j.verdicts);
	free(at);
	return rows;
}
