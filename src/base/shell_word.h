/* Words of command lines as a shell takes them. */
#ifndef PTOOL_BASE_SHELL_WORD_H
#define PTOOL_BASE_SHELL_WORD_H

#include "base/buf.h"

/* Adds the word, quoted where it must be, and a blank before it where there is text. */
void shell_word_add(struct buf *out, const char *word);
/*
 * The word if it may stand in a command line that is in quotes itself, else `name`, which
 * says what stands there: "FILE".
 */
const char *shell_word_or(const char *word, const char *name);

#endif
