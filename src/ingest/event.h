/*
 * One event of a Chrome trace as it stands in the text: the fields of the
 * Trace Event Format and the members of args, borrowed from the window.
 */
#ifndef PTOOL_INGEST_EVENT_H
#define PTOOL_INGEST_EVENT_H

#include "ingest/again.h"
#include "ingest/json.h"
#include "ingest/layout.h"
#include "ingest/member.h"

/* The fields that are read; any other key of an event is passed over. */
enum event_field {
	FIELD_NAME,
	FIELD_CAT,
	FIELD_PH,
	FIELD_TS,
	FIELD_DUR,
	FIELD_PID,
	FIELD_TID,
	FIELD_ID,
	FIELD_ID2,
	FIELD_SCOPE,
	FIELD_S,
	FIELD_BP,
	FIELD_BIND_ID,
	FIELD_FLOW_IN,
	FIELD_FLOW_OUT,
	FIELD_ARGS,
	NFIELDS
};

#define EVENT_ARGS_MAX 96 /* members of args that are kept by name */

struct event_arg {
	struct str key;
	struct json_value value;
	/* For whoever looks keys up: 0, or what he found the last time.  May be NULL. */
	uint8_t *meaning;
};

struct event {
	uint64_t offset;  /* of its '{' in the input */
	struct str text;  /* from '{' to '}' */
	uint32_t present; /* bit of an enum event_field */
	uint32_t twice;   /* bit of a field that was given again */
	bool args_is_object;
	bool args_is_odd; /* args is no object, and no mark of an exporter that left them out */
	size_t nargs, lost_args; /* kept; beyond EVENT_ARGS_MAX */
	/* The newest pid and tid, and their text as far as the mask goes; it may be 0. */
	struct event_id {
		uint64_t word, mask;
		struct json_value value;
	} ids[2];
	struct layout_event *layout;          /* NULL: it was not known */
	struct json_value field[NFIELDS + 1]; /* the last one stands for any other key */
	struct event_arg args[EVENT_ARGS_MAX];
	struct intern *
		keys; /* NLEVELS of them, borrowed: every key that was read; may be NULL */
	struct layouts layouts; /* of the events before */
	struct again again;     /* their args */
};

/*
 * The object at j->p into *e, which begins zeroed and is used again (offset is left alone).  On JSON_MORE and JSON_BAD
 * *e is unspecified and j->p is where it stopped.  Of a key given twice the
 * last one counts; null is as good as no field.
 */
enum json_status event_parse(struct json *j, struct event *e);

static inline bool event_has(const struct event *e, enum event_field field)
{
	return e->present >> field & 1;
}

/* A key that the format gives to events, read here or not. */
bool event_is_key(struct str key);
/* The text of a field, empty when it is absent. */
static inline struct str event_text(const struct event *e, enum event_field field)
{
	return event_has(e, field) ? e->field[field].text : (struct str){ "", 0 };
}

/* The last member of args with that key, or NULL. */
const struct json_value *event_arg(const struct event *e, const char *key);

#endif
