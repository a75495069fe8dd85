/*
 * The views that have a row for each event or block, which may be millions: they are
 * made when they are asked for.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sum.h"
#include "query/memory/memory_source.h"

/* The cells of a block, */
enum {
	BLOCK_OP = NMEMORY_PLACE_COLUMNS,
	BLOCK_PARENT,
	BLOCK_BYTES,
	BLOCK_ALLOC,
	BLOCK_FREE,
	BLOCK_LIFETIME,
	BLOCK_ADDRESS,
	BLOCK_STEP,
	BLOCK_FREE_STEP,
	BLOCK_FATE,
	NBLOCK_COLUMNS
};

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field block_fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "op", "Operator", "operator that allocated it", NULL, UNIT_TEXT, CELL(BLOCK_OP) },
	{ "parent", "Within", "slice around that operator, other than a Python frame", NULL, UNIT_TEXT, CELL(BLOCK_PARENT) },
	{ "bytes", "Size", "size", NULL, UNIT_BYTES, CELL(BLOCK_BYTES) },
	{ "alloc_ns", "Allocated", "when it was allocated", NULL, UNIT_TIME, CELL(BLOCK_ALLOC) },
	{ "free_ns", "Freed", "when it was freed", NULL, UNIT_TIME, CELL(BLOCK_FREE) },
	{ "lifetime_ns", "Lifetime", "time between", NULL, UNIT_NS, CELL(BLOCK_LIFETIME) },
	{ "addr", "Address", "address", NULL, UNIT_COUNT, CELL(BLOCK_ADDRESS) },
	{ "step", "Step", "step of the allocation", NULL, UNIT_ID, CELL(BLOCK_STEP) },
	{ "free_step", "Freed in", "step of the free", NULL, UNIT_ID, CELL(BLOCK_FREE_STEP) },
	{ "fate", "Fate", "freed; alive at the end; unknown: no allocation recorded; reused: no free recorded", NULL, UNIT_TEXT, CELL(BLOCK_FATE) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_block_view = {
	.name = "memory --events",
	.fields = block_fields,
	.people = VIEW_PART("profile rank? device op bytes alloc_ns lifetime_ns step"),
};

/* and of an event. */
enum {
	EVENT_TIME = NMEMORY_PLACE_COLUMNS,
	EVENT_STEP,
	EVENT_OP,
	EVENT_BYTES,
	EVENT_ALLOCATED,
	EVENT_RESERVED,
	EVENT_UNUSED,
	EVENT_RECORDED,
	EVENT_ADDRESS,
	NEVENT_COLUMNS
};

/* clang-format off */
static const struct field event_fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "ts_ns", "At", "time, from the profile's first event", NULL, UNIT_TIME, CELL(EVENT_TIME) },
	{ "step", "Step", "step", NULL, UNIT_ID, CELL(EVENT_STEP) },
	{ "op", "Operator", "operator", NULL, UNIT_TEXT, CELL(EVENT_OP) },
	{ "bytes", "Bytes", "bytes allocated, or freed where below 0; of --oom those that were asked for", NULL, UNIT_BYTES, CELL(EVENT_BYTES) },
	{ "allocated_bytes", "Total", "allocated after it", NULL, UNIT_BYTES, CELL(EVENT_ALLOCATED) },
	{ "reserved_bytes", "Reserved", "reserved after it", NULL, UNIT_BYTES, CELL(EVENT_RESERVED) },
	{ "unused_bytes", "Unused", "reserved less allocated", NULL, UNIT_BYTES, CELL(EVENT_UNUSED) },
	{ "recorded_bytes", "Recorded", "sum of the recorded events so far", NULL, UNIT_BYTES, CELL(EVENT_RECORDED) },
	{ "addr", "Address", "address", NULL, UNIT_COUNT, CELL(EVENT_ADDRESS) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_event_view = {
	.name = "memory --curve",
	.fields = event_fields,
	.people = VIEW_PART(
		"profile rank? device ts_ns step op bytes allocated_bytes reserved_bytes"),
};

struct memory_rows {
	struct table table;
	struct memory_source *s; /* owned */
	struct memory_place place;
	size_t next, end; /* events or blocks of the place */
	bool is_in_place, only_out_of_memory;
	int64_t recorded_bytes; /* running sum of the place's bytes */
	int64_t given;
};

static void free_rows(struct table *t)
{
	struct memory_rows *r = (struct memory_rows *)t;

	memory_source_free(r->s);
	free(r);
}

/* Into the next place that is wanted, if it is in none: false behind the last. */
static bool enter_place(struct memory_rows *r, bool of_blocks)
{
	if (r->is_in_place)
		return true;
	if (!memory_place_get(r->s, &r->place))
		return false;
	r->is_in_place = true;
	r->next = r->place.of->first;
	r->end = r->next + r->place.of->n;
	if (of_blocks) {
		r->next = memory_blocks_first(r->place.blocks, r->place.device);
		r->end = memory_blocks_first(r->place.blocks, r->place.device + 1);
	}
	r->recorded_bytes = 0;
	return true;
}

static void leave_place(struct memory_rows *r)
{
	memory_place_next(&r->place);
	r->is_in_place = false;
}

static bool is_full(const struct memory_rows *r)
{
	return r->s->request.limit && r->given >= r->s->request.limit;
}

static struct cell unused_cell(const struct memory_event *e)
{
	bool is_known = e->reserved_bytes != NUMBER_NONE && e->reserved_bytes > 0 &&
			e->total_bytes != NUMBER_NONE;

	return is_known ? cell_int(sum_sub(e->reserved_bytes, e->total_bytes))
			: cell_null();
}

/* 1: the event is shown; 0: it is not. */
static int event_row(struct memory_rows *r, const struct memory_event *e,
		     struct cell *cells, struct err *err)
{
	const struct memory_source *s = r->s;
	struct str name;

	if ((r->only_out_of_memory && !e->is_out_of_memory) ||
	    !memory_event_is_wanted(r->place.events, e, s->request.filter))
		return 0;
	if (memory_names_str(&r->s->names, e, &name, err) < 0)
		return -1;
	int has = filter_has_name(s->request.filter, name, err);
	if (has <= 0)
		return has;
	memory_place_cells(&r->place, cells);
	cells[EVENT_TIME] = cell_int(e->ts_ns);
	cells[EVENT_STEP] = memory_step_cell(r->place.events, e->step);
	cells[EVENT_OP] = cell_text(name);
	cells[EVENT_BYTES] = memory_number_cell(e->bytes);
	cells[EVENT_ALLOCATED] = memory_number_cell(e->total_bytes);
	cells[EVENT_RESERVED] = memory_number_cell(e->reserved_bytes);
	cells[EVENT_UNUSED] = unused_cell(e);
	cells[EVENT_RECORDED] = cell_int(r->recorded_bytes);
	cells[EVENT_ADDRESS] = memory_number_cell(e->address);
	return 1;
}

static int next_event(struct table *t, struct cell *cells, struct err *err)
{
	struct memory_rows *r = (struct memory_rows *)t;
	int rc = 0;

	while (rc == 0 && !is_full(r) && enter_place(r, false)) {
		if (r->next == r->end) {
			leave_place(r);
			continue;
		}
		const struct memory_event *e = &r->place.events->items[r->next++];
		r->recorded_bytes = sum_add(r->recorded_bytes, memory_event_bytes(e));
		rc = event_row(r, e, cells, err);
	}
	r->given += rc > 0;
	if (rc == 0 && !is_full(r))
		t->total_rows = r->given;
	return rc;
}

static int block_is_wanted(struct memory_rows *r, const struct memory_block *b,
			   const struct memory_event *first, struct str *name,
			   struct err *err)
{
	const struct memory_request *q = &r->s->request;

	if (b->bytes < q->min_bytes ||
	    !memory_event_is_wanted(r->place.events, first, q->filter))
		return 0;
	/* who freed it did not allocate it */
	if (b->fate == MEMORY_UNKNOWN)
		*name = STR_LIT(MEMORY_NO_OP);
	else if (memory_names_str(&r->s->names, first, name, err) < 0)
		return -1;
	return filter_has_name(q->filter, *name, err);
}

static void set_times(const struct memory_events *m, const struct memory_block *b,
		      struct cell *cells)
{
	bool has_alloc = b->alloc != MEMORY_EVENT_NONE;
	bool is_freed = b->fate == MEMORY_FREED || b->fate == MEMORY_UNKNOWN;
	const struct memory_event *alloc = has_alloc ? &m->items[b->alloc] : NULL;
	const struct memory_event *end = is_freed ? &m->items[b->end] : NULL;

	cells[BLOCK_ALLOC] = alloc ? cell_int(alloc->ts_ns) : cell_null();
	cells[BLOCK_STEP] = alloc ? memory_step_cell(m, alloc->step) : cell_null();
	cells[BLOCK_FREE] = end ? cell_int(end->ts_ns) : cell_null();
	cells[BLOCK_FREE_STEP] = end ? memory_step_cell(m, end->step) : cell_null();
	cells[BLOCK_LIFETIME] =
		alloc && end ? cell_int(sum_sub(end->ts_ns, alloc->ts_ns)) : cell_null();
}

/* 1: the block is shown; 0: it is not. */
static int block_row(struct memory_rows *r, const struct memory_block *b,
		     struct cell *cells, struct err *err)
{
	const struct memory_events *m = r->place.events;
	const struct memory_event *first = &m->items[memory_block_first(b)];
	struct str name, parent = { NULL, 0 };

	int wanted = block_is_wanted(r, b, first, &name, err);
	if (wanted <= 0)
		return wanted;
	if (b->fate != MEMORY_UNKNOWN &&
	    memory_names_parent(&r->s->names, first->op_id, &parent, err) < 0)
		return -1;
	memory_place_cells(&r->place, cells);
	cells[BLOCK_OP] = cell_text(name);
	cells[BLOCK_PARENT] = parent.p ? cell_text(parent) : cell_null();
	cells[BLOCK_BYTES] = cell_int(b->bytes);
	cells[BLOCK_ADDRESS] = memory_number_cell(first->address);
	cells[BLOCK_FATE] = cell_text(str_of(memory_fate_name(b->fate)));
	set_times(m, b, cells);
	return 1;
}

static int next_block(struct table *t, struct cell *cells, struct err *err)
{
	struct memory_rows *r = (struct memory_rows *)t;
	int rc = 0;

	while (rc == 0 && !is_full(r) && enter_place(r, true)) {
		const struct memory_blocks *b = r->place.blocks;
		if (r->next == r->end)
			leave_place(r);
		else
			rc = block_row(r, &b->items[r->next++], cells, err);
	}
	r->given += rc > 0;
	if (rc == 0 && !is_full(r))
		t->total_rows = r->given;
	return rc;
}

static struct memory_rows *rows_new(struct memory_source *s)
{
	struct memory_rows *r = xcalloc(1, sizeof(*r));

	r->s = s;
	r->table = (struct table){ .free = free_rows, .total_rows = -1 };
	return r;
}

static struct table *event_table(struct memory_source *s, bool only_out_of_memory)
{
	struct memory_rows *r = rows_new(s);

	r->only_out_of_memory = only_out_of_memory;
	r->table.ncolumns = NEVENT_COLUMNS;
	r->table.next = next_event;
	return memory_show(s, &memory_event_view, &r->table);
}

int memory_open_events(struct memory_source *s, struct table **out, struct err *err)
{
	struct memory_rows *r = rows_new(s);

	(void)err;
	r->table.ncolumns = NBLOCK_COLUMNS;
	r->table.next = next_block;
	*out = memory_show(s, &memory_block_view, &r->table);
	return 0;
}

int memory_open_curve(struct memory_source *s, struct table **out, struct err *err)
{
	(void)err;
	*out = event_table(s, false);
	return 0;
}

int memory_open_oom(struct memory_source *s, struct table **out, struct err *err)
{
	(void)err;
	*out = event_table(s, true);
	return 0;
}
