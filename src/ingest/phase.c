/*
 * The phases (ph) of Chrome's Trace Event Format, one function each, and the
 * table of them.  Phases that no view uses are counted, never silently lost.
 */
#include "base/decimal.h"
#include "base/spelt.h"
#include "base/utf8.h"
#include "ingest/chrome.h"
#include "ingest/event.h"
#include "ingest/pipeline.h"
#include "ingest/sink.h"
#include "ingest/unpadded.h"
#include "trace/export_marks.h"

struct chrome;

struct naming_name {
	const char *name; /* of the event */
	const char *arg;  /* what holds the value */
	enum naming_kind kind;
};

static const struct naming_name names[] = {
	{ "process_name", "name", NAMING_PROCESS },
	{ "process_labels", "labels", NAMING_PROCESS_LABELS },
	{ "process_sort_index", "sort_index", NAMING_PROCESS_SORT },
	{ "thread_name", "name", NAMING_THREAD },
	{ "thread_sort_index", "sort_index", NAMING_THREAD_SORT },
};

/* What the current event of that name says; false: it is no naming, or a broken one. */
static bool find_naming(struct chrome *c, struct str name, struct naming_fact *out)
{
	const struct json_value *value = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!str_is(name, names[i].name))
			continue;
		out->kind = names[i].kind;
		value = event_arg(&c->event, names[i].arg);
		break;
	}
	if (!value || value->type == JSON_NULL)
		return false;
	if (naming_is_sort(out->kind))
		return decimal_int(value->text, &out->index) == DECIMAL_OK;
	out->text = chrome_cut(c, json_unescape(value->text, &c->scratch));
	return true;
}

static int note_xprof(struct chrome *c, const struct naming_fact *naming, struct err *err)
{
	struct xprof *x = &c->xprof;
	bool is_kept = true;

	if (naming->kind == NAMING_PROCESS)
		is_kept = xprof_process_name(x, naming->pid, naming->text);
	else if (naming->kind == NAMING_THREAD)
		is_kept = xprof_thread_name(x, naming->pid, naming->tid, naming->text);
	return is_kept ? 0 : chrome_finding(c, FINDING_MANY_ROWS, STR_LIT(""), err);
}

/* An object or array is no name: its brackets and quotes would not make a JSON key. */
static struct str metadata_name(const struct event *e)
{
	enum json_type type = e->field[FIELD_NAME].type;

	if (event_has(e, FIELD_NAME) && (type == JSON_OBJECT || type == JSON_ARRAY))
		return STR_LIT("");
	return event_text(e, FIELD_NAME);
}

/* TraceLens's TraceFuse keeps in args what it changes to merge the files of ranks. */
static void tell_origin(struct chrome *c, const struct naming_fact *named)
{
	const struct json_value *rank = event_arg(&c->event, "rank");
	const struct json_value *pid = event_arg(&c->event, "pid_raw");
	struct naming_fact naming = *named;

	if (!rank || !pid || decimal_int(rank->text, &naming.index) != DECIMAL_OK)
		return;
	if (decimal_int(pid->text, &naming.origin_pid) != DECIMAL_OK)
		naming.origin_pid = NUMBER_NONE;
	if (naming.pid.text != TEXT_NONE)
		return; /* it is a part of it: chrome_other_ident() */
	naming.kind = NAMING_PROCESS_ORIGIN;
	naming.text = STR_LIT("");
	c->sink->naming(c->sink, &naming);
}

/* It is kept under its name, as an entry beside the events is, and with its limit. */
static int unknown_naming(struct chrome *c, struct str name, struct err *err)
{
	const struct json_value null = { .text = STR_LIT("null"), .type = JSON_NULL };
	const struct json_value *args =
		event_has(&c->event, FIELD_ARGS) ? &c->event.field[FIELD_ARGS] : &null;

	if (name.n > CHROME_METADATA_MAX || args->text.n > CHROME_METADATA_MAX)
		return chrome_finding(c, FINDING_METADATA_SIZE,
				      utf8_cut(name, CHROME_KEY_SHOWN), err);
	chrome_metadata(c, name, args);
	return 0;
}

/* Metadata of a process or thread. */
static int naming_event(struct chrome *c, struct err *err)
{
	const struct event *e = &c->event;
	struct str name = metadata_name(e);
	struct naming_fact naming = { .pid = chrome_ident(c, FIELD_PID),
				      .tid = chrome_ident(c, FIELD_TID),
				      .offset = e->offset };

	if (!find_naming(c, name, &naming))
		return unknown_naming(c, name, err);
	if (note_xprof(c, &naming, err) < 0)
		return -1;
	c->sink->naming(c->sink, &naming);
	tell_origin(c, &naming);
	return 0;
}

static enum decimal_status read_us(const struct chrome *c, enum event_field field,
				   int64_t *ns)
{
	const struct json_value *value = &c->event.field[field];

	return c->unpadded ? unpadded_us_to_ns(value->text, ns)
			   : json_us_to_ns(value, ns);
}

int chrome_time(struct chrome *c, int64_t *ns, struct err *err)
{
	enum decimal_status status = DECIMAL_BAD;

	if (event_has(&c->event, FIELD_TS))
		status = read_us(c, FIELD_TS, ns);
	if (status == DECIMAL_BAD)
		return chrome_finding(c, FINDING_NO_TIME, STR_LIT(""), err);
	if (!time_is_possible(*ns))
		return chrome_finding(c, FINDING_TIME_RANGE, STR_LIT(""), err);
	return 1;
}

/* What a ph means here.  `handle` is NULL for a phase that no view uses. */
struct phase {
	char ph;
	int (*handle)(struct chrome *c, struct err *err);
};

/* The class's own track: a stream has one for its work and one for the rest. */
static enum track_kind kind_of_class(enum slice_class class)
{
	if (class_is_device_work(class))
		return TRACK_STREAM;
	if (class == CLASS_SYNC || class == CLASS_DEVICE_ANNOTATION)
		return TRACK_STREAM_NOTES;
	return TRACK_THREAD;
}

/* Name, category, class and ids; ts is set by the caller. */
static void fill_slice(struct chrome *c, struct slice_fact *slice,
		       struct kineto_facts *facts)
{
	const struct event *e = &c->event;

	slice->name = chrome_name(c);
	slice->category = chrome_category(c);
	slice->class = kineto_class(&c->kineto, e);
	slice->offset = e->offset;
	slice->correlation = NUMBER_NONE;
	slice->external_id = NUMBER_NONE;
	if (c->xprof.seen && slice->class == CLASS_OTHER &&
	    slice->phase == PHASE_COMPLETE)
		xprof_slice(c, slice, facts);
	if (slice->class == CLASS_OTHER && slice->phase == PHASE_COMPLETE &&
	    pipeline_slice(c, slice, facts))
		return;
	if (!str_is(event_text(e, FIELD_CAT), EXPORT_IDLE))
		c->kineto.told.others = true;
	if (e->nargs)
		kineto_args(c, slice, facts);
}

static int many_args(struct chrome *c, struct err *err)
{
	if (c->event.lost_args == 0)
		return 0;
	return chrome_finding(c, FINDING_MANY_ARGS, STR_LIT(""), err);
}

/* A memory record that does not say how much is an instant like any other. */
static int check_memory(struct chrome *c, struct slice_fact *slice, struct err *err)
{
	const struct memory_fact *memory = slice->memory;

	if (slice->class != CLASS_MEMORY ||
	    (memory && (memory->bytes != NUMBER_NONE || memory->out_of_memory)))
		return 0;
	slice->memory = NULL;
	return chrome_finding(c, FINDING_MEMORY_FIELDS, STR_LIT(""), err);
}

static int emit(struct chrome *c, struct slice_fact *slice, struct err *err)
{
	kineto_note_event(c, slice);
	if (lacks_slice(c, slice, err) < 0 || many_args(c, err) < 0 ||
	    check_memory(c, slice, err) < 0)
		return -1;
	/* what a pipeline's operations are, their args alone tell */
	bool keeps =
		c->options->keep_args || (slice->is_step && slice->class == CLASS_KERNEL);
	if (keeps && event_has(&c->event, FIELD_ARGS))
		slice->args = chrome_json(c, &c->event.field[FIELD_ARGS]);
	return c->sink->slice(c->sink, slice, err);
}

/* dur of the current event, as recorded; an unreadable one marks it unfinished. */
static int event_duration(struct chrome *c, struct slice_fact *slice, struct err *err)
{
	enum decimal_status status = DECIMAL_BAD;

	if (event_has(&c->event, FIELD_DUR))
		status = read_us(c, FIELD_DUR, &slice->dur_ns);
	if (status == DECIMAL_BAD) {
		/* Begun and never ended: the loader closes it with the trace. */
		slice->phase = PHASE_BEGIN;
		slice->dur_ns = 0;
		slice->unfinished = true;
		return chrome_finding(c, FINDING_NO_DURATION, STR_LIT(""), err) < 0 ? -1
										    : 1;
	}
	/* The end is a time, too. */
	bool beyond = dur_is_possible(slice->dur_ns)
			      ? slice->dur_ns > INT64_MAX / 2 - slice->ts_ns
			      : status == DECIMAL_TOO_BIG && slice->dur_ns > 0;
	if (beyond)
		return chrome_finding(c, FINDING_TIME_RANGE, STR_LIT(""), err);
	return 1;
}

/* Tells a duration that cannot be; the sink sets the slice apart. */
static int check_duration(struct chrome *c, const struct slice_fact *slice,
			  struct err *err)
{
	if (dur_is_possible(slice->dur_ns))
		return 0;
	return chrome_finding(c,
			      slice->dur_ns < 0 ? FINDING_NEGATIVE_DURATION
						: FINDING_IMPOSSIBLE_DURATION,
			      STR_LIT(""), err);
}

static int on_complete(struct chrome *c, struct err *err)
{
	struct slice_fact slice = { .phase = PHASE_COMPLETE };
	struct kineto_facts facts;

	int rc = chrome_time(c, &slice.ts_ns, err);
	if (rc > 0)
		rc = event_duration(c, &slice, err);
	if (rc <= 0)
		return rc;
	fill_slice(c, &slice, &facts);
	if (slice.class == CLASS_MEMORY) {
		/* Its dur and its "finished" are the exporter's filling. */
		slice.phase = PHASE_INSTANT;
		slice.dur_ns = 0;
		slice.unfinished = false;
	}
	if (slice.class == CLASS_OTHER &&
	    str_is(event_text(&c->event, FIELD_CAT), EXPORT_IDLE))
		return 0;
	slice.track = chrome_track(c, kind_of_class(slice.class));
	if (c->kineto.told.marks.list && kineto_list_slice(c, &slice, &facts, err) < 0)
		return -1;
	if (check_duration(c, &slice, err) < 0 || emit(c, &slice, err) < 0)
		return -1;
	return event_has(&c->event, FIELD_BIND_ID) ? arrow_on_slice(c, &slice, false, err)
						   : 0;
}

static int on_thread_slice(struct chrome *c, enum slice_phase phase, struct err *err)
{
	struct slice_fact slice = { .phase = phase };
	struct kineto_facts facts;

	int rc = chrome_time(c, &slice.ts_ns, err);
	if (rc <= 0)
		return rc;
	fill_slice(c, &slice, &facts);
	slice.track = chrome_track(c, kind_of_class(slice.class));
	if (emit(c, &slice, err) < 0)
		return -1;
	return phase != PHASE_END && event_has(&c->event, FIELD_BIND_ID)
		       ? arrow_on_slice(c, &slice, false, err)
		       : 0;
}

static int on_begin(struct chrome *c, struct err *err)
{
	return on_thread_slice(c, PHASE_BEGIN, err);
}

static int on_end(struct chrome *c, struct err *err)
{
	return on_thread_slice(c, PHASE_END, err);
}

static int on_instant(struct chrome *c, struct err *err)
{
	return on_thread_slice(c, PHASE_INSTANT, err);
}

static bool is_number(const struct json_value *value, double *number)
{
	return (value->type == JSON_NUMBER || value->type == JSON_STRING) &&
	       decimal_real(value->text, number);
}

/* The number of the text that a group's name and an id make together. */
static uint32_t joined_text(struct chrome *c, const struct str *parts, size_t n)
{
	struct buf joined;
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += parts[i].n;
	buf_init(&joined, size);
	for (size_t i = 0; i < n; i++)
		buf_add_str(&joined, parts[i]);
	uint32_t text = chrome_made_text(c, buf_str(&joined));
	buf_release(&joined);
	return text;
}

/*
 * A counter's id is part of its name.  Each series has all of the name in the store: 0, with
 * a finding where that is too much.
 */
static int counter_name(struct chrome *c, uint32_t *text, struct err *err)
{
	struct event *e = &c->event;
	struct json_value id = { .text = STR_LIT("") };
	bool local, has_id = chrome_id(e, &id, &local);
	struct str parts[] = { event_text(e, FIELD_NAME), STR_LIT("["), id.text,
			       STR_LIT("]") };
	size_t n = parts[0].n + parts[2].n;
	bool is_short = n <= SPELT_PART || n * e->nargs / SPELT_PER_BYTE <= e->text.n;
	size_t most = is_short ? n : SPELT_PART;

	parts[0] = utf8_cut(parts[0], most);
	parts[2] = utf8_cut(parts[2], most);
	bool is_cut = parts[0].n + parts[2].n < n;
	if (has_id || is_cut)
		*text = joined_text(c, parts, has_id ? 4 : 1);
	else
		*text = chrome_name(c);
	return is_cut ? chrome_finding(c, FINDING_SHARED_SIZE, STR_LIT(""), err) : 0;
}

/* Every member of args is a series of the counter. */
static int on_counter(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	struct counter_fact counter = { .pid = chrome_ident(c, FIELD_PID),
					.offset = e->offset };

	int rc = chrome_time(c, &counter.ts_ns, err);
	if (rc <= 0)
		return rc;
	/* Other args are told of, or an exporter stripped them. */
	if (e->nargs == 0 && (e->args_is_object || !event_has(e, FIELD_ARGS)))
		return chrome_finding(c, FINDING_COUNTER_VALUE, STR_LIT("no series"),
				      err);
	if (counter_name(c, &counter.name, err) < 0)
		return -1;
	for (size_t i = 0; i < e->nargs; i++) {
		if (!is_number(&e->args[i].value, &counter.value)) {
			if (chrome_finding(c, FINDING_COUNTER_VALUE, STR_LIT(""), err) <
			    0)
				return -1;
			continue;
		}
		counter.series = chrome_made_text(c, e->args[i].key);
		if (c->sink->counter(c->sink, &counter, err) < 0)
			return -1;
	}
	return many_args(c, err);
}

/* The name of a legacy asynchronous event's part. */
static const struct json_value *step_name(const struct event *e, enum slice_phase phase)
{
	return phase == PHASE_STEP_INTO || phase == PHASE_STEP_PAST ? event_arg(e, "step")
								    : NULL;
}

enum async_kind { ASYNC_LEGACY = 1, ASYNC_LOCAL = 2, ASYNC_SCOPED = 4 };

static uint64_t plain_length(struct chrome *c, struct str text)
{
	return json_unescape(text, &c->scratch).n;
}

/*
 * An asynchronous slice lives on a track of its own: nestable ones (b n e) by
 * category, scope and id, legacy ones (S T p F) by name and id.
 */
static void set_async_track(struct chrome *c, unsigned kind, struct str id,
			    struct track_fact *track)
{
	const struct event *e = &c->event;
	struct str front = event_text(e, kind & ASYNC_LEGACY ? FIELD_NAME : FIELD_CAT);
	struct str scope = event_text(e, FIELD_SCOPE);

	kind |= event_has(e, FIELD_SCOPE) ? ASYNC_SCOPED : 0;
	struct str parts[] = { front, kind & ASYNC_SCOPED ? STR_LIT(":") : STR_LIT(""),
			       scope, STR_LIT(" "), id };
	track->scope = joined_text(c, parts, 5);
	/* where one part ends and the next one begins: texts are shorter than 2^30 */
	track->parts = (uint64_t)kind << 60 | plain_length(c, front) << 30 |
		       plain_length(c, scope);
	if (kind & ASYNC_LOCAL)
		track->pid = chrome_ident(c, FIELD_PID);
}

static int on_async(struct chrome *c, enum slice_phase phase, bool legacy,
		    struct err *err)
{
	const struct event *e = &c->event;
	struct slice_fact slice = { .phase = phase };
	struct track_fact track = { .kind = TRACK_ASYNC,
				    .pid = { 0, TEXT_NONE },
				    .tid = { 0, TEXT_NONE } };
	struct kineto_facts facts;
	struct json_value id;
	bool local;

	int rc = chrome_time(c, &slice.ts_ns, err);
	if (rc <= 0)
		return rc;
	if (!chrome_id(e, &id, &local))
		return chrome_finding(c, FINDING_NO_ID, STR_LIT(""), err);
	set_async_track(c, (legacy ? ASYNC_LEGACY : 0) | (local ? ASYNC_LOCAL : 0),
			id.text, &track);
	fill_slice(c, &slice, &facts);
	slice.track = c->sink->track(c->sink, &track);
	const struct json_value *step = step_name(e, phase);
	if (step)
		slice.name = chrome_text(c, step);
	if (emit(c, &slice, err) < 0)
		return -1;
	return event_has(e, FIELD_BIND_ID) ? arrow_on_slice(c, &slice, true, err) : 0;
}

static int on_async_begin(struct chrome *c, struct err *err)
{
	return on_async(c, PHASE_BEGIN, c->event.field[FIELD_PH].text.p[0] == 'S', err);
}

static int on_async_end(struct chrome *c, struct err *err)
{
	return on_async(c, PHASE_END, c->event.field[FIELD_PH].text.p[0] == 'F', err);
}

static int on_async_instant(struct chrome *c, struct err *err)
{
	return on_async(c, PHASE_INSTANT, false, err);
}

static int on_async_step_into(struct chrome *c, struct err *err)
{
	return on_async(c, PHASE_STEP_INTO, true, err);
}

static int on_async_step_past(struct chrome *c, struct err *err)
{
	return on_async(c, PHASE_STEP_PAST, true, err);
}

static const struct phase phases[] = {
	{ 'X', on_complete },
	{ 'i', on_instant },
	{ 's', arrow_event },
	{ 'f', arrow_event },
	{ 't', arrow_event },
	{ 'M', naming_event },
	{ 'C', on_counter },
	{ 'B', on_begin },
	{ 'E', on_end },
	{ 'b', on_async_begin },
	{ 'n', on_async_instant },
	{ 'e', on_async_end },
	{ 'S', on_async_begin },
	{ 'T', on_async_step_into },
	{ 'p', on_async_step_past },
	{ 'F', on_async_end },
	{ 'I', on_instant }, /* the old spelling of i */
	{ 'R', on_instant }, /* navigation marks */
	{ 'P', NULL },       /* samples */
	{ 'N', NULL },       /* objects: created, snapshot, deleted */
	{ 'O', NULL },
	{ 'D', NULL },
	{ 'v', NULL }, /* memory dumps */
	{ 'V', NULL },
	{ 'c', NULL }, /* clock syncs */
	{ '(', NULL }, /* contexts */
	{ ')', NULL },
};

/* JAX ends its list with {}, to be done with commas; anything else is damaged, or no event. */
static int no_phase(struct chrome *c, struct err *err)
{
	struct str text = c->event.text;

	if (json_skip_blanks(text.p + 1) == text.p + text.n - 1)
		return chrome_finding(c, FINDING_EMPTY_EVENT, STR_LIT(""), err);
	if (c->is_ahead)
		return chrome_doubt(c);
	if (!c->has_phase)
		foreign_add_object(&c->foreign, text);
	return chrome_finding(c, FINDING_NO_PHASE, STR_LIT(""), err);
}

int phase_event(struct chrome *c, struct err *err)
{
	struct str ph = event_text(&c->event, FIELD_PH);

	if ((c->event.twice || c->event.args_is_odd) && lacks_event(c, err) < 0)
		return -1;
	if (ph.n == 0)
		return no_phase(c, err);
	c->has_phase = true;
	for (size_t i = 0; ph.n == 1 && i < sizeof(phases) / sizeof(*phases); i++) {
		if (phases[i].ph != ph.p[0])
			continue;
		/* Of the first event that has a phase: a damaged one before it tells nothing. */
		if (!c->kineto.told.phase_seen)
			kineto_note_first(&c->kineto, &c->event);
		c->kineto.told.phase_seen = true;
		if (!phases[i].handle)
			return chrome_finding(c, FINDING_UNUSED_PHASE, ph, err);
		int rc = phases[i].handle(c, err);
		return rc == 0 && c->kineto.flaws ? lacks_numbers(c, err) : rc;
	}
	if (ph.n > 16)
		ph.n = 16;
	return chrome_finding(c, FINDING_UNKNOWN_PHASE, ph, err);
}
