/*
 * Help for people, from the tables: nothing in it is written twice.  Fits 80
 * columns.
 */
#ifndef PTOOL_CLI_HELP_H
#define PTOOL_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* All there is to know about one command. */
void help_command(const struct command *command, FILE *out);
/* What ptool is, and its commands. */
void help_overview(FILE *out);
/* Two lines, for somebody who typed nothing. */
void help_short(FILE *out);

#endif
