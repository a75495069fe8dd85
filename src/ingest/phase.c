/*
 * The phases (ph) of Chrome's Trace Event Format, one function each, and the
 * table of them.  Phases that no view uses are counted, never silently lost.
 */
#include "ingest/chrome.h"
#include "ingest/decimal.h"

/* What a ph means here.  `handle` is NULL for a phase that no view uses. */
struct phase {
	char ph;
	int (*handle)(struct chrome *c, struct err *err);
};

/* ts of the current event: 1 and *ns; 0 when it was skipped with a finding; -1. */
static int event_time(struct chrome *c, int64_t *ns, struct err *err)
{
	enum decimal_status status = DECIMAL_BAD;

	if (event_has(&c->event, FIELD_TS))
		status = decimal_us_to_ns(c->event.field[FIELD_TS].text, ns);
	if (status == DECIMAL_BAD)
		return chrome_finding(c, FINDING_NO_TIME, STR_LIT(""), err);
	/* Half the range: sums and differences of two times must fit as well. */
	if (*ns > INT64_MAX / 2 || *ns < INT64_MIN / 2)
		return chrome_finding(c, FINDING_TIME_RANGE, STR_LIT(""), err);
	return 1;
}

/* The class's own track: a stream has one for its work and one for the rest. */
static enum track_kind kind_of_class(enum slice_class class)
{
	if (class_is_device_work(class))
		return TRACK_STREAM;
	if (class == CLASS_SYNC || class == CLASS_DEVICE_ANNOTATION)
		return TRACK_STREAM_NOTES;
	return TRACK_THREAD;
}

static uint32_t event_name(struct chrome *c)
{
	if (!event_has(&c->event, FIELD_NAME))
		return c->sink->text(c->sink, STR_LIT(""));
	return chrome_text(c, &c->event.field[FIELD_NAME]);
}

/* TEXT_NONE when it has none. */
static uint32_t event_category(struct chrome *c)
{
	if (!event_has(&c->event, FIELD_CAT))
		return TEXT_NONE;
	return chrome_text(c, &c->event.field[FIELD_CAT]);
}

/* An arrow's id: "31" and 31 are the same, and so is "0x1f". */
static struct ident flow_id(struct chrome *c, const struct json_value *id)
{
	struct ident ident = { 0, TEXT_NONE };

	if (decimal_id(id->text, &ident.number))
		return ident;
	ident.text = chrome_text(c, id);
	return ident;
}

/* Name, category, class and ids; ts is set by the caller. */
static void fill_slice(struct chrome *c, struct slice_fact *slice,
		       struct kineto_facts *facts)
{
	const struct event *e = &c->event;

	slice->name = event_name(c);
	slice->category = event_category(c);
	slice->class = kineto_class(&c->kineto, e);
	slice->offset = e->offset;
	slice->correlation = NUMBER_NONE;
	slice->external_id = NUMBER_NONE;
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
	if (many_args(c, err) < 0 || check_memory(c, slice, err) < 0)
		return -1;
	if (c->options->keep_args && event_has(&c->event, FIELD_ARGS))
		slice->args = chrome_json(c, &c->event.field[FIELD_ARGS]);
	return c->sink->slice(c->sink, slice, err);
}

/* The two halves of a flow of version 2, which ride on a slice. */
static int flow_v2(struct chrome *c, const struct slice_fact *slice, struct err *err)
{
	const struct event *e = &c->event;

	bool in =
		event_has(e, FIELD_FLOW_IN) && e->field[FIELD_FLOW_IN].type == JSON_TRUE;
	bool out = event_has(e, FIELD_FLOW_OUT) &&
		   e->field[FIELD_FLOW_OUT].type == JSON_TRUE;
	if (!event_has(e, FIELD_BIND_ID) || (!in && !out))
		return 0;
	uint32_t text = c->sink->text(c->sink, STR_LIT("bind_id"));
	struct flow_fact flow = {
		.ts_ns = slice->ts_ns,
		.pid = chrome_ident(c, FIELD_PID),
		.tid = chrome_ident(c, FIELD_TID),
		.category = text,
		.name = text,
		.id = flow_id(c, &e->field[FIELD_BIND_ID]),
		.end = in && out ? FLOW_STEP
		       : in      ? FLOW_FINISH
				 : FLOW_START,
		.enclosing = true,
		.offset = e->offset,
	};
	return c->sink->flow(c->sink, &flow, err);
}

/* dur of the current event; an unreadable or negative one marks it unfinished. */
static int event_duration(struct chrome *c, struct slice_fact *slice, struct err *err)
{
	enum decimal_status status = DECIMAL_BAD;

	if (event_has(&c->event, FIELD_DUR))
		status = decimal_us_to_ns(c->event.field[FIELD_DUR].text, &slice->dur_ns);
	/* The end is a time, too. */
	if (status != DECIMAL_BAD && slice->dur_ns > INT64_MAX / 2 - slice->ts_ns)
		return chrome_finding(c, FINDING_TIME_RANGE, STR_LIT(""), err);
	if (status == DECIMAL_OK && slice->dur_ns >= 0)
		return 1;
	enum finding finding = FINDING_NEGATIVE_DURATION;
	if (status == DECIMAL_BAD) {
		/* Begun and never ended: the loader closes it with the trace. */
		slice->phase = PHASE_BEGIN;
		finding = FINDING_NO_DURATION;
	}
	slice->dur_ns = 0;
	slice->unfinished = true;
	return chrome_finding(c, finding, STR_LIT(""), err) < 0 ? -1 : 1;
}

static int on_complete(struct chrome *c, struct err *err)
{
	struct slice_fact slice = { .phase = PHASE_COMPLETE };
	struct kineto_facts facts;

	int rc = event_time(c, &slice.ts_ns, err);
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
	slice.track = chrome_track(c, kind_of_class(slice.class));
	if (emit(c, &slice, err) < 0)
		return -1;
	return flow_v2(c, &slice, err);
}

static int on_thread_slice(struct chrome *c, enum slice_phase phase, struct err *err)
{
	struct slice_fact slice = { .phase = phase };
	struct kineto_facts facts;

	int rc = event_time(c, &slice.ts_ns, err);
	if (rc <= 0)
		return rc;
	fill_slice(c, &slice, &facts);
	slice.track = chrome_track(c, kind_of_class(slice.class));
	return emit(c, &slice, err);
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
	uint32_t text =
		c->sink->text(c->sink, json_unescape(buf_str(&joined), &c->scratch));
	buf_release(&joined);
	return text;
}

/* A counter's id is part of its name. */
static uint32_t counter_name(struct chrome *c)
{
	const struct event *e = &c->event;
	struct str parts[] = { event_text(e, FIELD_NAME), STR_LIT("["),
			       event_text(e, FIELD_ID), STR_LIT("]") };

	return event_has(e, FIELD_ID) ? joined_text(c, parts, 4) : event_name(c);
}

/* Every member of args is a series of the counter. */
static int on_counter(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	struct counter_fact counter = { .pid = chrome_ident(c, FIELD_PID) };

	int rc = event_time(c, &counter.ts_ns, err);
	if (rc <= 0)
		return rc;
	counter.name = counter_name(c);
	for (size_t i = 0; i < e->nargs; i++) {
		if (!is_number(&e->args[i].value, &counter.value)) {
			if (chrome_finding(c, FINDING_COUNTER_VALUE, STR_LIT(""), err) <
			    0)
				return -1;
			continue;
		}
		counter.series = c->sink->text(
			c->sink, json_unescape(e->args[i].key, &c->scratch));
		if (c->sink->counter(c->sink, &counter, err) < 0)
			return -1;
	}
	return many_args(c, err);
}

/* The id itself or id2's, "local" or "global"; false when there is none. */
static bool event_id(const struct event *e, struct json_value *id, bool *local)
{
	struct json_value key;
	bool done;

	*local = false;
	*id = e->field[FIELD_ID];
	if (event_has(e, FIELD_ID))
		return id->text.n > 0;
	if (!event_has(e, FIELD_ID2) || e->field[FIELD_ID2].type != JSON_OBJECT)
		return false;
	struct json j = json_of(e->field[FIELD_ID2].text);
	j.p++;
	if (json_member(&j, true, &key, &done) != JSON_OK || done ||
	    json_value(&j, id) != JSON_OK)
		return false;
	*local = str_is(key.text, "local");
	return id->text.n > 0;
}

/* The name of a legacy asynchronous event's part. */
static const struct json_value *step_name(const struct event *e, enum slice_phase phase)
{
	return phase == PHASE_STEP_INTO || phase == PHASE_STEP_PAST ? event_arg(e, "step")
								    : NULL;
}

/*
 * An asynchronous slice lives on a track of its own: nestable ones (b n e) by
 * category, scope and id, legacy ones (S T p F) by name and id.
 */
static int on_async(struct chrome *c, enum slice_phase phase, bool legacy,
		    struct err *err)
{
	struct event *e = &c->event;
	struct slice_fact slice = { .phase = phase };
	struct track_fact track = { .kind = TRACK_ASYNC,
				    .pid = { 0, TEXT_NONE },
				    .tid = { 0, TEXT_NONE } };
	struct kineto_facts facts;
	struct json_value id;
	bool local;

	int rc = event_time(c, &slice.ts_ns, err);
	if (rc <= 0)
		return rc;
	if (!event_id(e, &id, &local))
		return chrome_finding(c, FINDING_NO_ID, STR_LIT(""), err);
	struct str parts[] = { event_text(e, legacy ? FIELD_NAME : FIELD_CAT),
			       event_has(e, FIELD_SCOPE) ? STR_LIT(":") : STR_LIT(""),
			       event_text(e, FIELD_SCOPE), STR_LIT(" "), id.text };
	track.scope = joined_text(c, parts, 5);
	if (local)
		track.pid = chrome_ident(c, FIELD_PID);
	fill_slice(c, &slice, &facts);
	slice.track = c->sink->track(c->sink, &track);
	const struct json_value *step = step_name(e, phase);
	if (step)
		slice.name = chrome_text(c, step);
	return emit(c, &slice, err);
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

/* Old recordings mark by category which arrows end in the slice around them (catapult). */
static bool has_old_binding(struct str category)
{
	static const struct str marks[] = { { "input", 5 }, { "ipc.flow", 8 } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		for (size_t at = 0; at + marks[i].n <= category.n; at++)
			if (memcmp(category.p + at, marks[i].p, marks[i].n) == 0)
				return true;
	return false;
}

/* Flow arrows: s and t bind to the slice around them, f to the next unless bp is "e". */
static int on_flow(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	char ph = e->field[FIELD_PH].text.p[0];
	struct flow_fact flow = {
		.pid = chrome_ident(c, FIELD_PID),
		.tid = chrome_ident(c, FIELD_TID),
		.end = ph == 's'   ? FLOW_START
		       : ph == 't' ? FLOW_STEP
				   : FLOW_FINISH,
		.enclosing = ph != 'f' || str_is(event_text(e, FIELD_BP), "e") ||
			     has_old_binding(event_text(e, FIELD_CAT)),
		.offset = e->offset,
	};
	struct json_value id;
	bool local;

	int rc = event_time(c, &flow.ts_ns, err);
	if (rc <= 0)
		return rc;
	if (!event_id(e, &id, &local))
		return chrome_finding(c, FINDING_NO_ID, STR_LIT(""), err);
	flow.id = flow_id(c, &id);
	flow.category = event_category(c);
	if (flow.category == TEXT_NONE)
		flow.category = c->sink->text(c->sink, STR_LIT(""));
	flow.name = event_name(c);
	return c->sink->flow(c->sink, &flow, err);
}

/* A name or a list of labels of a process or thread.  False: not one of those. */
static bool name_metadata(struct chrome *c, struct str name)
{
	bool labels = str_is(name, "process_labels");
	const struct json_value *value = event_arg(&c->event, labels ? "labels" : "name");
	struct ident pid = chrome_ident(c, FIELD_PID), tid = chrome_ident(c, FIELD_TID);

	if (!value)
		return false;
	struct str text = json_unescape(value->text, &c->scratch);
	if (labels)
		c->sink->process_labels(c->sink, pid, text);
	else if (str_is(name, "process_name"))
		c->sink->process_name(c->sink, pid, text);
	else if (str_is(name, "thread_name"))
		c->sink->thread_name(c->sink, pid, tid, text);
	else
		return false;
	return true;
}

static bool sort_metadata(struct chrome *c, struct str name)
{
	const struct json_value *value = event_arg(&c->event, "sort_index");
	struct ident pid = chrome_ident(c, FIELD_PID), tid = chrome_ident(c, FIELD_TID);
	int64_t index;

	if (!value || decimal_int(value->text, &index) != DECIMAL_OK)
		return false;
	if (str_is(name, "process_sort_index"))
		c->sink->process_sort(c->sink, pid, index);
	else if (str_is(name, "thread_sort_index"))
		c->sink->thread_sort(c->sink, pid, tid, index);
	else
		return false;
	return true;
}

/* Metadata of a process or thread; an unknown kind is kept under its name. */
static int on_metadata(struct chrome *c, struct err *err)
{
	const struct event *e = &c->event;
	struct str name = event_text(e, FIELD_NAME);
	const struct json_value null = { STR_LIT("null"), JSON_NULL, false };

	(void)err;
	if (!name_metadata(c, name) && !sort_metadata(c, name))
		chrome_metadata(c, name,
				event_has(e, FIELD_ARGS) ? &e->field[FIELD_ARGS] : &null);
	return 0;
}

static const struct phase phases[] = {
	{ 'X', on_complete },
	{ 'i', on_instant },
	{ 's', on_flow },
	{ 'f', on_flow },
	{ 't', on_flow },
	{ 'M', on_metadata },
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

int phase_event(struct chrome *c, struct err *err)
{
	struct str ph = event_text(&c->event, FIELD_PH);

	if (c->nevents == 1)
		c->kineto.metadata_first = str_is(ph, "M");
	if (ph.n == 0)
		return chrome_finding(c, FINDING_NO_PHASE, STR_LIT(""), err);
	for (size_t i = 0; ph.n == 1 && i < sizeof(phases) / sizeof(*phases); i++) {
		if (phases[i].ph != ph.p[0])
			continue;
		if (!phases[i].handle)
			return chrome_finding(c, FINDING_UNUSED_PHASE, ph, err);
		return phases[i].handle(c, err);
	}
	if (ph.n > 16)
		ph.n = 16;
	return chrome_finding(c, FINDING_UNKNOWN_PHASE, ph, err);
}
