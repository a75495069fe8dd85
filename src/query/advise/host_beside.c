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
	struct intervals quiet; /* the window while nothing communicates */
	/*
	 * Of all threads: operators without waits, and without what their threads load
	 * too; each apart from what is held, which waits while ranks communicate.
	 */
	struct intervals computing, outside, held_computing, held_outside;
	struct open_slice *open; /* owned; of this thread, one in the other */
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
	if (!in->has_called || in->from_ns >= to_ns)
		return;
	intervals_add(&s->held, in->from_ns, to_ns);
	/* within what loads data it is counted */
	if (in->name && intervals_length_within(&s->aside, in->from_ns, to_ns) == 0)
		add_ns(in->name,
		       intervals_length_within(&s->communication, in->from_ns, to_ns));
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

/* What is not held, and what is; and the same of it while the thread loads no data. */
static void add_own(struct scanning *s, const struct intervals *own)
{
	struct intervals parts[2], outside;

	intervals_subtract(own, &s->held, &parts[0]);
	intervals_intersect(own, &s->held, &parts[1]);
	for (int held = 0; held < 2; held++) {
		intervals_subtract(&parts[held], &s->loads, &outside);
		add_all(held ? &s->held_computing : &s->computing, &parts[held]);
		add_all(held ? &s->held_outside : &s->outside, &outside);
		for (size_t i = 0; i < parts[held].n; i++) {
			const struct interval *part = &parts[held].items[i];
			s->f->beside.threads_ns =
				sum_add(s->f->beside.threads_ns,
					intervals_length_within(
						held ? &s->quiet : &s->f->window.when,
						part->start_ns, part->end_ns));
		}
		intervals_release(&outside);
		intervals_release(&parts[held]);
	}
}

static void end_thread(struct scanning *s)
{
	struct intervals own;

	close_slices(s, INT64_MAX);
	intervals_unite(&s->operators);
	intervals_unite(&s->held);
	intervals_subtract(&s->operators, &s->waits, &own);
	add_own(s, &own);
	intervals_release(&own);
	intervals_release(&s->operators);
	intervals_release(&s->waits);
	intervals_release(&s->loads);
	intervals_release(&s->aside);
	intervals_release(&s->held);
}

/* Threads come in the order in which add_part() saw them. */
static void begin_thread(struct scanning *s, int64_t track_id)
{
	struct intervals aside;

	for (; s->at < s->nparts && s->parts[s->at].track_id == track_id; s->at++) {
		const struct thread_part *part = &s->parts[s->at];
		intervals_add(part->communicates ? &s->waits : &s->loads, part->start_ns,
			      part->end_ns);
	}
	intervals_unite(&s->waits);
	intervals_unite(&s->loads);
	intervals_join(&s->waits, &s->loads, &aside);
	intervals_intersect(&aside, &s->f->window.when, &s->aside);
	intervals_release(&aside);
	s->track_id = track_id;
}

/*
 * A call that waits for its collective does so in itself, or in the operator around it,
 * without a range: what is that one's own from then on, and that of the labels between,
 * waits while ranks communicate.
 */
static void call_collective(struct scanning *s, struct open_slice *in, int64_t start_ns)
{
	int64_t from_ns = in->end_ns;

	in->has_called = true;
	in->from_ns = start_ns;
	for (size_t i = s->nopen; in->operator&& i >= in->operator; i--) {
		struct open_slice *around = &s->open[i - 1];
		if (around->has_called)
			break;
		around->has_called = true;
		around->from_ns = from_ns;
		from_ns = around->end_ns;
	}
}

/* Of self time: what of the slice's is its own, and not that of the one around it. */
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
	if (calls)
		call_collective(s, &in, slice->start_ns);
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

/* How long they last in the window, and within a set: what is held but while that lasts. */
static int64_t window_ns(struct scanning *s, struct intervals *set,
			 struct intervals *held, const struct intervals *within,
			 int64_t *within_ns)
{
	struct intervals part;

	intervals_unite(held);
	intervals_intersect(held, &s->quiet, &part);
	add_all(set, &part);
	intervals_release(&part);
	intervals_unite(set);
	intervals_intersect(set, &s->f->window.when, &part);
	int64_t ns = intervals_length(&part);
	*within_ns = intervals_overlap(&part, within);
	intervals_release(&part);
	return ns;
}

/* Makes it a set, and leaves what of it is in the window. */
static void cut_to_window(struct scanning *s, struct intervals *set)
{
	struct intervals cut;

	intervals_unite(set);
	intervals_intersect(set, &s->f->window.when, &cut);
	intervals_release(set);
	*set = cut;
}

/* What counts as communication counts as nothing else. */
static void part_loading(struct scanning *s)
{
	struct intervals rest;

	cut_to_window(s, &s->loading);
	cut_to_window(s, &s->communication);
	cut_to_window(s, &s->f->others);
	intervals_subtract(&s->loading, &s->communication, &rest);
	intervals_release(&s->loading);
	s->loading = rest;
	intervals_subtract(&s->f->window.when, &s->communication, &s->quiet);
}

static int scan(struct scanning *s, struct err *err)
{
	struct advise_facts *f = s->f;
	struct fact_beside *out = &f->beside;

	if (host_scan(f->store, f->texts, f->profile, add_part, s, err) < 0)
		return -1;
	part_loading(s);
	s->track_id = -1;
	if (find_places(s, err) < 0 ||
	    host_scan(f->store, f->texts, f->profile, add_slice, s, err) < 0)
		return -1;
	end_thread(s);
	out->any_ns = window_ns(s, &s->computing, &s->held_computing, &s->communication,
				&out->communication_ns);
	out->outside_ns = window_ns(s, &s->outside, &s->held_outside, &s->loading,
				    &out->loading_ns);
	out->is_known = true;
	for (size_t i = 0; i < f->nnames; i++) {
		struct fact_name *name = &f->names[i];
		int64_t most = name->self_ns > 0 ? name->self_ns : 0;
		name->beside_ns = name->beside_ns < 0      ? 0
				  : name->beside_ns < most ? name->beside_ns
							   : most;
		name->is_operator = facts_computes(name);
	}
	return 0;
}

static void scanning_release(struct scanning *s)
{
	struct intervals *const sets[] = {
		&s->loading,   &s->communication, &s->operators,      &s->waits,
		&s->loads,     &s->aside,         &s->held,           &s->quiet,
		&s->computing, &s->outside,       &s->held_computing, &s->held_outside
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		intervals_release(sets[i]);
	free(s->parts);
	free(s->open);
	free(s->places);
}

int facts_find_beside(struct advise_facts *f, struct err *err)
{
	struct scanning s = { .f = f };
	bool has_others = false;

	for (size_t i = 0; i < f->nnames; i++) {
		struct str name = str_of(f->names[i].name);
		has_others |= (host_name_bits(name) &
			       (HOST_DATA_LOADING | HOST_COMMUNICATION)) != 0;
		has_others |= gap_name_is_collective(CLASS_OP, name);
	}
	int rc = has_others && !f->beside.is_known ? scan(&s, err) : 0;
	scanning_release(&s);
	return rc;
}
