/* Memory events in arrays: see memory_events.h. */
#include "query/memory/memory_events.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/memory/memory_device.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"
#include "trace/fact.h"
#include "trace/op_memory.h"

ASSET(asset_query_views_memory_events_sql);
ASSET(asset_query_views_memory_steps_sql);

#define EVENTS_MAX ((size_t)UINT32_MAX - 1) /* what sort_indexes() can number */

/* Columns of memory_events.sql. */
enum {
	EVENT_SLICE,
	EVENT_BYTES,
	EVENT_ADDRESS,
	EVENT_TOTAL,
	EVENT_RESERVED,
	EVENT_TYPE,
	EVENT_DEVICE,
	EVENT_OUT_OF_MEMORY,
	EVENT_OP
};

/* An event as it comes, and where it belongs. */
struct loaded {
	struct memory_event event;
	int64_t type, index;
};

struct loading {
	struct memory_events *out;
	struct loaded *items; /* owned; by slice */
	size_t n, cap;
};

static int load_steps(struct store *store, struct memory_events *out, struct err *err)
{
	struct query q = query_of_profile(store, asset_query_views_memory_steps_sql,
					  out->profile, err);

	while (query_next(&q, err)) {
		struct memory_step step = { sqlite3_column_int64(q.stmt, 0),
					    sqlite3_column_int64(q.stmt, 1),
					    sqlite3_column_int64(q.stmt, 2),
					    sqlite3_column_int64(q.stmt, 3) };
		if (out->nsteps >= EVENTS_MAX ||
		    !query_is_time(step.ts_ns, step.dur_ns)) {
			q.rc = query_damaged("memory events", err);
			break;
		}
		*ARRAY_PUSH(out->steps, out->nsteps, out->steps_cap) = step;
	}
	return query_end(&q);
}

/* The place of step.id; they are given by a counter, so that this is mostly the first look. */
static uint32_t find_step(const struct memory_events *m, int64_t id)
{
	size_t at;

	SEARCH(at, 0, m->nsteps, m->steps[at].id < id);
	return at < m->nsteps && m->steps[at].id == id ? (uint32_t)at : MEMORY_STEP_NONE;
}

static int add_event(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	if (l->n >= EVENTS_MAX)
		return query_damaged("memory events", err);
	struct loaded e = {
		.event = { .bytes = query_number(stmt, EVENT_BYTES),
			   .address = query_number(stmt, EVENT_ADDRESS),
			   .total_bytes = query_number(stmt, EVENT_TOTAL),
			   .reserved_bytes = query_number(stmt, EVENT_RESERVED),
			   .slice_id = sqlite3_column_int64(stmt, EVENT_SLICE),
			   .op_id = sqlite3_column_int64(stmt, EVENT_OP),
			   .step = MEMORY_STEP_NONE,
			   .is_out_of_memory =
				   sqlite3_column_int(stmt, EVENT_OUT_OF_MEMORY) != 0 },
		.type = sqlite3_column_int64(stmt, EVENT_TYPE),
		.index = query_number(stmt, EVENT_DEVICE),
	};
	if (op_memory_is_cpu(e.type)) /* some exporters tell the CPU's index as 0 */
		e.index = -1;
	*ARRAY_PUSH(l->items, l->n, l->cap) = e;
	return 0;
}

/* When it was, and in which step. */
static int set_moment(void *context, size_t place, const struct packed_slice *slice,
		      int64_t track_id, struct err *err)
{
	struct loading *l = context;
	struct memory_event *e = &l->items[place].event;

	(void)track_id;
	(void)err;
	e->ts_ns = slice->start_ns;
	e->step = find_step(l->out, slice->step_id);
	return 0;
}

static int set_moments(struct loading *l, struct store *store, struct err *err)
{
	int64_t *ids = xrealloc_array(NULL, l->n + 1, sizeof(*ids));

	for (size_t i = 0; i < l->n; i++)
		ids[i] = l->items[i].event.slice_id;
	int rc = slice_pick(store, l->out->profile,
			    &(struct slice_picks){ .ids = ids,
						   .n = l->n,
						   .columns = PACKED_STEP,
						   .each = set_moment,
						   .context = l },
			    err);
	free(ids);
	return rc;
}

static int load_events(struct loading *l, struct store *store, struct err *err)
{
	const struct scope_profile *p = l->out->profile;

	struct query q =
		query_of_profile(store, asset_query_views_memory_events_sql, p, err);

	while (query_next(&q, err))
		q.rc = add_event(l, q.stmt, err);
	return query_end(&q) < 0 ? -1 : set_moments(l, store, err);
}

/* By device and time; threads stand one behind the other, and the sort is stable. */
static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct loaded *x = (const struct loaded *)context + a;
	const struct loaded *y = (const struct loaded *)context + b;

	if (x->type != y->type)
		return x->type < y->type;
	if (x->index != y->index)
		return x->index < y->index;
	return x->event.ts_ns < y->event.ts_ns;
}

static void add_device(struct memory_events *m, const struct loaded *from)
{
	struct memory_device *d = ARRAY_PUSH(m->devices, m->ndevices, m->devices_cap);
	*d = (struct memory_device){ .type = from->type,
				     .index = from->index,
				     .first = m->n };
	memory_device_name(from->type, from->index, d->name);
}

/* Puts the events in order into `out`, and makes its devices. */
static void sort_events(struct loading *l)
{
	struct memory_events *m = l->out;
	uint32_t *at = sorted_places(l->n, comes_before, l->items);
	const struct loaded *last = NULL;

	m->items = xrealloc_array(NULL, l->n + 1, sizeof(*m->items));
	for (size_t i = 0; i < l->n; i++) {
		const struct loaded *e = &l->items[at[i]];
		if (!last || e->type != last->type || e->index != last->index)
			add_device(m, e);
		m->items[m->n++] = e->event;
		m->devices[m->ndevices - 1].n++;
		last = e;
	}
	free(at);
}

int64_t memory_event_bytes(const struct memory_event *e)
{
	return e->is_out_of_memory || e->bytes == NUMBER_NONE ? 0 : e->bytes;
}

/* Puts the events from `at` on that are of one moment in order: how many they are. */
/* How many of e[0, n) are of one moment with the first: at most MEMORY_TIES_MAX. */
static size_t memory_ties_count(const struct memory_event *e, size_t n)
{
	size_t same = n > 0;

	while (same < n && same < MEMORY_TIES_MAX && e[same].ts_ns == e[0].ts_ns)
		same++;
	return same;
}

static size_t order_moment(struct memory_event *e, size_t n, int64_t level_bytes,
			   bool is_first)
{
	size_t same = memory_ties_count(e, n);

	if (same > 1 && is_first)
		level_bytes = memory_ties_start(e, n);
	if (same > 1)
		memory_ties_order(e, same, level_bytes);
	return same;
}

/* Of the event behind one that left `level_bytes`. */
static int64_t next_level(struct memory_device *d, const struct memory_event *e,
			  int64_t level_bytes)
{
	int64_t expected = sum_add(level_bytes, memory_event_bytes(e));

	d->has_reserved |= e->reserved_bytes != NUMBER_NONE;
	d->has_addresses |= e->address != NUMBER_NONE;
	if (e->total_bytes == NUMBER_NONE)
		return expected;
	if (!d->has_totals) {
		d->base_bytes = sum_sub(e->total_bytes, expected);
	} else if (e->total_bytes != expected) {
		d->mismatches++;
		d->unexplained_bytes =
			sum_add(d->unexplained_bytes, sum_sub(e->total_bytes, expected));
	}
	d->has_totals = true;
	return e->total_bytes;
}

static void set_levels(struct memory_events *m, struct memory_device *d)
{
	struct memory_event *e = m->items + d->first;
	int64_t level_bytes = 0;

	for (size_t i = 0, ordered = 0; i < d->n; i++) {
		if (i == ordered)
			ordered += order_moment(e + i, d->n - i, level_bytes,
						!d->has_totals);
		level_bytes = next_level(d, &e[i], level_bytes);
		e[i].level_bytes = level_bytes;
	}
	/* those in front of the first total */
	for (size_t i = 0; i < d->n && e[i].total_bytes == NUMBER_NONE; i++)
		e[i].level_bytes = sum_add(e[i].level_bytes, d->base_bytes);
}

int memory_events_load(struct store *store, const struct scope_profile *profile,
		       struct memory_events *out, struct err *err)
{
	struct loading l = { .out = out };

	*out = (struct memory_events){ .profile = profile };
	int rc = load_steps(store, out, err);
	if (rc == 0)
		rc = load_events(&l, store, err);
	if (rc == 0)
		sort_events(&l);
	free(l.items);
	for (size_t i = 0; rc == 0 && i < out->ndevices; i++)
		set_levels(out, &out->devices[i]);
	return rc;
}

void memory_events_release(struct memory_events *m)
{
	free(m->items);
	free(m->devices);
	free(m->steps);
	*m = (struct memory_events){ .n = 0 };
}

bool memory_event_is_wanted(const struct memory_events *m, const struct memory_event *e,
			    const struct filter *filter)
{
	bool is_in_step = e->step != MEMORY_STEP_NONE;

	return filter_has_time(filter, e->ts_ns) &&
	       filter_has_step(filter, m->profile->id,
			       is_in_step ? m->steps[e->step].number : 0, is_in_step);
}

int64_t memory_level_before(const struct memory_events *m, const struct memory_device *d,
			    size_t i)
{
	return i > d->first ? m->items[i - 1].level_bytes : d->base_bytes;
}

int64_t memory_level_at(const struct memory_events *m, const struct memory_device *d,
			int64_t ts_ns)
{
	size_t at = sort_first(m->items + d->first, d->n, sizeof(*m->items),
			       offsetof(struct memory_event, ts_ns), ts_ns);

	return memory_level_before(m, d, d->first + at);
}

/* The level that the event began with; it has a total. */
static int64_t before(const struct memory_event *e)
{
	return sum_sub(e->total_bytes, memory_event_bytes(e));
}

static bool all_have_totals(const struct memory_event *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].total_bytes == NUMBER_NONE)
			return false;
	return true;
}

/* The level that is left once more often than it is reached: NUMBER_NONE where none is. */
static int64_t find_start(const struct memory_event *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int more = 0;
		for (size_t j = 0; j < n; j++)
			more += (before(&e[j]) == before(&e[i])) -
				(e[j].total_bytes == before(&e[i]));
		if (more > 0)
			return before(&e[i]);
	}
	return NUMBER_NONE;
}

int64_t memory_ties_start(const struct memory_event *e, size_t n)
{
	/* what comes back to where it began leaves the question to what follows */
	for (size_t at = 0, same; at < n; at += same) {
		same = memory_ties_count(e + at, n - at);
		if (!all_have_totals(e + at, same))
			break;
		int64_t start = find_start(e + at, same);
		if (start != NUMBER_NONE)
			return start;
	}
	return n && e[0].total_bytes != NUMBER_NONE ? before(&e[0]) : NUMBER_NONE;
}

/* One that is not taken and begins with the level; n: none. */
static size_t find_next(const struct memory_event *e, size_t n, const bool *is_taken,
			int64_t level_bytes)
{
	size_t i = 0;

	while (i < n && (is_taken[i] || before(&e[i]) != level_bytes))
		i++;
	return i;
}

/*
 * Levels are points and events the ways between them: an order that uses each way once
 * is found as Hierholzer does, by going on until no way leads on, and adding what is
 * left from where it can be reached.
 */
void memory_ties_order(struct memory_event *e, size_t n, int64_t level_bytes)
{
	struct memory_event ordered[MEMORY_TIES_MAX];
	size_t walked[MEMORY_TIES_MAX], nwalked = 0, at = n;
	bool is_taken[MEMORY_TIES_MAX] = { false };

	if (n < 2 || n > MEMORY_TIES_MAX || !all_have_totals(e, n))
		return;
	for (;;) {
		size_t next = find_next(e, n, is_taken, level_bytes);
		if (next < n) {
			is_taken[next] = true;
			walked[nwalked++] = next;
			level_bytes = e[next].total_bytes;
		} else if (nwalked > 0) {
			const struct memory_event *last = &e[walked[--nwalked]];
			ordered[--at] = *last;
			level_bytes = before(last);
		} else {
			break;
		}
	}
	/* what no way leads to stays, behind the others */
	size_t taken = n - at;
	memmove(ordered, ordered + at, taken * sizeof(*ordered));
	for (size_t i = 0; i < n; i++)
		if (!is_taken[i])
			ordered[taken++] = e[i];
	memcpy(e, ordered, n * sizeof(*e));
}
