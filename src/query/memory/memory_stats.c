/*
 * What operators did to memory, as the TensorBoard plugin's table has it: of the
 * operator itself (innermost around the event on its thread), and in all with what it
 * called.  An operator that calls itself counts once.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/memory/memory_source.h"
#include "query/query.h"

ASSET(asset_query_views_memory_calls_sql);

enum {
	OP = NMEMORY_PLACE_COLUMNS,
	CALLS,
	INCREASE,
	SELF_INCREASE,
	ALLOCATIONS,
	SELF_ALLOCATIONS,
	ALLOCATED,
	SELF_ALLOCATED,
	NCOLUMNS
};

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "op", "Operator", "innermost operator, or <unknown>", NULL, UNIT_TEXT, CELL(OP), .flags = FIELD_KEY },
	{ "calls", "Calls", "calls as in ptool top; null with --time", NULL, UNIT_COUNT, CELL(CALLS) },
	{ "increase_bytes", "Increase", "allocated less freed, with what it called", NULL, UNIT_BYTES, CELL(INCREASE) },
	{ "self_increase_bytes", "Incr.", "the same without what it called", NULL, UNIT_BYTES, CELL(SELF_INCREASE) },
	{ "allocations", "All allocs", "allocations, with what it called", NULL, UNIT_COUNT, CELL(ALLOCATIONS) },
	{ "self_allocations", "Allocs", "the same without what it called", NULL, UNIT_COUNT, CELL(SELF_ALLOCATIONS) },
	{ "allocated_bytes", "Total", "size of these, with what it called", NULL, UNIT_BYTES, CELL(ALLOCATED) },
	{ "self_allocated_bytes", "Self", "the same without what it called", NULL, UNIT_BYTES, CELL(SELF_ALLOCATED) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_stats_view = {
	.name = "memory --stats",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? device op calls self_increase_bytes self_allocations allocated_bytes self_allocated_bytes"),
};

struct sums {
	int64_t increase, allocations, allocated;
};

struct op_row {
	uint32_t name;
	struct sums self, total;
	size_t nopen; /* calls of it that are open */
};

#define NO_ROW SIZE_MAX

/* A slice with events in it, and what was done in it so far. */
struct op_slice {
	struct sums sums;
	size_t row;           /* NO_ROW: it is no operator; set while it is open */
	uint32_t first, next; /* places behind those within it and beside it; 0: none */
};

/* Those of one device. */
struct stats {
	struct intern keys; /* of the name's bytes: place in rows */
	struct op_row *rows;
	size_t n, cap;
	struct op_slice *slices; /* owned; by place in the names' slices */
	size_t slices_cap;
	const struct text_pool *texts;
};

/* How often each name was called: by text, NUMBER_NONE where not known. */
struct calls {
	int64_t *at;
	size_t n;
};

static struct op_row *row_of(struct stats *st, uint32_t name)
{
	uint32_t at = intern_add(&st->keys, str_bytes(&name, sizeof(name)));

	if (at == st->n)
		*ARRAY_PUSH(st->rows, st->n, st->cap) = (struct op_row){ .name = name };
	return &st->rows[at];
}

static void add_sums(struct sums *to, const struct sums *add)
{
	to->increase = sum_add(to->increase, add->increase);
	to->allocations += add->allocations;
	to->allocated = sum_add(to->allocated, add->allocated);
}

/* What was done in it goes on to the one around it; a call of itself is part of that. */
static void close_slice(struct stats *st, uint32_t at, uint32_t outer)
{
	const struct op_slice *slice = &st->slices[at - 1];

	if (slice->row != NO_ROW && --st->rows[slice->row].nopen == 0)
		add_sums(&st->rows[slice->row].total, &slice->sums);
	if (outer)
		add_sums(&st->slices[outer - 1].sums, &slice->sums);
}

static void open_slice(struct stats *st, uint32_t at, const struct slice_around *around)
{
	struct op_slice *slice = &st->slices[at - 1];

	slice->row = NO_ROW;
	if (around->class == CLASS_OP) {
		struct op_row *row = row_of(st, around->name);
		row->nopen++;
		slice->row = (size_t)(row - st->rows);
	}
}

/* Lists what lies within each, as the names say what is around each; gives the outermost. */
static uint32_t list_inner(struct stats *st, const struct slices_around *names)
{
	uint32_t outermost = 0;

	for (uint32_t at = (uint32_t)names->n; at > 0; at--) {
		struct op_slice *slice = ARRAY_AT(st->slices, st->slices_cap, at - 1);
		uint32_t outer = names->items[at - 1].outer;
		uint32_t *list = outer ? &st->slices[outer - 1].first : &outermost;
		slice->next = *list;
		*list = at;
	}
	return outermost;
}

/* Opens each slice in front of those within it, and closes it behind them. */
static void add_totals(struct stats *st, const struct slices_around *names)
{
	uint32_t at = list_inner(st, names);

	while (at) {
		open_slice(st, at, &names->items[at - 1]);
		uint32_t next = st->slices[at - 1].first;
		while (at && !next) {
			uint32_t outer = names->items[at - 1].outer;
			close_slice(st, at, outer);
			next = st->slices[at - 1].next;
			at = next ? next : outer;
		}
		at = next;
	}
}

/* Events of one operator: to it, and to the slice for all around it. */
static int add_run(struct memory_source *s, struct stats *st,
		   const struct memory_event *of, const struct sums *sums,
		   struct err *err)
{
	struct memory_names *names = &s->names;
	uint32_t name, place;

	if (memory_names_of(names, of, &name, err) < 0)
		return -1;
	add_sums(&row_of(st, name)->self, sums);
	if (of->op_id <= 0) {
		add_sums(&row_of(st, name)->total, sums);
		return 0;
	}
	if (memory_names_find(names, of->op_id, &place, err) < 0)
		return -1;
	add_sums(&ARRAY_AT(st->slices, st->slices_cap, place)->sums, sums);
	return 0;
}

static bool op_before(const void *context, uint32_t a, uint32_t b)
{
	const struct memory_event *e = context;

	return e[a].op_id < e[b].op_id;
}

static void count_event(struct sums *sums, const struct memory_event *e)
{
	int64_t bytes = memory_event_bytes(e);

	sums->increase = sum_add(sums->increase, bytes);
	if (bytes <= 0)
		return;
	sums->allocations++;
	sums->allocated = sum_add(sums->allocated, bytes);
}

static int add_events(struct memory_source *s, const struct memory_place *p,
		      struct stats *st, struct err *err)
{
	const struct memory_event *e = p->events->items + p->of->first;
	uint32_t *at = xrealloc_array(NULL, p->of->n * 2, sizeof(*at));
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < p->of->n; i++)
		if (memory_event_is_wanted(p->events, &e[i], s->request.filter))
			at[n++] = (uint32_t)i;
	sort_indexes(at, n, at + p->of->n, op_before, e);
	for (size_t i = 0; i < n && rc == 0;) {
		const struct memory_event *of = &e[at[i]];
		struct sums sums = { 0 };
		do /* those in no operator may have names of their own */
			count_event(&sums, &e[at[i++]]);
		while (of->op_id > 0 && i < n && e[at[i]].op_id == of->op_id);
		rc = add_run(s, st, of, &sums, err);
	}
	if (rc == 0)
		add_totals(st, &s->names.around);
	free(at);
	return rc;
}

static int read_call(struct memory_source *s, const struct memory_events *m,
		     struct sqlite3_stmt *stmt, struct calls *to, struct err *err)
{
	struct cell step = query_cell(stmt, 1);
	uint32_t name;

	if (!filter_has_step(s->request.filter, m->profile->id,
			     step.type == CELL_INT ? step.as.integer : 0,
			     step.type == CELL_INT))
		return 0;
	if (text_pool_number(&s->names.texts, sqlite3_column_int64(stmt, 0), &name, err) <
	    0)
		return -1;
	if (name == TEXT_NONE)
		return 0;
	size_t old = to->n;
	if (name >= to->n)
		to->at = xgrow(to->at, &to->n, (size_t)name + 1, sizeof(*to->at));
	for (; old < to->n; old++)
		to->at[old] = NUMBER_NONE;
	int64_t known = to->at[name] == NUMBER_NONE ? 0 : to->at[name];
	to->at[name] = sum_add(known, sqlite3_column_int64(stmt, 2));
	return 0;
}

/* A part of the time has no summary: then none is known. */
static int load_calls(struct memory_source *s, const struct memory_events *m,
		      struct calls *to, struct err *err)
{
	const struct filter *f = s->request.filter;

	if (f->has_times)
		return 0;
	struct query q = query_of_profile(s->store, asset_query_views_memory_calls_sql,
					  m->profile, err);

	query_bind_int(q.stmt, ":grain", f->has_steps ? 2 : 0);
	while (query_next(&q, err))
		q.rc = read_call(s, m, q.stmt, to, err);
	return query_end(&q);
}

static bool did_nothing(const struct op_row *row)
{
	return !row->total.allocations && !row->total.increase && !row->self.increase;
}

/* What allocated most by itself, then in all; then by name. */
static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct stats *st = context;
	const struct op_row *x = &st->rows[a], *y = &st->rows[b];

	if (x->self.allocated != y->self.allocated)
		return x->self.allocated > y->self.allocated;
	if (x->total.allocated != y->total.allocated)
		return x->total.allocated > y->total.allocated;
	return str_compare(text_pool_str(st->texts, x->name),
			   text_pool_str(st->texts, y->name)) < 0;
}

static void set_row(const struct op_row *row, const struct calls *calls,
		    struct cell *cells)
{
	cells[CALLS] = row->name < calls->n ? memory_number_cell(calls->at[row->name])
					    : cell_null();
	cells[INCREASE] = cell_int(row->total.increase);
	cells[SELF_INCREASE] = cell_int(row->self.increase);
	cells[ALLOCATIONS] = cell_int(row->total.allocations);
	cells[SELF_ALLOCATIONS] = cell_int(row->self.allocations);
	cells[ALLOCATED] = cell_int(row->total.allocated);
	cells[SELF_ALLOCATED] = cell_int(row->self.allocated);
}

/* The rows that match and fit the limit, which is each device's. */
static int add_rows(struct memory_source *s, const struct memory_place *p,
		    const struct stats *st, const struct calls *calls,
		    struct memtable *to, struct err *err)
{
	uint32_t *order = sorted_places(st->n, comes_before, st);
	struct cell cells[NCOLUMNS];
	int64_t given = 0;
	int has = 0;

	memory_place_cells(p, cells);
	for (size_t i = 0; i < st->n && has >= 0; i++) {
		const struct op_row *row = &st->rows[order[i]];
		struct str name = text_pool_str(st->texts, row->name);
		has = filter_has_name(s->request.filter, name, err);
		if (has <= 0 || did_nothing(row))
			continue;
		cells[OP] = cell_text(name);
		set_row(row, calls, cells);
		memory_add_limited(s, to, cells, &given);
	}
	free(order);
	return has < 0 ? -1 : 0;
}

static int add_place(struct memory_source *s, const struct memory_place *p,
		     struct memtable *to, struct err *err)
{
	struct stats st = { .texts = &s->names.texts };
	struct calls calls = { .n = 0 };

	intern_init(&st.keys);
	slices_around_forget(&s->names.around); /* each device is walked by itself */
	int rc = add_events(s, p, &st, err);
	if (rc == 0)
		rc = load_calls(s, p->events, &calls, err);
	if (rc == 0)
		rc = add_rows(s, p, &st, &calls, to, err);
	intern_release(&st.keys);
	free(st.rows);
	free(st.slices);
	free(calls.at);
	return rc;
}

int memory_open_stats(struct memory_source *s, struct table **out, struct err *err)
{
	struct memtable *m = memtable_new(NULL, NCOLUMNS);
	int rc = 0;

	m->table.caption =
		"Self: allocated by the operator; Total: with operators it called; Incr.: minus freed";
	for (struct memory_place p = { 0 }; rc == 0 && memory_place_get(s, &p);
	     memory_place_next(&p))
		rc = add_place(s, &p, m, err);
	if (rc < 0)
		table_free(&m->table);
	else
		*out = memory_show(s, &memory_stats_view, &m->table);
	return rc;
}
