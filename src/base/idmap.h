/*
 * From 64-bit ids to rows: open addressing, several rows may have one id and
 * are found in the order they were added.
 */
#ifndef PTOOL_BASE_IDMAP_H
#define PTOOL_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct spill;

struct idmap_entry {
	int64_t id;
	uint32_t row;
	uint32_t next; /* entry + 1 of the same id, 0 at the last one */
};

struct idmap {
	struct idmap_entry *entries;
	size_t n, cap;
	struct idmap_slot {
		uint32_t first, last; /* entry + 1; 0 is free */
	} * slots;
	size_t nslots;       /* a power of two */
	size_t nids;         /* distinct ones */
	struct spill *spill; /* borrowed, or NULL: where all of it lies */
};

void idmap_init(struct idmap *map, size_t expected);
/* One that grows with the events. */
void idmap_init_in(struct idmap *map, size_t expected, struct spill *spill);
void idmap_release(struct idmap *map);
void idmap_add(struct idmap *map, int64_t id, uint32_t row);

/*
 * for (size_t at = idmap_first(map, id); (row = idmap_next(map, &at)) != UINT32_MAX;)
 */
size_t idmap_first(const struct idmap *map, int64_t id);
uint32_t idmap_next(const struct idmap *map, size_t *at);

#endif
