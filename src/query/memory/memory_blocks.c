/* Allocations and their frees: see memory_blocks.h. */
#include "query/memory/memory_blocks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intern.h"
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
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (b->items[middle].device < device)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
