/*
 * Events of the Chrome Trace Event Format (Google's "Trace Event Format"
 * document), one JSON object at a time.
 */
#include "ingest/event.h"

struct field_name {
	const char *name;
	size_t n;
	enum event_field field;
};

/* In the order producers write them, so that the scan is short. */
static const struct field_name field_names[] = {
	{ "ph", 2, FIELD_PH },
	{ "cat", 3, FIELD_CAT },
	{ "name", 4, FIELD_NAME },
	{ "pid", 3, FIELD_PID },
	{ "tid", 3, FIELD_TID },
	{ "ts", 2, FIELD_TS },
	{ "dur", 3, FIELD_DUR },
	{ "args", 4, FIELD_ARGS },
	{ "id", 2, FIELD_ID },
	{ "bp", 2, FIELD_BP },
	{ "s", 1, FIELD_S },
	{ "id2", 3, FIELD_ID2 },
	{ "scope", 5, FIELD_SCOPE },
	{ "bind_id", 7, FIELD_BIND_ID },
	{ "flow_in", 7, FIELD_FLOW_IN },
	{ "flow_out", 8, FIELD_FLOW_OUT },
};

static enum event_field find_field(struct str key)
{
	for (size_t i = 0; i < sizeof(field_names) / sizeof(*field_names); i++) {
		const struct field_name *f = &field_names[i];
		if (f->n == key.n && memcmp(f->name, key.p, key.n) == 0)
			return f->field;
	}
	return NFIELDS;
}

static void keep_arg(struct event *e, struct str key, const struct json_value *value)
{
	if (e->nargs == EVENT_ARGS_MAX) {
		e->lost_args++;
		return;
	}
	e->args[e->nargs++] = (struct event_arg){ key, *value };
}

/* j->p is at the '{' of args. */
static enum json_status parse_args(struct json *j, struct event *e)
{
	struct json_value key, value;
	const char *start = j->p++;
	bool done = false;

	e->nargs = 0;
	for (bool first = true;; first = false) {
		enum json_status status = json_member(j, first, &key, &done);
		if (status != JSON_OK)
			return status;
		if (done)
			break;
		if ((status = json_value(j, &value)) != JSON_OK)
			return status;
		keep_arg(e, key.text, &value);
	}
	e->args_is_object = true;
	e->field[FIELD_ARGS] =
		(struct json_value){ { start, (size_t)(j->p - start) }, JSON_OBJECT, false };
	return JSON_OK;
}

enum json_status event_parse(struct json *j, struct event *e)
{
	struct json_value key, other;
	const char *start = j->p++;
	bool done = false;

	e->present = 0;
	e->nargs = 0;
	e->lost_args = 0;
	e->args_is_object = false;
	for (bool first = true;; first = false) {
		enum json_status status = json_member(j, first, &key, &done);
		if (status != JSON_OK)
			return status;
		if (done)
			break;
		enum event_field field = find_field(key.text);
		if (field == FIELD_ARGS && *j->p == '{')
			status = parse_args(j, e);
		else
			status = json_value(j, field == NFIELDS ? &other : &e->field[field]);
		if (status != JSON_OK)
			return status;
		if (field != NFIELDS)
			e->present |= UINT32_C(1) << field;
	}
	e->text = (struct str){ start, (size_t)(j->p - start) };
	return JSON_OK;
}
