/*
 * Profiles of Scalene (scalene run -o x.json, --json): lines of files with their shares of
 * the time, in Python, in native code and waiting, and with memory.  There are no times:
 * they are computed from the shares and from how long the program ran, as Scalene's own
 * table does.  Lines do not always say which function they are in; then their indentation
 * does.
 */
#include <math.h>

#include "base/decimal.h"
#include "base/product.h"
#include "ingest/json_stream.h"
#include "ingest/scalene.h"
#include "ingest/tell.h"

#define NS_PER_S 1e9

/* What a line's members are for. */
enum part {
	PART_LINE,
	PART_START,
	PART_SHARE, /* all of this kind are added up */
	PART_PEAK,
	PART_LOST /* numbers that the store has no place for */
};

static const struct {
	const char *key, *what;
	enum part part;
} parts[] = {
	{ "lineno", NULL, PART_LINE },
	{ "start_function_line", NULL, PART_START },
	{ "n_cpu_percent_python", NULL, PART_SHARE },
	{ "n_cpu_percent_c", "native and system time apart", PART_SHARE },
	{ "n_sys_percent", "native and system time apart", PART_SHARE },
	{ "n_peak_mb", NULL, PART_PEAK },
	{ "n_avg_mb", "mean and growth of memory", PART_LOST },
	{ "n_growth_mb", "mean and growth of memory", PART_LOST },
	{ "n_malloc_mb", "what was allocated in all", PART_LOST },
	{ "n_gpu_percent", "GPU", PART_LOST },
	{ "n_gpu_peak_memory_mb", "GPU", PART_LOST },
	{ "n_copy_mb_s", "memory that was copied", PART_LOST },
	{ "n_async_await_percent", "time of awaiting", PART_LOST },
};

struct reading {
	struct json_stream in;
	struct scalene lines;
	struct buf text;
	double elapsed_s; /* NaN: not read yet */
	unsigned lost;    /* a bit by `parts`: it is not zero */
	bool has_files, has_leaks;
};

static int tell(struct reading *r, enum finding what, uint64_t at, const char *excerpt,
		struct err *err)
{
	return tell_finding(r->in.sink, r->in.options, what, at, str_of(excerpt), err);
}

static int take_number(struct reading *r, size_t part, double number,
		       struct scalene_line *line)
{
	r->lost |= number > 0 && parts[part].what ? 1U << part : 0;
	switch (parts[part].part) {
	case PART_LINE:
		line->line = number >= 0 && number < 1e15 ? (int64_t)number : NUMBER_NONE;
		break;
	case PART_START:
		line->start =
			number >= 0 && number < 1e15 ? (int64_t)number : NUMBER_NONE;
		break;
	case PART_SHARE:
		line->percent += number > 0 ? number : 0;
		break;
	case PART_PEAK:
		line->peak_mib = number > 0 ? number : 0;
		break;
	case PART_LOST:
		break;
	}
	return 0;
}

/* A member of a line or of a function. */
static int take_member(struct reading *r, struct str key, const struct json_value *value,
		       struct scalene_line *line, struct err *err)
{
	size_t part = 0;
	double number;

	if (str_is(key, "line") && value->type == JSON_STRING)
		return scalene_text(&r->lines, json_unescape(value->text, &r->text), line,
				    err);
	while (part < sizeof(parts) / sizeof(*parts) && !str_is(key, parts[part].key))
		part++;
	if (part == sizeof(parts) / sizeof(*parts) || value->type != JSON_NUMBER)
		return 0;
	if (!decimal_real(value->text, &number) || !isfinite(number))
		return tell(r, FINDING_NOT_FINITE, line->at, parts[part].key, err);
	return take_number(r, part, number, line);
}

/* An entry of a list of lines or functions: 1, 0 where it is cut, -1. */
static int read_entry(struct reading *r, bool is_function, struct err *err)
{
	struct scalene_line line = { .line = NUMBER_NONE,
				     .start = NUMBER_NONE,
				     .text = TEXT_NONE,
				     .name = TEXT_NONE,
				     .is_function = is_function,
				     .at = json_stream_at(&r->in) };
	struct json_value object, key, value;

	int rc = json_stream_value(&r->in, &object, err);
	if (rc <= 0)
		return rc;
	struct json_items items = json_items_of(object.text);
	if (object.type != JSON_OBJECT)
		return err_at(err, line.at, "a line is an object");
	while (json_next_member(&items, &key, &value) > 0)
		if (take_member(r, key.text, &value, &line, err) < 0)
			return -1;
	if (line.line == NUMBER_NONE)
		return err_at(err, line.at, "a line without a number");
	scalene_add(&r->lines, &line);
	return 1;
}

static int read_entries(struct reading *r, bool is_function, struct err *err)
{
	int rc = json_stream_enter(&r->in, '[', "lines are a list", err);

	for (bool first = true; rc > 0; first = false) {
		int more = json_stream_element(&r->in, first, err);
		if (more <= 0)
			return more;
		rc = read_entry(r, is_function, err);
	}
	return rc;
}

/* What a file has beside its lists: of leaks is kept that there are some. */
static int skip_value(struct reading *r, const char *key, struct err *err)
{
	struct json_value value, name;

	int rc = json_stream_value(&r->in, &value, err);
	if (rc > 0 && strcmp(key, "leaks") == 0 && value.type == JSON_OBJECT) {
		struct json_items leaks = json_items_of(value.text);
		r->has_leaks |= json_next_member(&leaks, &name, &value) > 0;
	}
	return rc;
}

static int read_file(struct reading *r, struct err *err)
{
	char key[JSON_STREAM_KEY_MAX + 1];
	bool has_list[2] = { false, false }; /* of lines, of functions */
	int rc = json_stream_enter(&r->in, '{', "a file is an object", err);

	for (bool first = true; rc > 0 && !r->in.is_cut; first = false) {
		int more = json_stream_member(&r->in, first, key, err);
		if (more <= 0)
			return more;
		bool is_function = strcmp(key, "functions") == 0;
		bool is_list = is_function || strcmp(key, "lines") == 0;
		if (is_list && has_list[is_function])
			return json_stream_bad(&r->in, "a second list of a file's lines",
					       err);
		has_list[is_function] |= is_list;
		rc = is_list ? read_entries(r, is_function, err)
			     : skip_value(r, key, err);
		rc = rc < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

static int read_files(struct reading *r, struct err *err)
{
	struct str name;

	if (r->has_files)
		return json_stream_bad(&r->in, "a second object of files", err);
	r->has_files = true;
	int rc = json_stream_enter(&r->in, '{', "files is not an object", err);

	for (bool first = true; rc > 0 && !r->in.is_cut; first = false) {
		int more = json_stream_name(&r->in, first, &name, err);
		if (more <= 0)
			return more;
		uint64_t at = json_stream_at(&r->in);
		if (scalene_begin_file(&r->lines, json_unescape(name, &r->text), at,
				       err) < 0)
			return -1;
		rc = read_file(r, err) < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

/* What the recording was made of: numbers and texts. */
static int read_other(struct reading *r, const char *key, struct err *err)
{
	struct json_value value;

	int rc = json_stream_value(&r->in, &value, err);
	if (rc <= 0)
		return rc;
	if (strcmp(key, "elapsed_time_sec") == 0 &&
	    (value.type != JSON_NUMBER || !decimal_real(value.text, &r->elapsed_s) ||
	     !(r->elapsed_s >= 0) || !isfinite(r->elapsed_s)))
		return json_stream_bad(&r->in, "elapsed_time_sec is not a time", err);
	tell_scalar(r->in.sink, str_of(key), &value);
	return 1;
}

static int read_members(struct reading *r, struct err *err)
{
	char key[JSON_STREAM_KEY_MAX + 1];
	int rc = json_stream_enter(&r->in, '{', "a profile is an object", err);

	for (bool first = true; rc > 0 && !r->in.is_cut; first = false) {
		int more = json_stream_member(&r->in, first, key, err);
		if (more <= 0)
			return more;
		rc = strcmp(key, "files") == 0 ? read_files(r, err)
					       : read_other(r, key, err);
		rc = rc < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

/* What was recorded and is left out, each once. */
static void tell_lost(const struct reading *r)
{
	const char *last = "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!(r->lost & 1U << i) || strcmp(last, parts[i].what) == 0)
			continue;
		last = parts[i].what;
		r->in.sink->finding(r->in.sink, FINDING_NOT_KEPT, 0, str_of(last),
				    STR_LIT(""));
	}
	if (r->has_leaks)
		r->in.sink->finding(r->in.sink, FINDING_NOT_KEPT, 0, STR_LIT("leaks"),
				    STR_LIT(""));
}

static int finish(struct reading *r, struct input *in, struct err *err)
{
	struct profile_fact profile = { .format = "scalene",
					.dialect = "",
					PROFILE_FACT_NONE };
	uint64_t end = window_at(&r->in.w, r->in.w.j.end);
	const char *lacks = isnan(r->elapsed_s)  ? "elapsed_time_sec"
			    : !r->lines.has_data ? "line with a share or memory"
						 : NULL;

	if (lacks)
		return err_at(err, end, "%s %s",
			      r->in.is_cut ? "the file is cut off before any"
					   : "the profile has no",
			      lacks);
	if (json_stream_end(&r->in, in, err) < 0 ||
	    scalene_tell(&r->lines, r->elapsed_s, err) < 0 ||
	    tell(r, FINDING_TIMES_OF_SHARES, 0, "", err) < 0)
		return -1;
	tell_lost(r);
	if (!product_round(product_of(r->elapsed_s, NS_PER_S), &profile.span_end_ns))
		profile.span_end_ns = NUMBER_NONE;
	r->in.sink->profile(r->in.sink, &profile);
	return 0;
}

static int scalene_read(struct input *in, const struct read_options *options,
			struct sink *sink, struct err *err)
{
	struct reading r = { .elapsed_s = (double)NAN };

	scalene_init(&r.lines, sink, options);
	buf_init(&r.text, SIZE_MAX);
	int rc = json_stream_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = read_members(&r, err);
	if (rc == 0)
		rc = finish(&r, in, err);
	scalene_release(&r.lines);
	buf_release(&r.text);
	json_stream_release(&r.in);
	return rc;
}

/* Keys are sorted: those of the files may be far away. */
static enum probe scalene_probe(struct bytes head)
{
	struct str text = json_stream_object_head(head);

	if (text.n == 0)
		return PROBE_NO;
	bool has_time = str_contains(text, STR_LIT("\"elapsed_time_sec\""));
	bool has_samples = str_contains(text, STR_LIT("\"alloc_samples\""));
	bool has_files = str_contains(text, STR_LIT("\"files\"")) ||
			 str_contains(text, STR_LIT("\"combined_stacks\"")) ||
			 str_contains(text, STR_LIT("\"stacks\""));
	return has_files && (has_time || has_samples) ? PROBE_LIKELY : PROBE_NO;
}

const struct reader scalene_reader = {
	.name = "scalene",
	.help = "profiles of Scalene: scalene run -o FILE.json",
	.probe = scalene_probe,
	.read = scalene_read,
};
