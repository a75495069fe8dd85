/* Metadata events (M): names, labels and places of processes and threads. */
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/phase.h"

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
	if (!value)
		return false;
	if (naming_is_sort(out->kind))
		return decimal_int(value->text, &out->index) == DECIMAL_OK;
	out->text = json_unescape(value->text, &c->scratch);
	return true;
}

static void note_xprof(struct xprof *x, const struct naming_fact *naming)
{
	if (naming->kind == NAMING_PROCESS)
		xprof_process_name(x, naming->pid, naming->text);
	else if (naming->kind == NAMING_THREAD)
		xprof_thread_name(x, naming->pid, naming->tid, naming->text);
}

/* An object or array is no name: its brackets and quotes would not make a JSON key. */
static struct str metadata_name(const struct event *e)
{
	enum json_type type = e->field[FIELD_NAME].type;

	if (event_has(e, FIELD_NAME) && (type == JSON_OBJECT || type == JSON_ARRAY))
		return STR_LIT("");
	return event_text(e, FIELD_NAME);
}

int naming_event(struct chrome *c, struct err *err)
{
	const struct event *e = &c->event;
	struct str name = metadata_name(e);
	const struct json_value null = { STR_LIT("null"), JSON_NULL, false };
	struct naming_fact naming = { .pid = chrome_ident(c, FIELD_PID),
				      .tid = chrome_ident(c, FIELD_TID),
				      .offset = e->offset };

	(void)err;
	if (!find_naming(c, name, &naming)) {
		chrome_metadata(c, name,
				event_has(e, FIELD_ARGS) ? &e->field[FIELD_ARGS] : &null);
		return 0;
	}
	note_xprof(&c->xprof, &naming);
	c->sink->naming(c->sink, &naming);
	return 0;
}
