/*
 * What stands beside the events of a PyTorch trace, and which dialect the file
 * is: it never says which torch wrote it (torch-profiler.md b.1).
 */
#include "base/alloc.h"
#include "ingest/chrome.h"
#include "ingest/decimal.h"
#include "ingest/kineto.h"

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

static void device_member(void *to, struct str key, const struct json_value *value)
{
	struct device_info_fact *d = to;
	int64_t number;

	if (str_is(key, "name"))
		d->name = value->text;
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
		struct device_info_fact d = { NUMBER_NONE, { "", 0 },   NUMBER_NONE,
					      NUMBER_NONE, NUMBER_NONE, NUMBER_NONE,
					      value.text };
		each_member(value.text, device_member, &d);
		if (d.id != NUMBER_NONE)
			c->sink->device_info(c->sink, &d);
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
			k->has_base = true;
			k->base_before_events = !k->events_seen;
			k->base_ns = number;
		}
	} else if (str_is(key, "host_name") && value->type == JSON_STRING) {
		k->host_name = true;
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

struct dialect {
	const char *name;
	struct op_rules rules;
};

/* torch-profiler.md b.1 with the rules of a.1, a.3, a.7 and a.9. */
static const struct dialect dialects[] = {
	{ "A", { false, false, false, false, false, 1000 } }, /* 1.8.1 to 1.10 */
	{ "B", { false, false, false, false, false, 1000 } }, /* 1.11 to 1.13 */
	{ "C", { false, false, false, false, false, 1000 } }, /* 2.0 to 2.3 */
	{ "C'", { false, true, true, false, false, 1500 } },  /* 2.4 before its release */
	{ "D", { false, true, true, false, false, 2 } },      /* 2.4 to 2.6 */
	{ "E", { false, true, true, false, false, 2 } },      /* 2.7 to 2.10 */
	{ "E", { false, true, false, false, false, 2 } }, /* 2.11: exact memory window */
	{ "E",
	  { false, true, false, true, true, 2 } }, /* 2.12, 2.13: open ranges, frames */
	{ "F", { false, true, false, true, true, 2 } }, /* 2.14 */
};

static const struct dialect *find_dialect(const struct kineto *k)
{
	if (k->operator_category)
		return &dialects[0];
	if (!k->has_base)
		return &dialects[k->fractional ? 3 : k->event_index ? 1 : 2];
	if (!k->base_before_events)
		return &dialects[4];
	if (k->metadata_first)
		return &dialects[8];
	if (k->finished_key)
		return &dialects[7];
	return &dialects[k->host_name ? 6 : 5];
}

void kineto_finish(struct chrome *c)
{
	const struct kineto *k = &c->kineto;
	bool pytorch = k->kineto_category || (k->schema_version && k->has_base);
	const struct dialect *d = find_dialect(k);
	struct profile_fact profile = {
		.format = pytorch ? "pytorch" : "chrome",
		.dialect = pytorch ? d->name : "",
		.has_base = k->has_base,
		.base_ns = k->base_ns,
		.rank = k->rank,
		.world_size = k->world_size,
		.window_end_ns = k->window_end_ns,
		.span_end_ns = k->span_end_ns,
		.host = k->host,
		.has_memory = k->memory_seen,
		.has_shapes = k->shapes_seen,
		.has_stacks = k->stacks_seen,
		.has_flops = k->flops_seen,
		.rules = pytorch ? d->rules : (struct op_rules){ .all_slices = true },
	};

	c->sink->profile(c->sink, &profile);
}
