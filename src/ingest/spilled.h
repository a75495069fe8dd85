/*
 * Arrays of a reader that grow with its file: they lie in the spill of its options, so
 * that --memory-limit holds for them, and spill_free() ends them.
 */
#ifndef PTOOL_INGEST_SPILLED_H
#define PTOOL_INGEST_SPILLED_H

#include "base/sort.h"
#include "base/spill.h"

/* One more at the end: a pointer to it.  What is behind the spill are lvalues. */
#define SPILLED_PUSH(spill, items, n, cap)                                          \
	((items) = spill_grow((spill), (items), &(cap), (n) + 1, sizeof(*(items))), \
	 &(items)[(n)++])

/* Items by their ids.  Zeroed is empty. */
struct spilled_ids {
	const void *items; /* borrowed */
	size_t n;
	sort_number *id;
	uint32_t *order; /* owned: places by id, stable; NULL: they are in that order */
	size_t second; /* of all that have the id of one before them, the lowest's place; SIZE_MAX: none */
};

/* Of all n items, fewer than UINT32_MAX; spill_free() of `order` ends it. */
void spilled_ids_make(struct spilled_ids *ids, struct spill *spill);
/* The place of the one that is `at` in their order. */
static inline size_t spilled_at(const struct spilled_ids *ids, size_t at)
{
	return ids->order ? ids->order[at] : at;
}
/* The first place of an id; SIZE_MAX: none has it. */
size_t spilled_find(const struct spilled_ids *ids, int64_t id);

#endif
