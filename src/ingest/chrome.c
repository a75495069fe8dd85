/*
 * The container of Chrome's Trace Event Format: an array of events, or an
 * object with traceEvents and metadata in any order.  Streams: the window holds
 * at least one event, and a broken one costs itself only.
 */
#include "ingest/chrome.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/decimal.h"

#define WINDOW_BYTES ((size_t)1 << 20)
#define LOW_WATER ((size_t)1 << 16)    /* refill when less than this is left */
#define EVENT_MAX ((size_t)64 << 20)   /* bytes that one event may take */
#define METADATA_MAX ((size_t)1 << 20) /* bytes of an entry beside the events */
#define SCRATCH_MAX ((size_t)256 << 20)
#define EXCERPT_MAX 120

/* Blanks and a UTF-8 byte order mark. */
static size_t skip_head(struct bytes head)
{
	size_t i = 0;

	if (head.n >= 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < head.n && strchr(" \t\r\n", head.p[i]) && head.p[i])
		i++;
	return i;
}

static bool contains(struct bytes head, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= head.n; i++)
		if (head.p[i] == (uint8_t)text[0] && memcmp(head.p + i, text, n) == 0)
			return true;
	return false;
}

static enum probe chrome_probe(struct bytes head)
{
	size_t at = skip_head(head);

	if (at == head.n || (head.p[at] != '{' && head.p[at] != '['))
		return PROBE_NO;
	if (contains(head, "\"traceEvents\""))
		return PROBE_SURE;
	if (contains(head, "\"ph\""))
		return PROBE_LIKELY;
	if (head.p[at] == '{')
		return contains(head, "\"schemaVersion\"") ? PROBE_LIKELY : PROBE_MAYBE;
	return head.n - at > 1 && at + 2 >= head.n ? PROBE_MAYBE : PROBE_NO;
}

static uint64_t offset_at(const struct chrome *c, const char *p)
{
	return c->window_offset + (uint64_t)(p - c->window);
}

/*
 * A window of at least `want` bytes from `from` on (fewer at the input's end).
 * Pointers into the old window are dead.
 */
static int refill(struct chrome *c, const char *from, size_t want, struct err *err)
{
	input_skip(c->in, (size_t)(from - c->window));
	struct bytes w = input_peek(c->in, want, err);
	if (err->kind != ERR_NONE)
		return -1;
	c->window = (const char *)w.p;
	c->window_offset = input_offset(c->in);
	c->j.p = c->window;
	c->j.end = c->window + w.n;
	c->j.last = w.n < want;
	return c->sink->tick(c->sink, input_consumed(c->in), input_size(c->in), err);
}

static int keep_filled(struct chrome *c, struct err *err)
{
	if (c->j.last || (size_t)(c->j.end - c->j.p) >= LOW_WATER)
		return 0;
	return refill(c, c->j.p, WINDOW_BYTES, err);
}

uint32_t chrome_text(struct chrome *c, const struct json_value *value)
{
	struct str text = value->text;

	if (value->type == JSON_STRING && (value->escaped || (c->j.flaws & JSON_FLAW_UTF8)))
		text = json_unescape(text, &c->scratch);
	return c->sink->text(c->sink, text);
}

struct ident chrome_ident(struct chrome *c, enum event_field field)
{
	const struct json_value *value = &c->event.field[field];
	struct ident id = { 0, TEXT_NONE };

	if (!event_has(&c->event, field) || value->type == JSON_NULL)
		return id;
	if (decimal_int(value->text, &id.number) != DECIMAL_OK)
		id.text = chrome_text(c, value);
	return id;
}

uint32_t chrome_track(struct chrome *c, enum track_kind kind)
{
	struct track_fact fact = { kind, chrome_ident(c, FIELD_PID), chrome_ident(c, FIELD_TID),
				   TEXT_NONE };

	if (fact.pid.text != TEXT_NONE || fact.tid.text != TEXT_NONE)
		return c->sink->track(c->sink, &fact);
	uint64_t key = (uint64_t)fact.pid.number * 31 + (uint64_t)fact.tid.number * 4 + kind;
	struct cached_track *slot = &c->tracks[hash_u64(key) & (TRACK_CACHE - 1)];
	if (!slot->used || slot->pid != fact.pid.number || slot->tid != fact.tid.number ||
	    slot->kind != kind)
		*slot = (struct cached_track){ fact.pid.number, fact.tid.number, kind, true,
					       c->sink->track(c->sink, &fact) };
	return slot->track;
}

static int finding_at(struct chrome *c, enum finding finding, uint64_t offset, struct str detail,
		      struct str excerpt, struct err *err)
{
	const struct finding_kind *kind = &finding_kinds[finding];

	if (excerpt.n > EXCERPT_MAX)
		excerpt.n = EXCERPT_MAX;
	if (c->options->strict && kind->severity >= SEVERITY_WARNING)
		return err_at(err, offset, "%s", kind->what);
	c->sink->finding(c->sink, finding, offset, detail, excerpt);
	return 0;
}

int chrome_finding(struct chrome *c, enum finding finding, struct str detail, struct err *err)
{
	return finding_at(c, finding, c->event.offset, detail, c->event.text, err);
}

/* The text from p on, for an excerpt. */
static struct str rest(const struct chrome *c, const char *p)
{
	return (struct str){ p, (size_t)(c->j.end - p) };
}

struct flaw_finding {
	unsigned flaw;
	enum finding finding;
};

static const struct flaw_finding flaw_findings[] = {
	{ JSON_FLAW_ESCAPE, FINDING_ESCAPE },
	{ JSON_FLAW_CONTROL, FINDING_CONTROL_CHARACTER },
	{ JSON_FLAW_UTF8, FINDING_UTF8 },
	{ JSON_FLAW_NUMBER, FINDING_NUMBER_SYNTAX },
	{ JSON_FLAW_NOT_FINITE, FINDING_NOT_FINITE },
};

/* Reports what the tokenizer noted since the last call. */
static int report_flaws(struct chrome *c, uint64_t offset, struct str excerpt, struct err *err)
{
	unsigned flaws = c->j.flaws;

	c->j.flaws = 0;
	for (size_t i = 0; i < sizeof(flaw_findings) / sizeof(*flaw_findings); i++)
		if (flaws & flaw_findings[i].flaw &&
		    finding_at(c, flaw_findings[i].finding, offset, STR_LIT(""), excerpt, err) < 0)
			return -1;
	return 0;
}

/* Keys that an event may begin with. */
static bool is_event_key(const char *p, size_t left)
{
	static const char *const keys[] = { "ph\"",  "name\"", "cat\"",  "pid\"", "tid\"",
					    "ts\"",  "args\"", "id\"",   "dur\"", "s\"",
					    "bp\"",  "tts\"",  "scope\"" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		size_t n = strlen(keys[i]);
		if (left >= n && memcmp(p, keys[i], n) == 0)
			return true;
	}
	return false;
}

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r';
}

/*
 * The next place behind `from` that looks like an event's '{': behind a comma,
 * a brace or a bracket, and followed by a key that events have.  NULL: none.
 */
static const char *next_event(const char *from, const char *end)
{
	for (const char *p = from; p < end; p++) {
		p = memchr(p, '{', (size_t)(end - p));
		if (!p)
			return NULL;
		const char *before = p;
		while (before > from && is_blank(before[-1]))
			before--;
		const char *key = p + 1;
		while (key < end && is_blank(*key))
			key++;
		if (before > from && strchr(",}[", before[-1]) && before[-1] && key < end &&
		    *key == '"' && is_event_key(key + 1, (size_t)(end - key - 1)))
			return p;
	}
	return NULL;
}

/*
 * The event at `start` has no reading: counts it and goes on at the next one.
 * 1 when there is a next one, 0 when the input ended.
 */
static int skip_event(struct chrome *c, const char *start, bool ended, struct err *err)
{
	uint64_t offset = offset_at(c, start);
	const char *next = next_event(start + 1, c->j.end);
	enum finding finding = FINDING_EVENT_SYNTAX;

	if (!next && ended && c->j.last)
		finding = FINDING_TRUNCATED;
	if (finding_at(c, finding, offset, STR_LIT(""), rest(c, start), err) < 0)
		return -1;
	while (!next && !c->j.last) {
		/* What follows '{' may lie behind the window's end: keep some of it. */
		size_t left = (size_t)(c->j.end - start);
		const char *from = left > 1024 ? c->j.end - 1024 : start + 1;
		if (refill(c, from, WINDOW_BYTES, err) < 0)
			return -1;
		start = c->window;
		next = next_event(start, c->j.end);
	}
	c->j.p = next ? next : c->j.end;
	return next ? 1 : 0;
}

/*
 * Parses the event at j.p into c->event, with a larger window or in repair mode
 * when it must be.  1: there it is; 0: it was skipped or the input ended (j.p
 * has moved on); -1: err is set.
 */
static int read_event(struct chrome *c, struct err *err)
{
	size_t want = WINDOW_BYTES;
	const char *start = c->j.p;
	bool ended = false;

	for (;;) {
		c->j.ended = false;
		c->j.p = start;
		enum json_status status = event_parse(&c->j, &c->event);
		if (status == JSON_OK)
			break;
		if (status == JSON_MORE && want < EVENT_MAX) {
			want *= 2;
			if (refill(c, start, want, err) < 0)
				return -1;
			start = c->window;
			continue;
		}
		if (!c->j.repair && !c->options->strict) {
			ended = c->j.ended;
			c->j.flaws = 0;
			c->j.repair = true;
			continue;
		}
		c->j.repair = false;
		c->j.flaws = 0;
		if (c->options->strict)
			return err_at(err, offset_at(c, c->j.p), "%s",
				      c->j.what ? c->j.what : "an event is larger than 64 MiB");
		return skip_event(c, start, ended, err) < 0 ? -1 : 0;
	}
	c->event.offset = offset_at(c, start);
	bool repaired = c->j.repair;
	c->j.repair = false;
	if (repaired && chrome_finding(c, FINDING_NAME_REPAIRED, STR_LIT(""), err) < 0)
		return -1;
	return 1;
}

static int on_event(struct chrome *c, struct err *err)
{
	int got = read_event(c, err);

	if (got <= 0)
		return got;
	c->nevents++;
	int rc = phase_event(c, err);
	if (rc == 0 && c->j.flaws)
		rc = report_flaws(c, c->event.offset, c->event.text, err);
	c->j.flaws = 0;
	return rc;
}

/* An entry of the event list that is no object. */
static int on_other(struct chrome *c, struct err *err)
{
	struct json_value value;
	const char *start = c->j.p;
	enum json_status status = json_value(&c->j, &value);

	c->j.flaws = 0;
	if (status == JSON_OK)
		return finding_at(c, FINDING_EVENT_NOT_OBJECT, offset_at(c, start), STR_LIT(""),
				  value.text, err);
	if (c->options->strict)
		return err_at(err, offset_at(c, start), "an event was expected");
	return skip_event(c, start, c->j.ended, err) < 0 ? -1 : 0;
}

/* A comma of the event list; commas_before: how many stood since the last event. */
static int on_comma(struct chrome *c, int commas_before, struct err *err)
{
	const char *at = c->j.p++;

	if (commas_before == 0)
		return 0;
	return finding_at(c, FINDING_EXTRA_COMMA, offset_at(c, at), STR_LIT(""), rest(c, at), err);
}

static int truncated(struct chrome *c, struct err *err)
{
	return finding_at(c, FINDING_TRUNCATED, offset_at(c, c->j.end), STR_LIT(""),
			  STR_LIT(""), err);
}

/* The event list, behind its '['.  *closed: its ']' was there. */
static int read_events(struct chrome *c, bool *closed, struct err *err)
{
	int commas = 1; /* none is owed before the first event */

	*closed = false;
	for (bool first = true;;) {
		if (keep_filled(c, err) < 0)
			return -1;
		enum json_status status = json_blanks(&c->j);
		if (status == JSON_MORE)
			continue;
		if (status == JSON_BAD)
			return 0;
		int rc = 0;
		switch (*c->j.p) {
		case ']':
			*closed = true;
			if (!first && commas)
				rc = on_comma(c, 1, err);
			else
				c->j.p++;
			return rc;
		case ',':
			rc = on_comma(c, commas++, err);
			break;
		default:
			if (!commas && finding_at(c, FINDING_MISSING_COMMA, offset_at(c, c->j.p),
						  STR_LIT(""), rest(c, c->j.p), err) < 0)
				return -1;
			commas = 0;
			first = false;
			rc = *c->j.p == '{' ? on_event(c, err) : on_other(c, err);
		}
		if (rc < 0)
			return -1;
	}
}

/* Passes over the value at j.p without keeping it, however large it is. */
static int skip_large(struct chrome *c, struct err *err)
{
	bool in_string = false, escaped = false;
	int64_t depth = 0;

	for (;; c->j.p++) {
		if (c->j.p >= c->j.end) {
			if (c->j.last)
				return 0;
			if (refill(c, c->j.end, WINDOW_BYTES, err) < 0)
				return -1;
			if (c->j.p >= c->j.end)
				return 0;
		}
		char ch = *c->j.p;
		if (in_string) {
			in_string = escaped || ch != '"';
			escaped = !escaped && ch == '\\';
		} else if (ch == '"') {
			in_string = true;
		} else if (ch == '{' || ch == '[') {
			depth++;
		} else if (ch == '}' || ch == ']') {
			if (--depth <= 0) {
				c->j.p += depth == 0;
				return 0;
			}
		} else if (ch == ',' && depth == 0) {
			return 0;
		}
	}
}

/* The value of an entry beside the events, key `name`. */
static int read_metadata(struct chrome *c, struct str name, struct err *err)
{
	struct json_value value;

	if ((size_t)(c->j.end - c->j.p) < METADATA_MAX && !c->j.last &&
	    refill(c, c->j.p, METADATA_MAX, err) < 0)
		return -1;
	const char *start = c->j.p;
	uint64_t offset = offset_at(c, start);
	enum json_status status = json_value(&c->j, &value);
	if (status == JSON_OK) {
		kineto_metadata(c, name, &value);
		return report_flaws(c, offset, value.text, err);
	}
	c->j.p = start;
	c->j.flaws = 0;
	if (c->options->strict && status == JSON_BAD)
		return err_at(err, offset, "%s", c->j.what);
	if (finding_at(c, status == JSON_MORE ? FINDING_METADATA_SIZE : FINDING_EVENT_SYNTAX, offset,
		       name, rest(c, start), err) < 0)
		return -1;
	return skip_large(c, err);
}

/* One entry of the top-level object; its key is already read. */
static int read_entry(struct chrome *c, struct json_value *key, struct err *err)
{
	bool closed;

	if (str_is(key->text, "traceEvents") && *c->j.p == '[') {
		c->j.p++;
		c->kineto.events_seen = true;
		if (read_events(c, &closed, err) < 0)
			return -1;
		return closed ? 0 : truncated(c, err);
	}
	/* The key lies in a window that reading the value may replace. */
	char *name = xstrndup(key->text.p, key->text.n);
	int rc = read_metadata(c, str_of(name), err);
	free(name);
	return rc;
}

/* The top-level object, behind its '{'. */
static int read_object(struct chrome *c, struct err *err)
{
	struct json_value key;
	bool done = false;

	for (bool first = true;; first = false) {
		if (keep_filled(c, err) < 0)
			return -1;
		if (c->j.last && c->j.p >= c->j.end)
			return first ? 0 : truncated(c, err);
		enum json_status status = json_member(&c->j, first, &key, &done);
		if (status == JSON_BAD && !c->j.ended && c->options->strict)
			return err_at(err, offset_at(c, c->j.p), "%s", c->j.what);
		if (status != JSON_OK)
			return truncated(c, err);
		if (done)
			return 0;
		if (read_entry(c, &key, err) < 0)
			return -1;
	}
}

/* Behind the end of the trace. */
static int check_rest(struct chrome *c, struct err *err)
{
	if (keep_filled(c, err) < 0)
		return -1;
	while (c->j.p < c->j.end && is_blank(*c->j.p))
		c->j.p++;
	if (c->j.p < c->j.end)
		return finding_at(c, FINDING_TRAILING_BYTES, offset_at(c, c->j.p), STR_LIT(""),
				  rest(c, c->j.p), err);
	const char *damage = input_damage(c->in);
	if (damage)
		return finding_at(c, FINDING_COMPRESSION, offset_at(c, c->j.end), STR_LIT(""),
				  str_of(damage), err);
	return 0;
}

static int read_all(struct chrome *c, struct err *err)
{
	bool closed = true;

	if (refill(c, c->window, WINDOW_BYTES, err) < 0)
		return -1;
	struct bytes head = { (const uint8_t *)c->j.p, (size_t)(c->j.end - c->j.p) };
	c->j.p += skip_head(head);
	if (c->j.p >= c->j.end)
		return err_at(err, 0, "the file is empty");
	c->object_form = *c->j.p == '{';
	if (!c->object_form && *c->j.p != '[')
		return err_at(err, offset_at(c, c->j.p), "this is no JSON trace");
	c->j.p++;
	if (c->object_form) {
		if (read_object(c, err) < 0)
			return -1;
		if (!c->kineto.events_seen)
			return err_at(err, 0, "a JSON object without traceEvents is no trace");
	} else {
		/* The format allows an array without its ']', but not half an event. */
		if (read_events(c, &closed, err) < 0)
			return -1;
		if (c->nevents == 0)
			return err_at(err, 0, "a JSON array without events is no trace");
	}
	if (check_rest(c, err) < 0)
		return -1;
	kineto_finish(c);
	return 0;
}

static int chrome_read(struct input *in, const struct read_options *options, struct sink *sink,
		       struct err *err)
{
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->in = in;
	c->options = options;
	c->sink = sink;
	c->window = "";
	c->window_offset = input_offset(in);
	buf_init(&c->scratch, SCRATCH_MAX);
	kineto_init(&c->kineto);
	int rc = read_all(c, err);
	kineto_release(&c->kineto);
	buf_release(&c->scratch);
	free(c);
	return rc;
}

extern const struct reader chrome_reader;
const struct reader chrome_reader = {
	.name = "chrome",
	.help = "Chrome trace events: torch.profiler, TensorBoard, any trace viewer",
	.probe = chrome_probe,
	.read = chrome_read,
};
