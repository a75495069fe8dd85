/* Quotes that were not escaped: see json_repair.h. */
#include "ingest/json_repair.h"

#define KEY_MAX 64 /* bytes of a key that tells it where a string ends */

static enum json_answer at_window_end(const struct json *j)
{
	return j->last ? JSON_YES : JSON_UNSEEN;
}

/* p is behind a comma: does a key with its colon follow? */
static enum json_answer key_follows(const struct json *j, const char *p)
{
	p = json_skip_blanks(p);
	if (*p != '"' && p < j->end)
		return JSON_NO;
	for (const char *key = ++p; p < j->end && p - key < KEY_MAX; p++) {
		if (*p == '\n' || *p == '\\')
			return JSON_NO;
		if (*p != '"')
			continue;
		p = json_skip_blanks(p + 1);
		return p >= j->end ? at_window_end(j) : *p == ':' ? JSON_YES : JSON_NO;
	}
	return p >= j->end ? at_window_end(j) : JSON_NO;
}

enum json_answer json_ends_string(const struct json *j, const char *p,
				  enum json_place place)
{
	if (place == JSON_ELSEWHERE)
		return JSON_YES;
	p = json_skip_blanks(p);
	if (p >= j->end)
		return at_window_end(j);
	if (place == JSON_IN_KEY)
		return *p == ':' ? JSON_YES : JSON_NO;
	if (*p == ',')
		return key_follows(j, p + 1);
	if (*p != '}')
		return JSON_NO;
	p = json_skip_blanks(p + 1);
	if (p >= j->end)
		return at_window_end(j);
	return *p == ',' || *p == ']' || *p == '}' ? JSON_YES : JSON_NO;
}

bool json_spans_objects(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '}', (size_t)(end - p)))) {
		const char *comma = json_skip_blanks(++p);
		if (*comma != ',')
			continue;
		const char *brace = json_skip_blanks(comma + 1);
		if (brace < end && *brace == '{' && *json_skip_blanks(brace + 1) == '"')
			return true;
	}
	return false;
}
