/* A run played again: see rank_replay.h. */
#include "query/ranks/rank_replay.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_judge.h"

const char *const replay_kind_names[NREPLAY_KINDS] = {
	[REPLAY_COMPUTE] = "compute",
	[REPLAY_COPY] = "copy",
	[REPLAY_IDLE] = "idle",
	[REPLAY_TRANSFER] = "transfer",
};

/* Where the last rank of a collective is waited for, its segment goes on: NODE_MEET. */
enum node_kind { NODE_WORK, NODE_COME, NODE_MEET, NODE_LEAVE };

/* One of work is a segment, or what is between two NODE_MEETs of it. */
struct node {
	enum node_kind kind;
	uint32_t usual; /* of a segment: place in usuals; of others: the match's part */
	uint32_t match;
	uint32_t step, place;          /* of a segment: place among those of the step */
	int64_t ns[NREPLAY_KINDS + 1]; /* of work; the last: outside of steps */
	int64_t usual_ns[NREPLAY_KINDS];
	bool goes_on; /* of work: the segment has begun before */
};

/* What a segment usually takes: sums, then means. */
struct usual {
	uint32_t nsegments, place; /* of the step; of the segment in it */
	int64_t ns[NREPLAY_KINDS], n;
};

struct line {
	struct node *nodes; /* owned */
	size_t n, cap;
	int64_t start_ns, end_ns; /* on the aligned clock */
	size_t at;                /* while it is played */
	int64_t now_ns;
};

struct replay {
	const struct ranks *ranks;
	struct line *lines;   /* owned; by participant */
	struct usual *usuals; /* owned */
	size_t nusuals, usuals_cap;
	struct slots usual_places;                /* by both numbers */
	int64_t *transfer_ns, *usual_transfer_ns; /* owned; by part of the matches */
	int64_t *
		came_ns; /* owned; by match: the last rank, as recorded, then as played */
	size_t *missing; /* likewise: ranks that have not come */
	struct stretch {
		int64_t start_ns, end_ns;
	} * spans; /* owned; room for one a participant */
};

/* What a rank did of a match. */
struct coming {
	int64_t start_ns, end_ns, slice_id;
	uint32_t match, part;
};

static int by_start(const void *a, const void *b)
{
	const struct coming *x = a, *y = b;
	int order = sort_order(x->start_ns, y->start_ns);

	return order ? order : sort_order(x->slice_id, y->slice_id);
}

/* The collectives of all participants. */
struct comings {
	struct coming *items; /* owned; by participant, in time */
	size_t *first;        /* owned; by participant, and one behind */
};

/* Those of one. */
struct own_comings {
	const struct coming *items; /* borrowed */
	size_t n;
	uint32_t *by_slice; /* owned; places in items, in their order if of one slice */
};

static void list_comings(const struct comm_matches *m, struct comings *c)
{
	size_t *fill = xcalloc(m->nparticipants + 1, sizeof(*fill));

	c->first = xcalloc(m->nparticipants + 2, sizeof(*c->first));
	c->items = xcalloc(m->nparts + 1, sizeof(*c->items));
	for (size_t i = 0; i < m->nmatches; i++)
		for (size_t k = 0; k < m->matches[i].n; k++)
			c->first[m->parts[m->matches[i].first + k].participant + 1]++;
	for (size_t p = 0; p < m->nparticipants; p++) {
		c->first[p + 1] += c->first[p];
		fill[p] = c->first[p];
	}
	for (size_t i = 0; i < m->nmatches; i++)
		for (size_t k = 0; k < m->matches[i].n; k++) {
			size_t at = m->matches[i].first + k;
			const struct comm_part *part = &m->parts[at];
			c->items[fill[part->participant]++] =
				(struct coming){ part->call.start_ns, part->call.end_ns,
						 part->call.slice_id, (uint32_t)i,
						 (uint32_t)at };
		}
	for (size_t p = 0; p < m->nparticipants; p++)
		if (c->first[p + 1] > c->first[p])
			qsort(c->items + c->first[p], c->first[p + 1] - c->first[p],
			      sizeof(*c->items), by_start);
	free(fill);
}

static bool slice_before(const void *context, uint32_t a, uint32_t b)
{
	const struct coming *items = context;

	return items[a].slice_id < items[b].slice_id;
}

static void add_event(struct line *l, enum node_kind kind, const struct coming *c)
{
	*ARRAY_PUSH(l->nodes, l->n, l->cap) =
		(struct node){ .kind = kind, .usual = c->part, .match = c->match };
}

/* What the newest segment has last, and is it still under way?  NULL: there is none. */
static const struct node *newest_segment(const struct line *l, bool *is_open)
{
	*is_open = true;
	for (size_t i = l->n; i-- > 0;) {
		if (l->nodes[i].kind == NODE_WORK)
			return &l->nodes[i];
		*is_open = *is_open && l->nodes[i].kind == NODE_MEET;
	}
	return NULL;
}

/* The work under way: of the step's newest segment, or of a new one. */
static struct node *segment_of(struct line *l, uint32_t step)
{
	struct node work = { .kind = NODE_WORK, .step = step };
	bool is_open;
	const struct node *newest = newest_segment(l, &is_open);

	if (newest && newest->step == step) {
		if (newest == &l->nodes[l->n - 1])
			return &l->nodes[l->n - 1];
		work.goes_on = is_open;
		work.place = newest->place + (is_open ? 0 : 1);
	}
	*ARRAY_PUSH(l->nodes, l->n, l->cap) = work;
	return &l->nodes[l->n - 1];
}

/* Of the kind, or NREPLAY_KINDS; parts of a stranger's store may overlap. */
static void add_to_segment(struct line *l, uint32_t step, enum replay_kind kind,
			   int64_t ns)
{
	int64_t *sum = &segment_of(l, step)->ns[kind];

	*sum = sum_add(*sum, ns);
}

/* Is the one at this place of by_slice of a slice before, or of this and of the first n? */
static bool is_upto(const struct own_comings *c, size_t at, int64_t slice_id, size_t n)
{
	uint32_t place = c->by_slice[at];
	int order = sort_order(c->items[place].slice_id, slice_id);

	return order < 0 || (order == 0 && place < n);
}

/* The matched collective that the part is of, of the first n; NULL: it is other time. */
static const struct coming *coming_of(const struct own_comings *c, size_t n,
				      const struct rank_part *part)
{
	size_t at;

	if (!part->call)
		return NULL;
	SEARCH(at, 0, c->n, is_upto(c, at, part->call, n));
	if (!at)
		return NULL;
	const struct coming *last = &c->items[c->by_slice[at - 1]];
	return last->slice_id == part->call ? last : NULL;
}

/* What a line is made of. */
struct making {
	struct line *line;
	const struct rank_facts *facts;
	struct own_comings own;
	size_t next;            /* of the comings: the first that is no node yet */
	const int64_t *came_ns; /* of the replay */
	int64_t shift_ns;       /* from the rank's times to the aligned clock */
};

/* One with what follows of its collective, which a step cut from it; `at` is the last. */
static struct rank_part whole_part(const struct making *m, size_t *at)
{
	const struct rank_facts *f = m->facts;
	struct rank_part part = f->parts[*at];

	for (; *at + 1 < f->nparts; ++*at) {
		const struct rank_part *more = &f->parts[*at + 1];
		if (more->call != part.call || more->start_ns != part.end_ns ||
		    (m->next < m->own.n &&
		     m->own.items[m->next].start_ns <= more->start_ns))
			break;
		part.end_ns = more->end_ns;
		part.ns = sum_add(part.ns, more->ns);
		part.step = more->step;
	}
	return part;
}

/*
 * Of a collective that other work follows before it ends: until the last rank has come
 * nothing ran, and then data moved.
 */
static void add_piece(const struct making *m, const struct coming *c,
		      const struct rank_part *part)
{
	int64_t came_ns = sum_sub(m->came_ns[c->match], m->shift_ns);

	if (came_ns >= part->end_ns) {
		add_to_segment(m->line, part->step, REPLAY_IDLE, part->ns);
		return;
	}
	if (came_ns >= part->start_ns)
		add_event(m->line, NODE_MEET, c);
	else
		came_ns = part->start_ns;
	add_to_segment(m->line, part->step, REPLAY_TRANSFER,
		       sum_sub(part->end_ns, came_ns));
}

/* The part at the place, or with it others; the last of them is then at the place. */
static void add_parts(struct making *m, size_t *at, int64_t end_ns)
{
	static const enum replay_kind kinds[] = { [RANK_COMPUTE] = REPLAY_COMPUTE,
						  [RANK_COPY] = REPLAY_COPY,
						  [RANK_COLLECTIVE] = REPLAY_TRANSFER,
						  [RANK_IDLE] = REPLAY_IDLE };
	struct rank_part part = m->facts->parts[*at];

	if (part.start_ns > end_ns)
		add_to_segment(m->line, part.step, NREPLAY_KINDS, part.start_ns - end_ns);
	for (; m->next < m->own.n && m->own.items[m->next].start_ns <= part.start_ns;
	     m->next++)
		add_event(m->line, NODE_COME, &m->own.items[m->next]);
	const struct coming *c = coming_of(&m->own, m->next, &part);
	if (!c) {
		add_to_segment(m->line, part.step, kinds[part.what], part.ns);
		return;
	}
	part = whole_part(m, at);
	if (c->end_ns == part.end_ns)
		add_event(m->line, NODE_LEAVE, c);
	else
		add_piece(m, c, &part);
}

static void make_line(const struct replay *replay, uint32_t p, const struct comings *all,
		      struct line *l)
{
	const struct rank_facts *f = &replay->ranks->facts[p];
	const struct comm_participant *who = &replay->ranks->matches.participants[p];
	const struct coming *comings = all->items + all->first[p];
	size_t n = all->first[p + 1] - all->first[p];
	int64_t end_ns = f->nparts ? f->parts[0].start_ns : 0;
	struct making m = {
		.line = l,
		.facts = f,
		.own = { comings, n, sorted_places(n, slice_before, comings) },
		.came_ns = replay->came_ns,
		.shift_ns = sum_sub(who->origin_ns, who->offset_ns),
	};

	l->start_ns = sum_add(end_ns, m.shift_ns);
	for (size_t i = 0; i < f->nparts; i++) {
		add_parts(&m, &i, end_ns);
		end_ns = f->parts[i].end_ns;
	}
	for (; m.next < n; m.next++)
		add_event(l, NODE_COME, &comings[m.next]);
	l->end_ns = sum_add(end_ns, m.shift_ns);
	free(m.own.by_slice);
}

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
static uint32_t count_segments(const struct line *l, size_t at)
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

static void add_usuals(struct replay *p, struct line *l)
{
	uint32_t nsegments = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct node *node = &l->nodes[i];
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

/* What is usual of a segment, shared out over n nodes as the segment itself is. */
static void share_usual(const struct usual *u, int kind, struct node *nodes, size_t n)
{
	int64_t rest_ns = u->ns[kind], sum_ns = 0;
	struct node *last = nodes;

	for (size_t i = 0; i < n; i++)
		if (nodes[i].kind == NODE_WORK)
			sum_ns = sum_add(sum_ns, nodes[i].ns[kind]);
	for (size_t i = 0; i < n; i++) {
		if (nodes[i].kind != NODE_WORK)
			continue;
		double share = percent_of(nodes[i].ns[kind], sum_ns) / 100;
		int64_t ns = sum_of_double((double)u->ns[kind] * share);
		last = &nodes[i];
		last->usual_ns[kind] = ns < rest_ns ? ns : rest_ns;
		rest_ns -= last->usual_ns[kind];
	}
	last->usual_ns[kind] += rest_ns;
}

static void share_usuals(const struct replay *p, struct line *l)
{
	for (size_t i = 0, end; i < l->n; i = end) {
		end = i + 1;
		if (l->nodes[i].kind != NODE_WORK)
			continue;
		for (size_t k = end; k < l->n; k++) {
			const struct node *node = &l->nodes[k];
			if (node->kind == NODE_WORK && node->goes_on)
				end = k + 1;
			else if (node->kind != NODE_MEET)
				break;
		}
		for (int k = 0; k < NREPLAY_KINDS; k++)
			share_usual(&p->usuals[l->nodes[i].usual], k, &l->nodes[i],
				    end - i);
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
	struct comings comings;

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
	list_comings(&r->matches, &comings);
	for (uint32_t i = 0; i < r->matches.nparticipants; i++)
		make_line(p, i, &comings, &p->lines[i]);
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

static int64_t work_ns(const struct node *node, unsigned fixed)
{
	int64_t ns = node->ns[NREPLAY_KINDS];

	for (int k = 0; k < NREPLAY_KINDS; k++)
		ns = sum_add(ns, fixed >> k & 1 ? node->usual_ns[k] : node->ns[k]);
	return ns;
}

/* From when the last rank has come. */
static int64_t transfer_ns(const struct replay *p, const struct node *node,
			   unsigned fixed)
{
	if (node->kind == NODE_MEET)
		return 0;
	return fixed >> REPLAY_TRANSFER & 1 ? p->usual_transfer_ns[node->usual]
					    : p->transfer_ns[node->usual];
}

/* On to the next collective that not all have come to; did it get anywhere? */
static bool play(struct replay *p, struct line *l, unsigned fixed, bool force)
{
	size_t from = l->at;

	for (; l->at < l->n; l->at++) {
		const struct node *node = &l->nodes[l->at];
		int64_t *came_ns = &p->came_ns[node->match];
		if (node->kind == NODE_WORK) {
			l->now_ns = sum_add(l->now_ns, work_ns(node, fixed));
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
		const struct line *l = &p->lines[i];
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
