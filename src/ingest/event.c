/*
 * Events of the Chrome Trace Event Format (Google's "Trace Event Format"
 * document), one JSON object at a time.
 */
#include "ingest/event.h"

#include "ingest/scan.h"

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

static bool is_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-';
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
		e->args_is_odd = !str_is(value->text, "__stripped__");
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
		enum event_field field = find_field(key.text);
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

/* The value at p that is no plain number; behind it, or NULL: it is not as usual. */
static const char *other_value(struct json *j, struct event *e, struct layout *at,
			       const char *p, struct json_value *out)
{
	enum json_status status;

	j->p = p;
	if (at->value.is_arg && (*p == '[' || *p == '{'))
		status = again_value(&e->again, (uint16_t)(at - e->layouts.all),
				     &at->seen, j, out);
	else
		status = json_value(j, out);
	bool is_usual = status == JSON_OK && !j->flaws &&
			(at->value.is_arg || out->type != JSON_NULL);
	return is_usual ? j->p : NULL;
}

static void set_string(struct json_value *value, struct str text)
{
	value->text = text;
	value->type = JSON_STRING;
	value->escaped = false;
}

/* The string behind the quote before p. */
static inline const char *known_string(struct json *j, const char *p,
				       struct json_value *out)
{
	uint64_t high = 0;
	const char *end = scan_text(p, &high);

	if (*end == '"' && !high) {
		set_string(out, (struct str){ p, (size_t)(end - p) });
		return end + 1;
	}
	j->p = p - 1;
	return json_value(j, out) == JSON_OK && !j->flaws ? j->p : NULL;
}

/* Remembers the text of pid or tid, and the byte behind it, when it is short. */
static void remember_id(struct event_id *id, const struct json_value *value)
{
	size_t n = value->text.n + 1;
	bool is_plain = value->type == JSON_NUMBER && value->plain == JSON_PLAIN_INT;

	id->word = word_at(value->text.p);
	id->mask = is_plain && n < sizeof(id->word) ? (UINT64_C(1) << (8 * n)) - 1 : 0;
	id->word &= id->mask;
	id->value = *value;
}

/* The value of that node, which stands at p: where it ends, or NULL. */
static inline const char *known_value(struct json *j, struct event *e, struct layout *at,
				      const char *p)
{
	const struct layout_value *value = &at->value;
	struct json_value *out = &e->field[value->place];
	struct event_id *id = NULL;
	const char *end;

	if (value->is_arg) {
		struct event_arg *arg = &e->args[value->place];
		arg->key = (struct str){ p - value->key_before, value->key_n };
		arg->meaning = &at->meaning;
		out = &arg->value;
	}
	if (value->kind == LAYOUT_STRING)
		return known_string(j, p, out);
	if (value->kind == LAYOUT_ID) {
		id = &e->ids[value->place == FIELD_TID];
		if (id->mask && (word_at(p) & id->mask) == id->word) {
			*out = id->value;
			out->text.p = p;
			return p + out->text.n;
		}
	}
	end = is_number(*p) ? scan_plain_number(p, out) : NULL;
	if (!end)
		return other_value(j, e, at, p, out);
	if (id)
		remember_id(id, out);
	return end;
}

/* All values are read, j->p is behind the event. */
static void finish_known(struct json *j, struct event *e, const char *start,
			 struct layout_event *layout)
{
	static const enum event_field fixed[] = {
		[LAYOUT_PHASE] = FIELD_PH, [LAYOUT_CATEGORY] = FIELD_CAT
	};

	for (size_t i = 0; i < LAYOUT_NFIXED; i++)
		if (layout->fixed_n[i])
			set_string(&e->field[fixed[i]],
				   (struct str){ layout->fixed[i], layout->fixed_n[i] });
	e->present = layout->present;
	e->twice = 0;
	e->nargs = layout->nargs;
	e->lost_args = 0;
	e->args_is_object = layout->has_args;
	e->args_is_odd = false;
	e->layout = layout;
	e->text = (struct str){ start, (size_t)(j->p - start) };
}

/* args begin or end in the text of that node, which ends at p. */
static void note_args(struct event *e, const struct layout_value *value, const char *p)
{
	struct json_value *args = &e->field[FIELD_ARGS];

	if (value->args_before) {
		args->text.p = p - value->args_before;
		args->type = JSON_OBJECT;
		args->escaped = false;
	}
	if (value->args_end_before)
		args->text.n = (size_t)(p - value->args_end_before - args->text.p);
}

/* As event_parse, of an event whose layout is known; else false, and *j is as it was. */
static bool parse_known(struct json *j, struct event *e)
{
	struct layout *at = e->layouts.all;
	const struct json before = *j;
	const char *p = j->p;

	while (p && (at = layouts_next(&e->layouts, at, p))) {
		p += at->n;
		if (at->value.args_before | at->value.args_end_before)
			note_args(e, &at->value, p);
		if (at->value.kind == LAYOUT_END) {
			j->p = p;
			finish_known(j, e, before.p, layouts_end(&e->layouts, at));
			return true;
		}
		if (at->value.kind != LAYOUT_MORE)
			p = known_value(j, e, at, p);
	}
	*j = before;
	return false;
}

enum json_status event_parse(struct json *j, struct event *e)
{
	return parse_known(j, e) ? JSON_OK : parse_new(j, e);
}

const struct json_value *event_arg(const struct event *e, const char *key)
{
	for (size_t i = e->nargs; i-- > 0;)
		if (str_is(e->args[i].key, key))
			return &e->args[i].value;
	return NULL;
}
