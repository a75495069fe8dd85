/*
 * Speedscope's own format (speedscope.app, file-format-schema.json), which py-spy,
 * pyinstrument, memray, rbspy and many others write: an object with frames, and
 * profiles whose stacks are lists of places in them.  It is read as a stream, with any
 * order of keys.  See speedscope_profile.h for the profiles.
 */
#include "ingest/speedscope.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/decimal.h"
#include "ingest/folded.h"
#include "ingest/spilled.h"
#include "ingest/tell.h"

static int out_of_range(const struct speedscope *s, const struct speedscope_frame *f,
			struct err *err)
{
	return err_at(err, f->offset,
		      "profile %u, sample or event %llu: frame index %lld of %zu frames",
		      f->profile, (unsigned long long)f->sample, (long long)f->index,
		      s->nframes);
}

int speedscope_frame(struct speedscope *s, int64_t index, uint64_t sample,
		     uint64_t offset, uint32_t *frame, struct err *err)
{
	struct speedscope_frame f = {
		.index = index, .offset = offset, .profile = s->profile, .sample = sample
	};

	if (s->has_frames) {
		if (index < 0 || (uint64_t)index >= s->nframes)
			return out_of_range(s, &f, err);
		*frame = s->frames[index].frame;
		return 0;
	}
	size_t probe = idmap_first(&s->expected_at, index);
	uint32_t at = idmap_next(&s->expected_at, &probe);
	if (at == UINT32_MAX) {
		at = (uint32_t)s->nexpected;
		f.frame = s->stacks.sink->frame(s->stacks.sink, SAMPLE_NONE, NULL);
		idmap_add(&s->expected_at, index, at);
		*ARRAY_PUSH(s->expected, s->nexpected, s->expected_cap) = f;
	}
	*frame = s->expected[at].frame;
	return 0;
}

/* A whole number of a frame; null, and what is none, is not recorded. */
static int64_t number_of(const struct json_value *value)
{
	int64_t number;

	if (value->type != JSON_NUMBER || decimal_int(value->text, &number) != DECIMAL_OK)
		return NUMBER_NONE;
	return number;
}

/* The text of a string, which stays until `into` is used again. */
static struct str string_of(const struct json_value *value, struct buf *into)
{
	buf_clear(into);
	if (value->type != JSON_STRING)
		return (struct str){ NULL, 0 };
	return json_unescape(value->text, into);
}

/* The members of a frame, which are in the window; "first_line" ptool's export writes. */
static int frame_members(struct speedscope *s, struct str object, struct buf *file,
			 struct stacks_frame *frame, struct err *err)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;
	bool is_first = false;
	int more;

	while ((more = json_next_member(&items, &key, &value)) > 0) {
		if (str_is(key.text, "first_line")) {
			frame->first_line = stacks_line(number_of(&value));
			is_first = value.type == JSON_TRUE; /* that "line" is */
		} else if (str_is(key.text, "name"))
			frame->name = string_of(&value, &s->text);
		else if (str_is(key.text, "file"))
			frame->file = string_of(&value, file);
		else if (str_is(key.text, "line"))
			frame->line = number_of(&value);
	}
	if (is_first) {
		frame->first_line = stacks_line(frame->line);
		frame->line = NUMBER_NONE;
	}
	return more < 0 ? json_stream_bad(&s->in, "a frame is not an object", err) : 0;
}

static int add_frame(struct speedscope *s, struct speedscope_named named, struct err *err)
{
	int64_t index = (int64_t)s->nframes;
	size_t probe = idmap_first(&s->expected_at, index);
	uint32_t at = idmap_next(&s->expected_at, &probe);

	if (index >= UINT32_MAX - 1)
		return json_stream_bad(&s->in, "too many frames", err);
	named.frame = at == UINT32_MAX
			      ? s->stacks.sink->frame(s->stacks.sink, SAMPLE_NONE, NULL)
			      : s->expected[at].frame;
	*SPILLED_PUSH(s->stacks.options->spill, s->frames, s->nframes, s->frames_cap) =
		named;
	return 0;
}

/* Of py-spy: what its options -s and -t put in front of stacks; profiles are named so. */
static bool is_thread(const struct stacks_frame *frame)
{
	struct folded_thread who = FOLDED_THREAD_INIT;
	struct str text = frame->name;

	return frame->file.n == 0 && folded_py_spy(&text, &who) && text.n == 0;
}

/* Of pyinstrument: what a function took itself, where it called others, too. */
static bool is_self(const struct stacks_frame *frame)
{
	return frame->file.n == 0 && str_is(frame->name, "[self]");
}

/* 1, 0 where the text is cut, -1. */
static int read_frame(struct speedscope *s, struct buf *file, struct err *err)
{
	struct stacks_frame frame = { .first_line = NUMBER_NONE, .line = NUMBER_NONE };
	uint64_t offset = json_stream_at(&s->in);
	struct json_value value;
	struct speedscope_named named = { .function.name = TEXT_NONE };

	int rc = json_stream_value(&s->in, &value, err);
	if (rc <= 0)
		return rc;
	if (value.type != JSON_OBJECT)
		return err_at(err, offset, "frame %zu is not an object", s->nframes);
	if (frame_members(s, value.text, file, &frame, err) < 0)
		return -1;
	if (!frame.name.p)
		return err_at(err, offset, "frame %zu has no name", s->nframes);
	if (!is_thread(&frame) && !is_self(&frame) &&
	    stacks_function(&s->stacks, &frame, offset, &named.function, err) < 0)
		return -1;
	named.line = frame.line;
	return add_frame(s, named, err) < 0 ? -1 : 1;
}

static int read_frames(struct speedscope *s, struct err *err)
{
	struct buf file;
	bool first = true;
	int more;

	if (s->has_frames)
		return json_stream_bad(&s->in, "a second list of frames", err);
	int rc = json_stream_enter(&s->in, '[', "shared.frames is not a list", err);
	buf_init(&file, SIZE_MAX);
	for (; rc > 0 && (more = json_stream_element(&s->in, first, err)) != 0;
	     first = false)
		rc = more < 0 ? -1 : read_frame(s, &file, err);
	buf_release(&file);
	s->has_frames = true;
	for (size_t i = 0; i < s->nexpected && rc >= 0 && !s->in.is_cut; i++)
		if (s->expected[i].index < 0 ||
		    (uint64_t)s->expected[i].index >= s->nframes)
			rc = out_of_range(s, &s->expected[i], err);
	return rc < 0 ? -1 : 0;
}

static int skip_value(struct speedscope *s, struct err *err)
{
	struct json_value ignored;

	return json_stream_value(&s->in, &ignored, err);
}

static int read_shared(struct speedscope *s, struct err *err)
{
	char key[JSON_STREAM_KEY_MAX + 1];
	int more = 0;

	int rc = json_stream_enter(&s->in, '{', "shared is not an object", err);
	for (bool first = true; rc > 0 && !s->in.is_cut; first = false) {
		more = json_stream_member(&s->in, first, key, err);
		if (more <= 0)
			return more;
		if (strcmp(key, "frames") == 0)
			rc = read_frames(s, err) < 0 ? -1 : 1;
		else
			rc = skip_value(s, err);
	}
	return rc < 0 ? -1 : 0;
}

static int read_profiles(struct speedscope *s, struct err *err)
{
	bool first = true;
	int more;

	if (s->has_profiles &&
	    stacks_tell(&s->stacks, FINDING_DUPLICATE_KEY, json_stream_at(&s->in),
			STR_LIT("profiles"), err) < 0)
		return -1;
	s->has_profiles = true;
	int rc = json_stream_enter(&s->in, '[', "profiles is not a list", err);
	for (; rc > 0 && !s->in.is_cut; first = false) {
		more = json_stream_element(&s->in, first, err);
		if (more <= 0)
			return more;
		s->profile++;
		rc = speedscope_read_profile(s, err) < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

/* A line is the one that ran, but of pyinstrument where the function's definition begins. */
static void tell_frames(struct speedscope *s, bool are_first_lines)
{
	struct sink *sink = s->stacks.sink;

	for (size_t i = 0; i < s->nframes; i++) {
		struct function_fact function = s->frames[i].function;
		struct frame_fact fact = { FRAME_LEFT_OUT, NUMBER_NONE };
		spill_tick(s->stacks.options->spill, i);
		if (!are_first_lines)
			fact.line = stacks_line(s->frames[i].line);
		else if (function.line != 0) /* that of no file */
			function.line = stacks_line(s->frames[i].line);
		if (function.name != TEXT_NONE)
			fact.function = sink->function(sink, &function);
		sink->frame(sink, s->frames[i].frame, &fact);
	}
}

/*
 * What is known of series behind all: which one the file wants to be shown, and that
 * pyinstrument, which calls them "CPU profile", measures wall time.
 */
static void tell_series(struct speedscope *s, bool are_wall)
{
	for (size_t i = 0; i < s->nseries; i++) {
		struct speedscope_series *series = &s->series[i];
		series->fact.is_default = s->active >= 0 && i == (uint64_t)s->active;
		if (are_wall)
			series->fact.mode = "wall";
		if (series->number != SAMPLE_NONE)
			s->stacks.sink->series(s->stacks.sink, series->number,
					       &series->fact);
	}
}

static int read_other(struct speedscope *s, const char *key, struct err *err)
{
	struct json_value value;

	int rc = json_stream_value(&s->in, &value, err);
	if (rc <= 0)
		return rc;
	if (strcmp(key, "exporter") == 0) {
		s->has_exporter = true;
		struct str text = string_of(&value, &s->text);
		buf_clear(&s->exporter);
		buf_add_str(&s->exporter, text);
	}
	if (strcmp(key, "activeProfileIndex") == 0)
		s->active = number_of(&value);
	if (strcmp(key, "$schema") != 0)
		tell_scalar(s->stacks.sink, str_of(key), &value);
	return 0;
}

static int read_file(struct speedscope *s, struct err *err)
{
	char key[JSON_STREAM_KEY_MAX + 1];

	int rc = json_stream_enter(&s->in, '{', "a speedscope file is an object", err);
	for (bool first = true; rc > 0 && !s->in.is_cut; first = false) {
		int more = json_stream_member(&s->in, first, key, err);
		if (more <= 0)
			return more;
		if (strcmp(key, "shared") == 0)
			rc = read_shared(s, err);
		else if (strcmp(key, "profiles") == 0)
			rc = read_profiles(s, err);
		else
			rc = read_other(s, key, err);
		rc = rc < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

/* A file that is cut off may have nothing left. */
static int check_cut(struct speedscope *s, uint64_t end, struct err *err)
{
	if (s->nsamples == 0)
		return err_at(err, end,
			      "the file is cut off before its first whole sample");
	if (s->nexpected && !s->has_frames)
		return err_at(err, end,
			      "the file is cut off before its frames, without which no "
			      "sample has a name");
	return 0;
}

static int finish(struct speedscope *s, struct input *in, struct err *err)
{
	uint64_t end = window_at(&s->in.w, s->in.w.j.end);

	if (s->in.is_cut && check_cut(s, end, err) < 0)
		return -1;
	for (size_t i = 0; i < s->nexpected; i++)
		if (s->expected[i].index < 0 ||
		    (uint64_t)s->expected[i].index >= s->nframes)
			return s->has_frames
				       ? out_of_range(s, &s->expected[i], err)
				       : err_at(err, end, "shared.frames is missing");
	if (s->profile == 0)
		return err_at(err, end, "the file has no profiles");
	if (s->nsamples == 0)
		return err_at(err, end, "its profiles have no samples");
	if (json_stream_end(&s->in, in, err) < 0)
		return -1;
	bool is_pyinstrument = str_is(buf_str(&s->exporter), "pyinstrument");
	bool is_py_spy = str_starts_with(buf_str(&s->exporter), STR_LIT("py-spy"));
	tell_frames(s, is_pyinstrument);
	tell_series(s, is_pyinstrument);
	stacks_end(&s->stacks, is_py_spy ? "py-spy" : "speedscope");
	return 0;
}

static int speedscope_read(struct input *in, const struct read_options *options,
			   struct sink *sink, struct err *err)
{
	struct speedscope s = { .active = NUMBER_NONE };

	stacks_init(&s.stacks, sink, options);
	idmap_init(&s.expected_at, 16);
	intern_init(&s.known);
	buf_init(&s.exporter, SIZE_MAX);
	buf_init(&s.text, SIZE_MAX);
	int rc = json_stream_open(&s.in, in, options, sink, err);
	if (rc == 0)
		rc = read_file(&s, err);
	rc = speedscope_end_waiting(&s, rc, err);
	if (rc == 0)
		rc = finish(&s, in, err);
	stacks_release(&s.stacks);
	idmap_release(&s.expected_at);
	intern_release(&s.known);
	buf_release(&s.exporter);
	buf_release(&s.text);
	spill_free(options->spill, s.frames);
	free(s.expected);
	free(s.stack_of);
	free(s.series);
	json_stream_release(&s.in);
	return rc;
}

/* The schema's address, or its keys: `"shared": {"frames"`, or a typed profile. */
static enum probe speedscope_probe(struct bytes head)
{
	struct str text = json_stream_object_head(head);

	if (text.n == 0)
		return PROBE_NO;
	if (str_contains(text, STR_LIT("speedscope.app/file-format-schema.json")))
		return PROBE_SURE;
	bool is_typed = str_contains(text, STR_LIT("\"sampled\"")) ||
			str_contains(text, STR_LIT("\"evented\""));
	bool has_frames = str_contains(text, STR_LIT("\"shared\"")) &&
			  str_contains(text, STR_LIT("\"frames\""));
	bool has_profiles = str_contains(text, STR_LIT("\"profiles\""));
	return has_profiles && (is_typed || has_frames) ? PROBE_SURE : PROBE_NO;
}

const struct reader speedscope_reader = {
	.name = "speedscope",
	.help = "speedscope's JSON: py-spy, pyinstrument, memray and others",
	.probe = speedscope_probe,
	.read = speedscope_read,
};
