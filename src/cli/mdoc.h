/*
 * SYNOPSIS and OPTIONS of a command in mdoc, from the tables: what a script
 * compares the hand-written manual page with.
 */
#ifndef PTOOL_CLI_MDOC_H
#define PTOOL_CLI_MDOC_H

#include <stdio.h>

#include "cli/command.h"

void mdoc_command(const struct command *command, FILE *out);
/* The section RULES of ptool-rules(7). */
void mdoc_rules(FILE *out);

#endif
