/*
 * Regular expressions, PCRE2's, with limits of time and memory: one such as (a+)+$ would
 * else run for years on a long name.  Each thread needs one of its own.
 */
#ifndef PTOOL_BASE_REGEX_H
#define PTOOL_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct regex;

/*
 * `option` is what messages call it; it and the pattern are borrowed.  0, or -1 with err
 * set (ERR_USAGE, with the character that is wrong) and *out NULL.
 */
int regex_compile(const char *option, const char *pattern, struct regex **out,
		  struct err *err);
/* Accepts NULL. */
void regex_free(struct regex *r);
/* 1: it is found in the text; 0; or -1 with err set: it takes too long, or memory. */
int regex_match(const struct regex *r, struct str text, struct err *err);
/* Of the newest match, the text of its first group in brackets; false: it has none. */
bool regex_group(const struct regex *r, struct str text, struct str *out);

/* As they were given; borrowed. */
const char *regex_option(const struct regex *r);
const char *regex_pattern(const struct regex *r);

/* "10.42 2022-12-11": PCRE2's, for `ptool --version`. */
void regex_version(char out[64]);

#endif
