/*
 * Completion scripts from the tables: commands, options, the values of choices.
 */
#ifndef PTOOL_CLI_COMPLETE_H
#define PTOOL_CLI_COMPLETE_H

#include <stdio.h>

void complete_bash(FILE *out);
void complete_zsh(FILE *out);
void complete_fish(FILE *out);

#endif
