/* JSON that is no trace: see foreign.h. */
#include "ingest/foreign.h"

#include "base/buf.h"
#include "ingest/foreign_head.h"
#include "ingest/json.h"

#define KNOWN_KEYS 3
#define SHOWN_KEYS 4 /* in a message */

struct known {
	const char *what;             /* "a ...": completes "this is" */
	const char *keys[KNOWN_KEYS]; /* all are there; NULL: no more */
};

/* The more special first: some share keys. */
static const struct known objects[] = {
	{ "a speedscope profile", { "$schema", "shared", "profiles" } },
	{ "a CPU profile of V8", { "nodes", "timeDeltas" } },
	{ "a heap snapshot of V8", { "snapshot", "nodes", "strings" } },
	{ "a PyTorch execution trace", { "schema", "nodes" } },
	{ "a PyTorch memory snapshot", { "segments", "device_traces" } },
	{ "a profile of Firefox", { "meta", "threads", "libs" } },
	{ "a profile of pyinstrument", { "duration", "root_frame" } },
	{ "a session of pyinstrument", { "duration", "frame_records" } },
	{ "a profile of Scalene", { "elapsed_time_sec", "files" } },
	{ "a profile of V8 (--prof)", { "code", "functions", "ticks" } },
};

static const struct known entries[] = {
	{ "a table of key_averages()", { "key", "cpu_time_total" } },
	{ "a table of key_averages()", { "key", "self_cpu_time_total" } },
	{ "a table of operators", { "name", "count", "cpu_time_total" } },
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
	struct json j = json_of(object);
	struct json_value key, value;
	bool done;

	if (f->nkeys)
		return;
	j.p++;
	for (bool first = true;; first = false) {
		if (json_member(&j, first, &key, &done) != JSON_OK || done ||
		    json_value(&j, &value) != JSON_OK)
			return;
		foreign_add_key(f, key.text);
	}
}

static bool has_key(const struct foreign *f, const char *key)
{
	for (unsigned i = 0; i < f->nkeys; i++)
		if (strcmp(f->keys[i], key) == 0)
			return true;
	return false;
}

static const char *find_known(const struct foreign *f, const struct known *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool is_it = true;
		for (size_t k = 0; k < KNOWN_KEYS && all[i].keys[k]; k++)
			is_it &= has_key(f, all[i].keys[k]);
		if (is_it)
			return all[i].what;
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

/* The sentence and the keys; `what` NULL: it is nothing known. */
static int refuse(const struct foreign *f, const char *what, const char *otherwise,
		  const char *whose, struct err *err)
{
	struct buf text;

	buf_init(&text, ERR_TEXT_MAX);
	if (what) {
		buf_addf(&text, "this is %s, not a profiler trace", what);
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
	const char *what = find_known(f, objects, sizeof(objects) / sizeof(*objects));

	if (has_key(f, "traceEvents"))
		return err_at(err, 0, "traceEvents is no array");
	return refuse(f, what, "a JSON object without traceEvents is no trace",
		      "its keys", err);
}

int foreign_array(const struct foreign *f, struct err *err)
{
	const char *what = find_known(f, entries, sizeof(entries) / sizeof(*entries));

	if (f->nkeys)
		return refuse(f, what,
			      "no entry of the event list has a ph: it is no trace",
			      "keys of the first", err);
	if (f->has_other && !f->has_scalar)
		what = "an array of arrays, as a PyTorch memory timeline is";
	return refuse(f, what, "a JSON array without events is no trace", "", err);
}

#define LOOKED_AT 4096 /* bytes that names are looked for in */

struct head {
	const char *magic;
	size_t bytes; /* of it */
	const char *what;
};

#define MAGIC(text) (text), sizeof(text) - 1

static const struct head heads[] = {
	{ MAGIC("\x13\x0fhotshot-version"),
	  "a hotshot profile of Python 2 (its hotshot.stats.load().dump_stats() converts it)" },
	{ MAGIC("# callgrind format"), "a callgrind profile" },
	{ MAGIC("PERFILE2"), "a recording of perf" },
	{ MAGIC("FLR\0"), "a recording of Java's flight recorder" },
	/* its first words: 0, 3, 0 */
	{ MAGIC("\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	  "a CPU profile of gperftools" },
	{ MAGIC("heap profile:"), "a heap profile of gperftools" },
	{ MAGIC("SQLite format 3\0"), "a SQLite database" },
	{ MAGIC("\x7f"
		"ELF"),
	  "a program" },
	{ MAGIC("\x89PNG"), "a picture" },
};

static bool has_magic(struct bytes head, const struct head *known)
{
	return head.n >= known->bytes && memcmp(head.p, known->magic, known->bytes) == 0;
}

static bool contains(struct bytes head, const char *text)
{
	return str_contains((struct str){ (const char *)head.p, head.n }, str_of(text));
}

/* Behind a line that is a name with dots; NULL: there is no such line. */
static const uint8_t *behind_name(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *start = p;

	while (p < end && (*p == '.' || *p == '_' || (*p >= '0' && *p <= '9') ||
			   (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z')))
		p++;
	return p > start && p < end && *p == '\n' ? p + 1 : NULL;
}

/* Of protocol 0 or 1: a class or function, which is called or remembered next. */
static bool names_a_class(struct bytes head)
{
	const uint8_t *end = head.p + head.n;
	const uint8_t *p = head.p[0] == 'c' ? behind_name(head.p + 1, end) : NULL;

	p = p ? behind_name(p, end) : NULL;
	return p && p < end && (*p == '(' || *p == 'p' || *p == 'q');
}

/*
 * Protocols 2 to 5 begin with their number; 0 and 1 with the name of a class, or with a
 * dict or list that is remembered as the first object.
 */
static bool is_pickle(struct bytes head)
{
	static const struct head plain[] = { { MAGIC("(dp0\n"), NULL },
					     { MAGIC("(lp0\n"), NULL },
					     { MAGIC("}q\0"), NULL },
					     { MAGIC("]q\0"), NULL } };

	if (head.n > 2 && head.p[0] == 0x80 && head.p[1] >= 2 && head.p[1] <= 5)
		return true;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (has_magic(head, &plain[i]))
			return true;
	return head.n > 2 && names_a_class(head);
}

static const char *pickle_name(struct bytes head)
{
	if (contains(head, "LineStats"))
		return "data of line_profiler (.lprof)";
	if (contains(head, "YFuncStat"))
		return "a pickle of yappi (save with type='pstat' instead)";
	if (contains(head, "device_traces") || contains(head, "segments"))
		return "a pickle of protocol 0 or 1 (snapshots of torch.cuda.memory have 2 to 5)";
	return "a Python pickle other than a snapshot of torch.cuda.memory";
}

/* Pages that torch makes of recordings of memory; NULL: it is none of them. */
static const char *page_name(struct bytes head)
{
	if (contains(head, "<title>GPU Memory Timeline HTML"))
		return "the picture of a memory timeline (export_memory_timeline() to "
		       "a name that ends in .raw.json.gz writes its data)";
	if (contains(head, "viz/MemoryViz.js"))
		return "a page of torch.cuda._memory_viz (the snapshot that it was made "
		       "of is what ptool reads)";
	return NULL;
}

/* A number of the version, "\r\n", and flags or a time: Lib/importlib. */
static bool is_pyc(struct bytes head)
{
	bool is_version = head.n > 3 && ((head.p[1] >= 0x0b && head.p[1] <= 0x0f) ||
					 head.p[1] == 0xf2 || head.p[1] == 0xf3);

	return head.n >= 8 && is_version && head.p[2] == '\r' && head.p[3] == '\n';
}

const char *foreign_head(struct bytes head)
{
	if (head.n > LOOKED_AT)
		head.n = LOOKED_AT;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (has_magic(head, &heads[i]))
			return heads[i].what;
	if (is_pickle(head))
		return pickle_name(head);
	if (is_pyc(head))
		return "compiled Python (.pyc)";
	if (contains(head, "version: 1\n") && contains(head, "\nevents: "))
		return "a callgrind profile";
	if (contains(head, "Time and Allocation Profiling Report"))
		return "a profile of Haskell (GHC)";
	return page_name(head);
}
