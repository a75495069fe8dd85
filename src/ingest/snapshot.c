/*
 * Snapshots of torch's caching allocator: torch.cuda.memory._dump_snapshot(), a pickle of
 *
 *	{"segments": [{"device", "total_size", "allocated_size", ...}],
 *	 "device_traces": [[{"action", "addr", "size", "time_us", "frames"}]], ...}
 *
 * as torch/cuda/memory.py tells it.  The trace of a device is what its allocator did
 * last; what is there at its end say the segments, so that all totals before it follow.
 * Bytes are those that were asked for, since that is what entries tell.  A block is
 * allocated until its free is requested, as in the allocator's own statistics and in
 * the memory events of traces.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/spill.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "ingest/memory_file.h"
#include "ingest/pickle.h"
#include "ingest/sink.h"

#define SNAPSHOT_KEYS_MAX 64 /* of one dict: torch writes a dozen */

struct snapshot_entry {
	struct str action;
	int64_t address, size, time_us; /* or NUMBER_NONE */
	uint32_t frames;                /* value, or PICKLE_NONE */
};

struct snapshot_frame {
	/* empty where not told */
	struct str file, name;
	int64_t line;
};

/* What an entry adds to what is allocated and to what is reserved. */
struct snapshot_effect {
	int allocated, reserved; /* -1, 0 or 1 times its size */
	bool is_known;
};

/* How many dicts may be looked at, in lists that may refer to one again and again. */
struct snapshot_budget {
	uint64_t spent, limit;
};

static inline const struct pickle_value *snapshot_value(const struct pickle *p,
							uint32_t value)
{
	return &p->values[value];
}

#define SNAPSHOT_DEVICES_MAX 1024

struct snapshot_segment {
	int64_t device;          /* 0 .. SNAPSHOT_DEVICES_MAX - 1 */
	int64_t total_bytes;     /* that the device reserves for it */
	int64_t requested_bytes; /* of its blocks that are allocated, as asked for */
};

#define FRAMES_MAX 64 /* that are looked at for one of Python's */

/* Lists and entries that are given again and again would take for ever. */
static int snapshot_budget_spend(struct snapshot_budget *budget,
				 const struct pickle_value *v, struct err *err)
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

/* The value of a key: the last one of that name, PICKLE_NONE when there is none. */
static uint32_t snapshot_key(const struct pickle *p, const struct pickle_value *dict,
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

static int snapshot_check_dict(const struct pickle *p, uint32_t value, const char *what,
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

/* Is it a dict of a few keys; is it a list?  Else an ERR_INPUT that says `what` is none. */
static int snapshot_check_list(const struct pickle *p, uint32_t value, const char *what,
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

/* An entry with all that its action needs. */
static struct snapshot_effect snapshot_effect_of(struct str action)
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
		return err_at(err, snapshot_value(p, value)->at, "%.*s without a size",
			      e->action.n < 40 ? (int)e->action.n : 40, e->action.p);
	if (effect.allocated && e->address == NUMBER_NONE)
		return err_at(err, snapshot_value(p, value)->at, "%.*s without an addr",
			      (int)e->action.n, e->action.p);
	if (e->time_us != NUMBER_NONE &&
	    (e->time_us > INT64_MAX / 1000 || e->time_us < INT64_MIN / 1000))
		return err_at(err, snapshot_value(p, value)->at,
			      "a time_us beyond 64-bit nanoseconds");
	return 0;
}

static int snapshot_entry_read(const struct pickle *p, uint32_t value,
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

/* The innermost frame of Python in the list, else the innermost. */
static bool snapshot_frame_is_python(const struct snapshot_frame *frame)
{
	return frame->file.n > 3 &&
	       memcmp(frame->file.p + frame->file.n - 3, ".py", 3) == 0;
}

/* They come innermost first. */
static struct snapshot_frame snapshot_frame_of(const struct pickle *p,
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

/* Reads one; the budget is of its dict and of each of its blocks. */
static int snapshot_segment_read(const struct pickle *p, uint32_t value,
				 struct snapshot_budget *budget,
				 struct snapshot_segment *out, struct err *err)
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

#define TEXT_LIMIT  ((size_t)1 << 30)
#define PROTO       0x80
#define TICK_EVENTS 65536

struct snapshot {
	struct pickle pickle;
	struct sink *sink;
	uint32_t *frame_texts; /* owned; by value of a list of frames: text + 1 */
	struct buf name;
	struct snapshot_budget budget; /* of segments and blocks once, of traces twice */
	bool has_times;
	size_t cut_at; /* where the first name is that was cut; 0: none was */
	int64_t *allocated, *reserved; /* owned; at the end, by device */
	size_t ndevices;
};

static uint64_t count_dicts(const struct pickle *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->nvalues; i++)
		n += p->values[i].type == PICKLE_DICT;
	return n;
}

static int read_entry(struct snapshot *s, uint32_t value, struct snapshot_entry *out,
		      struct err *err)
{
	if (snapshot_budget_spend(&s->budget, snapshot_value(&s->pickle, value), err) < 0)
		return -1;
	return snapshot_entry_read(&s->pickle, value, out, err);
}

/* Adds one segment to what its device has at the end. */
static int read_segment(struct snapshot *s, uint32_t value, struct err *err)
{
	struct snapshot_segment segment;

	if (snapshot_segment_read(&s->pickle, value, &s->budget, &segment, err) < 0)
		return -1;
	int64_t *allocated = &s->allocated[segment.device];
	int64_t *reserved = &s->reserved[segment.device];
	*allocated = sum_add(*allocated, segment.requested_bytes);
	*reserved = sum_add(*reserved, segment.total_bytes);
	return 0;
}

static int read_segments(struct snapshot *s, uint32_t list, struct err *err)
{
	const struct pickle_item *items = s->pickle.items;

	if (snapshot_check_list(&s->pickle, list, "segments", err) < 0)
		return -1;
	for (uint32_t i = snapshot_value(&s->pickle, list)->first; i != PICKLE_NONE;
	     i = items[i].next)
		if (read_segment(s, items[i].value, err) < 0)
			return -1;
	return 0;
}

/* What is no UTF-8, halves of pairs too, becomes U+FFFD.  False: it was cut. */
static bool add_clean(struct buf *to, struct str text)
{
	while (text.n) {
		uint32_t code;
		size_t n = utf8_decode(text, &code);
		if (!(code == UTF8_INVALID ? buf_add_text(to, "\xef\xbf\xbd")
					   : buf_add(to, text.p, n)))
			return false;
		text = str_behind(text, n);
	}
	return true;
}

/* "train.py(12): step", as traces call Python frames; without frames "[memory]". */
static uint32_t name_of(struct snapshot *s, uint32_t frames)
{
	if (frames == PICKLE_NONE ||
	    snapshot_value(&s->pickle, frames)->first == PICKLE_NONE)
		return s->sink->text(s->sink, STR_LIT("[memory]"));
	if (s->frame_texts[frames])
		return s->frame_texts[frames] - 1;
	struct snapshot_frame frame =
		snapshot_frame_of(&s->pickle, snapshot_value(&s->pickle, frames));
	buf_clear(&s->name);
	bool is_whole = true;
	if (snapshot_frame_is_python(&frame)) {
		is_whole = add_clean(&s->name, frame.file);
		is_whole &= buf_addf(&s->name, "(%" PRId64 "): ", frame.line);
	}
	is_whole &= add_clean(&s->name, frame.name);
	if (!is_whole && s->cut_at == 0)
		s->cut_at = snapshot_value(&s->pickle, frames)->at;
	uint32_t text = s->sink->text(s->sink, s->name.n ? buf_str(&s->name)
							 : STR_LIT("[memory]"));
	s->frame_texts[frames] = text + 1;
	return text;
}

/* What the device began with, from what it ends with. */
static int find_start(struct snapshot *s, const struct pickle_value *trace,
		      struct memory_file *f, struct err *err)
{
	const struct pickle_item *items = s->pickle.items;

	for (uint32_t i = trace->first; i != PICKLE_NONE; i = items[i].next) {
		struct snapshot_entry e;
		if (read_entry(s, items[i].value, &e, err) < 0)
			return -1;
		const struct snapshot_effect effect = snapshot_effect_of(e.action);
		if (effect.allocated)
			f->total_bytes =
				sum_sub(f->total_bytes, effect.allocated * e.size);
		if (effect.reserved)
			f->reserved_bytes =
				sum_sub(f->reserved_bytes, effect.reserved * e.size);
		s->has_times |= e.time_us != NUMBER_NONE;
	}
	return 0;
}

/* Where no time is recorded, an entry counts as a microsecond. */
static int tell_entry(struct snapshot *s, struct memory_file *f,
		      const struct snapshot_entry *e, struct memory_file_event event,
		      struct err *err)
{
	const struct snapshot_effect effect = snapshot_effect_of(e->action);

	if (!effect.is_known) {
		s->sink->finding(s->sink, FINDING_UNUSED_PHASE, event.offset, e->action,
				 STR_LIT(""));
		return 0;
	}
	if (effect.reserved)
		f->reserved_bytes = sum_add(f->reserved_bytes, effect.reserved * e->size);
	event.is_out_of_memory = str_is(e->action, "oom");
	if (!effect.allocated && !event.is_out_of_memory)
		return 0;
	event.bytes = event.is_out_of_memory ? e->size : effect.allocated * e->size;
	event.address = e->address;
	event.name = name_of(s, e->frames);
	return memory_file_event(f, &event, err);
}

static int tell_trace(struct snapshot *s, const struct pickle_value *trace,
		      struct memory_file *f, struct err *err)
{
	const struct pickle_item *items = s->pickle.items;
	int64_t number = 0;

	for (uint32_t i = trace->first; i != PICKLE_NONE; i = items[i].next, number++) {
		struct snapshot_entry e;
		if (read_entry(s, items[i].value, &e, err) < 0)
			return -1;
		int64_t us = e.time_us == NUMBER_NONE ? number : e.time_us;
		struct memory_file_event event = {
			.ts_ns = us * 1000,
			.offset = snapshot_value(&s->pickle, items[i].value)->at
		};
		if (tell_entry(s, f, &e, event, err) < 0)
			return -1;
		if (number % TICK_EVENTS == 0 &&
		    s->sink->tick(s->sink, event.offset, s->pickle.text.n, err) < 0)
			return -1;
	}
	return 0;
}

static int read_device(struct snapshot *s, uint32_t value, int64_t device,
		       struct err *err)
{
	struct memory_file f;
	char label[40];

	if (snapshot_check_list(&s->pickle, value, "a trace of device_traces", err) < 0)
		return -1;
	const struct pickle_value *trace = snapshot_value(&s->pickle, value);
	if (trace->first == PICKLE_NONE)
		return 0;
	snprintf(label, sizeof(label), "allocator of cuda:%" PRId64, device);
	memory_file_begin(&f, s->sink, MEMORY_FILE_CUDA, device, label);
	f.total_bytes = s->allocated[device];
	f.reserved_bytes = s->reserved[device];
	if (find_start(s, trace, &f, err) < 0)
		return -1;
	return tell_trace(s, trace, &f, err);
}

static int read_traces(struct snapshot *s, uint32_t list, struct err *err)
{
	const struct pickle_item *items = s->pickle.items;
	int64_t device = 0;

	if (snapshot_check_list(&s->pickle, list, "device_traces", err) < 0)
		return -1;
	for (uint32_t i = snapshot_value(&s->pickle, list)->first; i != PICKLE_NONE;
	     i = items[i].next, device++) {
		if (device >= SNAPSHOT_DEVICES_MAX)
			return err_at(err, snapshot_value(&s->pickle, list)->at,
				      "device_traces of more than %d devices",
				      SNAPSHOT_DEVICES_MAX);
		if (read_device(s, items[i].value, device, err) < 0)
			return -1;
	}
	return 0;
}

static int read_top(struct snapshot *s, struct err *err)
{
	const struct pickle_value *top = snapshot_value(&s->pickle, s->pickle.top);

	if (snapshot_check_dict(&s->pickle, s->pickle.top, "the pickle", err) < 0)
		return -1;
	uint32_t segments = snapshot_key(&s->pickle, top, "segments");
	uint32_t traces = snapshot_key(&s->pickle, top, "device_traces");
	if (segments == PICKLE_NONE || traces == PICKLE_NONE)
		return err_at(err, top->at,
			      "a pickle without segments and device_traces, which is "
			      "what torch.cuda.memory._dump_snapshot() writes");
	if (read_segments(s, segments, err) < 0 || read_traces(s, traces, err) < 0)
		return -1;
	memory_file_end(s->sink, "memory_snapshot", s->has_times);
	return 0;
}

static int tell_cut(struct snapshot *s, bool is_strict, struct err *err)
{
	if (is_strict)
		return err_at(err, s->cut_at, "%s",
			      finding_kinds[FINDING_TEXT_SIZE].what);
	s->sink->finding(s->sink, FINDING_TEXT_SIZE, s->cut_at, STR_LIT(""), STR_LIT(""));
	return 0;
}

static int snapshot_read(struct input *in, const struct read_options *options,
			 struct sink *sink, struct err *err)
{
	struct snapshot s = { .sink = sink };
	struct bytes text = input_peek(in, TEXT_LIMIT, err);

	if (err->kind != ERR_NONE)
		return -1;
	if (text.n >= TEXT_LIMIT)
		return err_at(err, TEXT_LIMIT, "a snapshot of more than 1 GiB");
	buf_init(&s.name, (size_t)read_limits(options)->text_bytes);
	int rc = pickle_open_in(&s.pickle, text, options->spill, err);
	if (rc == 0) {
		s.budget.limit = 2 * count_dicts(&s.pickle);
		s.frame_texts = spill_alloc(options->spill, s.pickle.nvalues,
					    sizeof(*s.frame_texts));
		s.allocated = xcalloc(SNAPSHOT_DEVICES_MAX, sizeof(*s.allocated));
		s.reserved = xcalloc(SNAPSHOT_DEVICES_MAX, sizeof(*s.reserved));
		rc = read_top(&s, err);
		if (rc == 0 && s.cut_at)
			rc = tell_cut(&s, options->strict, err);
	}
	pickle_release(&s.pickle);
	buf_release(&s.name);
	spill_free(options->spill, s.frame_texts);
	free(s.allocated);
	free(s.reserved);
	return rc;
}

static bool contains(struct bytes head, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= head.n; i++)
		if (memcmp(head.p + i, text, n) == 0)
			return true;
	return false;
}

static enum probe snapshot_probe(struct bytes head)
{
	if (head.n < 3 || head.p[0] != PROTO || head.p[1] < 2 || head.p[1] > 5)
		return PROBE_NO;
	return contains(head, "device_traces") || contains(head, "segments") ? PROBE_SURE
									     : PROBE_NO;
}

const struct reader snapshot_reader = {
	.name = "snapshot",
	.help = "what torch.cuda.memory._dump_snapshot() writes: a pickle",
	.probe = snapshot_probe,
	.read = snapshot_read,
};
