/* Questions out of .sql files, and their rows. */
#ifndef PTOOL_REMOTE_ASK_H
#define PTOOL_REMOTE_ASK_H

#include "base/buf.h"
#include "base/err.h"
#include "remote/http.h"
#include "remote/rowbinary.h"

/* "{name}" in a file is this: numbers, and names of tables and columns, never a user's text. */
struct ask_word {
	const char *name, *value;
};

/*
 * The text of the file without its comments; `words` ends with { NULL, NULL }, may be NULL.
 * ERR_USAGE: the buffer has no room for it.
 */
int ask_fill(const unsigned char *file, const struct ask_word *words, struct buf *to,
	     struct err *err);

/*
 * Asks for rows of these types, `live` as in struct http_request.  The reader's fields are
 * set as for rowbinary_begin(); it is released in any case.
 */
int ask_rows(struct http *http, const char *sql, const struct buf *live,
	     struct rowbinary_reader *reader, struct err *err);
/* A question of one number; 0 where no row came. */
int ask_number(struct http *http, const char *sql, uint64_t *out, struct err *err);
/* What has no answer. */
int ask_nothing(struct http *http, const char *sql, struct err *err);

#endif
