/* Command lines of ptool, in the process of a fuzz target. */
#ifndef PTOOL_TESTS_RUN_COMMAND_H
#define PTOOL_TESTS_RUN_COMMAND_H

#include <stddef.h>

/* A word of a line, and what takes its place. */
struct placeholder {
	const char *name;
	char *stands_for; /* borrowed */
};

/*
 * Runs "top %s --by name", for example, whose words are divided by single blanks.  What it
 * prints goes nowhere.  Returns its exit status; one that no command may have (DESIGN: 0 to
 * 5, and 1 only of gate) ends the program.
 */
int run_command(const char *line, const struct placeholder *places, size_t nplaces);

#endif
