/* A run played again: see rank_replay.h. */
#include "query/ranks/rank_replay.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_judge.h"
#include "query/ranks/replay_line.h"

const char *const replay_kind_names[NREPLAY_KINDS] = {
	[REPLAY_COMPUTE] = "compute",
	[REPLAY_COPY] = "copy",
	[REPLAY_IDLE] = "idle",
	[REPLAY_TRANSFER] = "transfer",
};

/* What a segment usually takes: sums, then means. */
struct usual {
	uint32_t nsegments, place; /* of the step; of the segment in it */
	int64_t ns[NREPLAY_KINDS], n;
};

struct replay {
	const struct ranks *ranks;
	struct replay_line *lines; /* owned; by participant */
	struct usual *usuals;      /* owned */
	size_t nusuals, usuals_cap;
	struct slots usual_places;                /* by both numbers */
	int64_t *transfer_ns, *usual_transfer_ns; /* owned; by part of the matches */
	int64_t *came_ns; /* owned; by match: the last, as recorded, then as played */
	size_t *missing;  /* likewise: ranks that have not come */
	struct stretch {
		int64_t start_ns, end_ns;
	} * spans; /* owned; room for one a participant */
};

static uint32_t usual_place(struct replay *p, uint32_t nsegments, uint32_t place)
{
	uint64_t hash = hash_u64((uint64_t)nsegments << 32 | place);
	size_t at;

	for (uint32_t i = slots_first(&p->usual_places, hash, &at); i != SLOT_FREE;
	     i = slots_next(&p->usual_places, hash, &at))
		if (p->usuals[i].nsegments == nsegments && p->usuals[i].place == place)
			return i;
	slots_add(&p->usual_places, hash, (uint32_t)p->nusuals);
	*ARRAY_PUSH(p->usuals, p->nusuals, p->usuals_cap) =
		(struct usual){ nsegments, place, { 0 }, 0 };
	return (uint32_t)p->nusuals - 1;
}

/* How many segments the step of this one has. */
static uint32_t count_segments(const struct replay_line *l, size_t at)
{
	uint32_t step = l->nodes[at].step, n = 0;

	for (; at < l->n; at++)
		if (l->nodes[at].kind == NODE_WORK) {
			if (l->nodes[at].step != step)
				break;
			n = l->nodes[at].place + 1;
		}
	return n;
}

static void add_usuals(struct replay *p, struct replay_line *l)
{
	uint32_t nsegments = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct replay_node *node = &l->nodes[i];
		if (node->kind != NODE_WORK)
			continue;
		if (node->place == 0 && !node->goes_on)
			nsegments = count_segments(l, i);
		node->usual = usual_place(p, nsegments, node->place);
		struct usual *u = &p->usuals[node->usual];
		for (int k = 0; k < NREPLAY_KINDS; k++)
			u->ns[k] = sum_add(u->ns[k], node->ns[k]);
		u->n += node->goes_on ? 0 : 1;
	}
}

/* What a kind of time usually takes, shared out over n nodes as the segment's own is. */
static void share_kind(struct replay *p, int64_t usual_ns, int kind,
		       const struct replay_node *nodes, size_t n)
{
	int64_t rest_ns = usual_ns, sum_ns = 0;
	int64_t *to = NULL;

	for (size_t i = 0; i < n; i++)
		if (nodes[i].kind == NODE_WORK)
			sum_ns = sum_add(sum_ns, nodes[i].ns[kind]);
	for (size_t i = 0; i < n; i++) {
		if (nodes[i].kind != NODE_WORK)
			continue;
		double share = percent_of(nodes[i].ns[kind], sum_ns) / 100;
		int64_t ns = sum_of_double((double)usual_ns * share);
		to = &p->usuals[nodes[i].usual].ns[kind];
		*to = ns < rest_ns ? ns : rest_ns;
		rest_ns -= *to;
	}
	if (to)
		*to += rest_ns;
}

/* Nodes that are a segment together get usuals of their own. */
static void share_usual(struct replay *p, struct replay_node *nodes, size_t n)
{
	struct usual whole = p->usuals[nodes[0].usual];

	for (size_t i = 0; i < n; i++) {
		if (nodes[i].kind != NODE_WORK)
			continue;
		nodes[i].usual = (uint32_t)p->nusuals;
		*ARRAY_PUSH(p->usuals, p->nusuals, p->usuals_cap) =
			(struct usual){ .n = 1 };
	}
	for (int k = 0; k < NREPLAY_KINDS; k++)
		share_kind(p, whole.ns[k], k, nodes, n);
}

static void share_usuals(struct replay *p, struct replay_line *l)
{
	for (size_t i = 0, end; i < l->n; i = end) {
		end = i + 1;
		if (l->nodes[i].kind != NODE_WORK)
			continue;
		for (size_t k = end; k < l->n; k++) {
			const struct replay_node *node = &l->nodes[k];
			if (node->kind == NODE_WORK && node->goes_on)
				end = k + 1;
			else if (node->kind != NODE_MEET)
				break;
		}
		if (end > i + 1)
			share_usual(p, &l->nodes[i], end - i);
	}
}

static void find_usuals(struct replay *p)
{
	for (size_t i = 0; i < p->ranks->matches.nparticipants; i++)
		add_usuals(p, &p->lines[i]);
	for (size_t i = 0; i < p->nusuals; i++)
		for (int k = 0; k < NREPLAY_KINDS; k++)
			p->usuals[i].ns[k] /= p->usuals[i].n;
	for (size_t i = 0; i < p->ranks->matches.nparticipants; i++)
		share_usuals(p, &p->lines[i]);
}

struct transfer {
	const struct comm_call *call;
	size_t part;
	int64_t ns;
};

static int by_class(const void *a, const void *b)
{
	const struct transfer *x = a, *y = b;
	int order = ranks_compare_calls(x->call, y->call);

	return order ? order : sort_order(x->ns, y->ns);
}

/* Each rank's time from when the last came, and the median of all that are alike. */
static void find_transfers(struct replay *p)
{
	const struct comm_matches *m = &p->ranks->matches;
	struct transfer *items = xcalloc(m->nparts + 1, sizeof(*items));
	size_t n = 0;

	for (size_t i = 0; i < m->nmatches; i++) {
		for (size_t k = 0; k < m->matches[i].n; k++) {
			size_t at = m->matches[i].first + k;
			const struct comm_part *part = &m->parts[at];
			int64_t offset_ns = m->participants[part->participant].offset_ns;
			int64_t ns =
				sum_sub(sum_sub(part->end_ns, offset_ns), p->came_ns[i]);
			p->transfer_ns[at] = ns > 0 ? ns : 0;
			items[n++] =
				(struct transfer){ &part->call, at, p->transfer_ns[at] };
		}
	}
	if (n)
		qsort(items, n, sizeof(*items), by_class);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i;
		     end < n && !ranks_compare_calls(items[i].call, items[end].call);
		     end++)
			;
		int64_t median_ns = items[i + (end - i - 1) / 2].ns;
		for (size_t k = i; k < end; k++)
			p->usual_transfer_ns[items[k].part] = median_ns;
	}
	free(items);
}

struct replay *replay_new(const struct ranks *r)
{
	struct replay *p = xcalloc(1, sizeof(*p));
	struct replay_comings comings;

	p->ranks = r;
	p->lines = xcalloc(r->matches.nparticipants + 1, sizeof(*p->lines));
	p->transfer_ns = xcalloc(r->matches.nparts + 1, sizeof(*p->transfer_ns));
	p->usual_transfer_ns =
		xcalloc(r->matches.nparts + 1, sizeof(*p->usual_transfer_ns));
	p->came_ns = xcalloc(r->matches.nmatches + 1, sizeof(*p->came_ns));
	p->missing = xcalloc(r->matches.nmatches + 1, sizeof(*p->missing));
	p->spans = xcalloc(r->matches.nparticipants + 1, sizeof(*p->spans));
	slots_init(&p->usual_places, NULL);
	for (size_t i = 0; i < r->matches.nmatches; i++) {
		struct comm_verdict v = comm_judge(&r->matches, &r->matches.matches[i]);
		p->came_ns[i] = sum_add(v.start_ns, v.skew_ns);
	}
	replay_list_comings(&r->matches, &comings);
	for (uint32_t i = 0; i < r->matches.nparticipants; i++)
		replay_make_line(r, i, &comings, p->came_ns, &p->lines[i]);
	free(comings.items);
	free(comings.first);
	find_usuals(p);
	find_transfers(p);
	return p;
}

void replay_free(struct replay *p)
{
	for (size_t i = 0; i < p->ranks->matches.nparticipants; i++)
		free(p->lines[i].nodes);
	free(p->lines);
	free(p->usuals);
	slots_release(&p->usual_places);
	free(p->transfer_ns);
	free(p->usual_transfer_ns);
	free(p->came_ns);
	free(p->missing);
	free(p->spans);
	free(p);
}

static int64_t work_ns(const struct replay *p, const struct replay_node *node,
		       unsigned fixed)
{
	const struct usual *u = &p->usuals[node->usual];
	int64_t ns = node->ns[NREPLAY_KINDS];

	for (int k = 0; k < NREPLAY_KINDS; k++)
		ns = sum_add(ns, fixed >> k & 1 ? u->ns[k] : node->ns[k]);
	return ns;
}

/* From when the last rank has come. */
static int64_t transfer_ns(const struct replay *p, const struct replay_node *node,
			   unsigned fixed)
{
	if (node->kind == NODE_MEET)
		return 0;
	return fixed >> REPLAY_TRANSFER & 1 ? p->usual_transfer_ns[node->usual]
					    : p->transfer_ns[node->usual];
}

/* On to the next collective that not all have come to; did it get anywhere? */
static bool play(struct replay *p, struct replay_line *l, unsigned fixed, bool force)
{
	size_t from = l->at;

	for (; l->at < l->n; l->at++) {
		const struct replay_node *node = &l->nodes[l->at];
		int64_t *came_ns = &p->came_ns[node->match];
		if (node->kind == NODE_WORK) {
			l->now_ns = sum_add(l->now_ns, work_ns(p, node, fixed));
		} else if (node->kind == NODE_COME) {
			*came_ns = l->now_ns > *came_ns ? l->now_ns : *came_ns;
			p->missing[node->match]--;
		} else {
			if (p->missing[node->match] && !force)
				break;
			force = false;
			int64_t until_ns = sum_add(*came_ns, transfer_ns(p, node, fixed));
			l->now_ns = until_ns > l->now_ns ? until_ns : l->now_ns;
		}
	}
	return l->at > from;
}

static void begin(struct replay *p)
{
	const struct comm_matches *m = &p->ranks->matches;

	for (size_t i = 0; i < m->nmatches; i++) {
		p->came_ns[i] = INT64_MIN;
		p->missing[i] = m->matches[i].n;
	}
	for (size_t i = 0; i < m->nparticipants; i++) {
		p->lines[i].at = 0;
		p->lines[i].now_ns = p->lines[i].start_ns;
	}
}

/* The pauses between a rank's recordings are no time of the run: its spans are added up. */
static int64_t add_spans(const struct replay *p, bool is_played)
{
	const struct comm_matches *m = &p->ranks->matches;
	int64_t sum_ns = 0;

	for (size_t i = 0; i < m->nparticipants; i++)
		p->spans[i] = (struct stretch){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < m->nparticipants; i++) {
		const struct replay_line *l = &p->lines[i];
		struct stretch *span = &p->spans[m->participants[i].span];
		int64_t end_ns = is_played ? l->now_ns : l->end_ns;
		if (l->start_ns < span->start_ns)
			span->start_ns = l->start_ns;
		if (end_ns > span->end_ns)
			span->end_ns = end_ns;
	}
	for (size_t i = 0; i < m->nparticipants; i++)
		if (p->spans[i].end_ns > p->spans[i].start_ns)
			sum_ns = sum_add(sum_ns, sum_sub(p->spans[i].end_ns,
							 p->spans[i].start_ns));
	return sum_ns;
}

int64_t replay_run(struct replay *p, const unsigned *fixed)
{
	size_t n = p->ranks->matches.nparticipants;
	bool is_stuck = false;

	begin(p);
	for (bool goes_on = true; goes_on;) {
		bool moved = false, ended = true;
		for (size_t i = 0; i < n; i++) {
			/* ranks that wait for each other, by wrong clocks, do not do so forever */
			bool moves = play(p, &p->lines[i], fixed[i], is_stuck && !moved);
			moved = moved || moves;
			ended = ended && p->lines[i].at == p->lines[i].n;
		}
		is_stuck = !moved;
		goes_on = !ended;
	}
	return add_spans(p, true);
}

int64_t replay_recorded(const struct replay *p)
{
	return add_spans(p, false);
}
