/*
 * Pieces of JSON that json and ndjson share.  All of them write valid UTF-8 and
 * valid JSON whatever the cells hold, and leave write errors in ferror() of the
 * writer's stream.
 */
#ifndef PTOOL_REPORT_JSON_TEXT_H
#define PTOOL_REPORT_JSON_TEXT_H

#include "base/arena.h"
#include "base/spelt.h"
#include "base/table.h"
#include "report/writer.h"

/* A quoted string; an invalid byte becomes U+FFFD, what nobody would see \u200b. */
void json_text_str(struct writer *w, struct str text);
/*
 * A text that is JSON but for its bytes, as SQLite gives it: in its strings an invalid
 * byte becomes U+FFFD, what nobody would see \u200b.
 */
void json_text_whole(struct writer *w, struct str json);
/* null, true, false, a number or a string; NaN and infinities are null. */
void json_text_cell(struct writer *w, enum unit unit, const struct cell *cell);
/*
 * The same for a page: ids that JavaScript does not tell apart are strings.  One long text
 * may stand in many cells: a text is cut, and says so, that is beyond what base/spelt.h
 * leaves of a file without a size.
 */
void json_text_part(struct writer *w, enum unit unit, const struct cell *cell,
		    struct spelt *spelt);
/* {"key":cell,...} */
void json_text_row(struct writer *w, const struct table *t, const char *const *keys,
		   const struct cell *cells);

#endif
