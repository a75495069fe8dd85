/* What was live at a peak: see memory_live.h. */
#include "query/memory/memory_live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"

#define LABEL_MAX 80

enum {
	WHAT = NMEMORY_PLACE_COLUMNS,
	SIZE_FROM,
	SIZE_TO,
	STEP,
	BLOCKS,
	BYTES,
	SHARE,
	NCOLUMNS
};

/* A bit for each enum memory_by: a column says what the rows are. */
#define BY(by)      (1u << (by))
#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "op", "Operator", "operator that allocated, with --by op", NULL, UNIT_TEXT, CELL(WHAT), .needs = BY(MEMORY_BY_OP) },
	{ "size", "Size of the block", "size of the blocks, with --by size", NULL, UNIT_TEXT, CELL(WHAT), .needs = BY(MEMORY_BY_SIZE) },
	{ "allocated_in", "Allocated in", "step of the allocation, with --by step", NULL, UNIT_TEXT, CELL(WHAT), .needs = BY(MEMORY_BY_STEP) },
	{ "from_bytes", "From", "smallest size, with --by size", NULL, UNIT_BYTES, CELL(SIZE_FROM), .needs = BY(MEMORY_BY_SIZE) },
	{ "to_bytes", "To", "upper bound of the sizes, with --by size", NULL, UNIT_BYTES, CELL(SIZE_TO), .needs = BY(MEMORY_BY_SIZE) },
	{ "step", "Step", "number of that step, with --by step", NULL, UNIT_ID, CELL(STEP), .needs = BY(MEMORY_BY_STEP) },
	{ "blocks", "Blocks", "number of blocks", NULL, UNIT_COUNT, CELL(BLOCKS) },
	{ "bytes", "At the peak", "their size at the peak", NULL, UNIT_BYTES, CELL(BYTES) },
	{ "share_pct", "Share", "share of the peak", NULL, UNIT_PERCENT, CELL(SHARE) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_live_view = {
	.name = "memory --live",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? device op size allocated_in blocks bytes share_pct"),
};

struct group {
	uint32_t key; /* text of an operator; power of two; place of a step */
	int64_t blocks, bytes;
};

struct grouping {
	struct intern keys; /* of the key's bytes: place in groups */
	struct group *groups;
	size_t n, cap;
	const struct memory_source *s;
	enum memory_by by;
};

/* A row that no group is. */
struct rest {
	const char *label;
	int64_t blocks; /* NUMBER_NONE: not known */
	int64_t bytes;
};

struct memtable *memory_live_table(void)
{
	return memtable_new(NULL, NCOLUMNS);
}

static void add_block(struct grouping *g, uint32_t key, int64_t bytes)
{
	uint32_t at = intern_add(&g->keys, str_bytes(&key, sizeof(key)));

	if (at == g->n)
		*ARRAY_PUSH(g->groups, g->n, g->cap) = (struct group){ .key = key };
	g->groups[at].blocks++;
	g->groups[at].bytes = sum_add(g->groups[at].bytes, bytes);
}

/* Of a size above 0: the largest power of two that is not larger. */
static uint32_t power_of(int64_t bytes)
{
	return 63U - (uint32_t)__builtin_clzll((unsigned long long)bytes);
}

/* Do --focus and --ignore let it through?  1, 0, or -1 with err set. */
static int has_name(struct memory_source *s, const struct memory_event *e,
		    struct err *err)
{
	struct str name;

	if (!filter_chooses_names(s->request.filter))
		return 1;
	if (memory_names_str(&s->names, e, &name, err) < 0)
		return -1;
	return filter_has_name(s->request.filter, name, err);
}

/* 1: the block is in the group of *key; 0: it is not wanted; -1. */
static int key_of(struct memory_source *s, const struct memory_place *place,
		  const struct memory_block *b, uint32_t *key, struct err *err)
{
	const struct memory_event *e = &place->events->items[b->alloc];
	int has = has_name(s, e, err);

	if (has <= 0)
		return has;
	if (s->request.by == MEMORY_BY_OP)
		return memory_names_of(&s->names, e, key, err) < 0 ? -1 : 1;
	*key = s->request.by == MEMORY_BY_SIZE ? power_of(b->bytes) : e->step;
	return 1;
}

/* Groups the blocks of the place that are live; adds up what was freed of older ones. */
static int group_blocks(struct memory_source *s, const struct memory_place *place,
			size_t event, struct grouping *g, int64_t *freed_before,
			struct err *err)
{
	size_t end = memory_blocks_first(place->blocks, place->device + 1);

	*freed_before = 0;
	for (size_t i = memory_blocks_first(place->blocks, place->device); i < end; i++) {
		const struct memory_block *b = &place->blocks->items[i];
		uint32_t key;
		if (b->fate == MEMORY_UNKNOWN && b->end <= event)
			*freed_before = sum_add(*freed_before, b->bytes);
		if (!memory_block_is_live(b, event))
			continue;
		int has = key_of(s, place, b, &key, err);
		if (has < 0)
			return -1;
		if (has)
			add_block(g, key, b->bytes);
	}
	return 0;
}

/* Of a memory timeline: what each category holds, if any; in how many blocks is not told. */
static int group_categories(struct memory_source *s, const struct memory_place *place,
			    size_t event, struct grouping *g, struct err *err)
{
	size_t kept = 0;

	for (size_t i = place->of->first; i <= event; i++) {
		const struct memory_event *e = &place->events->items[i];
		int has = has_name(s, e, err);
		uint32_t name;
		if (has < 0 || memory_names_of(&s->names, e, &name, err) < 0)
			return -1;
		if (has)
			add_block(g, name, memory_event_bytes(e));
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->groups[i].bytes != 0) {
			g->groups[kept] = g->groups[i];
			g->groups[kept++].blocks = NUMBER_NONE;
		}
	g->n = kept;
	return 0;
}

bool memory_live_is_known(const struct memory_source *s, const struct memory_place *place)
{
	return place->of->has_addresses ||
	       (memory_place_is_timeline(place) && s->request.by == MEMORY_BY_OP);
}

static struct str name_of(const struct grouping *g, const struct group *group)
{
	return text_pool_str(&g->s->names.texts, group->key);
}

/* The most bytes first; then by name or key. */
static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct group *x = &g->groups[a], *y = &g->groups[b];

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes;
	return g->by == MEMORY_BY_OP ? str_compare(name_of(g, x), name_of(g, y)) < 0
				     : x->key < y->key;
}

/* Where rows go. */
struct target {
	struct memtable *to;
	const struct memory_place *place;
	int64_t peak_bytes;
};

static void set_row(const struct target *t, struct str what, int64_t blocks,
		    int64_t bytes, struct cell *cells)
{
	for (size_t i = 0; i < NCOLUMNS; i++)
		cells[i] = cell_null();
	memory_place_cells(t->place, cells);
	cells[WHAT] = cell_text(what);
	cells[BLOCKS] = memory_number_cell(blocks);
	cells[BYTES] = cell_int(bytes);
	if (t->peak_bytes > 0 && !sum_is_stuck(t->peak_bytes))
		cells[SHARE] = cell_real(100.0 * (double)bytes / (double)t->peak_bytes);
}

static void add_rest(const struct target *t, struct rest rest)
{
	struct cell cells[NCOLUMNS];

	set_row(t, str_of(rest.label), rest.blocks, rest.bytes, cells);
	memtable_add_row(t->to, cells);
}

static void add_group(const struct target *t, const struct grouping *g,
		      const struct group *group)
{
	const struct memory_events *m = t->place->events;
	char label[LABEL_MAX], from[MEMORY_SIZE_MAX], to[MEMORY_SIZE_MAX];
	struct cell cells[NCOLUMNS], *c = cells;

	if (g->by == MEMORY_BY_SIZE) {
		memory_size_text((int)group->key, from);
		memory_size_text((int)group->key + 1, to);
		snprintf(label, sizeof(label), "%s to %s", from, to);
	} else if (g->by == MEMORY_BY_STEP && group->key == MEMORY_STEP_NONE) {
		snprintf(label, sizeof(label), "(outside every step)");
	} else if (g->by == MEMORY_BY_STEP) {
		snprintf(label, sizeof(label), "step %" PRId64,
			 m->steps[group->key].number);
	}
	set_row(t, g->by == MEMORY_BY_OP ? name_of(g, group) : str_of(label),
		group->blocks, group->bytes, cells);
	if (g->by == MEMORY_BY_SIZE) {
		c[SIZE_FROM] = cell_int(INT64_C(1) << group->key);
		c[SIZE_TO] =
			cell_int(group->key >= 62 ? INT64_MAX : INT64_C(2) << group->key);
	} else if (g->by == MEMORY_BY_STEP) {
		c[STEP] = memory_step_cell(m, group->key);
	}
	memtable_add_row(t->to, cells);
}

/* The groups in order, and what is behind the limit as one row: their bytes in all. */
static int64_t add_groups(const struct target *t, const struct grouping *g, size_t limit)
{
	uint32_t *order = sorted_places(g->n, comes_before, g);
	struct rest rest = { .bytes = 0 };
	int64_t all = 0;
	char label[LABEL_MAX];

	for (size_t i = 0; i < g->n; i++) {
		const struct group *group = &g->groups[order[i]];
		all = sum_add(all, group->bytes);
		if (!limit || i < limit || g->n == limit + 1) {
			add_group(t, g, group);
			continue;
		}
		rest.blocks = group->blocks == NUMBER_NONE ? NUMBER_NONE
							   : rest.blocks + group->blocks;
		rest.bytes = sum_add(rest.bytes, group->bytes);
	}
	if (limit && g->n > limit + 1) {
		snprintf(label, sizeof(label), "(%zu more)", g->n - limit);
		rest.label = label;
		add_rest(t, rest);
	}
	free(order);
	return all;
}

/* What makes the rows add up to the peak: older blocks, and what nothing explains. */
static void add_remainder(const struct target *t, int64_t live_bytes, int64_t older_bytes)
{
	int64_t left = sum_sub(sum_sub(t->peak_bytes, live_bytes), older_bytes);

	if (older_bytes)
		add_rest(t, (struct rest){ "(before the recording)", NUMBER_NONE,
					   older_bytes });
	if (left)
		add_rest(t, (struct rest){ "(unaccounted)", NUMBER_NONE, left });
}

int memory_live_add(struct memory_source *s, const struct memory_place *place,
		    const struct memory_peak *peak, size_t limit, struct memtable *to,
		    struct err *err)
{
	const struct target t = { to, place, peak->allocated.bytes };
	struct grouping g = { .s = s, .by = s->request.by };
	int64_t freed_before = 0;

	intern_init(&g.keys);
	int rc = place->of->has_addresses
			 ? group_blocks(s, place, peak->event, &g, &freed_before, err)
			 : group_categories(s, place, peak->event, &g, err);
	if (rc == 0) {
		int64_t live = add_groups(&t, &g, limit);
		if (!filter_chooses_names(s->request.filter))
			add_remainder(&t, live,
				      sum_sub(place->of->base_bytes, freed_before));
	}
	intern_release(&g.keys);
	free(g.groups);
	return rc;
}

struct table *memory_live_pick(const struct memory_source *s, struct memtable *m)
{
	const struct view_request show = { .asked = BY(s->request.by),
					   .for_people = s->request.for_people };

	return view_stream(&memory_live_view, &m->table, s->scope, &show);
}

int memory_open_live(struct memory_source *s, struct table **out, struct err *err)
{
	struct memtable *m = memory_live_table();
	struct memory_peak peak;
	char name[LABEL_MAX];
	int rc = 0;

	for (struct memory_place p = { 0 }; rc == 0 && memory_place_get(s, &p);
	     memory_place_next(&p)) {
		if (!memory_live_is_known(s, &p)) {
			memory_place_text(s, &p, name, sizeof(name));
			memtable_add_note(
				m, "%s: not known, because its events have no addresses",
				name);
		} else if (memory_peak_find(p.events, p.of, s->request.filter, &peak)) {
			rc = memory_live_add(s, &p, &peak, (size_t)s->request.limit, m,
					     err);
		}
	}
	if (rc < 0)
		table_free(&m->table);
	else
		*out = memory_live_pick(s, m);
	return rc;
}
