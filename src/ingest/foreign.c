/* JSON that is no trace: see foreign.h. */
#include "ingest/foreign.h"

#include "base/buf.h"
#include "ingest/json.h"

#define KNOWN_KEYS 3
#define SHOWN_KEYS 4 /* in a message */

struct known {
	const char *what;             /* "a ...": completes "this is" */
	const char *keys[KNOWN_KEYS]; /* all are there; NULL: no more */
	const char *instead;          /* "... writes what ptool reads", or NULL */
};

#define MEMRAY "'memray transform speedscope RECORDING' writes what ptool reads"

/* The more special first: some share keys. */
static const struct known objects[] = {
	{ "a speedscope profile", { "$schema", "shared", "profiles" }, NULL },
	{ "a CPU profile of V8", { "nodes", "timeDeltas" }, NULL },
	{ "a heap snapshot of V8", { "snapshot", "nodes", "strings" }, NULL },
	{ "a PyTorch execution trace",
	  { "schema", "nodes" },
	  "export_chrome_trace() of torch.profiler writes what ptool reads" },
	{ "a PyTorch memory snapshot", { "segments", "device_traces" }, NULL },
	{ "a profile of Firefox", { "meta", "threads", "libs" }, NULL },
	{ "a profile of V8 (--prof)", { "code", "functions", "ticks" }, NULL },
	{ "a profile for gprof2dot, as of memray",
	  { "costs", "events", "functions" },
	  MEMRAY },
	{ "a summary of memray",
	  { "total_num_allocations", "allocation_size_histogram" },
	  MEMRAY },
};

static const struct known entries[] = {
	{ "a table of key_averages()", { "key", "cpu_time_total" }, NULL },
	{ "a table of key_averages()", { "key", "self_cpu_time_total" }, NULL },
	{ "a table of operators", { "name", "count", "cpu_time_total" }, NULL },
};

void foreign_add_key(struct foreign *f, struct str key)
{
	if (f->nkeys == FOREIGN_KEYS)
		return;
	char *to = f->keys[f->nkeys++];
	size_t n = key.n < FOREIGN_KEY_MAX ? key.n : FOREIGN_KEY_MAX;
	memcpy(to, key.p, n);
	to[n] = '\0';
}

void foreign_add_object(struct foreign *f, struct str object)
{
	struct json_items items = json_items_of(object);
	struct json_value key, value;

	if (f->nkeys)
		return;
	while (json_next_member(&items, &key, &value) > 0)
		foreign_add_key(f, key.text);
}

static bool has_key(const struct foreign *f, const char *key)
{
	for (unsigned i = 0; i < f->nkeys; i++)
		if (strcmp(f->keys[i], key) == 0)
			return true;
	return false;
}

static const struct known *find_known(const struct foreign *f, const struct known *all,
				      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool is_it = true;
		for (size_t k = 0; k < KNOWN_KEYS && all[i].keys[k]; k++)
			is_it &= has_key(f, all[i].keys[k]);
		if (is_it)
			return &all[i];
	}
	return NULL;
}

/* " (its keys: a, b, ...)", or nothing. */
static void add_keys(const struct foreign *f, const char *whose, struct buf *out)
{
	for (unsigned i = 0; i < f->nkeys && i < SHOWN_KEYS; i++) {
		if (i == 0)
			buf_addf(out, " (%s: ", whose);
		buf_addf(out, "%s%s", i ? ", " : "", f->keys[i]);
	}
	if (f->nkeys)
		buf_add_text(out, f->nkeys > SHOWN_KEYS ? ", ...)" : ")");
}

/* The sentence and the keys; `known` NULL: it is nothing known. */
static int refuse(const struct foreign *f, const struct known *known,
		  const char *otherwise, const char *whose, struct err *err)
{
	struct buf text;

	buf_init(&text, ERR_TEXT_MAX);
	if (known) {
		buf_addf(&text, "this is %s, not a profiler trace", known->what);
		if (known->instead)
			buf_addf(&text, ": %s", known->instead);
	} else {
		buf_add_text(&text, otherwise);
		add_keys(f, whose, &text);
	}
	struct str said = buf_str(&text);
	int rc = err_at(err, 0, "%.*s", (int)said.n, said.p);
	buf_release(&text);
	return rc;
}

int foreign_object(const struct foreign *f, struct err *err)
{
	const struct known *known =
		find_known(f, objects, sizeof(objects) / sizeof(*objects));

	if (has_key(f, "traceEvents"))
		return err_at(err, 0, "traceEvents is not an array");
	return refuse(f, known, "not a trace: the JSON object has no traceEvents",
		      "its keys", err);
}

int foreign_array(const struct foreign *f, struct err *err)
{
	static const struct known timeline = {
		.what = "an array of arrays, as a PyTorch memory timeline is"
	};
	const struct known *known =
		find_known(f, entries, sizeof(entries) / sizeof(*entries));

	if (f->nkeys)
		return refuse(f, known,
			      "not a trace: no entry of the event list has a ph",
			      "keys of the first", err);
	if (f->has_other && !f->has_scalar)
		known = &timeline;
	return refuse(f, known, "not a trace: the JSON array has no events", "", err);
}
