/*
 * What texts say of a profile, gathered: rows of the listing and calls, which come in
 * any order, are told to a sink as sink.h wants them.
 */
#ifndef PTOOL_INGEST_PSTATS_GRAPH_H
#define PTOOL_INGEST_PSTATS_GRAPH_H

#include "base/arena.h"
#include "base/intern.h"
#include "ingest/pstats_row.h"

struct graph_row {
	struct call_sums sums;
	uint32_t function;
	uint64_t at;
};

struct graph_call {
	struct call_sums sums;
	uint32_t caller, callee;
};

struct graph_function {
	uint32_t row;    /* or TEXT_NONE */
	uint32_t number; /* as the sink numbers it, or TEXT_NONE */
};

struct graph {
	struct intern shown;    /* names of functions; numbers are indexes */
	struct intern stripped; /* names of the rows' functions without folders */
	uint32_t *of_stripped;  /* the function, or TEXT_NONE: there are several */
	size_t of_stripped_cap;
	struct graph_function *functions;
	size_t nfunctions, functions_cap;
	struct graph_row *rows;
	size_t nrows, rows_cap;
	struct graph_call *calls;
	size_t ncalls, calls_cap;
	size_t nderived;     /* rows that graph_tell() made up */
	uint64_t text_bytes; /* of a name; 0: as long as it is */
	size_t ncut;         /* names that graph_tell() cut there */
	struct arena digits;
	struct text_function parts;
};

void graph_init(struct graph *g);
void graph_release(struct graph *g);
/* A row of the listing; false: it is in place of one that the function had. */
bool graph_row(struct graph *g, const struct text_row *row, uint64_t at);
/* Calls of one function by another, behind the rows.  A name that strip_dirs() changed means the row's function. */
void graph_call(struct graph *g, struct str caller, struct str callee,
		const struct call_sums *sums);
/*
 * All of it, to the sink.  A callee without a row gets the sums over its callers.
 * 0, or -1 with err set.
 */
int graph_tell(struct graph *g, struct sink *sink, struct err *err);

#endif
