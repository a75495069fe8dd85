/*
 * Events of the Chrome Trace Event Format (Google's "Trace Event Format"
 * document), one JSON object at a time.
 */
#include "ingest/event.h"

/* Names of up to eight bytes are compared as one number. */
struct field_name {
	char name[sizeof(uint64_t)];
	enum event_field field;
};

/* In the order producers write them, so that the scan is short. */
static const struct field_name field_names[] = {
	{ "ph", FIELD_PH },
	{ "cat", FIELD_CAT },
	{ "name", FIELD_NAME },
	{ "pid", FIELD_PID },
	{ "tid", FIELD_TID },
	{ "ts", FIELD_TS },
	{ "dur", FIELD_DUR },
	{ "args", FIELD_ARGS },
	{ "id", FIELD_ID },
	{ "bp", FIELD_BP },
	{ "s", FIELD_S },
	{ "id2", FIELD_ID2 },
	{ "scope", FIELD_SCOPE },
	{ "bind_id", FIELD_BIND_ID },
	{ "flow_in", FIELD_FLOW_IN },
	{ { 'f', 'l', 'o', 'w', '_', 'o', 'u', 't' }, FIELD_FLOW_OUT },
};

static enum event_field find_field(struct str key)
{
	char padded[sizeof(uint64_t)] = { 0 };
	uint64_t wanted, name;

	if (key.n > sizeof(padded))
		return NFIELDS;
	memcpy(padded, key.p, key.n);
	memcpy(&wanted, padded, sizeof(wanted));
	for (size_t i = 0; i < sizeof(field_names) / sizeof(*field_names); i++) {
		memcpy(&name, field_names[i].name, sizeof(name));
		if (name == wanted)
			return field_names[i].field;
	}
	return NFIELDS;
}

bool event_is_key(struct str key)
{
	static const char *const others[] = { "tts", "tdur",  "cname", "sf",
					      "esf", "stack", "estack" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (str_is(key, others[i]))
			return true;
	return key.n > 0 && find_field(key) != NFIELDS;
}

/* The value of a member of args at j->p. */
static enum json_status parse_arg(struct json *j, struct event *e, struct member *member,
				  struct json_value *out)
{
	if (member->n == 0 || (*j->p != '[' && *j->p != '{'))
		return json_value(j, out);
	return again_value(&e->again, (uint16_t)(member - e->members.all), &member->value,
			   j, out);
}

/* j->p is at the '{' of args. */
static enum json_status parse_args(struct json *j, struct event *e)
{
	struct member *member = members_start(&e->members, MEMBER_OF_ARGS);
	struct event_arg lost, *arg;
	struct str key;
	const char *start = j->p++;

	for (;;) {
		enum json_status status =
			members_next(&e->members, j, MEMBER_OF_ARGS, &member, &key);
		if (status != JSON_OK)
			return status;
		if (member->done)
			break;
		if (e->nargs < EVENT_ARGS_MAX) {
			arg = &e->args[e->nargs++];
		} else {
			arg = &lost;
			e->lost_args++;
		}
		arg->key = key;
		arg->meaning = member->n ? &member->meaning : NULL;
		if ((status = parse_arg(j, e, member, &arg->value)) != JSON_OK)
			return status;
	}
	e->args_is_object = true;
	e->field[FIELD_ARGS] = (struct json_value){ { start, (size_t)(j->p - start) },
						    JSON_OBJECT,
						    false };
	return JSON_OK;
}

static void forget_args(struct event *e)
{
	e->nargs = 0;
	e->lost_args = 0;
	e->args_is_object = false;
	e->args_is_odd = false;
}

/* The value at j->p. */
static enum json_status parse_field(struct json *j, struct event *e,
				    enum event_field field)
{
	enum json_status status = JSON_OK;

	if (field == FIELD_ARGS) {
		forget_args(e);
		status = json_blanks(j);
	}
	if (status == JSON_OK)
		status = field == FIELD_ARGS && *j->p == '{'
				 ? parse_args(j, e)
				 : json_value(j, &e->field[field]);
	if (status != JSON_OK)
		return status;
	if (field == FIELD_ARGS && !e->args_is_object)
		e->args_is_odd = !str_is(e->field[field].text, "__stripped__");
	e->twice |= e->present & UINT32_C(1) << field;
	if (e->field[field].type == JSON_NULL)
		e->present &= ~(UINT32_C(1) << field);
	else
		e->present |= UINT32_C(1) << field;
	return JSON_OK;
}

/* The field that a member's key names, looked up once for each member. */
static enum event_field field_of(struct member *member, struct str key)
{
	if (!member->meaning)
		member->meaning = (uint8_t)(find_field(key) + 1);
	return member->meaning - 1;
}

enum json_status event_parse(struct json *j, struct event *e)
{
	struct member *member = members_start(&e->members, MEMBER_OF_EVENT);
	struct json_value other;
	struct str key;
	const char *start = j->p++;

	members_renew(&e->members);
	e->present = e->twice = 0;
	forget_args(e);
	for (;;) {
		enum json_status status =
			members_next(&e->members, j, MEMBER_OF_EVENT, &member, &key);
		if (status != JSON_OK)
			return status;
		if (member->done)
			break;
		enum event_field field = field_of(member, key);
		status = field == NFIELDS ? json_value(j, &other)
					  : parse_field(j, e, field);
		if (status != JSON_OK)
			return status;
	}
	e->text = (struct str){ start, (size_t)(j->p - start) };
	return JSON_OK;
}

const struct json_value *event_arg(const struct event *e, const char *key)
{
	for (size_t i = e->nargs; i-- > 0;)
		if (str_is(e->args[i].key, key))
			return &e->args[i].value;
	return NULL;
}
