/*
 * Functions with a history: using one is a compile error.  Included into every
 * file by the Makefile (-include), before any other header is read.
 */
#ifndef PTOOL_BASE_BANNED_H
#define PTOOL_BASE_BANNED_H

/* The headers that declare them come first, so that only uses are poisoned. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With _FORTIFY_SOURCE clang's libc headers make macros of these. */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets atoi atol \
	atoll

#endif
