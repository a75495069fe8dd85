/* What a failure of the server or on the way to it means for people.  Inside remote/ only. */
#ifndef PTOOL_REMOTE_HTTP_ERROR_H
#define PTOOL_REMOTE_HTTP_ERROR_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "remote/url.h"

/* Who asks ClickHouse without a name. */
#define HTTP_DEFAULT_USER "default"

struct http_failure {
	const struct remote_url *url;
	const char *password; /* never shown, even when the server repeats it; or NULL */
	long status;          /* HTTP's */
	struct str text;      /* what the server or libcurl says */
	bool has_cacert;
};

/* N of "Code: N", or 0. */
long http_error_code(struct str text);
/* Will the same question perhaps be answered in a while? */
bool http_error_passes(long code);
/* Each sets err and returns -1. */
int http_error(const struct http_failure *failure, struct err *err);
int http_error_network(const struct http_failure *failure, struct err *err);
int http_error_certificate(const struct http_failure *failure, struct err *err);
/* Can a header hold it?  NULL is true. */
bool http_is_header(const char *text);

#endif
