/* Facts as lines of text: see recording_sink.h. */
#include "recording_sink.h"

#include <inttypes.h>

#include "ingest/chrome.h"

#define LINES_MAX ((size_t)1 << 30)

static const char *const class_names[NCLASSES] = {
	[CLASS_OTHER] = "",
	[CLASS_OP] = " op",
	[CLASS_ANNOTATION] = " annotation",
	[CLASS_PYTHON] = " python",
	[CLASS_RUNTIME] = " runtime",
	[CLASS_DRIVER] = " driver",
	[CLASS_OVERHEAD] = " overhead",
	[CLASS_KERNEL] = " kernel",
	[CLASS_MEMCPY] = " memcpy",
	[CLASS_MEMSET] = " memset",
	[CLASS_ACCELERATOR] = " accelerator",
	[CLASS_SYNC] = " sync",
	[CLASS_DEVICE_ANNOTATION] = " device_annotation",
	[CLASS_SPAN] = " span",
	[CLASS_MEMORY] = " memory",
};

static const char *const phase_names[] = {
	[PHASE_COMPLETE] = "", [PHASE_INSTANT] = " instant", [PHASE_BEGIN] = " begin",
	[PHASE_END] = " end",  [PHASE_STEP_INTO] = " into",  [PHASE_STEP_PAST] = " past",
};

static const char *const track_names[] = {
	[TRACK_THREAD] = "thread",
	[TRACK_STREAM] = "stream",
	[TRACK_STREAM_NOTES] = "notes",
	[TRACK_ASYNC] = "async",
};

static struct recording *self(struct sink *s)
{
	return (struct recording *)s;
}

static void add_quoted(struct buf *out, struct str text)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c < 0x20 || c == '"' || c == '\\')
			buf_addf(out, "\\x%02x", c);
		else
			buf_add_char(out, (char)c);
	}
	buf_add_char(out, '"');
}

static void add_text(struct recording *r, uint32_t text)
{
	add_quoted(&r->lines, intern_str(&r->texts, text));
}

static void add_ident(struct recording *r, struct ident id)
{
	if (id.text == TEXT_NONE)
		buf_addf(&r->lines, "%" PRId64, id.number);
	else
		add_text(r, id.text);
}

static void add_thread(struct recording *r, struct ident pid, struct ident tid)
{
	add_ident(r, pid);
	buf_add_char(&r->lines, '/');
	add_ident(r, tid);
}

static void add_number(struct recording *r, const char *name, int64_t value)
{
	if (value != NUMBER_NONE)
		buf_addf(&r->lines, " %s=%" PRId64, name, value);
}

static void add_real(struct recording *r, const char *name, double value)
{
	if (value >= 0)
		buf_addf(&r->lines, " %s=%g", name, value);
}

static void add_named(struct recording *r, const char *name, uint32_t text)
{
	if (text == TEXT_NONE)
		return;
	buf_addf(&r->lines, " %s=", name);
	add_text(r, text);
}

static void add_triple(struct recording *r, const char *name, const int64_t value[3])
{
	if (value[0] != NUMBER_NONE)
		buf_addf(&r->lines, " %s=%" PRId64 ",%" PRId64 ",%" PRId64, name,
			 value[0], value[1], value[2]);
}

static void add_op(struct recording *r, const struct op_fact *op)
{
	add_named(r, "shapes", op->shapes);
	add_named(r, "values", op->values);
	add_named(r, "stack", op->stack);
	add_named(r, "module", op->module);
	add_number(r, "flops", op->flops);
	add_number(r, "sequence", op->sequence);
	add_number(r, "fwd_thread", op->fwd_thread);
	if (op->is_backward)
		buf_add_text(&r->lines, " backward");
}

static void add_device(struct recording *r, const struct device_fact *d)
{
	add_number(r, "device", d->device);
	add_number(r, "context", d->context);
	add_number(r, "stream", d->stream);
	add_number(r, "bytes", d->bytes);
	add_triple(r, "grid", d->grid);
	add_triple(r, "block", d->block);
	add_number(r, "registers", d->registers);
	add_number(r, "shared_memory", d->shared_memory);
	add_number(r, "graph_id", d->graph_id);
	add_number(r, "graph_node_id", d->graph_node_id);
	add_number(r, "queued", d->queued);
	add_number(r, "priority", d->priority);
	add_real(r, "blocks_per_sm", d->blocks_per_sm);
	add_real(r, "warps_per_sm", d->warps_per_sm);
	add_real(r, "occupancy", d->occupancy_pct);
	add_named(r, "kind", d->kind);
	add_number(r, "wait_stream", d->wait_stream);
	add_number(r, "wait_event", d->wait_event);
	add_number(r, "wait_correlation", d->wait_correlation);
}

static void add_collective(struct recording *r, const struct collective_fact *c)
{
	add_named(r, "collective", c->name);
	add_named(r, "dtype", c->dtype);
	add_named(r, "group", c->group);
	add_named(r, "group_description", c->group_description);
	add_named(r, "ranks", c->ranks);
	add_named(r, "in_split", c->in_split);
	add_named(r, "out_split", c->out_split);
	add_named(r, "comm_id", c->comm_id);
	add_number(r, "in_elements", c->in_elements);
	add_number(r, "out_elements", c->out_elements);
	add_number(r, "group_size", c->group_size);
	add_number(r, "rank", c->rank);
	add_number(r, "source", c->source);
	add_number(r, "destination", c->destination);
	add_number(r, "sequence", c->sequence);
	add_number(r, "is_async", c->is_async);
}

static void add_memory(struct recording *r, const struct memory_fact *m)
{
	add_number(r, "bytes", m->bytes);
	add_number(r, "address", m->address);
	add_number(r, "allocated", m->total_allocated);
	add_number(r, "reserved", m->total_reserved);
	add_number(r, "device_type", m->device_type);
	add_number(r, "device", m->device);
	if (m->out_of_memory)
		buf_add_text(&r->lines, " out_of_memory");
}

static uint32_t on_text(struct sink *s, struct str text)
{
	return intern_add(&self(s)->texts, text);
}

static uint32_t on_track(struct sink *s, const struct track_fact *track)
{
	struct track_fact key;

	memset(&key, 0, sizeof(key)); /* padding too: the key is compared as bytes */
	key.kind = track->kind;
	key.pid.number = track->pid.number;
	key.pid.text = track->pid.text;
	key.tid.number = track->tid.number;
	key.tid.text = track->tid.text;
	key.scope = track->scope;
	key.parts = track->parts;
	return intern_add(&self(s)->tracks,
			  (struct str){ (const char *)&key, sizeof(key) });
}

static void add_track(struct recording *r, uint32_t number)
{
	struct track_fact track;

	memcpy(&track, intern_str(&r->tracks, number).p, sizeof(track));
	buf_addf(&r->lines, "%s ", track_names[track.kind]);
	if (track.kind != TRACK_ASYNC) {
		add_thread(r, track.pid, track.tid);
		return;
	}
	add_ident(r, track.pid);
	buf_add_char(&r->lines, ' ');
	add_text(r, track.scope);
}

static void note_offset(struct recording *r, uint64_t offset)
{
	if (offset > r->far_offset)
		r->far_offset = offset;
}

/* An end at or behind the start, unless the duration is recorded as what cannot be. */
static bool is_sound(const struct slice_fact *f)
{
	if (!dur_is_possible(f->dur_ns))
		return f->phase == PHASE_COMPLETE;
	return f->dur_ns >= 0 && f->dur_ns <= INT64_MAX - (f->ts_ns > 0 ? f->ts_ns : 0) &&
	       (f->phase == PHASE_COMPLETE || f->dur_ns == 0);
}

static int on_slice(struct sink *s, const struct slice_fact *f, struct err *err)
{
	struct recording *r = self(s);

	r->is_ill = r->is_ill || !is_sound(f);
	note_offset(r, f->offset);
	if (r->fail_after >= 0 && r->nslices == (unsigned)r->fail_after)
		return err_set(err, ERR_IO, "the sink is full");
	r->nslices++;
	buf_add_text(&r->lines, "slice ");
	add_track(r, f->track);
	buf_add_char(&r->lines, ' ');
	add_text(r, f->name);
	buf_addf(&r->lines, " %" PRId64 "+%" PRId64 "%s%s%s", f->ts_ns, f->dur_ns,
		 phase_names[f->phase], f->unfinished ? " unfinished" : "",
		 class_names[f->class]);
	add_named(r, "cat", f->category);
	add_number(r, "correlation", f->correlation);
	add_number(r, "external_id", f->external_id);
	if (f->is_step)
		add_number(r, "step", f->step_number);
	if (f->has_group)
		add_number(r, "group_id", f->group);
	if (f->op)
		add_op(r, f->op);
	if (f->device)
		add_device(r, f->device);
	if (f->collective)
		add_collective(r, f->collective);
	if (f->memory)
		add_memory(r, f->memory);
	if (f->range)
		buf_addf(&r->lines, " range=%" PRId64 "..%" PRId64, f->range->start_bytes,
			 f->range->end_bytes);
	if (f->args.n) {
		buf_add_text(&r->lines, " args=");
		buf_add_str(&r->lines, f->args);
	}
	buf_add_char(&r->lines, '\n');
	return 0;
}

static int on_counter(struct sink *s, const struct counter_fact *f, struct err *err)
{
	struct recording *r = self(s);

	(void)err;
	buf_add_text(&r->lines, "counter ");
	add_ident(r, f->pid);
	buf_add_char(&r->lines, ' ');
	add_text(r, f->name);
	buf_add_char(&r->lines, '/');
	add_text(r, f->series);
	buf_addf(&r->lines, " %" PRId64 " = %.17g\n", f->ts_ns, f->value);
	return 0;
}

static int on_flow(struct sink *s, const struct flow_fact *f, struct err *err)
{
	static const char *const ends[] = { "start", "step", "finish" };
	struct recording *r = self(s);

	(void)err;
	note_offset(r, f->offset);
	buf_addf(&r->lines, "flow %s ", ends[f->end]);
	add_thread(r, f->pid, f->tid);
	buf_add_char(&r->lines, ' ');
	add_text(r, f->category);
	buf_add_char(&r->lines, '/');
	add_text(r, f->name);
	buf_add_text(&r->lines, " #");
	add_ident(r, f->id);
	buf_addf(&r->lines, " %" PRId64 "%s\n", f->ts_ns,
		 f->enclosing ? " enclosing" : "");
	return 0;
}

static void on_naming(struct sink *s, const struct naming_fact *f)
{
	static const char *const kinds[] = {
		[NAMING_PROCESS] = "process_name",
		[NAMING_PROCESS_LABELS] = "process_labels",
		[NAMING_PROCESS_SORT] = "process_sort",
		[NAMING_PROCESS_ORIGIN] = "process_origin",
		[NAMING_THREAD] = "thread_name",
		[NAMING_THREAD_SORT] = "thread_sort",
	};
	struct recording *r = self(s);

	note_offset(r, f->offset);
	buf_addf(&r->lines, "%s ", kinds[f->kind]);
	if (naming_is_thread(f->kind))
		add_thread(r, f->pid, f->tid);
	else
		add_ident(r, f->pid);
	buf_add_char(&r->lines, ' ');
	if (naming_is_sort(f->kind))
		buf_addf(&r->lines, "%" PRId64, f->index);
	else
		add_quoted(&r->lines, f->text);
	buf_add_char(&r->lines, '\n');
}

static void on_metadata(struct sink *s, struct str key, struct str json)
{
	struct buf *out = &self(s)->lines;

	buf_add_text(out, "metadata ");
	buf_add_str(out, key);
	buf_add_text(out, ": ");
	buf_add_str(out, json);
	buf_add_char(out, '\n');
}

static void on_device_info(struct sink *s, const struct device_info_fact *d)
{
	struct recording *r = self(s);

	buf_addf(&r->lines, "device_info %" PRId64 " ", d->id);
	add_quoted(&r->lines, d->name);
	add_number(r, "memory", d->total_memory);
	add_number(r, "sms", d->sms);
	add_number(r, "major", d->major);
	add_number(r, "minor", d->minor);
	buf_add_char(&r->lines, '\n');
}

static uint32_t on_function(struct sink *s, const struct function_fact *f)
{
	struct recording *r = self(s);
	size_t before = r->lines.n;

	add_text(r, f->file);
	buf_addf(&r->lines, ":%" PRId64 " ", f->line);
	add_text(r, f->name);
	if (f->file_bytes.n) {
		buf_add_text(&r->lines, " bytes=");
		add_quoted(&r->lines, f->file_bytes);
	}
	uint32_t number =
		intern_add(&r->functions, str_behind(buf_str(&r->lines), before));
	r->lines.n = before;
	return number;
}

static void add_counted(struct recording *r, const struct count *count)
{
	if (count->digits.n)
		buf_add_str(&r->lines, count->digits);
	else
		buf_addf(&r->lines, "%" PRId64, count->n);
}

static void add_sums(struct recording *r, const struct call_sums *sums)
{
	buf_add_text(&r->lines, " calls=");
	add_counted(r, &sums->calls);
	if (sums->primitive.n != NUMBER_NONE) {
		buf_add_char(&r->lines, '/');
		add_counted(r, &sums->primitive);
	}
	if (sums->has_times)
		buf_addf(&r->lines, " self=%.17g total=%.17g", sums->self_s,
			 sums->total_s);
	buf_add_char(&r->lines, '\n');
}

static int on_op_sum(struct sink *s, const struct op_sum_fact *f, struct err *err)
{
	struct recording *r = self(s);
	const struct op_sums *sums = &f->sums;

	(void)err;
	note_offset(r, f->offset);
	r->is_ill = r->is_ill || sums->calls <= 0;
	buf_addf(&r->lines, "op %d ", f->kind);
	add_text(r, f->name);
	buf_addf(&r->lines, " calls=%lld self=%lld total=%lld device=%lld/%lld",
		 (long long)sums->calls, (long long)sums->self_ns,
		 (long long)sums->total_ns, (long long)sums->self_device_ns,
		 (long long)sums->total_device_ns);
	buf_addf(&r->lines, " bytes=%lld/%lld/%lld/%lld", (long long)sums->self_cpu_bytes,
		 (long long)sums->cpu_bytes, (long long)sums->self_device_bytes,
		 (long long)sums->device_bytes);
	if (sums->flops != NUMBER_NONE)
		buf_addf(&r->lines, " flops=%lld", (long long)sums->flops);
	if (f->shapes != TEXT_NONE)
		add_text(r, f->shapes);
	if (f->stack != TEXT_NONE)
		add_text(r, f->stack);
	buf_add_char(&r->lines, '\n');
	return 0;
}

static int on_function_stat(struct sink *s, const struct function_stat_fact *f,
			    struct err *err)
{
	struct recording *r = self(s);

	(void)err;
	note_offset(r, f->offset);
	r->callee = f->function;
	r->is_ill = r->is_ill || !f->sums.has_times;
	buf_add_text(&r->lines, "function ");
	buf_add_str(&r->lines, intern_str(&r->functions, f->function));
	add_sums(r, &f->sums);
	return 0;
}

static int on_call(struct sink *s, const struct call_fact *f, struct err *err)
{
	struct recording *r = self(s);

	(void)err;
	r->is_ill = r->is_ill || f->callee != r->callee;
	buf_add_text(&r->lines, "call from ");
	buf_add_str(&r->lines, intern_str(&r->functions, f->caller));
	add_sums(r, &f->sums);
	return 0;
}

static int on_line(struct sink *s, const struct line_fact *f, struct err *err)
{
	struct recording *r = self(s);

	(void)err;
	r->is_ill = r->is_ill || f->block < 1;
	buf_add_text(&r->lines, "line ");
	buf_add_str(&r->lines, intern_str(&r->functions, f->function));
	buf_addf(&r->lines, " %" PRId64 ":%" PRId64, f->block, f->line);
	add_number(r, "hits", f->hits);
	add_number(r, "self", f->self_ns);
	add_number(r, "memory", f->memory_bytes);
	add_number(r, "increment", f->increment_bytes);
	if (f->text != TEXT_NONE) {
		buf_add_text(&r->lines, " text=");
		buf_add_str(&r->lines, intern_str(&r->texts, f->text));
	}
	buf_add_char(&r->lines, '\n');
	return 0;
}

static uint32_t on_series(struct sink *s, uint32_t known, const struct series_fact *f)
{
	struct recording *r = self(s);

	r->is_ill |= known != SAMPLE_NONE && known >= r->nseries;
	buf_addf(&r->lines, "series %s", known == SAMPLE_NONE ? "new " : "again ");
	if (f->name != TEXT_NONE)
		add_text(r, f->name);
	buf_addf(&r->lines, " %s %s\n", sample_unit_name(f->unit),
		 f->mode ? f->mode : "");
	return known == SAMPLE_NONE ? r->nseries++ : known;
}

static uint32_t on_sample_thread(struct sink *s, const struct sample_thread_fact *f)
{
	struct recording *r = self(s);
	size_t before = r->lines.n;

	buf_addf(&r->lines, "%" PRId64 "/%" PRId64, f->pid, f->tid);
	if (f->process != TEXT_NONE)
		add_text(r, f->process);
	if (f->thread != TEXT_NONE)
		add_text(r, f->thread);
	uint32_t number = intern_add(&r->sampled, str_behind(buf_str(&r->lines), before));
	r->lines.n = before;
	return number;
}

static uint32_t on_frame(struct sink *s, uint32_t known, const struct frame_fact *f)
{
	struct recording *r = self(s);

	r->is_ill |= known != SAMPLE_NONE && known >= r->nframes;
	bool is_frame = f && f->function != FRAME_LEFT_OUT;
	r->is_ill |= is_frame && f->function >= r->functions.n;
	if (known == SAMPLE_NONE)
		known = r->nframes++;
	if (f) {
		buf_addf(&r->lines, "frame %u line %" PRId64 " ", known, f->line);
		buf_add_str(&r->lines, is_frame ? intern_str(&r->functions, f->function)
						: STR_LIT("left out"));
		buf_add_char(&r->lines, '\n');
	}
	return known;
}

static uint32_t on_stack(struct sink *s, uint32_t caller, uint32_t frame)
{
	struct recording *r = self(s);
	const uint32_t key[] = { caller, frame };

	r->is_ill |= caller != SAMPLE_NONE && caller >= r->stacks.n;
	r->is_ill |= frame >= r->nframes;
	return intern_add(&r->stacks, (struct str){ (const char *)key, sizeof(key) });
}

static int on_sample(struct sink *s, const struct sample_fact *f, struct err *err)
{
	struct recording *r = self(s);

	(void)err;
	note_offset(r, f->offset);
	r->is_ill |= f->series >= r->nseries || f->decimals > DECIMALS_MAX;
	r->is_ill |= f->thread != SAMPLE_NONE && f->thread >= r->sampled.n;
	r->is_ill |= f->stack != SAMPLE_NONE && f->stack >= r->stacks.n;
	buf_addf(&r->lines, "sample %u thread %u stack %u", f->series, f->thread,
		 f->stack);
	buf_addf(&r->lines, " n %" PRId64 " weight %" PRId64 "e-%u ts %" PRId64 "\n",
		 f->samples, f->weight, f->decimals, f->ts_ns);
	return 0;
}

static void add_flag(struct recording *r, const char *name, bool flag)
{
	if (flag)
		buf_addf(&r->lines, " %s", name);
}

static void on_profile(struct sink *s, const struct profile_fact *p)
{
	struct recording *r = self(s);

	buf_addf(&r->lines, "profile %s %s", p->format, p->dialect);
	if (p->has_base)
		add_number(r, "base", p->base_ns);
	add_number(r, "rank", p->rank);
	add_number(r, "world_size", p->world_size);
	add_number(r, "window_end", p->window_end_ns);
	add_number(r, "span_end", p->span_end_ns);
	add_named(r, "host", p->host);
	add_flag(r, "memory", p->has_memory);
	add_flag(r, "shapes", p->has_shapes);
	add_flag(r, "stacks", p->has_stacks);
	add_flag(r, "flops", p->has_flops);
	buf_add_text(&r->lines, " rules");
	add_flag(r, "all_slices", p->rules.all_slices);
	add_flag(r, "split_annotations", p->rules.split_annotations);
	add_flag(r, "float_memory_window", p->rules.float_memory_window);
	add_flag(r, "python_in_tree", p->rules.python_in_tree);
	add_flag(r, "keep_unfinished", p->rules.keep_unfinished);
	buf_addf(&r->lines, " fudge=%" PRId64 "\n", p->rules.annotation_fudge_ns);
}

static void on_finding(struct sink *s, enum finding finding, uint64_t offset,
		       struct str detail, struct str excerpt)
{
	struct recording *r = self(s);

	r->nfindings++;
	note_offset(r, offset);
	r->is_ill = r->is_ill || excerpt.n > 120;
	buf_addf(&r->lines, "finding %s @%" PRIu64, finding_kinds[finding].code, offset);
	if (detail.n) {
		buf_add_char(&r->lines, ' ');
		add_quoted(&r->lines, detail);
	}
	buf_add_char(&r->lines, '\n');
}

static int on_tick(struct sink *s, uint64_t consumed, uint64_t size, struct err *err)
{
	struct recording *r = self(s);

	if (r->stop_after >= 0 && r->nticks == (unsigned)r->stop_after)
		return err_set(err, ERR_INTERRUPT, "interrupted");
	r->nticks++;
	r->is_ill = r->is_ill || (size && consumed > size);
	return 0;
}

void recording_init(struct recording *r)
{
	*r = (struct recording){
		.sink = {
			.text = on_text,
			.track = on_track,
			.slice = on_slice,
			.counter = on_counter,
			.flow = on_flow,
			.naming = on_naming,
			.metadata = on_metadata,
			.device_info = on_device_info,
			.function = on_function,
			.op_sum = on_op_sum,
			.function_stat = on_function_stat,
			.call = on_call,
			.line = on_line,
			.series = on_series,
			.sample_thread = on_sample_thread,
			.frame = on_frame,
			.stack = on_stack,
			.sample = on_sample,
			.profile = on_profile,
			.finding = on_finding,
			.tick = on_tick,
		},
		.fail_after = -1,
		.stop_after = -1,
	};
	buf_init(&r->lines, LINES_MAX);
	intern_init(&r->texts);
	intern_init(&r->tracks);
	intern_init(&r->functions);
	intern_init(&r->sampled);
	intern_init(&r->stacks);
}

void recording_release(struct recording *r)
{
	buf_release(&r->lines);
	intern_release(&r->texts);
	intern_release(&r->tracks);
	intern_release(&r->functions);
	intern_release(&r->sampled);
	intern_release(&r->stacks);
}

const char *recording_text(const struct recording *r)
{
	return buf_str(&r->lines).p;
}

/* What was read, to the last byte; nothing outside it may have been named. */
static void check_offsets(struct recording *r, struct input *in, size_t more, int rc,
			  const struct err *err)
{
	r->nbytes = input_offset(in) + input_peek(in, more, &(struct err)ERR_INIT).n;
	r->is_ill = r->is_ill || r->far_offset > r->nbytes ||
		    (rc < 0 && err->offset > (int64_t)r->nbytes);
	input_close(in);
}

int recording_read(struct recording *r, struct str text,
		   const struct read_options *options, size_t window, struct err *err)
{
	struct input *in =
		input_from_memory((struct bytes){ (const uint8_t *)text.p, text.n });
	int rc;

	if (window)
		input_set_window(in, 2, (size_t)1 << 30);
	rc = chrome_read_windowed(in, options, &r->sink, window ? window : WINDOW_BYTES,
				  err);
	check_offsets(r, in, 1, rc, err);
	return rc;
}

int recording_read_as(struct recording *r, const struct reader *reader, struct str text,
		      const struct read_options *options, struct err *err)
{
	struct input *in =
		input_from_memory((struct bytes){ (const uint8_t *)text.p, text.n });
	int rc = reader->read(in, options, &r->sink, err);

	check_offsets(r, in, (size_t)1 << 30, rc, err); /* it skips nothing */
	return rc;
}
