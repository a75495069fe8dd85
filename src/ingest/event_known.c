/* Events of a known layout, whose values alone are read: see event_known.h. */
#include "ingest/event_known.h"

#include "ingest/scan.h"

static bool is_number(char c)
{
	return (c >= '0' && c <= '9') || c == '-';
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
	struct json_value *out;
	struct event_id *id = NULL;
	const char *end;

	if (value->is_arg) {
		struct event_arg *arg = &e->args[value->place];
		arg->key = (struct str){ p - value->key_before, value->key_n };
		arg->meaning = &at->meaning;
		out = &arg->value;
	} else {
		out = &e->field[value->place];
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

bool event_parse_known(struct json *j, struct event *e)
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
