/*
 * How a database is reached: --password-file and --cacert, and the environment, which is
 * all that reading commands have.
 */
#ifndef PTOOL_CLI_REMOTE_OPTIONS_H
#define PTOOL_CLI_REMOTE_OPTIONS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/opt.h"
#include "remote/http.h"
#include "remote/url.h"

struct remote_opts {
	const char *password_file, *cacert; /* NULL: not given */
};

/* The row in the command's list of groups; the member's initialiser is { 0 }. */
/* clang-format off */
#define REMOTE_GROUP(type, member) { "Database", remote_options, offsetof(type, member), true }
/* clang-format on */
extern const struct opt remote_options[];

struct remote_place {
	struct remote_url url;
	struct http *http;  /* owned */
	struct arena arena; /* owned */
};

/*
 * Reads the URL and the password; asks nobody yet.  `o` NULL: the environment alone.
 * On failure there is nothing to close.
 */
int remote_place_open(const char *url, const struct remote_opts *o,
		      struct remote_place *out, struct err *err);
/* Accepts a zeroed one. */
void remote_place_close(struct remote_place *place);

#endif
