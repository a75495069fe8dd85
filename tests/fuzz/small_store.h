/*
 * A small store to fuzz what reads stores: a trace with something in each table,
 * brought into a file by the ordinary way.
 */
#ifndef PTOOL_TESTS_SMALL_STORE_H
#define PTOOL_TESTS_SMALL_STORE_H

#include "base/str.h"

/* Its bytes; they live as long as the program.  Ends the program when it has none. */
struct bytes small_store(void);
/* The path of a file with these bytes, the same at each call; gone when the program ends. */
const char *small_store_file(struct bytes bytes);
/* Does the file still hold them? */
/* Bytes that read_all() or a fuzz target made. */
void small_store_free(struct bytes bytes);
bool small_store_is(struct bytes bytes);

#endif
