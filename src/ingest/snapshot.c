/*
 * Snapshots of torch's caching allocator: torch.cuda.memory._dump_snapshot(), a pickle of
 *
 *	{"segments": [{"device", "total_size", "allocated_size", ...}],
 *	 "device_traces": [[{"action", "addr", "size", "time_us", "frames"}]], ...}
 *
 * as torch/cuda/memory.py tells it.  The trace of a device is what its allocator did
 * last; what is there at its end say the segments, so that all totals before it follow.
 * A block is allocated until its free is requested, as in the allocator's own
 * statistics and in the memory events of traces.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "ingest/memory_file.h"
#include "ingest/pickle.h"

#define TEXT_LIMIT     ((size_t)1 << 30)
#define NAME_MAX_BYTES ((size_t)1 << 16)
#define PROTO          0x80
#define DEVICES_MAX    1024
#define KEYS_MAX       64 /* of one dict: torch writes a dozen */
#define FRAMES_MAX     64 /* that are looked at for one of Python's */
#define TICK_EVENTS    65536

struct entry {
	struct str action;
	int64_t address, size, time_us; /* or NUMBER_NONE */
	uint32_t frames;                /* value, or PICKLE_NONE */
};

struct frame {
	struct str file, name;
	int64_t line;
};

struct snapshot {
	struct pickle pickle;
	struct sink *sink;
	uint32_t *frame_texts; /* owned; by value of a list of frames: text + 1 */
	struct buf name;
	uint64_t entries; /* that were looked at */
	bool has_times;
	int64_t *allocated, *reserved; /* owned; at the end, by device */
	size_t ndevices;
};

static const struct pickle_value *value_at(const struct snapshot *s, uint32_t value)
{
	return &s->pickle.values[value];
}

static int64_t number_of(const struct pickle_value *v)
{
	return v->type == PICKLE_INT ? v->as.number : NUMBER_NONE;
}

/* The value of a key: the last one of that name, PICKLE_NONE when there is none. */
static uint32_t find_key(const struct snapshot *s, const struct pickle_value *dict,
			 const char *key)
{
	const struct pickle_item *items = s->pickle.items;
	uint32_t found = PICKLE_NONE;

	for (uint32_t i = dict->first; i != PICKLE_NONE; i = items[items[i].next].next) {
		const struct pickle_value *name = value_at(s, items[i].value);
		if (name->type == PICKLE_TEXT && str_is(name->as.text, key))
			found = items[items[i].next].value;
	}
	return found;
}

static int check_dict(const struct snapshot *s, uint32_t value, const char *what,
		      struct err *err)
{
	const struct pickle_value *v = value_at(s, value);

	if (v->type != PICKLE_DICT)
		return err_at(err, v->at, "%s is %s, not a dict", what,
			      pickle_type_name(v->type));
	if (v->n > 2 * KEYS_MAX)
		return err_at(err, v->at, "%s has more than %d keys", what, KEYS_MAX);
	return 0;
}

static int check_list(const struct snapshot *s, uint32_t value, const char *what,
		      struct err *err)
{
	const struct pickle_value *v = value_at(s, value);

	if (v->type == PICKLE_LIST || v->type == PICKLE_TUPLE)
		return 0;
	return err_at(err, v->at, "%s is %s, not a list", what,
		      pickle_type_name(v->type));
}

/* Lists that are given again and again would take for ever. */
static int count_entry(struct snapshot *s, const struct pickle_value *v, struct err *err)
{
	if (++s->entries <= s->pickle.text.n)
		return 0;
	return err_at(err, v->at, "more entries than the file has bytes");
}

static void set_field(const struct snapshot *s, struct entry *e, struct str key,
		      uint32_t value)
{
	const struct pickle_value *v = value_at(s, value);

	if (str_is(key, "action") && v->type == PICKLE_TEXT)
		e->action = v->as.text;
	else if (str_is(key, "addr"))
		e->address = number_of(v);
	else if (str_is(key, "size"))
		e->size = number_of(v);
	else if (str_is(key, "time_us"))
		e->time_us = number_of(v);
	else if (str_is(key, "frames") && v->type == PICKLE_LIST)
		e->frames = value;
}

static int read_entry(struct snapshot *s, uint32_t value, struct entry *out,
		      struct err *err)
{
	const struct pickle_item *items = s->pickle.items;
	const struct pickle_value *dict = value_at(s, value);

	*out = (struct entry){ .action = { "", 0 },
			       .address = NUMBER_NONE,
			       .size = NUMBER_NONE,
			       .time_us = NUMBER_NONE,
			       .frames = PICKLE_NONE };
	if (count_entry(s, dict, err) < 0 ||
	    check_dict(s, value, "an entry of device_traces", err) < 0)
		return -1;
	for (uint32_t i = dict->first; i != PICKLE_NONE; i = items[items[i].next].next) {
		const struct pickle_value *key = value_at(s, items[i].value);
		if (key->type == PICKLE_TEXT)
			set_field(s, out, key->as.text, items[items[i].next].value);
	}
	if (out->action.n == 0)
		return err_at(err, dict->at, "an entry of device_traces has no action");
	return 0;
}

/* What an entry adds to what is allocated and to what is reserved. */
struct effect {
	int allocated, reserved; /* -1, 0 or 1 times its size */
	bool is_known;
};

static struct effect effect_of(struct str action)
{
	static const struct {
		const char *action;
		struct effect effect;
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
	return (struct effect){ 0, 0, false };
}

static int check_entry(const struct snapshot *s, const struct entry *e, uint32_t value,
		       struct err *err)
{
	const struct effect effect = effect_of(e->action);
	bool needs_size = effect.allocated || effect.reserved;

	if (needs_size && (e->size == NUMBER_NONE || e->size < 0))
		return err_at(err, value_at(s, value)->at, "%.*s without a size",
			      e->action.n < 40 ? (int)e->action.n : 40, e->action.p);
	if (effect.allocated && e->address == NUMBER_NONE)
		return err_at(err, value_at(s, value)->at, "%.*s without an addr",
			      (int)e->action.n, e->action.p);
	if (e->time_us != NUMBER_NONE &&
	    (e->time_us > INT64_MAX / 1000 || e->time_us < INT64_MIN / 1000))
		return err_at(err, value_at(s, value)->at,
			      "a time_us beyond 64-bit nanoseconds");
	return 0;
}

/* Adds one segment to what its device has at the end. */
static int read_segment(struct snapshot *s, uint32_t value, struct err *err)
{
	const struct pickle_value *dict = value_at(s, value);

	if (count_entry(s, dict, err) < 0 ||
	    check_dict(s, value, "an entry of segments", err) < 0)
		return -1;
	uint32_t device = find_key(s, dict, "device");
	uint32_t total = find_key(s, dict, "total_size");
	uint32_t allocated = find_key(s, dict, "allocated_size");
	if (device == PICKLE_NONE || total == PICKLE_NONE || allocated == PICKLE_NONE)
		return err_at(err, dict->at,
			      "a segment without device, total_size or allocated_size");
	int64_t number = number_of(value_at(s, device));
	int64_t total_bytes = number_of(value_at(s, total));
	int64_t bytes = number_of(value_at(s, allocated));
	if (number < 0 || number >= DEVICES_MAX || total_bytes < 0 || bytes < 0)
		return err_at(err, dict->at, "a segment of impossible numbers");
	s->allocated[number] = sum_add(s->allocated[number], bytes);
	s->reserved[number] = sum_add(s->reserved[number], total_bytes);
	return 0;
}

static int read_segments(struct snapshot *s, uint32_t list, struct err *err)
{
	const struct pickle_item *items = s->pickle.items;

	if (check_list(s, list, "segments", err) < 0)
		return -1;
	for (uint32_t i = value_at(s, list)->first; i != PICKLE_NONE; i = items[i].next)
		if (read_segment(s, items[i].value, err) < 0)
			return -1;
	return 0;
}

static struct frame read_frame(const struct snapshot *s, uint32_t value)
{
	const struct pickle_item *items = s->pickle.items;
	const struct pickle_value *dict = value_at(s, value);
	struct frame frame = { { "", 0 }, { "", 0 }, 0 };

	if (dict->type != PICKLE_DICT || dict->n > 2 * KEYS_MAX)
		return frame;
	for (uint32_t i = dict->first; i != PICKLE_NONE; i = items[items[i].next].next) {
		const struct pickle_value *key = value_at(s, items[i].value);
		const struct pickle_value *v = value_at(s, items[items[i].next].value);
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

static bool is_python(struct frame frame)
{
	return frame.file.n > 3 && memcmp(frame.file.p + frame.file.n - 3, ".py", 3) == 0;
}

/* The innermost frame of Python, else the innermost; they come innermost first. */
static struct frame find_frame(const struct snapshot *s, const struct pickle_value *list)
{
	const struct pickle_item *items = s->pickle.items;
	struct frame first = { { "", 0 }, { "", 0 }, 0 };
	uint32_t at = list->first;

	for (size_t i = 0; at != PICKLE_NONE && i < FRAMES_MAX;
	     at = items[at].next, i++) {
		struct frame frame = read_frame(s, items[at].value);
		if (is_python(frame))
			return frame;
		if (i == 0)
			first = frame;
	}
	return first;
}

/* What is no UTF-8, halves of pairs too, becomes U+FFFD. */
static void add_clean(struct buf *to, struct str text)
{
	while (text.n) {
		uint32_t code;
		size_t n = utf8_decode(text, &code);
		if (code == UTF8_INVALID)
			buf_add_text(to, "\xef\xbf\xbd");
		else
			buf_add(to, text.p, n);
		text = str_behind(text, n);
	}
}

/* "train.py(12): step", as traces call Python frames; without frames "[memory]". */
static uint32_t name_of(struct snapshot *s, uint32_t frames)
{
	if (frames == PICKLE_NONE || value_at(s, frames)->first == PICKLE_NONE)
		return s->sink->text(s->sink, STR_LIT("[memory]"));
	if (s->frame_texts[frames])
		return s->frame_texts[frames] - 1;
	struct frame frame = find_frame(s, value_at(s, frames));
	buf_clear(&s->name);
	if (is_python(frame)) {
		add_clean(&s->name, frame.file);
		buf_addf(&s->name, "(%" PRId64 "): ", frame.line);
	}
	add_clean(&s->name, frame.name);
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
		struct entry e;
		if (read_entry(s, items[i].value, &e, err) < 0 ||
		    check_entry(s, &e, items[i].value, err) < 0)
			return -1;
		const struct effect effect = effect_of(e.action);
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
static int tell_entry(struct snapshot *s, struct memory_file *f, const struct entry *e,
		      struct memory_file_event event, struct err *err)
{
	const struct effect effect = effect_of(e->action);

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
		struct entry e;
		if (read_entry(s, items[i].value, &e, err) < 0)
			return -1;
		int64_t us = e.time_us == NUMBER_NONE ? number : e.time_us;
		struct memory_file_event event = {
			.ts_ns = us * 1000, .offset = value_at(s, items[i].value)->at
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

	if (check_list(s, value, "a trace of device_traces", err) < 0)
		return -1;
	const struct pickle_value *trace = value_at(s, value);
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

	if (check_list(s, list, "device_traces", err) < 0)
		return -1;
	for (uint32_t i = value_at(s, list)->first; i != PICKLE_NONE;
	     i = items[i].next, device++) {
		if (device >= DEVICES_MAX)
			return err_at(err, value_at(s, list)->at,
				      "device_traces of more than %d devices",
				      DEVICES_MAX);
		if (read_device(s, items[i].value, device, err) < 0)
			return -1;
	}
	return 0;
}

static int read_top(struct snapshot *s, struct err *err)
{
	const struct pickle_value *top = value_at(s, s->pickle.top);

	if (check_dict(s, s->pickle.top, "the pickle", err) < 0)
		return -1;
	uint32_t segments = find_key(s, top, "segments");
	uint32_t traces = find_key(s, top, "device_traces");
	if (segments == PICKLE_NONE || traces == PICKLE_NONE)
		return err_at(err, top->at,
			      "a pickle without segments and device_traces, which is "
			      "what torch.cuda.memory._dump_snapshot() writes");
	if (read_segments(s, segments, err) < 0 || read_traces(s, traces, err) < 0)
		return -1;
	memory_file_end(s->sink, "memory_snapshot", s->has_times);
	return 0;
}

static int snapshot_read(struct input *in, const struct read_options *options,
			 struct sink *sink, struct err *err)
{
	struct snapshot s = { .sink = sink };
	struct bytes text = input_peek(in, TEXT_LIMIT, err);

	(void)options;
	if (err->kind != ERR_NONE)
		return -1;
	if (text.n >= TEXT_LIMIT)
		return err_at(err, TEXT_LIMIT, "a snapshot of more than 1 GiB");
	buf_init(&s.name, NAME_MAX_BYTES);
	int rc = pickle_open(&s.pickle, text, err);
	if (rc == 0) {
		s.frame_texts = xcalloc(s.pickle.nvalues, sizeof(*s.frame_texts));
		s.allocated = xcalloc(DEVICES_MAX, sizeof(*s.allocated));
		s.reserved = xcalloc(DEVICES_MAX, sizeof(*s.reserved));
		rc = read_top(&s, err);
	}
	pickle_release(&s.pickle);
	buf_release(&s.name);
	free(s.frame_texts);
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
