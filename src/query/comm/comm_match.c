/* Collectives across ranks: see comm_match.h. */
#include "query/comm/comm_match.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"

static int compare_participants(const void *a, const void *b)
{
	const struct comm_participant *x = a, *y = b;
	int order = sort_order(x->profile->rank, y->profile->rank);

	return order ? order : sort_order(x->profile->id, y->profile->id);
}

/* The k-th of each rank are of one span.  Have all ranks equally many? */
static bool number_by_place(struct comm_matches *m)
{
	uint32_t most = 0;
	size_t nranks = 0;

	for (size_t i = 0; i < m->nparticipants; i++) {
		struct comm_participant *who = &m->participants[i];
		bool again = i && who[-1].profile->rank == who->profile->rank;
		who->first = again ? who[-1].first : (uint32_t)i;
		who->span = (uint32_t)i - who->first;
		most = who->span > most ? who->span : most;
		nranks += !again;
	}
	return m->nparticipants == nranks * (most + 1);
}

static bool began_before(const void *context, uint32_t a, uint32_t b)
{
	const struct comm_participant *who = context;

	return who[a].origin_ns < who[b].origin_ns;
}

/* A span ends where a rank comes again, or one begins when all have ended. */
static void number_by_time(struct comm_matches *m)
{
	size_t n = m->nparticipants;
	uint32_t *at = xrealloc_array(NULL, n * 3, sizeof(*at));
	uint32_t *seen = at + (2 * n); /* by first participant: its last span + 1 */
	uint32_t span = 0;
	int64_t end_ns = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		at[i] = (uint32_t)i;
		seen[i] = 0;
	}
	sort_indexes(at, n, at + n, began_before, m->participants);
	for (size_t i = 0; i < n; i++) {
		struct comm_participant *who = &m->participants[at[i]];
		int64_t who_end_ns = sum_add(who->origin_ns, who->profile->dur_ns);
		bool begins = seen[who->first] == span + 1 || who->origin_ns > end_ns;
		span += begins;
		if (!i || begins || who_end_ns > end_ns)
			end_ns = who_end_ns;
		who->span = span;
		seen[who->first] = span + 1;
	}
	free(at);
}

void comm_matches_init(const struct scope *scope, struct comm_matches *out)
{
	bool has_base = true;

	*out = (struct comm_matches){ .nparts = 0 };
	out->participants = xcalloc(scope->n, sizeof(*out->participants));
	for (size_t i = 0; i < scope->n; i++)
		has_base &= scope->profiles[i].has_base;
	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_profile *p = &scope->profiles[i];
		if (!p->has_rank) {
			out->unranked++;
			continue;
		}
		out->participants[out->nparticipants++] = (struct comm_participant){
			.profile = p,
			.origin_ns = sum_add(has_base ? p->base_ns : 0, p->start_ns),
		};
	}
	if (out->nparticipants)
		qsort(out->participants, out->nparticipants, sizeof(*out->participants),
		      compare_participants);
	if (!number_by_place(out) && has_base)
		number_by_time(out);
}

struct comm_participant *comm_matches_who(struct comm_matches *m,
					  const struct scope_profile *profile)
{
	for (size_t i = 0; i < m->nparticipants; i++)
		if (m->participants[i].profile == profile)
			return &m->participants[i];
	return NULL;
}

void comm_matches_add(struct comm_matches *m, const struct scope_profile *profile,
		      const struct comm_calls *calls)
{
	const struct comm_participant *who = comm_matches_who(m, profile);

	if (!who)
		return;
	for (size_t i = 0; i < calls->n; i++) {
		const struct comm_call *call = &calls->items[i];
		if (collective_is_point_to_point((enum collective)call->kind)) {
			m->direct += !call->is_unwanted;
			continue;
		}
		*ARRAY_PUSH(m->parts, m->nparts, m->parts_cap) = (struct comm_part){
			.start_ns = sum_add(who->origin_ns, call->start_ns),
			.end_ns = sum_add(who->origin_ns, call->end_ns),
			.call = *call,
			.participant = (uint32_t)(who - m->participants),
		};
	}
}

int comm_part_compare(const struct comm_part *a, const struct comm_part *b, bool by_size)
{
	const struct comm_call *c = &a->call, *d = &b->call;
	int order = sort_order(c->group, d->group);

	if (!order)
		order = sort_order(c->ranks, d->ranks);
	if (!order)
		order = sort_order(c->collective, d->collective);
	if (!order)
		order = sort_order(c->side, d->side);
	if (!order && by_size)
		order = sort_order(c->bytes, d->bytes);
	return order;
}

/* What `number` counts within; spans keep to themselves, but are not told apart else. */
static int compare_streams(const struct comm_part *a, const struct comm_part *b)
{
	int order = comm_part_compare(a, b, false);

	return order ? order : sort_order(a->participant, b->participant);
}

static int by_time(const void *a, const void *b)
{
	const struct comm_part *x = a, *y = b;
	int order = compare_streams(x, y);

	if (!order)
		order = sort_order(x->call.start_ns, y->call.start_ns);
	return order ? order : sort_order(x->call.slice_id, y->call.slice_id);
}

/* Does each call of these, which are by time, have a number, and a larger one each? */
static bool is_numbered(const struct comm_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (parts[i].call.sequence == NUMBER_NONE)
			return false;
		if (i && parts[i].participant == parts[i - 1].participant &&
		    parts[i].call.sequence <= parts[i - 1].call.sequence)
			return false;
	}
	return true;
}

/* The parts, which are by time and of one group and kind. */
static void number_parts(struct comm_part *parts, size_t n)
{
	bool numbered = is_numbered(parts, n);

	for (size_t i = 0; i < n; i++) {
		bool first = !i || parts[i].participant != parts[i - 1].participant;
		parts[i].is_numbered = numbered;
		parts[i].number = numbered ? parts[i].call.sequence
				  : first  ? 0
					   : parts[i - 1].number + 1;
	}
}

struct placed {
	struct comm_part part;
	uint32_t span;
};

static int compare_places(const struct placed *x, const struct placed *y)
{
	int order = comm_part_compare(&x->part, &y->part, false);

	if (!order)
		order = sort_order(x->span, y->span);
	return order ? order : sort_order(x->part.number, y->part.number);
}

static int by_match(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = compare_places(x, y);

	return order ? order : sort_order(x->part.participant, y->part.participant);
}

/* Puts the parts of one collective together. */
static void sort_by_match(struct comm_matches *m, struct placed *placed)
{
	for (size_t i = 0; i < m->nparts; i++)
		placed[i] =
			(struct placed){ m->parts[i],
					 m->participants[m->parts[i].participant].span };
	qsort(placed, m->nparts, sizeof(*placed), by_match);
	for (size_t i = 0; i < m->nparts; i++)
		m->parts[i] = placed[i].part;
}

void comm_matches_find(struct comm_matches *m)
{
	struct placed *placed;

	if (!m->nparts)
		return;
	qsort(m->parts, m->nparts, sizeof(*m->parts), by_time);
	for (size_t i = 0, end; i < m->nparts; i = end) {
		for (end = i + 1; end < m->nparts &&
				  !comm_part_compare(&m->parts[i], &m->parts[end], false);
		     end++)
			;
		number_parts(m->parts + i, end - i);
	}
	placed = xrealloc_array(NULL, m->nparts, sizeof(*placed));
	sort_by_match(m, placed);
	for (size_t i = 0, end; i < m->nparts; i = end) {
		for (end = i + 1;
		     end < m->nparts && !compare_places(&placed[i], &placed[end]); end++)
			;
		if (end - i < 2) {
			m->unmatched += !m->parts[i].call.is_unwanted;
			continue;
		}
		*ARRAY_PUSH(m->matches, m->nmatches, m->matches_cap) =
			(struct comm_match){ i, end - i };
	}
	free(placed);
}

static uint32_t span_of(const struct comm_matches *m, const struct comm_part *part)
{
	return m->participants[part->participant].span;
}

static bool are_alike(const struct comm_matches *m, size_t a, size_t b)
{
	const struct comm_part *x = &m->parts[a], *y = &m->parts[b];

	return !comm_part_compare(x, y, false) && span_of(m, x) == span_of(m, y);
}

bool comm_matches_are_alike(const struct comm_matches *m, size_t a, size_t b)
{
	return are_alike(m, m->matches[a].first, m->matches[b].first);
}

/* Have ranks different numbers of these matches, or of parts behind them? */
static bool is_uneven(const struct comm_matches *m, size_t first, size_t last)
{
	const struct comm_match *a = &m->matches[first], *b = &m->matches[last];
	size_t behind = b->first + b->n;

	/* who has the k-th has the first, so that the last one has the fewest */
	return b->n < a->n || (behind < m->nparts && are_alike(m, b->first, behind));
}

/* Of [first, end), which are alike, those of which a part is wanted move to `to`. */
static size_t choose(struct comm_matches *m, size_t first, size_t end, size_t to)
{
	for (size_t i = first; i < end; i++) {
		const struct comm_match match = m->matches[i];
		bool is_wanted = false;
		for (size_t k = match.first; k < match.first + match.n; k++) {
			is_wanted |= !m->parts[k].call.is_unwanted;
			m->participants[m->parts[k].participant].has_matches = true;
		}
		if (is_wanted)
			m->matches[to++] = match;
	}
	return to;
}

void comm_matches_choose(struct comm_matches *m)
{
	size_t n = 0;

	for (size_t i = 0, end; i < m->nmatches; i = end) {
		size_t before = n;
		for (end = i + 1; end < m->nmatches && comm_matches_are_alike(m, i, end);
		     end++)
			;
		bool is_guess = !m->parts[m->matches[i].first].is_numbered &&
				is_uneven(m, i, end - 1);
		n = choose(m, i, end, n);
		m->guessed += is_guess ? (int64_t)(n - before) : 0;
	}
	m->nmatches = n;
}

void comm_matches_release(struct comm_matches *m)
{
	for (size_t i = 0; i < m->nparticipants; i++)
		intervals_release(&m->participants[i].exposed);
	free(m->participants);
	free(m->parts);
	free(m->matches);
	*m = (struct comm_matches){ .nparts = 0 };
}
