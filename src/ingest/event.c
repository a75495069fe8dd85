/*
 * Events of the Chrome Trace Event Format (Google's "Trace Event Format"
 * document), one JSON object at a time.
 */
#include "ingest/event.h"

#include "base/buf.h"
#include "ingest/event_known.h"

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

/* A key may be written with escapes: "n\u0061me". */
static enum event_field field_of(const struct json_value *key)
{
	struct buf plain;

	if (!key->escaped)
		return find_field(key->text);
	buf_init(&plain, key->text.n);
	enum event_field field = find_field(json_unescape(key->text, &plain));
	buf_release(&plain);
	return field;
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

/* Where an event that is not known yet leads in the tree of layouts. */
struct learner {
	struct layouts *layouts;
	struct layout *at;               /* NULL: this event is not worth remembering */
	const char *from;                /* behind the last value */
	const char *args, *args_end;     /* since then; or NULL */
	struct str fixed[LAYOUT_NFIXED]; /* n is 0: it is not */
};

/* Bytes from p, which may be NULL, to `end`; *at becomes NULL when they are too many. */
static uint8_t bytes_before(const char *end, const char *p, struct layout **at)
{
	if (p && end - p > UINT8_MAX)
		*at = NULL;
	return p ? (uint8_t)(end - p) : 0;
}

/* The text from the last value to `end` is that of a node. */
static void learn(struct learner *l, const struct json *j, const char *end,
		  struct layout_value value)
{
	struct str text = { l->from, (size_t)(end - l->from) };

	/* What has a flaw must be read again, to tell it again. */
	if (j->flaws)
		l->at = NULL;
	value.args_before = bytes_before(end, l->args, &l->at);
	value.args_end_before = bytes_before(end, l->args_end, &l->at);
	l->args = l->args_end = NULL;
	l->at = layouts_add(l->layouts, l->at, text, value);
	l->from = j->p;
}

/* A string that decides what the others mean, and is one of few, belongs to the text. */
static bool learn_fixed(struct learner *l, const struct json_value *value, unsigned place)
{
	enum layout_fixed which = place == FIELD_PH ? LAYOUT_PHASE : LAYOUT_CATEGORY;

	if ((place != FIELD_PH && place != FIELD_CAT) || value->type != JSON_STRING ||
	    value->escaped || value->text.n == 0 || value->text.n > LAYOUT_TEXT)
		return false;
	l->fixed[which] = value->text;
	return true;
}

static uint8_t kind_of(const struct json_value *value, bool is_arg, unsigned place)
{
	if (value->type == JSON_STRING)
		return LAYOUT_STRING;
	return !is_arg && (place == FIELD_PID || place == FIELD_TID) ? LAYOUT_ID
								     : LAYOUT_VALUE;
}

/* The value that was just read, and the text of its key. */
static void learn_value(struct learner *l, const struct json *j, struct str key,
			const struct json_value *value, bool is_arg, unsigned place)
{
	const char *start = value->text.p;
	uint8_t before = bytes_before(start, key.p, &l->at);

	if (!is_arg && learn_fixed(l, value, place))
		return;
	learn(l, j, start,
	      (struct layout_value){ .kind = kind_of(value, is_arg, place),
				     .is_arg = is_arg,
				     .place = (uint8_t)place,
				     .key_before = before,
				     .key_n = (uint8_t)key.n });
}

/* The event ends at j->p. */
static void learn_end(struct learner *l, const struct json *j, const struct event *e)
{
	learn(l, j, j->p, (struct layout_value){ .kind = LAYOUT_END });
	if (!l->at)
		return;
	struct layout_event *end = layouts_end(l->layouts, l->at);
	end->present = e->present;
	end->nargs = (uint8_t)e->nargs;
	end->has_args = e->args_is_object;
	for (size_t i = 0; i < LAYOUT_NFIXED; i++) {
		end->fixed_n[i] = (uint8_t)l->fixed[i].n;
		if (l->fixed[i].n)
			memcpy(end->fixed[i], l->fixed[i].p, l->fixed[i].n);
	}
}

/* Remembers the key, for who mends what is broken. */
static void note_key(struct event *e, enum member_level level, struct str key)
{
	if (e->keys && e->keys[level].n < MEMBER_KEYS_MAX)
		intern_add(&e->keys[level], key);
}

/* j->p is at the '{' of args. */
static enum json_status parse_args(struct json *j, struct event *e, struct learner *l)
{
	struct json_value key;
	struct event_arg lost, *arg;
	const char *start = j->p++;
	enum json_status status;
	bool done;

	l->args = start;
	for (bool first = true;; first = false) {
		if ((status = json_member(j, first, &key, &done)) != JSON_OK)
			return status;
		if (done)
			break;
		note_key(e, MEMBER_OF_ARGS, key.text);
		if (e->nargs < EVENT_ARGS_MAX) {
			arg = &e->args[e->nargs++];
		} else {
			arg = &lost;
			e->lost_args++;
			l->at = NULL;
		}
		arg->key = key.text;
		if ((status = json_value(j, &arg->value)) != JSON_OK)
			return status;
		learn_value(l, j, key.text, &arg->value, true, (unsigned)e->nargs - 1);
		arg->meaning = l->at ? &l->at->meaning : NULL;
	}
	l->args_end = j->p;
	e->args_is_object = true;
	e->field[FIELD_ARGS] =
		(struct json_value){ .text = { start, (size_t)(j->p - start) },
				     .type = JSON_OBJECT };
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
static enum json_status parse_field(struct json *j, struct event *e, struct learner *l,
				    enum event_field field, struct str key)
{
	enum json_status status = JSON_OK;
	struct json_value *value = &e->field[field];
	bool is_object = false;

	if (field == FIELD_ARGS) {
		forget_args(e);
		status = json_blanks(j);
		is_object = *j->p == '{';
	}
	if (status == JSON_OK)
		status = is_object ? parse_args(j, e, l) : json_value(j, value);
	if (status != JSON_OK)
		return status;
	if (field == FIELD_ARGS && !is_object)
		e->args_is_odd =
			value->type != JSON_NULL && !str_is(value->text, "__stripped__");
	e->twice |= e->present & UINT32_C(1) << field;
	if (value->type == JSON_NULL)
		e->present &= ~(UINT32_C(1) << field);
	else
		e->present |= UINT32_C(1) << field;
	/* What is unusual is looked at each time. */
	if (e->twice || value->type == JSON_NULL || (field == FIELD_ARGS && !is_object))
		l->at = NULL;
	if (!is_object)
		learn_value(l, j, key, value, false, field);
	return JSON_OK;
}

/* As event_parse, of an event whose layout is not known, and which is remembered. */
static enum json_status parse_new(struct json *j, struct event *e)
{
	struct learner l = { .layouts = &e->layouts, .from = j->p };
	struct json_value key, other;
	const char *start = j->p++;
	enum json_status status;
	bool done;

	layouts_renew(&e->layouts);
	l.at = e->layouts.all;
	e->present = e->twice = 0;
	e->layout = NULL;
	forget_args(e);
	for (bool first = true;; first = false) {
		if ((status = json_member(j, first, &key, &done)) != JSON_OK)
			return status;
		if (done)
			break;
		note_key(e, MEMBER_OF_EVENT, key.text);
		enum event_field field = field_of(&key);
		if (field != NFIELDS) {
			status = parse_field(j, e, &l, field, key.text);
		} else if ((status = json_value(j, &other)) == JSON_OK) {
			learn_value(&l, j, key.text, &other, false, NFIELDS);
		}
		if (status != JSON_OK)
			return status;
	}
	learn_end(&l, j, e);
	e->text = (struct str){ start, (size_t)(j->p - start) };
	return JSON_OK;
}

enum json_status event_parse(struct json *j, struct event *e)
{
	return event_parse_known(j, e) ? JSON_OK : parse_new(j, e);
}

const struct json_value *event_arg(const struct event *e, const char *key)
{
	for (size_t i = e->nargs; i-- > 0;)
		if (str_is(e->args[i].key, key))
			return &e->args[i].value;
	return NULL;
}
