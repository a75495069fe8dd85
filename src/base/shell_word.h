/* Words of command lines as a shell takes them. */
#ifndef PTOOL_BASE_SHELL_WORD_H
#define PTOOL_BASE_SHELL_WORD_H

#include "base/buf.h"

/* Adds the word, quoted where it must be, and a blank before it where there is text. */
void shell_word_add(struct buf *out, const char *word);
/*
 * For a command line that a message shows in quotes: the word if it needs no quotes of its
 * own, else `name`, such as "FILE".
 */
const char *shell_word_or(const char *word, const char *name);

#endif
