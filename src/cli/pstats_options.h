/* What the options of `ptool pstats` mean: sort keys and restrictions. */
#ifndef PTOOL_CLI_PSTATS_OPTIONS_H
#define PTOOL_CLI_PSTATS_OPTIONS_H

#include "cli/opt.h"
#include "cli/output.h"
#include "query/calls/callgraph_list.h"

/* The --format that is no renderer's. */
#define PSTATS_FORMAT "pstats"

struct pstats_cuts {
	struct callgraph_cut items[OPT_STRINGS_MAX]; /* patterns are argv's */
	size_t n;
	bool has_match;
};

/* 0, or -1 with an ERR_USAGE; a key that is none is told with all there are. */
int pstats_parse_sort(const struct opt_strings *texts, struct callgraph_order *order,
		      struct err *err);
/* By the names of the options: limit, fraction, and what is a regular expression. */
int pstats_parse_cuts(const struct opt_sequence *given, struct pstats_cuts *out,
		      struct err *err);
/* --sort help: the keys as a table of its own.  Returns the exit code. */
int pstats_list_keys(const char *command, const struct output_opts *output);

#endif
