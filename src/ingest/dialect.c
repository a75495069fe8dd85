/*
 * What stands beside the events of a PyTorch trace, and what the file was: it
 * never says which torch wrote it (torch_dialect.h).
 */
#include "base/alloc.h"
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/kineto.h"
#include "trace/torch_dialect.h"

/* Calls `each` for every member of an object's text. */
static void each_member(struct str object,
			void (*each)(void *to, struct str key,
				     const struct json_value *value),
			void *to)
{
	struct json j = json_of(object);
	struct json_value key, value;
	bool done;

	j.p++;
	for (bool first = true;; first = false) {
		if (json_member(&j, first, &key, &done) != JSON_OK || done ||
		    json_value(&j, &value) != JSON_OK)
			return;
		each(to, key.text, &value);
	}
}

static void distributed_member(void *to, struct str key, const struct json_value *value)
{
	struct kineto *k = to;
	int64_t number;

	if (decimal_int(value->text, &number) != DECIMAL_OK)
		return;
	if (str_is(key, "rank"))
		k->rank = number;
	else if (str_is(key, "world_size"))
		k->world_size = number;
}

struct device_entry {
	struct device_info_fact fact;
	struct buf name; /* what fact.name may be borrowed from */
};

static void device_member(void *to, struct str key, const struct json_value *value)
{
	struct device_entry *entry = to;
	struct device_info_fact *d = &entry->fact;
	int64_t number;

	if (str_is(key, "name"))
		d->name = json_unescape(value->text, &entry->name);
	if (decimal_int(value->text, &number) != DECIMAL_OK)
		return;
	if (str_is(key, "id"))
		d->id = number;
	else if (str_is(key, "totalGlobalMem"))
		d->total_memory = number;
	else if (str_is(key, "numSms"))
		d->sms = number;
	else if (str_is(key, "computeMajor"))
		d->major = number;
	else if (str_is(key, "computeMinor"))
		d->minor = number;
}

/* deviceProperties (1.10: computeProperties): one object a device. */
static void read_devices(struct chrome *c, struct str array)
{
	struct json j = json_of(array);
	struct json_value value;
	bool done;

	j.p++;
	for (bool first = true;; first = false) {
		if (json_element(&j, first, &done) != JSON_OK || done ||
		    json_value(&j, &value) != JSON_OK)
			return;
		if (value.type != JSON_OBJECT)
			continue;
		struct device_entry d = { .fact = { NUMBER_NONE, STR_LIT(""), NUMBER_NONE,
						    NUMBER_NONE, NUMBER_NONE, NUMBER_NONE,
						    chrome_json(c, &value) } };
		buf_init(&d.name, 4 * value.text.n);
		each_member(value.text, device_member, &d);
		if (d.fact.id != NUMBER_NONE)
			c->sink->device_info(c->sink, &d.fact);
		buf_release(&d.name);
	}
}

void kineto_metadata(struct chrome *c, struct str key, const struct json_value *value)
{
	struct kineto *k = &c->kineto;
	int64_t number;

	chrome_metadata(c, key, value);
	if (str_is(key, "schemaVersion")) {
		k->schema_version = true;
	} else if (str_is(key, "baseTimeNanoseconds")) {
		if (decimal_int(value->text, &number) == DECIMAL_OK) {
			k->entries.has_base = true;
			k->entries.base_before_events = !k->events_seen;
			k->base_ns = number;
		}
	} else if (str_is(key, "trace_id")) {
		k->entries.trace_id = true;
	} else if (str_is(key, "profile_memory")) {
		k->entries.memory_behind_id = k->entries.trace_id;
	} else if (str_is(key, "host_name") && value->type == JSON_STRING) {
		k->entries.host_name = true;
		k->host = chrome_text(c, value);
	} else if (str_is(key, "with_flops")) {
		k->flops_seen = !str_is(value->text, "0");
	} else if (str_is(key, "distributedInfo") && value->type == JSON_OBJECT) {
		each_member(value->text, distributed_member, k);
	} else if ((str_is(key, "deviceProperties") ||
		    str_is(key, "computeProperties")) &&
		   value->type == JSON_ARRAY) {
		read_devices(c, value->text);
	}
}

/* The version that the user names counts, but a list holds nothing that versions tell apart. */
static const struct torch_dialect *choose_dialect(const struct chrome *c)
{
	const struct torch_dialect *named =
		torch_dialect_of_version(c->options->torch_version);

	return named && !c->kineto.told.marks.list
		       ? named
		       : torch_dialect_of_content(&c->kineto.told.marks,
						  &c->kineto.entries);
}

void kineto_finish(struct chrome *c)
{
	const struct kineto *k = &c->kineto;
	bool pytorch = k->told.kineto_category || k->told.marks.list ||
		       (k->schema_version && k->entries.has_base);
	const struct torch_dialect *d = choose_dialect(c);
	struct profile_fact profile = {
		.format = pytorch         ? "pytorch"
			  : c->xprof.seen ? "xprof"
					  : "chrome",
		.dialect = pytorch ? d->name : "",
		.has_base = k->entries.has_base,
		.base_ns = k->base_ns,
		.rank = k->rank,
		.world_size = k->world_size,
		.window_end_ns = k->told.window_end_ns,
		.span_end_ns = k->told.span_end_ns,
		.host = k->host,
		.has_memory = k->told.memory_seen,
		.has_shapes = k->told.shapes_seen,
		.has_stacks = k->told.stacks_seen,
		.has_flops = k->flops_seen,
		.rules = pytorch ? d->rules : (struct op_rules){ .all_slices = true },
	};

	c->sink->profile(c->sink, &profile);
}
