/*
 * A small store to fuzz what reads stores: a trace with something in each table,
 * brought into a file by the ordinary way.
 */
#ifndef PTOOL_TESTS_SMALL_STORE_H
#define PTOOL_TESTS_SMALL_STORE_H

#include "base/str.h"

/* Its bytes; they live as long as the program.  Ends the program when it has none. */
struct bytes small_store(void);
/* Those of a store of another kind: a call graph of Python. */
struct bytes small_store_graph(void);
/* The path of a file with these bytes, the same at each call; gone when the program ends. */
const char *small_store_file(struct bytes bytes);
/* Does that file still hold them? */
bool small_store_is(struct bytes bytes);
/* The path of a file with the trace that it was made of, likewise. */
char *small_store_trace(void);
/* A file of its own: the caller removes it and frees the path. */
char *small_store_copy(struct bytes bytes);
bool small_store_is_in(const char *path, struct bytes bytes);
/* Bytes that a fuzz target made. */
void small_store_free(struct bytes bytes);

#endif
