/* What of a store is about memory, blocks and the names around them: see memory_source.h. */
#include "query/memory/memory_source.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/search.h"
#include "query/query.h"
#include "trace/fact.h"

#define NO_BLOCK UINT32_MAX

/* Addresses of one device to the block that was there last; NO_BLOCK: none now. */
struct address_map {
	struct {
		int64_t address;
		uint32_t block;
		bool is_used;
	} * slots;        /* owned */
	size_t nslots, n; /* nslots is a power of two */
};

static size_t find_slot(const struct address_map *map, int64_t address)
{
	size_t at = (size_t)hash_u64((uint64_t)address) & (map->nslots - 1);

	while (map->slots[at].is_used && map->slots[at].address != address)
		at = (at + 1) & (map->nslots - 1);
	return at;
}

static void grow(struct address_map *map)
{
	struct address_map larger = { .nslots = map->nslots ? map->nslots * 2 : 1024,
				      .n = map->n };

	larger.slots = xcalloc(larger.nslots, sizeof(*larger.slots));
	for (size_t i = 0; i < map->nslots; i++)
		if (map->slots[i].is_used)
			larger.slots[find_slot(&larger, map->slots[i].address)] =
				map->slots[i];
	free(map->slots);
	*map = larger;
}

/* Where the address keeps its block. */
static uint32_t *block_at(struct address_map *map, int64_t address)
{
	if (map->n * 2 >= map->nslots)
		grow(map);
	size_t at = find_slot(map, address);
	if (!map->slots[at].is_used) {
		map->slots[at].is_used = true;
		map->slots[at].address = address;
		map->slots[at].block = NO_BLOCK;
		map->n++;
	}
	return &map->slots[at].block;
}

static uint32_t add_block(struct memory_blocks *out, struct memory_block block)
{
	*ARRAY_PUSH(out->items, out->n, out->cap) = block;
	return (uint32_t)out->n - 1;
}

static void end_block(struct memory_block *block, uint32_t event, enum memory_fate fate)
{
	block->end = event;
	block->fate = (uint8_t)fate;
}

static void allocated(struct memory_blocks *out, uint32_t *last, struct memory_block new)
{
	if (*last != NO_BLOCK)
		end_block(&out->items[*last], new.alloc, MEMORY_REUSED);
	*last = add_block(out, new);
}

static void freed(struct memory_blocks *out, uint32_t *last, struct memory_block unknown)
{
	if (*last != NO_BLOCK)
		end_block(&out->items[*last], unknown.end, MEMORY_FREED);
	else
		add_block(out, unknown);
	*last = NO_BLOCK;
}

static void add_event(struct memory_blocks *out, struct address_map *map,
		      const struct memory_event *e, uint32_t number, uint32_t device)
{
	/* the bytes of an event that tells none would be a guess */
	if (e->is_out_of_memory || e->bytes == NUMBER_NONE)
		return;
	if (e->address == NUMBER_NONE) {
		out->nameless++;
		return;
	}
	uint32_t *last = block_at(map, e->address);
	if (e->bytes > 0)
		allocated(out, last,
			  (struct memory_block){ .bytes = e->bytes,
						 .device = device,
						 .alloc = number,
						 .end = MEMORY_EVENT_NONE,
						 .fate = MEMORY_ALIVE });
	else
		freed(out, last,
		      (struct memory_block){ .bytes = -e->bytes,
					     .device = device,
					     .alloc = MEMORY_EVENT_NONE,
					     .end = number,
					     .fate = MEMORY_UNKNOWN });
}

void memory_blocks_make(const struct memory_events *m, struct memory_blocks *out)
{
	*out = (struct memory_blocks){ .n = 0 };
	for (size_t i = 0; i < m->ndevices; i++) {
		const struct memory_device *d = &m->devices[i];
		struct address_map map = { .n = 0 };
		for (size_t j = d->first; j < d->first + d->n; j++)
			add_event(out, &map, &m->items[j], (uint32_t)j, (uint32_t)i);
		free(map.slots);
	}
}

size_t memory_blocks_first(const struct memory_blocks *b, size_t device)
{
	size_t at;

	SEARCH(at, 0, b->n, b->items[at].device < device);
	return at;
}

void memory_blocks_release(struct memory_blocks *b)
{
	free(b->items);
	*b = (struct memory_blocks){ .n = 0 };
}

const char *memory_fate_name(enum memory_fate fate)
{
	static const char *const names[] = {
		[MEMORY_FREED] = "freed",
		[MEMORY_ALIVE] = "alive",
		[MEMORY_UNKNOWN] = "unknown",
		[MEMORY_REUSED] = "reused",
	};

	return names[fate];
}

int memory_names_open(struct store *store, struct memory_names *out, struct err *err)
{
	*out = (struct memory_names){ .unknown = 0 };
	if (text_pool_open(store, &out->texts, err) < 0)
		return -1;
	out->unknown = intern_add(&out->texts.intern, STR_LIT(MEMORY_NO_OP));
	return slices_around_open(store, &out->around, err);
}

void memory_names_close(struct memory_names *n)
{
	slices_around_close(&n->around);
	text_pool_close(&n->texts);
	*n = (struct memory_names){ .unknown = 0 };
}

int memory_names_find(struct memory_names *n, int64_t id, uint32_t *place,
		      struct err *err)
{
	return slices_around_find(&n->around, &n->texts, id, place, err);
}

/* Of an event in no operator. */
static int own_name(struct memory_names *n, int64_t slice_id, uint32_t *name,
		    struct err *err)
{
	struct slice_around slice;

	if (slices_around_read(&n->around, &n->texts, slice_id, &slice, err) < 0)
		return -1;
	struct str text = text_pool_str(&n->texts, slice.name);
	bool says_nothing =
		text.n == 0 || str_is(text, "[memory]") || str_is(text, "[OutOfMemory]");
	*name = says_nothing ? n->unknown : slice.name;
	return 0;
}

int memory_names_of(struct memory_names *n, const struct memory_event *e, uint32_t *name,
		    struct err *err)
{
	if (e->op_id <= 0)
		return own_name(n, e->slice_id, name, err);
	uint32_t place;
	if (memory_names_find(n, e->op_id, &place, err) < 0)
		return -1;
	*name = n->around.items[place].name;
	return 0;
}

int memory_names_str(struct memory_names *n, const struct memory_event *e,
		     struct str *out, struct err *err)
{
	uint32_t name;

	if (memory_names_of(n, e, &name, err) < 0)
		return -1;
	*out = text_pool_str(&n->texts, name);
	return 0;
}

int memory_names_parent(struct memory_names *n, int64_t id, struct str *out,
			struct err *err)
{
	uint32_t place;

	*out = (struct str){ NULL, 0 };
	if (id <= 0)
		return 0;
	if (memory_names_find(n, id, &place, err) < 0)
		return -1;
	uint32_t caller = n->around.items[place].caller;
	if (caller)
		*out = text_pool_str(&n->texts, n->around.items[caller - 1].name);
	return 0;
}
