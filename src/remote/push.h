/*
 * Pushing the profiles of a store into a database.  One profile is one push: immutable
 * rows under a fresh push_id, its row of `profile` last, which makes it visible.  Whoever
 * dies before leaves rows that nobody reads (`ptool gc`).  The newest push of a profile
 * (its run's name and its path) is the one that counts.
 */
#ifndef PTOOL_REMOTE_PUSH_H
#define PTOOL_REMOTE_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/part_rows.h"
#include "remote/http.h"
#include "remote/tables.h"
#include "store/store.h"

struct pusher;

/*
 * Gives the rows that a profile has in the table of a summary, made where the store has
 * none: 1; 0: such a profile has none; -1 with err set.  part_rows_release() if 1.
 */
struct push_parts {
	int (*load)(const struct push_parts *parts, int64_t profile_id, const char *table,
		    struct part_rows *out, struct err *err);
};

/* All borrowed. */
struct push_options {
	struct http *http;
	const char *run; /* the name there; NULL: the store's */
	bool with_store; /* the store's file too, for `ptool pull` */
	bool slices;     /* slices too, for SQL there */
	/* Told before a failed try is repeated, and of how many seconds are waited; or NULL. */
	void (*again)(const char *why, unsigned wait_s);
};

/* What was read. */
struct push_sums {
	uint64_t profiles, rows;
};

/* push_close() ends it and accepts NULL; *out is NULL on failure. */
int push_open(const struct push_options *options, struct pusher **out, struct err *err);
void push_close(struct pusher *p);

/*
 * Each profile of the store's newest run.  0, or -1 with err set: then the later ones are
 * not pushed.  Small ones wait for others, to share an INSERT a table with them, until
 * push_flush(), which sends what waits; push_sent() counts the profiles that are there.
 */
struct push_from {
	struct store *store;
	const char *path; /* the store's, resolved */
	const struct push_parts *parts;
};
int push_run(struct pusher *p, const struct push_from *from, struct push_sums *sums,
	     struct err *err);
int push_flush(struct pusher *p, struct err *err);
uint64_t push_sent(const struct pusher *p);
/* Of what waited nothing is there, and nobody should go on. */
bool push_is_broken(const struct pusher *p);

/* The number of a run's name, which every ptool gives alike. */
uint64_t push_run_id(const char *run);

/* For remove.h: rows that hide the profiles of a run with these keys. */
int push_tombstones(struct pusher *p, const char *run, const uint64_t *keys, size_t n,
		    struct err *err);
struct http *push_http(const struct pusher *p);

#endif
