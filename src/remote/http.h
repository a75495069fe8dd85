/*
 * Questions and rows to and from ClickHouse over HTTP, by libcurl: TLS is always
 * verified, redirects are not followed, the password is in a header and in no message.
 */
#ifndef PTOOL_REMOTE_HTTP_H
#define PTOOL_REMOTE_HTTP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "remote/url.h"

struct http;

/* All borrowed; copied by http_open(). */
struct http_config {
	const struct remote_url *url; /* lives as long as the struct http */
	const char *password;         /* NULL: netrc's, or none */
	const char *cacert; /* file of the authorities to trust; NULL: the system's */
	long timeout_s;     /* without a thousand bytes a second; 0: five minutes */
	int (*check)(
		struct err *err); /* asked often: -1 with err set breaks off; or NULL */
};

/*
 * Asks nobody yet.  ERR_USAGE: a password that no header can have.  ERR_IO: libcurl is
 * missing.  *out is NULL on failure; http_close() ends it and accepts NULL.
 */
int http_open(const struct http_config *config, struct http **out, struct err *err);
void http_close(struct http *http);

struct http_request {
	const char *sql;
	/*
	 * The table `live` (push_id UInt64, no UInt64, has_shapes Int64) that the question
	 * may use, as RowBinary; NULL: none.
	 */
	const struct buf *live;
	/*
	 * What an INSERT has: appends the next piece to the empty buffer; nothing is the
	 * end.  0, or -1 with err set.  NULL: nothing is sent.
	 */
	int (*give)(void *from, struct buf *piece, struct err *err);
	void *from;
	/* Gets the answer piece by piece: 0, or -1 with err set.  NULL: it is not wanted. */
	int (*take)(void *to, struct str bytes, struct err *err);
	void *to;
};

/*
 * 0, or -1 with err set: ERR_INPUT where the database or its tables are missing, ERR_IO
 * for all that may be otherwise the next time, and what the functions above set.
 */
int http_ask(struct http *http, const struct http_request *request, struct err *err);
/* Of the last failure: is it one that passes, such as too many questions at once? */
bool http_may_retry(const struct http *http);

#endif
