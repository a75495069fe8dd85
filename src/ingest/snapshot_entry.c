/* Entries, segments and frames of a snapshot: see snapshot.h. */
#include <string.h>

#include "base/sum.h"
#include "ingest/sink.h"
#include "ingest/snapshot.h"

#define SNAPSHOT_KEYS_MAX 64 /* of one dict: torch writes a dozen */

#define FRAMES_MAX 64 /* that are looked at for one of Python's */

int snapshot_budget_spend(struct snapshot_budget *budget, const struct pickle_value *v,
			  struct err *err)
{
	if (++budget->spent <= budget->limit)
		return 0;
	return err_at(err, v->at, "more entries than the file has dicts");
}

/* NUMBER_NONE for what is no int. */
static int64_t snapshot_number(const struct pickle_value *v)
{
	return v->type == PICKLE_INT ? v->as.number : NUMBER_NONE;
}

uint32_t snapshot_key(const struct pickle *p, const struct pickle_value *dict,
		      const char *key)
{
	const struct pickle_item *items = p->items;
	uint32_t found = PICKLE_NONE;

	for (uint32_t i = dict->first; i != PICKLE_NONE; i = items[items[i].next].next) {
		const struct pickle_value *name = snapshot_value(p, items[i].value);
		if (name->type == PICKLE_TEXT && str_is(name->as.text, key))
			found = items[items[i].next].value;
	}
	return found;
}

int snapshot_check_dict(const struct pickle *p, uint32_t value, const char *what,
			struct err *err)
{
	const struct pickle_value *v = snapshot_value(p, value);

	if (v->type != PICKLE_DICT)
		return err_at(err, v->at, "%s is %s, not a dict", what,
			      pickle_type_name(v->type));
	if (v->n > 2 * SNAPSHOT_KEYS_MAX)
		return err_at(err, v->at, "%s has more than %d keys", what,
			      SNAPSHOT_KEYS_MAX);
	return 0;
}

int snapshot_check_list(const struct pickle *p, uint32_t value, const char *what,
			struct err *err)
{
	const struct pickle_value *v = snapshot_value(p, value);

	if (v->type == PICKLE_LIST || v->type == PICKLE_TUPLE)
		return 0;
	return err_at(err, v->at, "%s is %s, not a list", what,
		      pickle_type_name(v->type));
}

static void set_field(const struct pickle *p, struct snapshot_entry *e, struct str key,
		      uint32_t value)
{
	const struct pickle_value *v = snapshot_value(p, value);

	if (str_is(key, "action") && v->type == PICKLE_TEXT)
		e->action = v->as.text;
	else if (str_is(key, "addr"))
		e->address = snapshot_number(v);
	else if (str_is(key, "size"))
		e->size = snapshot_number(v);
	else if (str_is(key, "time_us"))
		e->time_us = snapshot_number(v);
	else if (str_is(key, "frames") && v->type == PICKLE_LIST)
		e->frames = value;
}

struct snapshot_effect snapshot_effect_of(struct str action)
{
	static const struct {
		const char *action;
		struct snapshot_effect effect;
	} effects[] = {
		{ "alloc", { 1, 0, true } },
		{ "free_requested", { -1, 0, true } },
		{ "free_completed", { 0, 0, true } },
		{ "segment_alloc", { 0, 1, true } },
		{ "segment_map", { 0, 1, true } },
		{ "segment_free", { 0, -1, true } },
		{ "segment_unmap", { 0, -1, true } },
		{ "oom", { 0, 0, true } },
		{ "snapshot", { 0, 0, true } },
		{ "annotate", { 0, 0, true } },
	};

	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
		if (str_is(action, effects[i].action))
			return effects[i].effect;
	return (struct snapshot_effect){ 0, 0, false };
}

static int check_entry(const struct pickle *p, const struct snapshot_entry *e,
		       uint32_t value, struct err *err)
{
	const struct snapshot_effect effect = snapshot_effect_of(e->action);
	bool needs_size = effect.allocated || effect.reserved;

	if (needs_size && (e->size == NUMBER_NONE || e->size < 0))
		return err_at(err, snapshot_value(p, value)->at, "%.*s has no valid size",
			      e->action.n < 40 ? (int)e->action.n : 40, e->action.p);
	if (effect.allocated && e->address == NUMBER_NONE)
		return err_at(err, snapshot_value(p, value)->at, "%.*s has no addr",
			      (int)e->action.n, e->action.p);
	if (e->time_us != NUMBER_NONE &&
	    (e->time_us > INT64_MAX / 1000 || e->time_us < INT64_MIN / 1000))
		return err_at(err, snapshot_value(p, value)->at,
			      "time_us is beyond 64-bit nanoseconds");
	return 0;
}

int snapshot_entry_read(const struct pickle *p, uint32_t value,
			struct snapshot_entry *out, struct err *err)
{
	const struct pickle_item *items = p->items;
	const struct pickle_value *dict = snapshot_value(p, value);

	*out = (struct snapshot_entry){ .action = { "", 0 },
					.address = NUMBER_NONE,
					.size = NUMBER_NONE,
					.time_us = NUMBER_NONE,
					.frames = PICKLE_NONE };
	if (snapshot_check_dict(p, value, "an entry of device_traces", err) < 0)
		return -1;
	for (uint32_t i = dict->first; i != PICKLE_NONE; i = items[items[i].next].next) {
		const struct pickle_value *key = snapshot_value(p, items[i].value);
		if (key->type == PICKLE_TEXT)
			set_field(p, out, key->as.text, items[items[i].next].value);
	}
	if (out->action.n == 0)
		return err_at(err, dict->at, "an entry of device_traces has no action");
	return check_entry(p, out, value, err);
}

static struct snapshot_frame read_frame(const struct pickle *p, uint32_t value)
{
	const struct pickle_item *items = p->items;
	const struct pickle_value *dict = snapshot_value(p, value);
	struct snapshot_frame frame = { { "", 0 }, { "", 0 }, 0 };

	if (dict->type != PICKLE_DICT || dict->n > 2 * SNAPSHOT_KEYS_MAX)
		return frame;
	for (uint32_t i = dict->first; i != PICKLE_NONE; i = items[items[i].next].next) {
		const struct pickle_value *key = snapshot_value(p, items[i].value);
		const struct pickle_value *v =
			snapshot_value(p, items[items[i].next].value);
		if (key->type != PICKLE_TEXT)
			continue;
		if (str_is(key->as.text, "filename") && v->type == PICKLE_TEXT)
			frame.file = v->as.text;
		else if (str_is(key->as.text, "name") && v->type == PICKLE_TEXT)
			frame.name = v->as.text;
		else if (str_is(key->as.text, "line") && v->type == PICKLE_INT)
			frame.line = v->as.number;
	}
	return frame;
}

bool snapshot_frame_is_python(const struct snapshot_frame *frame)
{
	return frame->file.n > 3 &&
	       memcmp(frame->file.p + frame->file.n - 3, ".py", 3) == 0;
}

struct snapshot_frame snapshot_frame_of(const struct pickle *p,
					const struct pickle_value *list)
{
	const struct pickle_item *items = p->items;
	struct snapshot_frame first = { { "", 0 }, { "", 0 }, 0 };
	uint32_t at = list->first;

	for (size_t i = 0; at != PICKLE_NONE && i < FRAMES_MAX;
	     at = items[at].next, i++) {
		struct snapshot_frame frame = read_frame(p, items[at].value);
		if (snapshot_frame_is_python(&frame))
			return frame;
		if (i == 0)
			first = frame;
	}
	return first;
}

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
		return err_at(err, block->at, "a block has no size");
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
			      "a segment lacks device, total_size or allocated_size");
	if (out->device < 0 || out->device >= SNAPSHOT_DEVICES_MAX ||
	    out->total_bytes < 0 || out->requested_bytes < 0)
		return err_at(err, dict->at, "a segment has impossible numbers");
	return read_blocks(p, dict, budget, &out->requested_bytes, err);
}
