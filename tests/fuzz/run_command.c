/* Command lines of ptool for fuzz targets: see run_command.h. */
#include "run_command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"

#define WORDS_MAX 16

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static char *word_of(char *word, const struct placeholder *places, size_t nplaces)
{
	for (size_t i = 0; i < nplaces; i++)
		if (strcmp(word, places[i].name) == 0)
			return places[i].stands_for;
	return word;
}

static int run(char *line, const struct placeholder *places, size_t nplaces)
{
	char *words[WORDS_MAX + 1] = { NULL }, *rest = NULL;
	int n = 0;

	for (char *word = strtok_r(line, " ", &rest); word && n < WORDS_MAX;
	     word = strtok_r(NULL, " ", &rest))
		words[n++] = word_of(word, places, nplaces);
	return cli_main(n, words);
}

int run_command(const char *line, const struct placeholder *places, size_t nplaces)
{
	static FILE *nowhere;
	char *words = xasprintf("ptool %s", line);
	FILE *out = stdout, *err = stderr;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	must(nowhere != NULL, "no /dev/null");
	stdout = stderr = nowhere; /* libFuzzer and the sanitizers have their own way */
	int code = run(words, places, nplaces);
	stdout = out;
	stderr = err;
	must(code >= 0 && code < 6 && (code != 1 || strncmp(line, "gate ", 5) == 0),
	     "an exit status that is none");
	free(words);
	return code;
}
