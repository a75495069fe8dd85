/*
 * What this ptool is, and what it is made of.
 */
#ifndef PTOOL_CLI_VERSION_H
#define PTOOL_CLI_VERSION_H

#include <stdio.h>

/* ptool --version: the version (PTOOL_VERSION, from the Makefile), the store's schema, the libraries. */
void version_print(FILE *out);

#endif
