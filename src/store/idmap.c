/* Ids to rows: see idmap.h. */
#include "store/idmap.h"

#include <stdlib.h>

#include "base/alloc.h"

void idmap_init(struct idmap *map, size_t expected)
{
	size_t n = 16;

	while (n < expected * 2)
		n *= 2;
	*map = (struct idmap){ xcalloc(n, sizeof(*map->slots)), n, 0 };
}

void idmap_release(struct idmap *map)
{
	free(map->slots);
	*map = (struct idmap){ 0 };
}

/* Ids count up, so that their low bits probe almost in sequence. */
size_t idmap_first(const struct idmap *map, int64_t id)
{
	return (uint64_t)id & (map->nslots - 1);
}

static void insert(struct idmap *map, struct idmap_entry entry)
{
	size_t at = idmap_first(map, entry.id);

	while (map->slots[at].used)
		at = (at + 1) & (map->nslots - 1);
	map->slots[at] = entry;
	map->n++;
}

void idmap_add(struct idmap *map, int64_t id, uint32_t row)
{
	if (map->n * 2 >= map->nslots) {
		struct idmap old = *map;
		idmap_init(map, old.nslots);
		for (size_t i = 0; i < old.nslots; i++)
			if (old.slots[i].used)
				insert(map, old.slots[i]);
		free(old.slots);
	}
	insert(map, (struct idmap_entry){ id, row, 1 });
}

uint32_t idmap_next(const struct idmap *map, int64_t id, size_t *at)
{
	while (map->slots[*at].used) {
		const struct idmap_entry *e = &map->slots[*at];
		*at = (*at + 1) & (map->nslots - 1);
		if (e->id == id)
			return e->row;
	}
	return UINT32_MAX;
}
