/*
 * Files of sections and keys, read strictly: "[name]" begins a section, "key = value" is in
 * it, a line that begins with # or ; is a comment, and nothing else is anything.  A value
 * goes to the end of its line, so that it may hold any character.  (Debian's libinih cuts
 * long lines, takes a blank and a ; in a value for a comment, and tells no line numbers.)
 */
#ifndef PTOOL_BASE_INI_H
#define PTOOL_BASE_INI_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct ini_entry {
	const char *key, *value;
	int line; /* from 1 */
};

struct ini_section {
	const char *name;
	int line;
	struct ini_entry *entries;
	size_t n, cap;
};

struct ini {
	struct ini_section *sections; /* owned, as are their entries */
	size_t n, cap;
	struct arena arena; /* of the texts */
};

/*
 * 0, or -1 with an ERR_USAGE about line *line.  A section's name is there once; keys may be
 * repeated.  ini_release() in both cases.
 */
int ini_read(struct str text, struct ini *out, int *line, struct err *err);
void ini_release(struct ini *ini);

#endif
