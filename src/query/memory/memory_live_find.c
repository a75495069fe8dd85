/*
 * What was live at the peak of a device, by operator, size or step, from its blocks: see
 * memory_figures.h.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/memory/memory_figures.h"

struct grouping {
	struct intern keys; /* of the key's bytes: place among the groups */
	struct memory_live *out;
	enum memory_by by;
};

static void add_block(struct grouping *g, uint32_t key, int64_t bytes)
{
	uint32_t at = intern_add(&g->keys, str_bytes(&key, sizeof(key)));

	if (at == g->out->n)
		*ARRAY_PUSH(g->out->items, g->out->n, g->out->cap) =
			(struct memory_group){ .key = key, .step = NUMBER_NONE };
	g->out->items[at].blocks++;
	g->out->items[at].bytes = sum_add(g->out->items[at].bytes, bytes);
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
		  const struct memory_block *b, enum memory_by by, uint32_t *key,
		  struct err *err)
{
	const struct memory_event *e = &place->events->items[b->alloc];
	int has = has_name(s, e, err);

	if (has <= 0)
		return has;
	if (by == MEMORY_BY_OP)
		return memory_names_of(&s->names, e, key, err) < 0 ? -1 : 1;
	*key = by == MEMORY_BY_SIZE ? power_of(b->bytes) : e->step;
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
		int has = key_of(s, place, b, g->by, &key, err);
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
	for (size_t i = 0; i < g->out->n; i++)
		if (g->out->items[i].bytes != 0) {
			g->out->items[kept] = g->out->items[i];
			g->out->items[kept++].blocks = NUMBER_NONE;
		}
	g->out->n = kept;
	return 0;
}

bool memory_live_is_known(const struct memory_place *place, enum memory_by by)
{
	return place->of->has_addresses ||
	       (memory_place_is_timeline(place) && by == MEMORY_BY_OP);
}

/* The most bytes first; then by name or key. */
static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct memory_group *x = &g->out->items[a], *y = &g->out->items[b];

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes;
	return g->by == MEMORY_BY_OP ? str_compare(x->name, y->name) < 0
				     : x->key < y->key;
}

static void sort_groups(const struct grouping *g)
{
	uint32_t *order = sorted_places(g->out->n, comes_before, g);
	struct memory_group *items = xrealloc_array(NULL, g->out->n + 1, sizeof(*items));

	for (size_t i = 0; i < g->out->n; i++)
		items[i] = g->out->items[order[i]];
	free(order);
	free(g->out->items);
	g->out->items = items;
}

static void tell_keys(const struct memory_source *s, const struct memory_events *m,
		      const struct grouping *g)
{
	for (size_t i = 0; i < g->out->n; i++) {
		struct memory_group *group = &g->out->items[i];
		if (g->by == MEMORY_BY_OP)
			group->name = text_pool_str(&s->names.texts, group->key);
		else if (g->by == MEMORY_BY_STEP)
			group->step = memory_step_number(m, group->key);
	}
}

int memory_live_find(struct memory_source *s, const struct memory_place *place,
		     size_t event, enum memory_by by, struct memory_figures *out,
		     struct err *err)
{
	struct grouping g = { .out = &out->live[by], .by = by };
	int64_t freed_before = 0;

	intern_init(&g.keys);
	int rc = place->of->has_addresses
			 ? group_blocks(s, place, event, &g, &freed_before, err)
			 : group_categories(s, place, event, &g, err);
	intern_release(&g.keys);
	if (rc < 0)
		return -1;
	out->older_bytes = sum_sub(place->of->base_bytes, freed_before);
	tell_keys(s, place->events, &g);
	sort_groups(&g);
	return 0;
}
