/*
 * What `ptool pstats` reads: the profiles of several stores and files, added as
 * Stats(first, second, ...) adds them, and a line about each.
 */
#ifndef PTOOL_CLI_PSTATS_LOAD_H
#define PTOOL_CLI_PSTATS_LOAD_H

#include "cli/operand.h"
#include "cli/opt.h"
#include "cli/scope_options.h"
#include "query/calls/callgraph.h"

struct pstats_profiles {
	struct callgraph graph;
	/* Of a graph whose names may not have been read, else NULL; borrowed from `first`. */
	struct store *store;
	struct operand first; /* owned: stays open, as it may come again at the end */
	const char **files;   /* "Tue Jan  2 03:04:05 2024    x.prof", in the arena */
	size_t nfiles, files_cap;
	struct arena arena;
};

struct pstats_load_request {
	const char *command;
	const struct opt_args *operands; /* none: the default store */
	const struct scope_opts *scope;
	const struct filter *filter; /* of sampled stacks */
	bool wants_self;             /* refuse what has none */
	bool is_quiet;               /* do not say what is read into the cache */
	enum callgraph_parts parts;  /* that are needed when there is one profile alone */
};

/*
 * pstats_release() in both cases.  *failed is set to what a message about the error
 * names, or NULL.
 */
int pstats_load(const struct pstats_load_request *request, struct pstats_profiles *out,
		const char **failed, struct err *err);
void pstats_release(struct pstats_profiles *p);

#endif
