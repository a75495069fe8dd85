/*
 * Arrows of flows, which come in two versions, and the ids that events share, in three
 * spellings: see chrome.h.
 */
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/event.h"
#include "ingest/sink.h"
#include "trace/export_marks.h"

/* An arrow's id: "31" and 31 are the same, and so is "0x1f". */
static struct ident flow_id(struct chrome *c, const struct json_value *id)
{
	struct ident ident = { 0, TEXT_NONE };

	if ((id->type == JSON_NUMBER && json_int(id, &ident.number) == DECIMAL_OK) ||
	    decimal_id(id->text, &ident.number))
		return ident;
	ident.text = chrome_text(c, id);
	return ident;
}

bool chrome_id(const struct event *e, struct json_value *id, bool *local)
{
	struct json_value key;
	bool done;

	*local = false;
	if (event_has(e, FIELD_ID)) {
		*id = e->field[FIELD_ID];
		return id->text.n > 0;
	}
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

/* Old recordings mark by category which arrows end in the slice around them (catapult). */
static bool has_old_binding(struct str category)
{
	static const struct str marks[] = { { "input", 5 }, { "ipc.flow", 8 } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (str_contains(category, marks[i]))
			return true;
	return false;
}

/* Work on a lane that an export made is of the stream, as of chrome_track(). */
static struct ident end_tid(struct chrome *c)
{
	struct ident tid = chrome_ident(c, FIELD_TID);

	if (tid.text != TEXT_NONE &&
	    export_lane_stream(c->event.field[FIELD_TID].text, &tid.number))
		tid.text = TEXT_NONE;
	return tid;
}

int arrow_event(struct chrome *c, struct err *err)
{
	struct event *e = &c->event;
	char ph = e->field[FIELD_PH].text.p[0];
	struct flow_fact flow = {
		.pid = chrome_ident(c, FIELD_PID),
		.tid = end_tid(c),
		.end = ph == 's'   ? FLOW_START
		       : ph == 't' ? FLOW_STEP
				   : FLOW_FINISH,
		.enclosing = ph != 'f' || str_is(event_text(e, FIELD_BP), "e") ||
			     has_old_binding(event_text(e, FIELD_CAT)),
		.offset = e->offset,
	};
	struct json_value id;
	bool local;

	int rc = chrome_time(c, &flow.ts_ns, err);
	if (rc <= 0)
		return rc;
	if (!chrome_id(e, &id, &local))
		return chrome_finding(c, FINDING_NO_ID, STR_LIT(""), err);
	flow.id = flow_id(c, &id);
	flow.category = chrome_category(c);
	if (flow.category == TEXT_NONE)
		flow.category = c->sink->text(c->sink, STR_LIT(""));
	flow.name = chrome_name(c);
	kineto_list_arrow(c, &flow);
	return c->sink->flow(c->sink, &flow, err);
}

int arrow_on_slice(struct chrome *c, const struct slice_fact *slice, bool is_async,
		   struct err *err)
{
	const struct event *e = &c->event;

	bool in =
		event_has(e, FIELD_FLOW_IN) && e->field[FIELD_FLOW_IN].type == JSON_TRUE;
	bool out = event_has(e, FIELD_FLOW_OUT) &&
		   e->field[FIELD_FLOW_OUT].type == JSON_TRUE;
	if (!in && !out)
		return 0;
	if (is_async)
		return chrome_finding(c, FINDING_FLOW_UNBOUND, STR_LIT("bind_id"), err);
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
