/* Metadata events (M): names, labels and places of processes and threads. */
#include "ingest/chrome.h"
#include "ingest/decimal.h"
#include "ingest/phase.h"

static void name_process(struct chrome *c, struct ident pid, struct str text)
{
	xprof_process_name(&c->xprof, pid, text);
	c->sink->process_name(c->sink, pid, text);
}

static void name_thread(struct chrome *c, struct ident pid, struct ident tid,
			struct str text)
{
	xprof_thread_name(&c->xprof, pid, tid, text);
	c->sink->thread_name(c->sink, pid, tid, text);
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
		name_process(c, pid, text);
	else if (str_is(name, "thread_name"))
		name_thread(c, pid, tid, text);
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

#define REPEATS_MAX 10000 /* that are usual */

/*
 * Some exporters name a process once more for each of its events.  Hashes will
 * do: a few repeats more or less do not matter.
 */
static int count_repeats(struct chrome *c, struct str name, struct err *err)
{
	struct str pid = event_text(&c->event, FIELD_PID),
		   tid = event_text(&c->event, FIELD_TID);
	uint64_t hash =
		hash_u64(hash_bytes(name.p, name.n) * 3 + hash_bytes(pid.p, pid.n) * 5 +
			 hash_bytes(tid.p, tid.n)) |
		1;
	uint64_t *slot = &c->namings.seen[hash >> 1 & (NAMINGS_CACHE - 1)];

	if (*slot != hash) {
		*slot = hash;
		return 0;
	}
	if (++c->namings.nrepeats <= REPEATS_MAX)
		return 0;
	return chrome_finding(c, FINDING_REPEATED_METADATA, STR_LIT(""), err);
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

	if (!name_metadata(c, name) && !sort_metadata(c, name))
		chrome_metadata(c, name,
				event_has(e, FIELD_ARGS) ? &e->field[FIELD_ARGS] : &null);
	return count_repeats(c, name, err);
}
