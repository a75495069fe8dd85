/* Drawing the listings of `ptool pstats` in pstats' own form. */
#ifndef PTOOL_CLI_PSTATS_FORMAT_H
#define PTOOL_CLI_PSTATS_FORMAT_H

#include "cli/output.h"
#include "query/calls/call_edges.h"

struct pstats_listing {
	const struct callgraph *graph; /* with names of what is listed */
	const struct callgraph_list *list;
	enum callgraph_calls which;
	const char *const *files; /* lines above print_stats' totals */
	size_t nfiles;
	struct str message; /* how it is ordered and cut: lines */
};

/* 0, or -1 with err set when writing failed. */
int pstats_format_write(const char *command, const struct pstats_listing *listing,
			const struct output_opts *output, struct err *err);

#endif
