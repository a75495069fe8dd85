/*
 * clickhouse[s]://[user@]host[:port]/database[?run=NAME]: where pushed profiles lie.
 */
#ifndef PTOOL_REMOTE_URL_H
#define PTOOL_REMOTE_URL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* Of ClickHouse's HTTP interface, without and with TLS. */
#define URL_PORT     8123
#define URL_PORT_TLS 8443

/* All texts are percent-decoded and borrowed from the arena that url_parse() got. */
struct remote_url {
	const char *user; /* NULL: not given */
	const char *host; /* an IPv6 address has its brackets */
	const char *database;
	const char *run;  /* NULL: not given */
	const char *name; /* as messages call it: without the run */
	unsigned port;
	bool is_tls; /* clickhouses, or port 8443 */
};

/* Does it begin like one?  It may still be wrong. */
bool url_is(const char *text);
/*
 * ERR_USAGE names what is wrong; a password in it is refused, because other users of
 * the machine see command lines.
 */
int url_parse(const char *text, struct arena *arena, struct remote_url *out,
	      struct err *err);
/* Appends a text with all but letters, digits and "-_.~" percent-encoded. */

void url_encode(struct buf *to, const char *text);

#endif
