/*
 * What stands beside the events of a PyTorch trace, and what the file was: it
 * never says which torch wrote it (torch_dialect.h).
 */
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/kineto.h"
#include "trace/export_marks.h"
#include "trace/pipeline_op.h"
#include "trace/torch_dialect.h"

/* Calls `each` for every member of an object's text. */
static void each_member(struct str object,
			void (*each)(void *to, struct str key,
				     const struct json_value *value),
			void *to)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;

	while (json_next_member(&items, &key, &value) > 0)
		each(to, key.text, &value);
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

/* One object a device. */
static void read_devices(struct chrome *c, const struct json_value *array)
{
	struct json_items items = json_items_of(array->text);
	struct json_value value;
	bool is_first = true;

	if (array->type != JSON_ARRAY)
		return;
	while (json_next_element(&items, &value) > 0) {
		if (value.type != JSON_OBJECT)
			continue;
		struct device_entry d = { .fact = { NUMBER_NONE, STR_LIT(""), NUMBER_NONE,
						    NUMBER_NONE, NUMBER_NONE, NUMBER_NONE,
						    chrome_json(c, &value), is_first } };
		buf_init(&d.name, 4 * value.text.n);
		each_member(value.text, device_member, &d);
		if (d.fact.id != NUMBER_NONE) {
			c->sink->device_info(c->sink, &d.fact);
			is_first = false;
		}
		buf_release(&d.name);
	}
}

static void read_schema(struct chrome *c, const struct json_value *value)
{
	(void)value;
	c->kineto.schema_version = true;
}

static void read_base(struct chrome *c, const struct json_value *value)
{
	struct kineto *k = &c->kineto;
	int64_t number;

	if (decimal_int(value->text, &number) != DECIMAL_OK)
		return;
	k->entries.has_base = true;
	k->entries.base_before_events = !k->events_seen;
	k->base_ns = number;
}

static void read_trace_id(struct chrome *c, const struct json_value *value)
{
	(void)value;
	c->kineto.entries.trace_id = true;
}

static void read_profile_memory(struct chrome *c, const struct json_value *value)
{
	c->kineto.entries.memory_behind_id = c->kineto.entries.trace_id;
	c->kineto.memory_told = str_is(value->text, "1") || value->type == JSON_TRUE;
}

static void read_host(struct chrome *c, const struct json_value *value)
{
	if (value->type != JSON_STRING)
		return;
	c->kineto.entries.host_name = true;
	c->kineto.host = chrome_text(c, value);
}

static void read_flops(struct chrome *c, const struct json_value *value)
{
	c->kineto.flops_seen = !str_is(value->text, "0");
}

static void read_distributed(struct chrome *c, const struct json_value *value)
{
	struct kineto *k = &c->kineto;

	if (value->type != JSON_OBJECT)
		return;
	if (k->distributed_seen) /* of two the last one counts */
		k->rank = k->world_size = NUMBER_NONE;
	k->distributed_seen = true;
	each_member(value->text, distributed_member, k);
}

/* No exporter adds more to a duration. */
#define FUDGE_MAX_NS INT64_C(1000000000)

static void read_fudge(struct str text, int64_t *fudge_ns)
{
	int64_t ns;

	if (decimal_int(text, &ns) == DECIMAL_OK && ns >= 0 && ns <= FUDGE_MAX_NS)
		*fudge_ns = ns;
}

/* A rule that an export tells, and where it belongs. */
static void export_member(void *to, struct str key, const struct json_value *value)
{
	struct kineto *k = to;
	struct op_rules *r = &k->export_rules;
	const struct {
		const char *key;
		bool *into;
	} flags[] = {
		{ "all_slices", &r->all_slices },
		{ "split_annotations", &r->split_annotations },
		{ "float_memory_window", &r->float_memory_window },
		{ "python_in_tree", &r->python_in_tree },
		{ "keep_unfinished", &r->keep_unfinished },
	};
	const char *name;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (str_is(key, flags[i].key))
			*flags[i].into = str_is(value->text, "1");
	if (str_is(key, "rank"))
		distributed_member(to, key, value);
	else if (str_is(key, "annotation_fudge_ns"))
		read_fudge(value->text, &r->annotation_fudge_ns);
	else if (str_is(key, "dialect"))
		for (size_t i = 0; (name = torch_dialect_name_at(i)); i++)
			if (str_is(value->text, name))
				k->export_dialect = name;
}

static void read_export(struct chrome *c, const struct json_value *value)
{
	if (value->type == JSON_OBJECT)
		each_member(value->text, export_member, &c->kineto);
}

static const struct known_entry {
	const char *key;
	void (*read)(struct chrome *c, const struct json_value *value);
} entries[] = {
	{ "schemaVersion", read_schema },
	{ "baseTimeNanoseconds", read_base },
	{ "trace_id", read_trace_id },
	{ "profile_memory", read_profile_memory },
	{ "host_name", read_host },
	{ "with_flops", read_flops },
	{ "distributedInfo", read_distributed },
	{ "deviceProperties", read_devices },
	{ "computeProperties", read_devices }, /* 1.10 */
	{ EXPORT_ENTRY, read_export },
};

#define NENTRIES (sizeof(entries) / sizeof(*entries))

const char *kineto_entry_at(size_t i)
{
	return i < NENTRIES ? entries[i].key : NULL;
}

void kineto_metadata(struct chrome *c, struct str key, const struct json_value *value)
{
	/* the next export has an entry of its own */
	if (!str_is(key, EXPORT_ENTRY))
		chrome_metadata(c, key, value);
	for (size_t i = 0; i < NENTRIES; i++)
		if (str_is(key, entries[i].key))
			entries[i].read(c, value);
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

static const char *format_of(const struct chrome *c, bool pytorch)
{
	const struct kineto_told *told = &c->kineto.told;

	if (pytorch)
		return "pytorch";
	if (c->xprof.seen)
		return "xprof";
	return told->pipeline && !told->others ? PIPELINE_FORMAT : "chrome";
}

void kineto_finish(struct chrome *c)
{
	const struct kineto *k = &c->kineto;
	bool pytorch = k->told.kineto_category || k->told.marks.list ||
		       (k->schema_version && k->entries.has_base);
	const struct torch_dialect *d = choose_dialect(c);
	struct profile_fact profile = {
		.format = format_of(c, pytorch),
		.dialect = pytorch ? d->name : "",
		.has_base = k->entries.has_base,
		.base_ns = k->base_ns,
		.rank = k->rank,
		.world_size = k->world_size,
		.window_end_ns = k->told.window_end_ns,
		.span_end_ns = k->told.span_end_ns,
		.host = k->host,
		.has_memory = k->told.memory_seen || k->memory_told,
		.has_shapes = k->told.shapes_seen,
		.has_stacks = k->told.stacks_seen,
		.has_flops = k->flops_seen,
		.rules = pytorch ? d->rules : (struct op_rules){ .all_slices = true },
	};

	if (pytorch && k->export_dialect) {
		profile.dialect = k->export_dialect;
		profile.rules = k->export_rules;
	}
	c->sink->profile(c->sink, &profile);
}
