/* A store that was pushed with its own bytes, back as a file. */
#ifndef PTOOL_REMOTE_PULL_H
#define PTOOL_REMOTE_PULL_H

#include "base/err.h"
#include "remote/http.h"
#include "remote/list.h"

/* Which profiles it may be of; zeroed: any. */
struct pull_wish {
	struct remote_wish runs;
	int64_t first_rank, last_rank; /* both inclusive, when has_rank */
	bool has_rank;
};

/* A store in a database. */
struct pull_store {
	uint64_t run_id, push_id;
	int64_t bytes;
	char sha256[65];
};

/*
 * ERR_EMPTY: nothing of that rank, pushed without its store, or in several stores, of
 * which one has to be chosen.
 */
int pull_find(struct http *http, const struct pull_wish *wish, struct pull_store *out,
	      struct err *err);
/* Writes it to the file and compares size and SHA-256. */
int pull_write(struct http *http, const struct pull_store *store, int fd,
	       const char *path, struct err *err);

#endif
