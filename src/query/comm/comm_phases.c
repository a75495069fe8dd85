/* Waits of decoding steps for prompts of other ranks: see comm_phases.h. */
#include "query/comm/comm_phases.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/comm/comm_judge.h"
#include "query/query.h"

ASSET(asset_query_views_phase_steps_sql);

/* Waits that have a note of their own. */
#define NOTED 3

/* A step that has a phase. */
struct phase_step {
	int64_t profile_id, number;
	enum engine_phase phase;
};

struct phase_steps {
	struct phase_step *items; /* owned; by (profile_id, number) */
	size_t n, cap;
};

static int load_steps(struct store *store, const struct scope *scope,
		      struct phase_steps *out, struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_phase_steps_sql, scope->ids, err);

	while (query_next(&q, err)) {
		const char *phase = (const char *)sqlite3_column_text(q.stmt, 2);
		*ARRAY_PUSH(out->items, out->n, out->cap) =
			(struct phase_step){ sqlite3_column_int64(q.stmt, 0),
					     sqlite3_column_int64(q.stmt, 1),
					     engine_phase_of(str_of(phase)) };
	}
	return query_end(&q);
}

static int by_number(const void *a, const void *b)
{
	const struct phase_step *x = a, *y = b;

	if (x->profile_id != y->profile_id)
		return x->profile_id < y->profile_id ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static enum engine_phase phase_of(const struct phase_steps *steps,
				  const struct comm_matches *m,
				  const struct comm_part *part)
{
	const struct phase_step key = {
		.profile_id = m->participants[part->participant].profile->id,
		.number = part->call.step,
	};
	const struct phase_step *found =
		bsearch(&key, steps->items, steps->n, sizeof(key), by_number);

	return found ? found->phase : ENGINE_UNTOLD;
}

static const struct comm_part *late_part(const struct comm_matches *m,
					 const struct comm_match *match, uint32_t late)
{
	const struct comm_part *part = &m->parts[match->first];

	while (part->participant != late)
		part++;
	return part;
}

static void add_match(const struct phase_steps *steps, const struct comm_matches *m,
		      const struct comm_match *match, struct comm_phases *out)
{
	struct comm_verdict v = comm_judge(m, match);
	const struct comm_part *late = late_part(m, match, v.late);
	enum engine_phase late_phase = phase_of(steps, m, late);

	if (late_phase != ENGINE_PREFILL && late_phase != ENGINE_MIXED)
		return;
	for (size_t i = match->first; i < match->first + match->n; i++) {
		const struct comm_part *part = &m->parts[i];
		int64_t wait_ns = comm_part_wait(m, &v, part);
		if (wait_ns > 0 && phase_of(steps, m, part) == ENGINE_DECODE)
			*ARRAY_PUSH(out->items, out->n, out->cap) =
				(struct comm_phase_wait){
					part->participant, v.late,  part->call.step,
					late->call.step,   wait_ns, late_phase
				};
	}
}

static int by_pair(const void *a, const void *b)
{
	const struct comm_phase_wait *x = a, *y = b;

	if (x->waiter != y->waiter)
		return x->waiter < y->waiter ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->late != y->late)
		return x->late < y->late ? -1 : 1;
	return (x->late_step > y->late_step) - (x->late_step < y->late_step);
}

static int by_wait(const void *a, const void *b)
{
	const struct comm_phase_wait *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	return by_pair(a, b);
}

static int64_t rank_of(const struct comm_matches *m, uint32_t participant)
{
	return m->participants[participant].profile->rank;
}

/* Of the waits, which are by waiter: what each participant waited, and for whom most. */
static void add_up(const struct comm_matches *m, struct comm_phases *p)
{
	int64_t *by_late = xcalloc(m->nparticipants + 1, sizeof(*by_late));

	p->sums = xrealloc_array(NULL, m->nparticipants + 1, sizeof(*p->sums));
	for (size_t i = 0; i < m->nparticipants; i++)
		p->sums[i] = (struct comm_phase_sum){ p->is_told ? 0 : NUMBER_NONE,
						      NUMBER_NONE };
	for (size_t first = 0, i; first < p->n; first = i) {
		struct comm_phase_sum *sum = &p->sums[p->items[first].waiter];
		int64_t most_ns = 0;
		for (i = first; i < p->n && p->items[i].waiter == p->items[first].waiter;
		     i++) {
			const struct comm_phase_wait *w = &p->items[i];
			sum->wait_ns = sum_add(sum->wait_ns, w->wait_ns);
			by_late[w->late] = sum_add(by_late[w->late], w->wait_ns);
			if (by_late[w->late] <= most_ns)
				continue;
			most_ns = by_late[w->late];
			sum->rank = rank_of(m, w->late);
		}
		while (first < i)
			by_late[p->items[first++].late] = 0;
	}
	free(by_late);
}

/* Those of the same two steps become one. */
static void merge(struct comm_phases *p)
{
	size_t n = 0;

	if (!p->n)
		return;
	qsort(p->items, p->n, sizeof(*p->items), by_pair);
	for (size_t i = 1; i < p->n; i++)
		if (by_pair(&p->items[n], &p->items[i]) == 0)
			p->items[n].wait_ns =
				sum_add(p->items[n].wait_ns, p->items[i].wait_ns);
		else
			p->items[++n] = p->items[i];
	p->n = n + 1;
}

int comm_phases_load(struct store *store, const struct scope *scope,
		     const struct comm_matches *m, struct comm_phases *out,
		     struct err *err)
{
	struct phase_steps steps = { .n = 0 };

	*out = (struct comm_phases){ .n = 0 };
	int rc = load_steps(store, scope, &steps, err);
	out->is_told = steps.n > 0;
	for (size_t i = 0; rc == 0 && steps.n && i < m->nmatches; i++)
		add_match(&steps, m, &m->matches[i], out);
	merge(out);
	add_up(m, out);
	if (out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_wait);
	free(steps.items);
	return rc;
}

void comm_phases_release(struct comm_phases *p)
{
	free(p->items);
	free(p->sums);
	*p = (struct comm_phases){ .n = 0 };
}

void comm_phases_note(const struct comm_phases *p, const struct comm_matches *m,
		      struct memtable *to)
{
	char room[UNITS_TEXT_MAX];
	int64_t rest_ns = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct comm_phase_wait *w = &p->items[i];
		if (i >= NOTED) {
			rest_ns = sum_add(rest_ns, w->wait_ns);
			continue;
		}
		struct str ns = units_text(UNIT_NS, cell_int(w->wait_ns), room);
		memtable_add_note(
			to,
			"rank %" PRId64 ", step %" PRId64 " (decode) waited " STR_FMT
			" for rank %" PRId64 ", step %" PRId64 " (%s)",
			rank_of(m, w->waiter), w->step, STR_ARG(ns), rank_of(m, w->late),
			w->late_step, engine_phase_name(w->late_phase));
	}
	if (p->n <= NOTED)
		return;
	struct str ns = units_text(UNIT_NS, cell_int(rest_ns), room);
	memtable_add_note(to,
			  "%zu more such waits of decode steps for prompts of another "
			  "rank: " STR_FMT,
			  p->n - NOTED, STR_ARG(ns));
}
