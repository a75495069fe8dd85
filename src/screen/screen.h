/*
 * A browser of tables that fills the terminal: what it shows are the tables of ptool's
 * commands, asked for as one moves, each by a command line that one could have typed.
 * It knows how tables are drawn; how they are made knows who calls it.
 */
#ifndef PTOOL_SCREEN_SCREEN_H
#define PTOOL_SCREEN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/apart.h"
#include "base/err.h"
#include "base/table.h"

/* What a recording holds: bits, for which sections make sense. */
enum screen_kind {
	SCREEN_TRACE = 1,     /* slices of threads and devices */
	SCREEN_FUNCTIONS = 2, /* functions of Python's profilers, sampled stacks */
	SCREEN_LINES = 4,     /* lines of functions */
	SCREEN_ANY = 7,
	/* And of traces those that have such: */
	SCREEN_PHASES = 8,    /* steps of an inference engine */
	SCREEN_GRAPHS = 16,   /* replays */
	SCREEN_COMPILED = 32, /* regions of torch.compile */
	SCREEN_SHAPES = 64    /* of operators' inputs */
};

/* Who answers; borrowed while the screen runs. */
struct screen_source {
	/*
	 * Takes the table of a command: argv[0] is its name, argv ends with NULL.  Is
	 * called in a process of its own, which ends after it.  0, or -1 with err set.
	 */
	int (*ask)(const struct screen_source *s, int argc, char **argv,
		   int (*take)(void *to, struct table *t, struct err *err), void *to,
		   struct err *err);
	bool (*has_option)(const struct screen_source *s, const char *command,
			   const char *option);
	/* Does --sort of the command take it? */
	bool (*has_key)(const struct screen_source *s, const char *command,
			const char *key);
};

struct screen {
	const struct screen_source *source;
	const char *name;         /* what is looked at, for the first line */
	const char *const *scope; /* words of all command lines, such as "--rank=0" */
	const char *operand;      /* the last word of command lines; NULL: none */
	unsigned kinds;           /* bits of enum screen_kind */
	apart_shorten_fn *shorten;
	bool color, is_ascii;
};

/*
 * Runs until its user leaves: 0, or the number of the signal that ended it.  -1 with err
 * set: there is no terminal for it.
 */
int screen_run(const struct screen *screen, struct err *err);

#endif
