/* Items by their ids: see spilled.h. */
#include "ingest/spilled.h"

#include "base/search.h"

static int64_t id_at(const struct spilled_ids *ids, size_t at)
{
	return ids->id(ids->items, (uint32_t)spilled_at(ids, at));
}

static void sort(struct spilled_ids *ids, struct spill *spill)
{
	uint32_t *spare = spill_alloc(spill, ids->n, sizeof(*spare));

	ids->order = spill_alloc(spill, ids->n, sizeof(*ids->order));
	for (size_t i = 0; i < ids->n; i++)
		ids->order[i] = (uint32_t)i;
	sort_numbered(spill, ids->order, ids->n, spare, ids->id, ids->items);
	spill_free(spill, spare);
}

void spilled_ids_make(struct spilled_ids *ids, struct spill *spill)
{
	ids->second = SIZE_MAX;
	for (size_t i = 1; i < ids->n; i++) {
		int64_t before = id_at(ids, i - 1), id = id_at(ids, i);
		spill_tick(spill, i);
		if (id < before) {
			sort(ids, spill);
			ids->second = SIZE_MAX;
			i = 0; /* once more, in order */
		} else if (id == before && ids->second == SIZE_MAX) {
			ids->second = spilled_at(ids, i);
		}
	}
}

size_t spilled_find(const struct spilled_ids *ids, int64_t id)
{
	size_t at = 0;

	if (ids->n == 0)
		return SIZE_MAX;
	/* mostly ids count, and then they say where it is */
	uint64_t guess = (uint64_t)id - (uint64_t)id_at(ids, 0);
	if (ids->second == SIZE_MAX && guess < ids->n && id_at(ids, guess) == id)
		return spilled_at(ids, guess);
	SEARCH(at, (size_t)0, ids->n, id_at(ids, at) < id);
	return at < ids->n && id_at(ids, at) == id ? spilled_at(ids, at) : SIZE_MAX;
}
