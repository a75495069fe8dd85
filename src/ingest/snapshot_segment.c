/*
 * Segments and their blocks: see snapshot_segment.h.
 *
 * The allocator rounds a request up to the size of a block, and allocated_size adds up
 * blocks; entries of the trace tell what was asked for (c10/cuda/CUDACachingAllocator.cpp
 * gives orig_size and requested_size to record_trace).  So the requests of the blocks are
 * added up here: from requested_size, in torch 1.13 and 2.0 from history.
 */
#include "ingest/snapshot_segment.h"

#include "base/sum.h"
#include "ingest/sink.h"

static int64_t number_of(const struct pickle *p, const struct pickle_value *dict,
			 const char *key)
{
	uint32_t value = snapshot_key(p, dict, key);

	return value == PICKLE_NONE ? NUMBER_NONE
				    : snapshot_number(snapshot_value(p, value));
}

/* The first entry of history is the newest; NUMBER_NONE where there is none. */
static int64_t size_in_history(const struct pickle *p, const struct pickle_value *block)
{
	uint32_t list = snapshot_key(p, block, "history");

	if (list == PICKLE_NONE || snapshot_value(p, list)->type != PICKLE_LIST ||
	    snapshot_value(p, list)->first == PICKLE_NONE)
		return NUMBER_NONE;
	uint32_t newest = p->items[snapshot_value(p, list)->first].value;
	const struct pickle_value *entry = snapshot_value(p, newest);
	if (entry->type != PICKLE_DICT || entry->n > 2 * SNAPSHOT_KEYS_MAX)
		return NUMBER_NONE;
	return number_of(p, entry, "real_size");
}

static bool is_allocated(const struct pickle *p, const struct pickle_value *block)
{
	uint32_t state = snapshot_key(p, block, "state");

	return state != PICKLE_NONE && snapshot_value(p, state)->type == PICKLE_TEXT &&
	       str_is(snapshot_value(p, state)->as.text, "active_allocated");
}

/* What was asked for, 0 for what is not allocated. */
static int read_block(const struct pickle *p, uint32_t value, int64_t *bytes,
		      struct err *err)
{
	const struct pickle_value *block = snapshot_value(p, value);

	*bytes = 0;
	if (snapshot_check_dict(p, value, "a block of a segment", err) < 0)
		return -1;
	if (!is_allocated(p, block))
		return 0;
	*bytes = number_of(p, block, "requested_size");
	if (*bytes == NUMBER_NONE)
		*bytes = size_in_history(p, block);
	if (*bytes == NUMBER_NONE)
		*bytes = number_of(p, block, "size");
	if (*bytes == NUMBER_NONE || *bytes < 0)
		return err_at(err, block->at, "a block without a size");
	return 0;
}

/* Leaves *bytes as it is where the segment lists no blocks. */
static int read_blocks(const struct pickle *p, const struct pickle_value *segment,
		       struct snapshot_budget *budget, int64_t *bytes, struct err *err)
{
	uint32_t list = snapshot_key(p, segment, "blocks");

	if (list == PICKLE_NONE)
		return 0;
	if (snapshot_check_list(p, list, "blocks", err) < 0)
		return -1;
	uint32_t i = snapshot_value(p, list)->first;
	if (i == PICKLE_NONE)
		return 0;
	for (*bytes = 0; i != PICKLE_NONE; i = p->items[i].next) {
		int64_t block_bytes;
		uint32_t block = p->items[i].value;
		if (snapshot_budget_spend(budget, snapshot_value(p, block), err) < 0 ||
		    read_block(p, block, &block_bytes, err) < 0)
			return -1;
		*bytes = sum_add(*bytes, block_bytes);
	}
	return 0;
}

int snapshot_segment_read(const struct pickle *p, uint32_t value,
			  struct snapshot_budget *budget, struct snapshot_segment *out,
			  struct err *err)
{
	const struct pickle_value *dict = snapshot_value(p, value);

	if (snapshot_budget_spend(budget, dict, err) < 0 ||
	    snapshot_check_dict(p, value, "an entry of segments", err) < 0)
		return -1;
	*out = (struct snapshot_segment){
		.device = number_of(p, dict, "device"),
		.total_bytes = number_of(p, dict, "total_size"),
		.requested_bytes = number_of(p, dict, "allocated_size"),
	};
	if (out->device == NUMBER_NONE || out->total_bytes == NUMBER_NONE ||
	    out->requested_bytes == NUMBER_NONE)
		return err_at(err, dict->at,
			      "a segment without device, total_size or allocated_size");
	if (out->device < 0 || out->device >= SNAPSHOT_DEVICES_MAX ||
	    out->total_bytes < 0 || out->requested_bytes < 0)
		return err_at(err, dict->at, "a segment of impossible numbers");
	return read_blocks(p, dict, budget, &out->requested_bytes, err);
}
