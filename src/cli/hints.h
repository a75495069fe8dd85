/*
 * Hints that name a command line, "'ptool modules' shows ...": with the operand that the
 * user gave, so that they run as they are written.
 */
#ifndef PTOOL_CLI_HINTS_H
#define PTOOL_CLI_HINTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"

/*
 * Adds the operand to such command lines in what is written around the table and those
 * after it; the texts lie in the arena.  Not where one wants another operand, nor for an
 * operand that a shell would take apart, or NULL.
 */
void hints_complete(struct table *t, const char *operand, struct arena *arena);
/* The same for a message. */
void hints_complete_error(struct err *err, const char *operand);

#endif
