/* First bytes of what is no profile: see foreign_head.h. */
#include "ingest/foreign_head.h"

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
