/*
 * Small stores to fuzz what reads stores: recordings of each kind, brought into a file
 * by the ordinary way.
 */
#ifndef PTOOL_TESTS_SMALL_STORE_H
#define PTOOL_TESTS_SMALL_STORE_H

#include "base/str.h"

enum small_store {
	SMALL_TRACE, /* of torch, with something in each table */
	SMALL_GRAPH, /* functions of Python and who called them */
	SMALL_RANKS, /* two profiles */
	SMALL_PIPELINE,
	SMALL_STACKS,
	SMALL_SPEEDSCOPE,
	SMALL_LINES,
	SMALL_MPROF,
	SMALL_TIMELINE, /* of memory */
	SMALL_SNAPSHOT,
	NSMALL_STORES
};

/* Its bytes; they live as long as the program.  Ends the program when it has none. */
struct bytes small_store(enum small_store kind);
/* The path of a file with these bytes, the same at each call; gone when the program ends. */
const char *small_store_file(struct bytes bytes);
/* Does that file still hold them? */
bool small_store_is(struct bytes bytes);
/* The path of a file with the trace that SMALL_TRACE was made of, likewise. */
char *small_store_trace(void);
/* A file of its own: the caller removes it and frees the path. */
char *small_store_copy(struct bytes bytes);
bool small_store_is_in(const char *path, struct bytes bytes);
/* Bytes that a fuzz target made. */
void small_store_free(struct bytes bytes);

#endif
