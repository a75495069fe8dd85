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
#include "base/spelt.h"
#include "base/spill.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "ingest/memory_file.h"
#include "ingest/sink.h"
#include "ingest/snapshot.h"
#include "ingest/tell.h"

#define PROTO        0x80
#define TICK_EVENTS  65536
#define ACTION_BYTES 80 /* of one that is not known: many entries may share it */

struct snapshot {
	struct pickle pickle;
	struct sink *sink;
	const struct read_options *options;
	uint32_t *frame_texts; /* owned; by value of a list of frames: text + 1 */
	struct buf name;
	struct snapshot_budget budget; /* of segments and blocks once, of traces twice */
	bool has_times;
	struct spelt spelt;
	size_t cut_at;    /* where the first name is that was cut; 0: none was */
	size_t shared_at; /* the same, of names that share too much */
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

/* Any number of frames may share one long name. */
static void cut_parts(struct snapshot *s, struct snapshot_frame *frame, size_t at)
{
	size_t n = frame->file.n + frame->name.n;
	size_t most = spelt_part(&s->spelt, n, s->pickle.text.n);

	frame->file = utf8_cut(frame->file, most);
	frame->name = utf8_cut(frame->name, most);
	if (frame->file.n + frame->name.n < n && s->shared_at == 0)
		s->shared_at = at;
}

/* "train.py(12): step", as traces call Python frames; without frames "[memory]". */
static uint32_t name_of(struct snapshot *s, uint32_t frames)
{
	if (frames == PICKLE_NONE ||
	    snapshot_value(&s->pickle, frames)->first == PICKLE_NONE)
		return s->sink->text(s->sink, STR_LIT("[memory]"));
	if (s->frame_texts[frames])
		return s->frame_texts[frames] - 1;
	const struct pickle_value *list = snapshot_value(&s->pickle, frames);
	struct snapshot_frame frame = snapshot_frame_of(&s->pickle, list);
	bool is_python = snapshot_frame_is_python(&frame);
	cut_parts(s, &frame, list->at);
	buf_clear(&s->name);
	bool is_whole = true;
	if (is_python) {
		is_whole = utf8_add_valid(&s->name, frame.file);
		is_whole &= buf_addf(&s->name, "(%" PRId64 "): ", frame.line);
	}
	is_whole &= utf8_add_valid(&s->name, frame.name);
	if (!is_whole && s->cut_at == 0)
		s->cut_at = list->at;
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
		s->sink->finding(s->sink, FINDING_UNUSED_PHASE, event.offset,
				 utf8_cut(e->action, ACTION_BYTES), STR_LIT(""));
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
	memory_file_begin(&f, s->sink, s->options, MEMORY_FILE_CUDA, device, label);
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
			      "the pickle has no segments and no device_traces: "
			      "torch.cuda.memory._dump_snapshot() writes both");
	if (read_segments(s, segments, err) < 0 || read_traces(s, traces, err) < 0)
		return -1;
	memory_file_end(s->sink, "memory_snapshot", s->has_times);
	return 0;
}

static int tell_cut(struct snapshot *s, const struct read_options *options,
		    struct err *err)
{
	if (s->cut_at && tell_finding(s->sink, options, FINDING_TEXT_SIZE, s->cut_at,
				      STR_LIT(""), err) < 0)
		return -1;
	return s->shared_at ? tell_finding(s->sink, options, FINDING_SHARED_SIZE,
					   s->shared_at, STR_LIT(""), err)
			    : 0;
}

static int snapshot_read(struct input *in, const struct read_options *options,
			 struct sink *sink, struct err *err)
{
	struct snapshot s = { .sink = sink, .options = options };
	struct bytes text;

	if (input_whole(in, "a snapshot", &text, err) < 0)
		return -1;
	buf_init(&s.name, (size_t)read_limits(options)->text_bytes);
	int rc = pickle_open_in(&s.pickle, text, options->spill, err);
	if (rc == 0) {
		s.budget.limit = 2 * count_dicts(&s.pickle);
		s.frame_texts = spill_alloc(options->spill, s.pickle.nvalues,
					    sizeof(*s.frame_texts));
		s.allocated = xcalloc(SNAPSHOT_DEVICES_MAX, sizeof(*s.allocated));
		s.reserved = xcalloc(SNAPSHOT_DEVICES_MAX, sizeof(*s.reserved));
		rc = read_top(&s, err);
		if (rc == 0)
			rc = tell_cut(&s, options, err);
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
