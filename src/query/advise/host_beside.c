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

struct open_slice {
	int64_t end_ns;
	struct fact_name *name; /* NULL: not in the operator table */
};

struct scanning {
	struct advise_facts *f;
	struct intervals communication;    /* of any thread */
	struct intervals operators, waits; /* of this one; waits: it communicates */
	struct intervals computing;        /* of all: operators without waits */
	struct open_slice *open;           /* owned; of this thread, one in the other */
	size_t nopen, cap;
	uint32_t *places; /* owned; of names of the facts, by text: place + 1 */
	size_t nplaces, cap_places;
	int64_t track_id;
};

static int add_other(void *context, const struct host_slice *slice, struct err *err)
{
	struct scanning *s = context;
	unsigned bits = host_name_bits(text_pool_str(s->f->texts, slice->name));

	(void)err;
	if (bits & (HOST_DATA_LOADING | HOST_COMMUNICATION))
		intervals_add(&s->f->others, slice->start_ns, slice->end_ns);
	if (bits & HOST_COMMUNICATION)
		intervals_add(&s->communication, slice->start_ns, slice->end_ns);
	return 0;
}

static void end_thread(struct scanning *s)
{
	struct intervals own;

	intervals_unite(&s->operators);
	intervals_unite(&s->waits);
	intervals_subtract(&s->operators, &s->waits, &own);
	for (size_t i = 0; i < own.n; i++)
		intervals_add(&s->computing, own.items[i].start_ns, own.items[i].end_ns);
	s->f->beside.threads_ns = sum_add(s->f->beside.threads_ns,
					  intervals_overlap(&own, &s->f->window.when));
	intervals_release(&own);
	intervals_release(&s->operators);
	intervals_release(&s->waits);
	s->nopen = 0;
}

static void add_ns(struct fact_name *name, int64_t ns)
{
	name->beside_ns = sum_add(name->beside_ns, ns);
}

/* Of self time: what of the slice's is its own, and not that of the one around it. */
static void add_beside(struct scanning *s, const struct host_slice *slice,
		       struct fact_name *name)
{
	int64_t ns =
		intervals_length_within(&s->f->others, slice->start_ns, slice->end_ns);

	while (s->nopen && s->open[s->nopen - 1].end_ns <= slice->start_ns)
		s->nopen--;
	if (s->nopen && s->open[s->nopen - 1].name)
		add_ns(s->open[s->nopen - 1].name, -ns);
	if (name)
		add_ns(name, ns);
	*ARRAY_PUSH(s->open, s->nopen, s->cap) =
		(struct open_slice){ slice->end_ns, name };
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

	(void)err;
	if (slice->track_id != s->track_id)
		end_thread(s);
	s->track_id = slice->track_id;
	if (host_name_bits(text) & HOST_COMMUNICATION)
		add_outer(&s->waits, slice);
	else if (name && facts_computes(name))
		add_outer(&s->operators, slice);
	add_beside(s, slice, name);
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

static int scan(struct scanning *s, struct err *err)
{
	struct advise_facts *f = s->f;
	struct intervals others, in_steps;

	if (host_scan(f->store, f->texts, f->profile, add_other, s, err) < 0)
		return -1;
	intervals_unite(&f->others);
	intervals_unite(&s->communication);
	intervals_intersect(&f->others, &f->window.when, &others);
	intervals_release(&f->others);
	f->others = others;
	if (find_places(s, err) < 0 ||
	    host_scan(f->store, f->texts, f->profile, add_slice, s, err) < 0)
		return -1;
	end_thread(s);
	intervals_unite(&s->computing);
	intervals_intersect(&s->computing, &f->window.when, &in_steps);
	f->beside.any_ns = intervals_length(&in_steps);
	f->beside.communication_ns = intervals_overlap(&in_steps, &s->communication);
	intervals_release(&in_steps);
	f->beside.is_known = true;
	for (size_t i = 0; i < f->nnames; i++) {
		struct fact_name *name = &f->names[i];
		int64_t most = name->self_ns > 0 ? name->self_ns : 0;
		name->beside_ns = name->beside_ns < 0      ? 0
				  : name->beside_ns < most ? name->beside_ns
							   : most;
	}
	return 0;
}

int facts_find_beside(struct advise_facts *f, struct err *err)
{
	struct scanning s = { .f = f };
	bool has_others = false;

	for (size_t i = 0; i < f->nnames; i++)
		has_others |= (host_name_bits(str_of(f->names[i].name)) &
			       (HOST_DATA_LOADING | HOST_COMMUNICATION)) != 0;
	int rc = has_others && !f->beside.is_known ? scan(&s, err) : 0;
	intervals_release(&s.communication);
	intervals_release(&s.operators);
	intervals_release(&s.waits);
	intervals_release(&s.computing);
	free(s.open);
	free(s.places);
	return rc;
}
