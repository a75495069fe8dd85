/*
 * The container of Chrome's Trace Event Format: an array of events, or an
 * object with traceEvents and metadata in any order.
 */
#include "ingest/chrome.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/unpadded.h"

#define BOM                 "\xef\xbb\xbf"
#define BOM_LENGTH          (sizeof(BOM) - 1)
#define STRICT_METADATA_MAX ((size_t)64 << 20)
#define KEYS_MAX            4096 /* entries that are told from one another */

static bool contains(struct str head, struct str text)
{
	const char *p = head.p, *end = head.p + head.n;

	while ((p = memchr(p, text.p[0], (size_t)(end - p)))) {
		if (str_starts_with((struct str){ p, (size_t)(end - p) }, text))
			return true;
		p++;
	}
	return false;
}

static enum probe chrome_probe(struct bytes bytes)
{
	struct str head = { (const char *)bytes.p, bytes.n };
	size_t at = str_starts_with(head, STR_LIT(BOM)) ? BOM_LENGTH : 0;

	while (at < head.n && json_is_blank(head.p[at]))
		at++;
	if (at == head.n || (head.p[at] != '{' && head.p[at] != '['))
		return PROBE_NO;
	if (contains(head, STR_LIT("\"traceEvents\"")) ||
	    contains(head, STR_LIT("'traceEvents'")))
		return PROBE_SURE;
	if (contains(head, STR_LIT("\"ph\"")) || contains(head, STR_LIT("'ph'")) ||
	    contains(head, STR_LIT("\"schemaVersion\"")))
		return PROBE_LIKELY;
	return PROBE_MAYBE;
}

/* What is kept as metadata although it holds data that a view might show. */
static bool is_unused_section(struct str key)
{
	static const char *const keys[] = { "samples",           "stackFrames",
					    "systemTraceEvents", "powerTraceAsString",
					    "cgroupDump",        "androidProcessDump",
					    "traceAnnotations" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_is(key, keys[i]))
			return true;
	return false;
}

enum skipping { GO_ON, ENDS_BEFORE, ENDS_BEHIND };

static enum skipping skip_char(struct skipped *s, char ch)
{
	if (s->in_string) {
		s->in_string = s->escaped || ch != '"';
		s->escaped = !s->escaped && ch == '\\';
		return GO_ON;
	}
	switch (ch) {
	case '"':
		s->in_string = true;
		return GO_ON;
	case '{':
	case '[':
		s->depth++;
		return GO_ON;
	case '}':
	case ']':
		s->depth--;
		return s->depth > 0 ? GO_ON : s->depth == 0 ? ENDS_BEHIND : ENDS_BEFORE;
	case ',':
		return s->depth == 0 ? ENDS_BEFORE : GO_ON;
	default:
		return GO_ON;
	}
}

const char *chrome_list_close(struct skipped *s, const char *p, const char *end)
{
	for (; p < end; p++) {
		if (skip_char(s, *p) != ENDS_BEFORE)
			continue;
		s->depth = 0;
		if (*p == ']')
			return p;
	}
	return NULL;
}

/* Passes over the value at j.p, however large or broken it is. */
static int skip_value(struct chrome *c, struct err *err)
{
	struct skipped s = { 0 };
	struct window *w = &c->window;
	enum skipping skipping = GO_ON;

	while (skipping == GO_ON) {
		for (; skipping == GO_ON && w->j.p < w->j.end; w->j.p++)
			skipping = skip_char(&s, *w->j.p);
		if (skipping != GO_ON || w->j.last)
			break;
		if (window_move(w, w->j.end, w->size, err) < 0)
			return -1;
	}
	w->j.p -= skipping == ENDS_BEFORE;
	return 0;
}

/* The value of an entry: behind a string with quotes in it the object cannot go on. */
static enum json_status parse_metadata(struct json *j, void *to)
{
	struct json_value *value = to;

	enum json_status status = json_value(j, value);
	if (status != JSON_OK || value->type != JSON_STRING)
		return status;
	const char *next = json_skip_blanks(j->p);
	if (next >= j->end)
		return j->last ? JSON_OK : JSON_MORE;
	if (*next == ',' || *next == '}')
		return JSON_OK;
	j->what = "',' or '}' was expected";
	j->p = next;
	return JSON_BAD;
}

/* The value of an entry beside the events. */
static int read_metadata(struct chrome *c, struct str key, struct err *err)
{
	struct window *w = &c->window;
	struct json_value value;
	const char *start;

	size_t most = c->options->strict ? STRICT_METADATA_MAX : CHROME_METADATA_MAX;
	int status = window_parse(w, parse_metadata, &value, most, &start, err);
	if (status == JSON_BAD && !c->options->strict) {
		status = repair_value(c, &value, &start, err);
		if (status == JSON_OK && repair_findings(c, start, err) < 0)
			return -1;
	}
	if (status < 0)
		return -1;
	uint64_t offset = window_at(w, start);
	struct str excerpt = window_rest(w, start);
	bool has_data = status != JSON_OK || value.text.n > strlen("{}");
	if (has_data && is_unused_section(key) &&
	    chrome_finding_at(c, FINDING_UNUSED_SECTION, offset, key, excerpt, err) < 0)
		return -1;
	if (status == JSON_OK && value.text.n <= CHROME_METADATA_MAX) {
		kineto_metadata(c, key, &value);
		return chrome_flaws(c, offset, value.text, err);
	}
	if (status == JSON_BAD && c->options->strict)
		return w->j.ended ? chrome_truncated(c, offset, excerpt, err)
				  : err_at(err, window_at(w, w->j.p), "%s", w->j.what);
	w->j.flaws = 0;
	if (status == JSON_BAD && w->j.ended)
		return chrome_truncated(c, offset, excerpt, err);
	enum finding finding =
		status == JSON_BAD ? FINDING_EVENT_SYNTAX : FINDING_METADATA_SIZE;
	if (chrome_finding_at(c, finding, offset, key, excerpt, err) < 0)
		return -1;
	if (status == JSON_OK)
		return 0;
	w->j.p = start;
	return skip_value(c, err);
}

/* An entry that is there twice; of very many entries those beyond are not looked at. */
static int check_key(struct chrome *c, struct str key, struct err *err)
{
	const struct window *w = &c->window;
	size_t known = c->keys.n;

	if (known == KEYS_MAX || intern_add(&c->keys, key) == known)
		return 0;
	if (key.n > CHROME_KEY_SHOWN)
		key.n = CHROME_KEY_SHOWN;
	return chrome_finding_at(c, FINDING_DUPLICATE_KEY, window_at(w, w->j.p), key,
				 window_rest(w, w->j.p), err);
}

/* One entry of the top-level object; its key is already read. */
static int read_entry(struct chrome *c, struct str key, struct err *err)
{
	if (check_key(c, key, err) < 0)
		return -1;
	if (str_is(key, "traceEvents") && *c->window.j.p == '[') {
		c->window.j.p++;
		c->kineto.events_seen = c->is_object = true;
		c->foreign = (struct foreign){ 0 }; /* of the events from now on */
		enum list_end end = event_blocks_read(c, err);
		if (end != LIST_CUT)
			return end == LIST_CLOSED ? 0 : -1;
		return chrome_truncated(c, window_at(&c->window, c->window.j.end),
					STR_LIT(""), err);
	}
	if (!c->kineto.events_seen)
		foreign_add_key(&c->foreign, key);
	/* The key lies in a window that reading the value may replace. */
	char *copy = xstrndup(key.p, key.n);
	int rc = read_metadata(c, (struct str){ copy, key.n }, err);
	free(copy);
	return rc;
}

static enum json_status parse_key(struct json *j, void *to)
{
	struct entry *entry = to;
	struct json_value key;

	enum json_status status = json_member(j, entry->first, &key, &entry->done);
	entry->key = key.text;
	return status;
}

/* No entry can be read at `start`: passes over what stands there. */
static int skip_to_entry(struct chrome *c, const char *start, int status, struct err *err)
{
	struct window *w = &c->window;
	uint64_t offset = window_at(w, start);
	struct str excerpt = window_rest(w, start);

	w->j.flaws = 0;
	if (w->j.ended)
		return chrome_truncated(c, offset, excerpt, err);
	if (c->options->strict)
		return err_at(err, window_at(w, w->j.p), "%s",
			      w->j.what ? w->j.what : "a key is larger than 1 MiB");
	if (chrome_finding_at(c, FINDING_STRAY_TEXT, offset, STR_LIT(""), excerpt, err) <
	    0)
		return -1;
	if (status == JSON_MORE) { /* the key is passed over with its value */
		w->j.p = json_skip_blanks(start);
		w->j.p += *w->j.p == ',';
	} else {
		w->j.p += w->j.p < w->j.end;
	}
	return skip_value(c, err);
}

/* The top-level object, behind its '{'. */
static int read_object(struct chrome *c, struct err *err)
{
	struct entry entry = { .first = true };
	const char *start;
	int rc = 0;

	while (rc == 0 && !c->truncated) {
		if (window_keep_filled(&c->window, err) < 0)
			return -1;
		int status = window_parse(&c->window, parse_key, &entry,
					  CHROME_METADATA_MAX, &start, err);
		if (status == JSON_BAD && !c->options->strict) {
			status = repair_entry(c, &entry, &start, err);
			if (status == JSON_OK && repair_findings(c, start, err) < 0)
				return -1;
		}
		if (status < 0)
			return -1;
		if (status == JSON_OK && entry.done)
			return 0;
		entry.first = false;
		rc = status == JSON_OK ? read_entry(c, entry.key, err)
				       : skip_to_entry(c, start, status, err);
	}
	return rc;
}

/* Goes behind the blanks at j.p, or to the input's end. */
static int skip_blanks(struct window *w, struct err *err)
{
	while (json_blanks(&w->j) == JSON_MORE)
		if (window_move(w, w->j.p, w->size, err) < 0)
			return -1;
	return 0;
}

/* Zero bytes behind the end of the trace: what a file system put there. */
static int check_zeros(struct chrome *c, struct err *err)
{
	struct window *w = &c->window;

	if (w->j.p == w->j.end || *w->j.p)
		return 0;
	if (chrome_finding_at(c, FINDING_NUL_BYTES, window_at(w, w->j.p), STR_LIT(""),
			      STR_LIT(""), err) < 0)
		return -1;
	return window_pass_zeros(w, err);
}

/* Behind the end of the trace. */
static int check_rest(struct chrome *c, struct err *err)
{
	struct window *w = &c->window;

	if (skip_blanks(w, err) < 0 || check_zeros(c, err) < 0 ||
	    window_keep_filled(w, err) < 0)
		return -1;
	uint64_t offset = window_at(w, w->j.p);
	struct str rest = window_rest(w, w->j.p);
	struct str detail = { "", 0 };
	if (rest.n && (*rest.p == '{' || *rest.p == '['))
		detail = STR_LIT("a second JSON text follows, which was not read");
	if (rest.n &&
	    chrome_finding_at(c, FINDING_TRAILING_BYTES, offset, detail, rest, err) < 0)
		return -1;
	const char *damage = input_damage(w->whole);
	if (!damage)
		return 0;
	return chrome_finding_at(c, FINDING_COMPRESSION, offset, STR_LIT(""),
				 str_of(damage), err);
}

/* Nothing of a trace was found: because the input is damaged, or it is something else. */
static int no_trace(struct chrome *c,
		    int (*otherwise)(const struct foreign *, struct err *),
		    struct err *err)
{
	const char *damage = input_damage(c->window.whole);

	if (damage)
		return err_at(err, 0, "%s", damage);
	if (c->truncated)
		return err_at(err, 0, "the file ends inside its first event");
	return otherwise(&c->foreign, err);
}

static int is_empty(const struct foreign *unused, struct err *err)
{
	(void)unused;
	return err_at(err, 0, "the file is empty");
}

static int read_array(struct chrome *c, struct err *err)
{
	/* The format allows an array without its ']', but not half an event. */
	if (event_blocks_read(c, err) == LIST_FAILED)
		return -1;
	return c->has_phase ? 0 : no_trace(c, foreign_array, err);
}

/*
 * How times are written must be known before the first one is read.  Not through
 * windows that are smaller than what is looked at, which only tests have.
 */
static int look_at_times(struct chrome *c, struct input *in, struct err *err)
{
	if (c->window.size < PROBE_BYTES)
		return 0;
	struct bytes head = input_peek(in, PROBE_BYTES, err);

	if (err->kind != ERR_NONE)
		return -1;
	c->unpadded = unpadded_has(head, head.n < PROBE_BYTES);
	return 0;
}

/* How the text is encoded, where that is not plain UTF-8; goes behind a mark. */
static int check_encoding(struct chrome *c, struct err *err)
{
	struct window *w = &c->window;
	uint64_t offset = window_at(w, w->j.p);

	if (input_is_utf16(w->in) && chrome_finding_at(c, FINDING_UTF16, offset,
						       STR_LIT(""), STR_LIT(""), err) < 0)
		return -1;
	if (!str_starts_with(window_rest(w, w->j.p), STR_LIT(BOM)))
		return 0;
	w->j.p += BOM_LENGTH;
	return chrome_finding_at(c, FINDING_BYTE_ORDER_MARK, offset, STR_LIT(""),
				 STR_LIT(""), err);
}

/* To the first byte that is no mark and no blank. */
static int skip_head(struct chrome *c, struct err *err)
{
	struct window *w = &c->window;

	if (window_move(w, w->start, w->size < BOM_LENGTH ? BOM_LENGTH : w->size, err) <
	    0)
		return -1;
	if (check_encoding(c, err) < 0)
		return -1;
	return skip_blanks(w, err);
}

static int read_all(struct chrome *c, struct err *err)
{
	struct window *w = &c->window;

	if (skip_head(c, err) < 0)
		return -1;
	if (w->j.p >= w->j.end)
		return no_trace(c, is_empty, err);
	char bracket = *w->j.p++;
	if (bracket != '{' && bracket != '[')
		return err_at(err, window_at(w, w->j.p - 1), "not a JSON trace");
	if ((bracket == '{' ? read_object(c, err) : read_array(c, err)) < 0)
		return -1;
	if (bracket == '{' && !c->kineto.events_seen)
		return no_trace(c, foreign_object, err);
	if (c->foreign.nkeys && !c->has_phase && c->kineto.events_seen)
		return no_trace(c, foreign_array, err);
	if (check_rest(c, err) < 0)
		return -1;
	kineto_finish(c);
	return 0;
}

int chrome_read_windowed(struct input *in, const struct read_options *options,
			 struct sink *sink, size_t window, struct err *err)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->options = options;
	c->sink = sink;
	window_init(&c->window, in, sink, window);
	c->window.j.strict = options->strict;
	buf_init(&c->scratch, CHROME_SCRATCH_MAX);
	kineto_init(&c->kineto);
	intern_init(&c->keys);
	member_keys_init(c->event_keys);
	c->event.keys = c->event_keys;
	mend_init(&c->mend);
	c->mend.known = c->event_keys;
	int rc = look_at_times(c, in, err);
	if (rc == 0)
		rc = read_all(c, err);
	event_blocks_release(c);
	kineto_release(&c->kineto);
	xprof_release(&c->xprof);
	buf_release(&c->scratch);
	mend_release(&c->mend);
	intern_release(&c->keys);
	member_keys_release(c->event_keys);
	free(c);
	return rc;
}

static int chrome_read(struct input *in, const struct read_options *options,
		       struct sink *sink, struct err *err)
{
	return chrome_read_windowed(in, options, sink, WINDOW_BYTES, err);
}

extern const struct reader chrome_reader;
const struct reader chrome_reader = {
	.name = "chrome",
	.help = "Chrome trace events: torch.profiler, TensorBoard, any trace viewer",
	.probe = chrome_probe,
	.read = chrome_read,
	.has_processes = true,
};
