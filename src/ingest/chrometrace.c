/*
 * py-spy record -f chrometrace: an array of trace events, which are no calls.  py-spy
 * samples, and writes where the stack of a thread differs from the one before: a frame that
 * is gone ends (E), a new one begins (B).
 *
 *	{"args":{"filename":"a.py","line":3},"cat":"py-spy","name":"f","ph":"B","pid":1,
 *	 "tid":7,"ts":47}
 *
 * So a stack lasts until the next one of its thread, also while the thread is idle, which is
 * not sampled.  Frames are told apart by thread alone, whatever their process is, and forks
 * of a process share ids of threads: their ends belong together by tid, not by pid.
 * Source: py-spy's src/chrometrace.rs, and what 0.4.0 and 0.4.3 wrote.
 */
#include "ingest/chrometrace.h"

#include "ingest/json_stream.h"

struct reading {
	struct chrometrace trace;
	struct json_stream in;
	struct buf name, file; /* of the newest event */
	uint64_t nevents;
};

/* What an event has; all of it but the line must be there. */
enum part { NAME = 1, PHASE = 2, PID = 4, TID = 8, TS = 16, CATEGORY = 32, ALL = 63 };

static struct str string_of(const struct json_value *value, struct buf *into)
{
	buf_clear(into);
	return value->type == JSON_STRING ? json_unescape(value->text, into)
					  : STR_LIT("");
}

static bool whole(const struct json_value *value, int64_t *out)
{
	return value->type == JSON_NUMBER && json_int(value, out) == DECIMAL_OK;
}

/* args: the file and the line that ran, which is null or 0 where it is not known. */
static bool read_args(struct reading *r, struct str object, struct stacks_frame *frame)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;
	int more;

	while ((more = json_next_member(&items, &key, &value)) > 0) {
		if (str_is(key.text, "filename"))
			frame->file = string_of(&value, &r->file);
		else if (str_is(key.text, "line") &&
			 (!whole(&value, &frame->line) || frame->line <= 0))
			frame->line = NUMBER_NONE;
	}
	return more == 0;
}

/* Is it what a text of an event must be? */
static bool read_text(struct reading *r, struct chrometrace_event *e, enum part part,
		      const struct json_value *value)
{
	if (value->type != JSON_STRING)
		return false;
	if (part == CATEGORY)
		return str_is(value->text, "py-spy");
	if (part == NAME) {
		e->frame.name = string_of(value, &r->name);
		return true;
	}
	if (!str_is(value->text, "B") && !str_is(value->text, "E"))
		return false;
	e->phase = value->text.p[0];
	return true;
}

static bool read_number(struct chrometrace_event *e, enum part part,
			const struct json_value *value)
{
	if (part == TS)
		return value->type == JSON_NUMBER &&
		       json_us_to_ns(value, &e->ts_ns) == DECIMAL_OK;
	return whole(value, part == PID ? &e->pid : &e->tid);
}

/* The part of an event that this member is, or 0. */
static unsigned read_member(struct reading *r, struct chrometrace_event *e,
			    struct str key, const struct json_value *value)
{
	static const struct {
		const char *key;
		enum part part;
		bool is_text;
	} parts[] = { { "name", NAME, true }, { "ph", PHASE, true },
		      { "pid", PID, false },  { "tid", TID, false },
		      { "ts", TS, false },    { "cat", CATEGORY, true } };

	if (str_is(key, "args") && value->type == JSON_OBJECT)
		read_args(r, value->text, &e->frame);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (str_is(key, parts[i].key))
			return (parts[i].is_text ? read_text(r, e, parts[i].part, value)
						 : read_number(e, parts[i].part, value))
				       ? parts[i].part
				       : 0;
	return 0;
}

static bool read_members(struct reading *r, struct str object,
			 struct chrometrace_event *e, unsigned *parts)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;
	int more;

	while ((more = json_next_member(&items, &key, &value)) > 0)
		*parts |= read_member(r, e, key.text, &value);
	return more == 0;
}

/* 1, 0 where the text is cut, or -1. */
static int read_event(struct reading *r, struct err *err)
{
	struct chrometrace_event e = {
		.offset = json_stream_at(&r->in),
		.number = ++r->nevents,
		.frame = { .first_line = NUMBER_NONE, .line = NUMBER_NONE },
	};
	struct json_value value;
	unsigned parts = 0;

	int rc = json_stream_value(&r->in, &value, err);
	if (rc <= 0)
		return rc;
	bool is_object =
		value.type == JSON_OBJECT && read_members(r, value.text, &e, &parts);
	if (is_object && !(parts & CATEGORY) && r->nevents > 1)
		return err_at(err, e.offset,
			      "event %llu is not py-spy's; --input-format chrome reads "
			      "this as a trace",
			      (unsigned long long)r->nevents);
	if (parts != ALL)
		return err_at(err, e.offset,
			      "event %llu is malformed: it needs name, cat, ph B or E, "
			      "pid, tid and ts",
			      (unsigned long long)r->nevents);
	return chrometrace_event(&r->trace, &e, err) < 0 ? -1 : 1;
}

static int read_events(struct reading *r, struct err *err)
{
	int rc = json_stream_enter(&r->in, '[',
				   "a py-spy Chrome trace must be an "
				   "array",
				   err);

	for (bool first = true; rc > 0; first = false) {
		int more = json_stream_element(&r->in, first, err);
		if (more <= 0)
			return more;
		rc = read_event(r, err);
	}
	return rc < 0 ? -1 : 0;
}

static int finish(struct reading *r, struct input *in, struct err *err)
{
	struct stacks *stacks = &r->trace.stacks;

	if (chrometrace_end(&r->trace, r->in.is_cut, err) < 0)
		return -1;
	if (r->trace.nsamples == 0)
		return err_at(err, json_stream_at(&r->in), "%s",
			      r->in.is_cut ? "the file is cut off before the end of its "
					     "first stack"
					   : "every stack has a length of 0: the file "
					     "has no samples");
	if (json_stream_end(&r->in, in, err) < 0 ||
	    stacks_tell(stacks, FINDING_IDLE_COUNTED, 0, STR_LIT(""), err) < 0 ||
	    (r->trace.is_mixed &&
	     stacks_tell(stacks, FINDING_PROCESSES_MIXED, 0, STR_LIT(""), err) < 0))
		return -1;
	stacks_end(stacks, "py-spy");
	return 0;
}

static int chrometrace_read(struct input *in, const struct read_options *options,
			    struct sink *sink, struct err *err)
{
	struct reading r = { .nevents = 0 };

	chrometrace_init(&r.trace, sink, options);
	buf_init(&r.name, SIZE_MAX);
	buf_init(&r.file, SIZE_MAX);
	int rc = json_stream_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = read_events(&r, err);
	if (rc == 0)
		rc = finish(&r, in, err);
	chrometrace_release(&r.trace);
	buf_release(&r.name);
	buf_release(&r.file);
	json_stream_release(&r.in);
	return rc;
}

/* An array whose first event is py-spy's. */
static enum probe chrometrace_probe(struct bytes head)
{
	static const struct str key = { "\"cat\"", 5 };
	struct str text = json_stream_head(head);

	if (!str_starts_with(text, STR_LIT("[")))
		return PROBE_NO;
	const char *at = memmem(text.p, text.n, key.p, key.n);
	if (!at)
		return PROBE_NO;
	text = str_behind(text, (size_t)(at - text.p) + key.n);
	while (text.n && (json_is_blank(text.p[0]) || text.p[0] == ':'))
		text = str_behind(text, 1);
	return str_starts_with(text, STR_LIT("\"py-spy\"")) ? PROBE_SURE : PROBE_NO;
}

const struct reader chrometrace_reader = {
	.name = "chrometrace",
	.help = "py-spy record -f chrometrace: sampled stacks as trace events",
	.probe = chrometrace_probe,
	.read = chrometrace_read,
};
