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

/* Protocols 2 to 5 begin with their number; 0 and 1 with the name of a class. */
static bool is_pickle(struct bytes head)
{
	if (head.n > 2 && head.p[0] == 0x80 && head.p[1] >= 2 && head.p[1] <= 5)
		return true;
	return head.n > 2 && head.p[0] == 'c' && contains(head, "\n_reconstructor\n");
}

static const char *pickle_name(struct bytes head)
{
	if (contains(head, "LineStats"))
		return "data of line_profiler (.lprof)";
	if (contains(head, "YFuncStat"))
		return "a pickle of yappi (save with type='pstat' instead)";
	return "a Python pickle";
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
	return NULL;
}
