/*
 * What steps leave behind: the level from step to step, and the operators whose blocks
 * of step after step are still there at the end.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/memory/memory_source.h"

/* Steps times devices; beyond it a step is no row of a device on which nothing happened. */
#define ROWS_MOST 2000000 /* ptool-formats(5), LIMITS */

/* A leak shows in as many steps, the last one apart: its blocks may be freed yet. */
#define LEAK_STEPS_MIN 2

enum {
	STEP = NMEMORY_PLACE_COLUMNS,
	START_AT,
	START,
	END,
	GROWTH,
	PEAK,
	ALLOCATED,
	FREED,
	LEFT,
	LEFT_BLOCKS,
	NGROWTH
};

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field growth_fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "step", "Step", "step", NULL, UNIT_ID, CELL(STEP), .flags = FIELD_KEY },
	{ "start_ns", "From", "start of the step", NULL, UNIT_TIME, CELL(START_AT) },
	{ "start_bytes", "Start", "allocated at its start", NULL, UNIT_BYTES, CELL(START) },
	{ "end_bytes", "End", "allocated at its end", NULL, UNIT_BYTES, CELL(END) },
	{ "growth_bytes", "Growth", "the difference", NULL, UNIT_BYTES, CELL(GROWTH) },
	{ "peak_bytes", "Peak", "peak in the step", NULL, UNIT_BYTES, CELL(PEAK) },
	{ "allocated_bytes", "Allocated", "sum of what was allocated", NULL, UNIT_BYTES, CELL(ALLOCATED) },
	{ "freed_bytes", "Freed", "sum of what was freed", NULL, UNIT_BYTES, CELL(FREED) },
	{ "left_bytes", "Left", "allocated in the step and not freed at the end of the recording", NULL, UNIT_BYTES, CELL(LEFT) },
	{ "left_blocks", "Blocks", "number of those blocks", NULL, UNIT_COUNT, CELL(LEFT_BLOCKS) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_growth_view = {
	.name = "memory --growth",
	.fields = growth_fields,
	.people = VIEW_PART(
		"profile rank? device step start_bytes end_bytes growth_bytes peak_bytes left_bytes"),
};

enum {
	OP = NMEMORY_PLACE_COLUMNS,
	BYTES,
	BLOCKS,
	STEPS,
	FIRST_STEP,
	LAST_STEP,
	PER_STEP,
	SUSPECT,
	NLEAK
};

/* clang-format off */
static const struct field leak_fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "op", "Operator", "operator", NULL, UNIT_TEXT, CELL(OP), .flags = FIELD_KEY },
	{ "left_bytes", "Left", "allocated in steps and not freed at the end of the recording", NULL, UNIT_BYTES, CELL(BYTES) },
	{ "left_blocks", "Blocks", "number of those blocks", NULL, UNIT_COUNT, CELL(BLOCKS) },
	{ "steps", "Steps", "steps that left such blocks", NULL, UNIT_COUNT, CELL(STEPS) },
	{ "first_step", "First", "first of them", NULL, UNIT_ID, CELL(FIRST_STEP) },
	{ "last_step", "Last", "last of them", NULL, UNIT_ID, CELL(LAST_STEP) },
	{ "bytes_per_step", "A step", "size left per step", NULL, UNIT_BYTES, CELL(PER_STEP) },
	{ "is_suspect", "Suspect", "1: at least two steps left such blocks, not counting the last", NULL, UNIT_BOOL, CELL(SUSPECT) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_leak_view = {
	.name = "memory --leaks",
	.fields = leak_fields,
	.people = VIEW_PART(
		"profile rank? device op left_bytes left_blocks steps bytes_per_step is_suspect"),
};

/* What happened in a step on one device. */
struct step_sums {
	int64_t allocated, freed, left, peak;
	int64_t left_blocks;
	bool has_events;
};

static void add_event(struct step_sums *sums, const struct memory_event *e)
{
	int64_t bytes = memory_event_bytes(e);

	if (bytes > 0)
		sums->allocated = sum_add(sums->allocated, bytes);
	else
		sums->freed = sum_sub(sums->freed, bytes);
	if (!sums->has_events || e->level_bytes > sums->peak)
		sums->peak = e->level_bytes;
	sums->has_events = true;
}

/* The rows, and what those of a device are made of. */
struct growth {
	struct memtable *rows;
	struct step_sums *sums; /* by place of steps; owned; zero between devices */
	int64_t given;
	bool has_left_out;
};

static void add_left(const struct memory_place *p, struct step_sums *sums)
{
	size_t end = memory_blocks_first(p->blocks, p->device + 1);

	for (size_t i = memory_blocks_first(p->blocks, p->device); i < end; i++) {
		const struct memory_block *b = &p->blocks->items[i];
		if (b->fate != MEMORY_ALIVE)
			continue;
		uint32_t step = p->events->items[b->alloc].step;
		if (step == MEMORY_STEP_NONE)
			continue;
		sums[step].left = sum_add(sums[step].left, b->bytes);
		sums[step].left_blocks++;
	}
}

static void set_step(const struct memory_place *p, const struct memory_step *step,
		     const struct step_sums *sums, struct cell *cells)
{
	int64_t start = memory_level_at(p->events, p->of, step->ts_ns);
	int64_t end = memory_level_at(p->events, p->of, step->ts_ns + step->dur_ns);
	bool has_left = p->of->has_addresses;

	memory_place_cells(p, cells);
	cells[STEP] = cell_int(step->number);
	cells[START_AT] = cell_int(step->ts_ns);
	cells[START] = cell_int(start);
	cells[END] = cell_int(end);
	cells[GROWTH] = cell_int(sum_sub(end, start));
	cells[PEAK] =
		cell_int(sums->has_events && sums->peak > start ? sums->peak : start);
	cells[ALLOCATED] = cell_int(sums->allocated);
	cells[FREED] = cell_int(sums->freed);
	cells[LEFT] = has_left ? cell_int(sums->left) : cell_null();
	cells[LEFT_BLOCKS] = has_left ? cell_int(sums->left_blocks) : cell_null();
}

static bool are_too_many(const struct memory_events *m)
{
	return m->nsteps > ROWS_MOST / m->ndevices;
}

static void add_step(const struct memory_source *s, const struct memory_place *p,
		     size_t step, const struct step_sums *sums, struct growth *to)
{
	const struct memory_step *of = &p->events->steps[step];
	const struct filter *f = s->request.filter;
	struct cell cells[NGROWTH];

	if (!filter_has_step(f, p->events->profile->id, of->number, true) ||
	    !filter_has_time(f, of->ts_ns))
		return;
	set_step(p, of, sums, cells);
	memory_add_limited(s, to->rows, cells, &to->given);
}

static void add_steps(const struct memory_source *s, const struct memory_place *p,
		      struct growth *to)
{
	const struct memory_events *m = p->events;
	const struct memory_event *events = m->items + p->of->first;
	struct step_sums *sums = to->sums;

	for (size_t i = 0; i < p->of->n; i++)
		if (events[i].step != MEMORY_STEP_NONE)
			add_event(&sums[events[i].step], &events[i]);
	add_left(p, sums);
	for (size_t i = 0; i < m->nsteps && !are_too_many(m); i++) {
		add_step(s, p, i, &sums[i], to);
		sums[i] = (struct step_sums){ 0 };
	}
	for (size_t i = 0; i < p->of->n; i++) {
		uint32_t step = events[i].step;
		if (step == MEMORY_STEP_NONE || !sums[step].has_events)
			continue;
		add_step(s, p, step, &sums[step], to);
		sums[step] = (struct step_sums){ 0 };
	}
}

int memory_open_growth(struct memory_source *s, struct table **out, struct err *err)
{
	struct growth to = { .rows = memtable_new(NULL, NGROWTH) };
	size_t profile = SIZE_MAX; /* whose steps sums have */

	(void)err;
	for (struct memory_place p = { 0 }; memory_place_get(s, &p);
	     memory_place_next(&p)) {
		if (!to.sums || p.profile != profile) {
			free(to.sums);
			to.sums = xcalloc(p.events->nsteps + 1, sizeof(*to.sums));
			to.has_left_out |= are_too_many(p.events);
		}
		profile = p.profile;
		add_steps(s, &p, &to);
	}
	free(to.sums);
	if (to.has_left_out)
		memtable_add_note(
			to.rows, "steps times devices are more than 2,000,000: a step is "
				 "left out where nothing happened on the device");
	*out = memory_show(s, &memory_growth_view, &to.rows->table);
	return 0;
}

/* The blocks of one operator that are left. */
struct leak {
	uint32_t name;
	int64_t bytes, blocks;
	int64_t steps;        /* that left some */
	int64_t early_steps;  /* of those, but for the recording's last */
	uint32_t first, last; /* places of steps */
};

struct leaks {
	struct intern keys; /* of the name's bytes: place in items */
	struct leak *items;
	size_t n, cap;
	uint32_t last_step;
	const struct text_pool *texts;
};

static struct leak *leak_of(struct leaks *l, uint32_t name)
{
	uint32_t at = intern_add(&l->keys, str_bytes(&name, sizeof(name)));

	if (at == l->n)
		*ARRAY_PUSH(l->items, l->n, l->cap) = (struct leak){ .name = name };
	return &l->items[at];
}

/* Blocks come in the order of time, so that those of a step of an operator come together. */
static void add_block(struct leaks *l, uint32_t name, uint32_t step, int64_t bytes)
{
	struct leak *leak = leak_of(l, name);

	if (!leak->blocks || leak->last != step) {
		leak->steps++;
		leak->early_steps += step != l->last_step;
	}
	if (!leak->blocks)
		leak->first = step;
	leak->last = step;
	leak->blocks++;
	leak->bytes = sum_add(leak->bytes, bytes);
}

static int find_leaks(struct memory_source *s, const struct memory_place *p,
		      struct leaks *l, struct err *err)
{
	struct memory_names *names = &s->names;
	size_t end = memory_blocks_first(p->blocks, p->device + 1);

	for (size_t i = memory_blocks_first(p->blocks, p->device); i < end; i++) {
		const struct memory_block *b = &p->blocks->items[i];
		const struct memory_event *e = &p->events->items[memory_block_first(b)];
		if (b->fate != MEMORY_ALIVE || e->step == MEMORY_STEP_NONE ||
		    !memory_event_is_wanted(p->events, e, s->request.filter))
			continue;
		uint32_t name;
		if (memory_names_of(names, e, &name, err) < 0)
			return -1;
		int has = filter_has_name(s->request.filter,
					  text_pool_str(&names->texts, name), err);
		if (has < 0)
			return -1;
		if (has)
			add_block(l, name, e->step, b->bytes);
	}
	return 0;
}

static bool is_suspect(const struct leak *leak)
{
	return leak->early_steps >= LEAK_STEPS_MIN;
}

/* Suspects first, what leaves most bytes first, then by name. */
static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct leaks *l = context;
	const struct leak *x = &l->items[a], *y = &l->items[b];

	if (is_suspect(x) != is_suspect(y))
		return is_suspect(x);
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes;
	return str_compare(text_pool_str(l->texts, x->name),
			   text_pool_str(l->texts, y->name)) < 0;
}

static void add_leaks(const struct memory_source *s, const struct memory_place *p,
		      const struct leaks *l, struct memtable *to)
{
	uint32_t *order = sorted_places(l->n, comes_before, l);
	struct cell cells[NLEAK];
	int64_t given = 0;

	memory_place_cells(p, cells);
	for (size_t i = 0; i < l->n; i++) {
		const struct leak *leak = &l->items[order[i]];
		cells[OP] = cell_text(text_pool_str(l->texts, leak->name));
		cells[BYTES] = cell_int(leak->bytes);
		cells[BLOCKS] = cell_int(leak->blocks);
		cells[STEPS] = cell_int(leak->steps);
		cells[FIRST_STEP] = memory_step_cell(p->events, leak->first);
		cells[LAST_STEP] = memory_step_cell(p->events, leak->last);
		cells[PER_STEP] = sum_is_stuck(leak->bytes)
					  ? cell_null()
					  : cell_int(leak->bytes / leak->steps);
		cells[SUSPECT] = cell_int(is_suspect(leak));
		memory_add_limited(s, to, cells, &given);
	}
	free(order);
}

/* The step that starts last. */
static uint32_t last_step(const struct memory_events *m)
{
	uint32_t last = MEMORY_STEP_NONE;

	for (size_t i = 0; i < m->nsteps; i++)
		if (last == MEMORY_STEP_NONE || m->steps[i].ts_ns > m->steps[last].ts_ns)
			last = (uint32_t)i;
	return last;
}

int memory_open_leaks(struct memory_source *s, struct table **out, struct err *err)
{
	struct memtable *m = memtable_new(NULL, NLEAK);
	size_t profile = SIZE_MAX; /* whose last step it is */
	uint32_t last = MEMORY_STEP_NONE;
	int rc = 0;

	for (struct memory_place p = { 0 }; rc == 0 && memory_place_get(s, &p);
	     memory_place_next(&p)) {
		struct leaks l = { .texts = &s->names.texts };
		if (p.profile != profile)
			last = last_step(p.events);
		profile = p.profile;
		l.last_step = last;
		intern_init(&l.keys);
		rc = find_leaks(s, &p, &l, err);
		if (rc == 0)
			add_leaks(s, &p, &l, m);
		intern_release(&l.keys);
		free(l.items);
	}
	if (rc < 0)
		table_free(&m->table);
	else
		*out = memory_show(s, &memory_leak_view, &m->table);
	return rc;
}
