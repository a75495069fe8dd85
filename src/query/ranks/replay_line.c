/* What a rank does when it is played again: see replay_line.h. */
#include "query/ranks/replay_line.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"

static int by_start(const void *a, const void *b)
{
	const struct replay_coming *x = a, *y = b;
	int order = sort_order(x->start_ns, y->start_ns);

	return order ? order : sort_order(x->slice_id, y->slice_id);
}

/* Those of one. */
struct own_comings {
	const struct replay_coming *items; /* borrowed */
	size_t n;
	uint32_t *by_slice; /* owned; places in items, in their order if of one slice */
};

void replay_list_comings(const struct comm_matches *m, struct replay_comings *c)
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
			c->items[fill[part->participant]++] = (struct replay_coming){
				part->call.start_ns, part->call.end_ns,
				part->call.slice_id, (uint32_t)i, (uint32_t)at
			};
		}
	for (size_t p = 0; p < m->nparticipants; p++)
		if (c->first[p + 1] > c->first[p])
			qsort(c->items + c->first[p], c->first[p + 1] - c->first[p],
			      sizeof(*c->items), by_start);
	free(fill);
}

static bool slice_before(const void *context, uint32_t a, uint32_t b)
{
	const struct replay_coming *items = context;

	return items[a].slice_id < items[b].slice_id;
}

static void add_event(struct replay_line *l, enum node_kind kind,
		      const struct replay_coming *c)
{
	*ARRAY_PUSH(l->nodes, l->n, l->cap) =
		(struct replay_node){ .kind = kind, .usual = c->part, .match = c->match };
}

/* What the newest segment has last, and is it still under way?  NULL: there is none. */
static const struct replay_node *newest_segment(const struct replay_line *l,
						bool *is_open)
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
static struct replay_node *segment_of(struct replay_line *l, uint32_t step)
{
	struct replay_node work = { .kind = NODE_WORK, .step = step };
	bool is_open;
	const struct replay_node *newest = newest_segment(l, &is_open);

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
static void add_to_segment(struct replay_line *l, uint32_t step, enum replay_kind kind,
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
static const struct replay_coming *coming_of(const struct own_comings *c, size_t n,
					     const struct rank_part *part)
{
	size_t at;

	if (!part->call)
		return NULL;
	SEARCH(at, 0, c->n, is_upto(c, at, part->call, n));
	if (!at)
		return NULL;
	const struct replay_coming *last = &c->items[c->by_slice[at - 1]];
	return last->slice_id == part->call ? last : NULL;
}

/* What a line is made of. */
struct making {
	struct replay_line *line;
	const struct rank_facts *facts;
	struct own_comings own;
	size_t next;            /* of the comings: the first that is no node yet */
	const int64_t *came_ns; /* by match */
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
static void add_piece(const struct making *m, const struct replay_coming *c,
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
	const struct replay_coming *c = coming_of(&m->own, m->next, &part);
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

void replay_make_line(const struct ranks *r, uint32_t p, const struct replay_comings *all,
		      const int64_t *came_ns, struct replay_line *l)
{
	const struct rank_facts *f = &r->facts[p];
	const struct comm_participant *who = &r->matches.participants[p];
	const struct replay_coming *comings = all->items + all->first[p];
	size_t n = all->first[p + 1] - all->first[p];
	int64_t end_ns = f->nparts ? f->parts[0].start_ns : 0;
	struct making m = {
		.line = l,
		.facts = f,
		.own = { comings, n, sorted_places(n, slice_before, comings) },
		.came_ns = came_ns,
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
