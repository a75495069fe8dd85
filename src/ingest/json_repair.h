/*
 * Strings with quotes in them that are not escaped (every torch until 2026
 * wrote such names): the end of one is the quote behind which an object can go on.
 */
#ifndef PTOOL_INGEST_JSON_REPAIR_H
#define PTOOL_INGEST_JSON_REPAIR_H

#include "ingest/json.h"

/* Where a string stands, which says what may follow its closing quote. */
enum json_place { JSON_IN_KEY, JSON_IN_MEMBER, JSON_ELSEWHERE };

/* The window may end too early to tell. */
enum json_answer { JSON_NO, JSON_YES, JSON_UNSEEN };

/* Can the text go on at p, behind a quote? */
enum json_answer json_ends_string(const struct json *j, const char *p,
				  enum json_place place);
/* Does a text go from one object of a list to the next one? */
bool json_spans_objects(const char *p, const char *end);

#endif
