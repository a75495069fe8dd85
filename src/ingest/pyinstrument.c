/*
 * What pyinstrument saves: sessions (-r session, x.pyisession), lists of stacks and of the
 * seconds that each lasted, and trees of functions (-r json, and the data of its HTML).
 * Versions 3 to 5 differ in the order of keys and in what stands around the samples.
 */
#include "ingest/pyinstrument.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "ingest/tell.h"

#define NS_DIGITS        9
#define REMEMBERED_BYTES ((size_t)16 << 20)

/* The text before the first `c`; *rest is what is behind it. */
static struct str before(struct str *rest, char c)
{
	const char *at = rest->n ? memchr(rest->p, c, rest->n) : NULL;
	struct str part = { rest->p, at ? (size_t)(at - rest->p) : rest->n };

	*rest = str_behind(*rest, part.n + (at != NULL));
	return part;
}

static int64_t line_of(struct str digits)
{
	int64_t line;

	return decimal_text_int(digits, &line) == DECIMAL_OK && line >= 0 ? line
									  : NUMBER_NONE;
}

struct stacks_frame pyinstrument_parse(struct str text)
{
	struct stacks_frame frame = { .first_line = NUMBER_NONE, .line = NUMBER_NONE };
	struct str identifier = before(&text, '\1');

	frame.name = before(&identifier, '\0');
	frame.file = before(&identifier, '\0');
	frame.first_line = line_of(identifier);
	while (text.n) {
		struct str attribute = before(&text, '\1');
		if (attribute.n > 1 && attribute.p[0] == 'l')
			frame.line = line_of(str_behind(attribute, 1));
	}
	return frame;
}

uint32_t pyinstrument_series(struct pyinstrument *p)
{
	if (p->series == SAMPLE_NONE)
		p->series = p->stacks.sink->series(p->stacks.sink, SAMPLE_NONE, &p->fact);
	return p->series;
}

/* "MainThread\0<thread>\0140530063514496", which is no function but a thread. */
static int find_thread(struct pyinstrument *p, const struct stacks_frame *frame,
		       uint64_t offset, uint32_t *thread, struct err *err)
{
	struct sample_thread_fact fact = { NUMBER_NONE, frame->first_line, TEXT_NONE,
					   TEXT_NONE };

	if (frame->name.n &&
	    stacks_text(&p->stacks, frame->name, offset, &fact.thread, err) < 0)
		return -1;
	*thread = p->stacks.sink->sample_thread(p->stacks.sink, &fact);
	return 0;
}

/* A frame of a stack; `text` has its escapes.  A thread is one only where a stack begins. */
static int add_frame(struct pyinstrument *p, struct str text, uint64_t offset,
		     struct pyinstrument_stack *to, struct err *err)
{
	struct sink *sink = p->stacks.sink;
	size_t known = p->frames.n;
	uint32_t at = intern_add(&p->frames, text);
	struct stacks_frame frame;
	struct frame_fact fact;

	if (at == known) {
		p->frame_of =
			xgrow(p->frame_of, &p->frames_cap, at + 1U, sizeof(*p->frame_of));
		p->frame_of[at] = SAMPLE_NONE;
	}
	if (p->frame_of[at] == SAMPLE_NONE || to->stack == SAMPLE_NONE) {
		frame = pyinstrument_parse(json_unescape(text, &p->text));
		if (str_is(frame.file, "<thread>") && to->stack == SAMPLE_NONE)
			return find_thread(p, &frame, offset, &to->thread, err);
	}
	if (p->frame_of[at] == SAMPLE_NONE) {
		if (stacks_frame(&p->stacks, &frame, offset, &fact, err) < 0)
			return -1;
		p->frame_of[at] = sink->frame(sink, SAMPLE_NONE, &fact);
	}
	to->stack = sink->stack(sink, to->stack, p->frame_of[at]);
	return 0;
}

static int bad_sample(const struct pyinstrument *p, uint64_t offset, struct err *err)
{
	return err_at(err, offset,
		      "sample %llu is malformed: it needs a list of frames and seconds",
		      (unsigned long long)p->nsamples + 1);
}

static int read_frames(struct pyinstrument *p, struct str list, uint64_t offset,
		       struct pyinstrument_stack *to, struct err *err)
{
	struct json_items items = json_items_of(list);
	struct json_value frame;
	int more;

	*to = (struct pyinstrument_stack){ SAMPLE_NONE, SAMPLE_NONE };
	while ((more = json_next_element(&items, &frame)) > 0) {
		if (frame.type != JSON_STRING)
			return bad_sample(p, offset, err);
		if (add_frame(p, frame.text, offset, to, err) < 0)
			return -1;
	}
	return more < 0 ? bad_sample(p, offset, err) : 0;
}

/* Equal texts are equal stacks: they are looked at once. */
static int find_stack(struct pyinstrument *p, struct str list, uint64_t offset,
		      struct pyinstrument_stack *to, struct err *err)
{
	if (p->remembered > REMEMBERED_BYTES) {
		intern_release(&p->known);
		intern_init(&p->known);
		p->remembered = 0;
	}
	size_t known = p->known.n;
	uint32_t at = intern_add(&p->known, list);
	if (at < known) {
		*to = p->stack_of[at];
		return 0;
	}
	p->remembered += list.n + sizeof(*to);
	if (read_frames(p, list, offset, to, err) < 0)
		return -1;
	p->stack_of = xgrow(p->stack_of, &p->stacks_cap, at + 1U, sizeof(*p->stack_of));
	p->stack_of[at] = *to;
	return 0;
}

/* [["frame", ...], seconds] */
static bool split_sample(const struct json_value *sample, struct json_value *frames,
			 int64_t *ns)
{
	struct json_items items = json_items_of(sample->text);
	struct json_value seconds;

	if (sample->type != JSON_ARRAY || json_next_element(&items, frames) <= 0 ||
	    frames->type != JSON_ARRAY || json_next_element(&items, &seconds) <= 0 ||
	    seconds.type != JSON_NUMBER)
		return false;
	return decimal_scaled(seconds.text, NS_DIGITS, ns) == DECIMAL_OK && *ns >= 0;
}

/* 1, 0 where the text is cut, -1. */
static int read_sample(struct pyinstrument *p, struct err *err)
{
	struct sink *sink = p->stacks.sink;
	struct sample_fact sample = { .samples = 1, .offset = json_stream_at(&p->in) };
	struct json_value value, frames;
	struct pyinstrument_stack stack;

	int rc = json_stream_value(&p->in, &value, err);
	if (rc <= 0)
		return rc;
	if (!split_sample(&value, &frames, &sample.weight))
		return bad_sample(p, sample.offset, err);
	if (find_stack(p, frames.text, sample.offset, &stack, err) < 0)
		return -1;
	sample.series = pyinstrument_series(p);
	sample.stack = stack.stack;
	sample.thread = stack.thread;
	sample.ts_ns = p->at_ns;
	if (sink->sample(sink, &sample, err) < 0)
		return -1;
	p->nsamples++;
	if (__builtin_add_overflow(p->at_ns, sample.weight, &p->at_ns))
		return err_at(err, sample.offset, "the times overflow 64 bits");
	return 1;
}

static int read_samples(struct pyinstrument *p, struct err *err)
{
	p->fact.is_ordered = true;
	int rc = json_stream_enter(&p->in, '[', "frame_records is not a list", err);
	for (bool first = true; rc > 0; first = false) {
		int more = json_stream_element(&p->in, first, err);
		if (more <= 0)
			return more;
		rc = read_sample(p, err);
	}
	return rc;
}

/* What the recording was made of: numbers and texts. */
static int read_other(struct pyinstrument *p, const char *key, struct err *err)
{
	struct json_value value;

	int rc = json_stream_value(&p->in, &value, err);
	if (rc <= 0)
		return rc;
	if (strcmp(key, "duration") == 0 && value.type == JSON_NUMBER &&
	    decimal_scaled(value.text, NS_DIGITS, &p->fact.end_at) != DECIMAL_OK)
		p->fact.end_at = NUMBER_NONE;
	tell_scalar(p->stacks.sink, str_of(key), &value);
	return 1;
}

static int read_member(struct pyinstrument *p, const char *key, struct err *err)
{
	bool is_session = strcmp(key, "frame_records") == 0;
	bool is_tree = strcmp(key, "root_frame") == 0 || strcmp(key, "frame_tree") == 0;

	if (!is_session && !is_tree)
		return read_other(p, key, err);
	if (p->has_list)
		return json_stream_bad(&p->in, "a second list of samples", err);
	p->has_list = true;
	return is_session ? read_samples(p, err) : pyinstrument_tree(p, err);
}

static int read_members(struct pyinstrument *p, struct err *err)
{
	char key[JSON_STREAM_KEY_MAX + 1];
	int rc = json_stream_enter(&p->in, '{', "a session is an object", err);

	for (bool first = true; rc > 0 && !p->in.is_cut; first = false) {
		int more = json_stream_member(&p->in, first, key, err);
		if (more <= 0)
			return more;
		rc = read_member(p, key, err) < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

static int finish(struct pyinstrument *p, struct input *in, struct err *err)
{
	struct sink *sink = p->stacks.sink;
	uint64_t end = window_at(&p->in.w, p->in.w.j.end);

	if (p->nsamples == 0)
		return err_at(err, end, "%s",
			      p->in.is_cut  ? "the file is cut off before its first "
					      "whole sample"
			      : p->has_list ? "the profile has no sample"
					    : "neither samples nor a tree");
	if (json_stream_end(&p->in, in, err) < 0)
		return -1;
	sink->series(sink, p->series, &p->fact); /* it may end with how long it lasted */
	stacks_end(&p->stacks, "pyinstrument");
	return 0;
}

static int pyinstrument_read(struct input *in, const struct read_options *options,
			     struct sink *sink, struct err *err)
{
	struct pyinstrument p = { .series = SAMPLE_NONE,
				  .fact = { .name = TEXT_NONE,
					    .measure = TEXT_NONE,
					    .mode = "wall",
					    .unit = SAMPLE_NS,
					    .is_default = true,
					    .start_at = 0,
					    .end_at = NUMBER_NONE } };

	stacks_init(&p.stacks, sink, options);
	intern_init(&p.frames);
	intern_init(&p.known);
	buf_init(&p.text, SIZE_MAX);
	int rc = json_stream_open(&p.in, in, options, sink, err);
	if (rc == 0)
		rc = read_members(&p, err);
	if (rc == 0)
		rc = finish(&p, in, err);
	stacks_release(&p.stacks);
	intern_release(&p.frames);
	intern_release(&p.known);
	buf_release(&p.text);
	free(p.frame_of);
	free(p.stack_of);
	json_stream_release(&p.in);
	return rc;
}

/* Keys of a session of each version, or the tree and what stands before it. */
static enum probe pyinstrument_probe(struct bytes head)
{
	struct str text = json_stream_object_head(head);

	if (text.n == 0)
		return PROBE_NO;
	bool is_session = str_contains(text, STR_LIT("\"frame_records\"")) ||
			  str_contains(text, STR_LIT("\"start_call_stack\""));
	bool is_tree = (str_contains(text, STR_LIT("\"root_frame\"")) ||
			str_contains(text, STR_LIT("\"frame_tree\""))) &&
		       str_contains(text, STR_LIT("\"sample_count\""));
	return is_session || is_tree ? PROBE_LIKELY : PROBE_NO;
}

const struct reader pyinstrument_reader = {
	.name = "pyinstrument",
	.help = "pyinstrument's sessions and its JSON",
	.probe = pyinstrument_probe,
	.read = pyinstrument_read,
};
