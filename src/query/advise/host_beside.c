/*
 * What operators do while data is loaded or ranks communicate: see advise_facts.h.  Each
 * slice is asked, as sums do not tell what ran beside what.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/advise/advise_facts.h"
#include "query/steps/host_names.h"
#include "query/steps/host_scan.h"
#include "trace/optree.h"

/* What loads data or communicates, of a thread. */
struct thread_part {
	int64_t track_id, start_ns, end_ns;
	bool communicates;
};

struct open_slice {
	int64_t end_ns;
	struct fact_name *name; /* NULL: not in the operator table */
	size_t operator; /* behind the innermost one that computes, up to it; or 0 */
	/* A collective was called in it: what is its own from then on. */
	bool has_called;
	int64_t from_ns;
};

struct scanning {
	struct advise_facts *f;
	struct intervals loading, communication; /* of any thread */
	struct thread_part *parts;               /* owned; in the order of threads */
	size_t nparts, cap_parts, at;
	/* Of this thread: held: it may wait for collectives; aside: waits and loads. */
	struct intervals operators, waits, loads, aside, held;
	struct intervals computing; /* of all: operators without waits; */
	struct intervals outside;   /* and without what their threads load */
	struct open_slice *open;    /* owned; of this thread, one in the other */
	size_t nopen, cap;
	uint32_t *places; /* owned; of names of the facts, by text: place + 1 */
	size_t nplaces, cap_places;
	int64_t track_id;
};

static int add_part(void *context, const struct host_slice *slice, struct err *err)
{
	struct scanning *s = context;
	unsigned bits = host_name_bits(text_pool_str(s->f->texts, slice->name));
	bool communicates = (bits & HOST_COMMUNICATION) != 0;

	(void)err;
	if (!(bits & (HOST_DATA_LOADING | HOST_COMMUNICATION)))
		return 0;
	intervals_add(&s->f->others, slice->start_ns, slice->end_ns);
	intervals_add(communicates ? &s->communication : &s->loading, slice->start_ns,
		      slice->end_ns);
	*ARRAY_PUSH(s->parts, s->nparts, s->cap_parts) =
		(struct thread_part){ slice->track_id, slice->start_ns, slice->end_ns,
				      communicates };
	return 0;
}

static void add_ns(struct fact_name *name, int64_t ns)
{
	name->beside_ns = sum_add(name->beside_ns, ns);
}

static void add_held(struct scanning *s, const struct open_slice *in, int64_t to_ns)
{
	if (!in->has_called || !in->name || in->from_ns >= to_ns)
		return;
	intervals_add(&s->held, in->from_ns, to_ns);
	add_ns(in->name, intervals_length_within(&s->communication, in->from_ns, to_ns));
}

/* Those that end until then. */
static void close_slices(struct scanning *s, int64_t ns)
{
	while (s->nopen && s->open[s->nopen - 1].end_ns <= ns) {
		s->nopen--;
		add_held(s, &s->open[s->nopen], s->open[s->nopen].end_ns);
	}
}

static void add_all(struct intervals *to, const struct intervals *set)
{
	for (size_t i = 0; i < set->n; i++)
		intervals_add(to, set->items[i].start_ns, set->items[i].end_ns);
}

static void end_thread(struct scanning *s)
{
	struct intervals waited, own, outside;

	close_slices(s, INT64_MAX);
	intervals_unite(&s->operators);
	intervals_unite(&s->held);
	intervals_intersect(&s->held, &s->communication, &waited);
	add_all(&s->waits, &waited);
	intervals_unite(&s->waits);
	intervals_subtract(&s->operators, &s->waits, &own);
	intervals_subtract(&own, &s->loads, &outside);
	add_all(&s->computing, &own);
	add_all(&s->outside, &outside);
	s->f->beside.threads_ns = sum_add(s->f->beside.threads_ns,
					  intervals_overlap(&own, &s->f->window.when));
	intervals_release(&waited);
	intervals_release(&own);
	intervals_release(&outside);
	intervals_release(&s->operators);
	intervals_release(&s->waits);
	intervals_release(&s->loads);
	intervals_release(&s->aside);
	intervals_release(&s->held);
}

/* Threads come in the order in which add_part() saw them. */
static void begin_thread(struct scanning *s, int64_t track_id)
{
	for (; s->at < s->nparts && s->parts[s->at].track_id == track_id; s->at++) {
		const struct thread_part *part = &s->parts[s->at];
		intervals_add(part->communicates ? &s->waits : &s->loads, part->start_ns,
			      part->end_ns);
	}
	intervals_unite(&s->waits);
	intervals_unite(&s->loads);
	intervals_join(&s->waits, &s->loads, &s->aside);
	s->track_id = track_id;
}

/*
 * Of self time: what of the slice's is its own, and not that of the one around it.  A
 * call that waits for its collective does so in the operator around it, without a range:
 * what is that one's own from then on waits while ranks communicate.
 */
static void add_beside(struct scanning *s, const struct host_slice *slice,
		       struct fact_name *name, bool computes, bool calls)
{
	int64_t ns = intervals_length_within(&s->aside, slice->start_ns, slice->end_ns);
	struct open_slice in = { .end_ns = slice->end_ns, .name = name };

	close_slices(s, slice->start_ns);
	if (s->nopen) {
		struct open_slice *around = &s->open[s->nopen - 1];
		if (around->name)
			add_ns(around->name, -ns);
		add_held(s, around, slice->start_ns);
		around->from_ns = slice->end_ns;
		in.operator= around->operator;
	}
	if (name)
		add_ns(name, ns);
	if (calls && in.operator&& !s->open[in.operator- 1].has_called) {
		struct open_slice *caller = &s->open[in.operator - 1];
		caller->has_called = true;
		caller->from_ns = in.operator<s->nopen
			? s->open[in.operator].end_ns : slice->end_ns;
	}
	if (computes)
		in.operator= s->nopen + 1;
	*ARRAY_PUSH(s->open, s->nopen, s->cap) = in;
}

/* Most slices lie in the one before: slices of a thread come in the order of starts. */
static void add_outer(struct intervals *to, const struct host_slice *slice)
{
	if (!to->n || slice->end_ns > to->items[to->n - 1].end_ns)
		intervals_add(to, slice->start_ns, slice->end_ns);
}

static uint32_t place_of(const struct scanning *s, uint32_t text)
{
	return text < s->nplaces ? s->places[text] : 0;
}

static int add_slice(void *context, const struct host_slice *slice, struct err *err)
{
	struct scanning *s = context;
	struct str text = text_pool_str(s->f->texts, slice->name);
	struct str plain = op_name_plain(text); /* as the facts have it */
	uint32_t place = place_of(s, slice->name);

	if (!place && plain.n < text.n)
		place = place_of(s, intern_add(&s->f->texts->intern, plain));
	struct fact_name *name = place ? &s->f->names[place - 1] : NULL;
	bool calls = gap_name_is_collective(CLASS_OP, plain);
	bool computes = name && name->is_operator && !calls;

	(void)err;
	if (slice->track_id != s->track_id) {
		end_thread(s);
		begin_thread(s, slice->track_id);
	}
	if (computes)
		add_outer(&s->operators, slice);
	add_beside(s, slice, name, computes, calls);
	return 0;
}

static int find_places(struct scanning *s, struct err *err)
{
	for (size_t i = 0; i < s->f->nnames; i++) {
		uint32_t number;
		if (text_pool_number(s->f->texts, s->f->names[i].name_id, &number, err) <
		    0)
			return -1;
		if (number == TEXT_NONE)
			continue;
		while (s->nplaces <= number)
			*ARRAY_PUSH(s->places, s->nplaces, s->cap_places) = 0;
		s->places[number] = (uint32_t)i + 1;
	}
	return 0;
}

/* How long they last in steps, and within a set. */
static int64_t in_steps_ns(const struct scanning *s, struct intervals *set,
			   const struct intervals *within, int64_t *within_ns)
{
	struct intervals in_steps;

	intervals_unite(set);
	intervals_intersect(set, &s->f->window.when, &in_steps);
	int64_t ns = intervals_length(&in_steps);
	*within_ns = intervals_overlap(&in_steps, within);
	intervals_release(&in_steps);
	return ns;
}

static int scan(struct scanning *s, struct err *err)
{
	struct advise_facts *f = s->f;
	struct fact_beside *out = &f->beside;
	struct intervals others;

	if (host_scan(f->store, f->texts, f->profile, add_part, s, err) < 0)
		return -1;
	intervals_unite(&f->others);
	intervals_unite(&s->loading);
	intervals_unite(&s->communication);
	intervals_intersect(&f->others, &f->window.when, &others);
	intervals_release(&f->others);
	f->others = others;
	s->track_id = -1;
	if (find_places(s, err) < 0 ||
	    host_scan(f->store, f->texts, f->profile, add_slice, s, err) < 0)
		return -1;
	end_thread(s);
	out->any_ns =
		in_steps_ns(s, &s->computing, &s->communication, &out->communication_ns);
	out->outside_ns = in_steps_ns(s, &s->outside, &s->loading, &out->loading_ns);
	out->is_known = true;
	for (size_t i = 0; i < f->nnames; i++) {
		struct fact_name *name = &f->names[i];
		int64_t most = name->self_ns > 0 ? name->self_ns : 0;
		name->beside_ns = name->beside_ns < 0      ? 0
				  : name->beside_ns < most ? name->beside_ns
							   : most;
	}
	return 0;
}

static void scanning_release(struct scanning *s)
{
	intervals_release(&s->loading);
	intervals_release(&s->communication);
	intervals_release(&s->operators);
	intervals_release(&s->waits);
	intervals_release(&s->loads);
	intervals_release(&s->aside);
	intervals_release(&s->held);
	intervals_release(&s->computing);
	intervals_release(&s->outside);
	free(s->parts);
	free(s->open);
	free(s->places);
}

int facts_find_beside(struct advise_facts *f, struct err *err)
{
	struct scanning s = { .f = f };
	bool has_others = false;

	for (size_t i = 0; i < f->nnames; i++)
		has_others |= (host_name_bits(str_of(f->names[i].name)) &
			       (HOST_DATA_LOADING | HOST_COMMUNICATION)) != 0;
	int rc = has_others && !f->beside.is_known ? scan(&s, err) : 0;
	scanning_release(&s);
	return rc;
}
