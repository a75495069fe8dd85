/*
 * Regular expressions as Python's re reads them, matched by PCRE2.  What the two
 * spell differently is spelt anew, and what Python refuses is refused; left are
 * \N{name}, which is refused too, and verbose expressions (?x), whose comments are
 * read like the rest.
 */
#ifndef PTOOL_QUERY_PYTHON_RE_H
#define PTOOL_QUERY_PYTHON_RE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct python_re;

/* NULL: it is none, where re.compile() fails.  python_re_free() frees. */
struct python_re *python_re_new(struct str pattern);
/* Accepts NULL. */
void python_re_free(struct python_re *re);
/* re.search(): 1, 0, or -1 with an ERR_USAGE when it takes too long. */
int python_re_search(const struct python_re *re, struct str text, struct err *err);

#endif
