/*
 * Hints that name a command line, "'ptool modules' shows ...": with the operand that the
 * user gave, so that they run as they are written.
 */
#ifndef PTOOL_CLI_HINTS_H
#define PTOOL_CLI_HINTS_H

#include "base/err.h"
#include "base/table.h"

/*
 * A table of the same rows whose words, and those of the tables after it, have the operand
 * in such command lines; owns `t`, or is it.  Not where one wants another operand, nor
 * for an operand that a shell would take apart, or NULL; borrowed.
 */
struct table *hints_complete(struct table *t, const char *operand);
/* The same for a message. */
void hints_complete_error(struct err *err, const char *operand);

#endif
