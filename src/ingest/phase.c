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
	/* Half the range: sums and differences of two times must fit as well. */
	if (status == DECIMAL_OK && (*ns > INT64_MAX / 2 || *ns < INT64_MIN / 2))
		status = DECIMAL_TOO_BIG;
	if (status == DECIMAL_OK)
		return 1;
	enum finding finding = status == DECIMAL_BAD ? FINDING_NO_TIME : FINDING_TIME_RANGE;
	return chrome_finding(c, finding, STR_LIT(""), err);
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

/* Name, category, class and ids; ts is set by the caller. */
static void fill_slice(struct chrome *c, struct slice_fact *slice, struct kineto_facts *facts)
{
	const struct event *e = &c->event;

	slice->name = event_name(c);
	slice->category = event_has(e, FIELD_CAT) ? chrome_text(c, &e->field[FIELD_CAT]) :
						    TEXT_NONE;
	slice->class = kineto_class(&c->kineto, e);
	slice->offset = e->offset;
	slice->correlation = NUMBER_NONE;
	slice->external_id = NUMBER_NONE;
	if (c->options->keep_args)
		slice->args = event_text(e, FIELD_ARGS);
	if (e->nargs)
		kineto_args(c, slice, facts);
}

static int many_args(struct chrome *c, struct err *err)
{
	if (c->event.lost_args == 0)
		return 0;
	return chrome_finding(c, FINDING_MANY_ARGS, STR_LIT(""), err);
}

static int emit(struct chrome *c, struct slice_fact *slice, struct err *err)
{
	kineto_note_event(c, slice);
	if (many_args(c, err) < 0)
		return -1;
	return c->sink->slice(c->sink, slice, err);
}

/* The two halves of a flow of version 2, which ride on a slice. */
static int flow_v2(struct chrome *c, const struct slice_fact *slice, struct err *err)
{
	const struct event *e = &c->event;

	if (!event_has(e, FIELD_BIND_ID))
		return 0;
	bool in = event_has(e, FIELD_FLOW_IN) && e->field[FIELD_FLOW_IN].type == JSON_TRUE;
	bool out = event_has(e, FIELD_FLOW_OUT) && e->field[FIELD_FLOW_OUT].type == JSON_TRUE;
	struct flow_fact flow = {
		.ts_ns = slice->ts_ns,
		.pid = chrome_ident(c, FIELD_PID),
		.tid = chrome_ident(c, FIELD_TID),
		.category = c->sink->text(c->sink, STR_LIT("bind_id")),
		.name = c->sink->text(c->sink, STR_LIT("bind_id")),
		.id = chrome_ident(c, FIELD_BIND_ID),
		.end = in && out ? FLOW_STEP : in ? FLOW_FINISH : FLOW_START,
		.enclosing = true,
		.offset = e->offset,
	};

	if (!in && !out)
		return 0;
	return c->sink->flow(c->sink, &flow, err);
}

/* dur of the current event; an unreadable or negative one marks it unfinished. */
static int event_duration(struct chrome *c, struct slice_fact *slice, struct err *err)
{
	enum decimal_status status = DECIMAL_BAD;

	if (event_has(&c->event, FIELD_DUR))
		status = decimal_us_to_ns(c->event.field[FIELD_DUR].text, &slice->dur_ns);
	if (status == DECIMAL_TOO_BIG || (status == DECIMAL_OK && slice->dur_ns > INT64_MAX / 4))
		return chrome_finding(c, FINDING_TIME_RANGE, STR_LIT(""), err);
	if (status == DECIMAL_BAD) {
		/* Begun and never ended: the loader closes it with the trace. */
		slice->phase = PHASE_BEGIN;
		slice->dur_ns = 0;
		slice->unfinished = true;
		return chrome_finding(c, FINDING_NO_DURATION, STR_LIT(""), err) < 0 ? -1 : 1;
	}
	if (slice->dur_ns < 0) {
		slice->dur_ns = 0;
		slice->unfinished = true;
		return chrome_finding(c, FINDING_NEGATIVE_DURATION, STR_LIT(""), err) < 0 ? -1 : 1;
	}
	return 1;
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
		slice.phase = PHASE_INSTANT;
		slice.dur_ns = 0;
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

/* Every member of args is a series of the counter; an id is part of its name. */
static int on_counter(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	struct counter_fact counter = { .pid = chrome_ident(c, FIELD_PID) };

	int rc = event_time(c, &counter.ts_ns, err);
	if (rc <= 0)
		return rc;
	counter.name = event_name(c);
	if (event_has(e, FIELD_ID)) {
		struct str name = event_text(e, FIELD_NAME), id = event_text(e, FIELD_ID);
		struct buf full;
		buf_init(&full, name.n + id.n + 8);
		buf_addf(&full, STR_FMT "[" STR_FMT "]", STR_ARG(name), STR_ARG(id));
		counter.name = c->sink->text(c->sink, buf_str(&full));
		buf_release(&full);
	}
	for (size_t i = 0; i < e->nargs; i++) {
		if (!is_number(&e->args[i].value, &counter.value)) {
			if (chrome_finding(c, FINDING_COUNTER_VALUE, STR_LIT(""), err) < 0)
				return -1;
			continue;
		}
		counter.series = c->sink->text(c->sink, e->args[i].key);
		if (c->sink->counter(c->sink, &counter, err) < 0)
			return -1;
	}
	return many_args(c, err);
}

/* The member of id2 ("local" or "global"), the id itself, or nothing. */
static struct str event_id(const struct event *e, bool *local)
{
	struct json_value key, value;
	bool done;

	*local = false;
	if (event_has(e, FIELD_ID))
		return event_text(e, FIELD_ID);
	if (!event_has(e, FIELD_ID2) || e->field[FIELD_ID2].type != JSON_OBJECT)
		return (struct str){ "", 0 };
	struct str text = e->field[FIELD_ID2].text;
	struct json j = { .p = text.p + 1, .end = text.p + text.n, .last = true };
	if (json_member(&j, true, &key, &done) != JSON_OK || done ||
	    json_value(&j, &value) != JSON_OK)
		return (struct str){ "", 0 };
	*local = str_is(key.text, "local");
	return value.text;
}

/*
 * An asynchronous slice lives on a track of its own: nestable ones (b n e) by
 * category, scope and id, legacy ones (S T p F) by name and id.
 */
static int on_async(struct chrome *c, enum slice_phase phase, bool legacy, struct err *err)
{
	struct event *e = &c->event;
	struct slice_fact slice = { .phase = phase };
	struct track_fact track = { .kind = TRACK_ASYNC, .tid = { 0, TEXT_NONE } };
	struct kineto_facts facts;
	struct buf key;
	bool local;

	int rc = event_time(c, &slice.ts_ns, err);
	if (rc <= 0)
		return rc;
	struct str id = event_id(e, &local);
	if (id.n == 0)
		return chrome_finding(c, FINDING_NO_ID, STR_LIT(""), err);
	struct str group = event_text(e, legacy ? FIELD_NAME : FIELD_CAT);
	struct str scope = event_text(e, FIELD_SCOPE);
	buf_init(&key, group.n + scope.n + id.n + 16);
	buf_addf(&key, STR_FMT "%s" STR_FMT " " STR_FMT, STR_ARG(group), scope.n ? ":" : "",
		 STR_ARG(scope), STR_ARG(id));
	track.scope = c->sink->text(c->sink, buf_str(&key));
	buf_release(&key);
	track.pid = local ? chrome_ident(c, FIELD_PID) : (struct ident){ 0, TEXT_NONE };
	fill_slice(c, &slice, &facts);
	slice.track = c->sink->track(c->sink, &track);
	if (phase == PHASE_STEP_INTO || phase == PHASE_STEP_PAST)
		for (size_t i = 0; i < e->nargs; i++)
			if (str_is(e->args[i].key, "step"))
				slice.name = chrome_text(c, &e->args[i].value);
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

/* Flow arrows: s and t bind to the slice around them, f to the next unless bp is "e". */
static int on_flow(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	char ph = e->field[FIELD_PH].text.p[0];
	struct str category = event_text(e, FIELD_CAT);
	struct flow_fact flow = {
		.pid = chrome_ident(c, FIELD_PID),
		.tid = chrome_ident(c, FIELD_TID),
		.id = { 0, TEXT_NONE },
		.end = ph == 's' ? FLOW_START : ph == 't' ? FLOW_STEP : FLOW_FINISH,
		.enclosing = ph != 'f' || str_is(event_text(e, FIELD_BP), "e") ||
			     str_is(category, "input") || str_is(category, "ipc.flow"),
		.offset = e->offset,
	};
	bool local;

	int rc = event_time(c, &flow.ts_ns, err);
	if (rc <= 0)
		return rc;
	struct str id = event_id(e, &local);
	if (id.n == 0)
		return chrome_finding(c, FINDING_NO_ID, STR_LIT(""), err);
	if (decimal_int(id, &flow.id.number) != DECIMAL_OK)
		flow.id.text = c->sink->text(c->sink, id);
	flow.category = c->sink->text(c->sink, category);
	flow.name = event_name(c);
	return c->sink->flow(c->sink, &flow, err);
}

static const struct json_value *find_arg(const struct event *e, const char *key)
{
	for (size_t i = 0; i < e->nargs; i++)
		if (str_is(e->args[i].key, key))
			return &e->args[i].value;
	return NULL;
}

/* Metadata of a process or thread; an unknown kind is kept under its name. */
static int on_metadata(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	struct sink *s = c->sink;
	struct str name = event_text(e, FIELD_NAME);
	struct ident pid = chrome_ident(c, FIELD_PID), tid = chrome_ident(c, FIELD_TID);
	const struct json_value *text = find_arg(e, str_is(name, "process_labels") ? "labels" : "name");
	const struct json_value *index = find_arg(e, "sort_index");
	int64_t number;

	(void)err;
	if (text && str_is(name, "process_name"))
		s->process_name(s, pid, json_unescape(text->text, &c->scratch));
	else if (text && str_is(name, "process_labels"))
		s->process_labels(s, pid, json_unescape(text->text, &c->scratch));
	else if (text && str_is(name, "thread_name"))
		s->thread_name(s, pid, tid, json_unescape(text->text, &c->scratch));
	else if (index && decimal_int(index->text, &number) == DECIMAL_OK &&
		 str_is(name, "process_sort_index"))
		s->process_sort(s, pid, number);
	else if (index && decimal_int(index->text, &number) == DECIMAL_OK &&
		 str_is(name, "thread_sort_index"))
		s->thread_sort(s, pid, tid, number);
	else
		s->metadata(s, name, e->args_is_object ? event_text(e, FIELD_ARGS) : STR_LIT("null"));
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
	{ 'v', NULL },       /* memory dumps */
	{ 'V', NULL },
	{ 'c', NULL },       /* clock syncs */
	{ '(', NULL },       /* contexts */
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
