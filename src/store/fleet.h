/*
 * Stores that make up one run, one for each rank as a rule: which there are among files and
 * folders, what they hold, in which order one ingest of all their inputs would have taken
 * these, and which cannot be part of it.
 */
#ifndef PTOOL_STORE_FLEET_H
#define PTOOL_STORE_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/walk.h"

struct store;

struct fleet_profile {
	const char *path; /* of the recording */
	int64_t rank; /* NUMBER_NONE: none was recorded, or it is from an order of files */
	int64_t base_ns, start_ns, dur_ns, slices, bytes;
	size_t store; /* place */
};

struct fleet_store {
	const char *path;
	struct stat st;
	const char *run;        /* the one it holds */
	const char *first_path; /* of its first profile: its place in the order */
	struct err *err;        /* not NULL: it is left out, as this says */
	bool may_pass;          /* the reason may pass: a disk that failed, a lock */
	bool is_looked_at;
	size_t number; /* in the order in which they were found */
};

struct fleet {
	struct fleet_store *stores; /* owned */
	size_t n, cap;
	struct fleet_profile *profiles; /* owned */
	size_t nprofiles, profiles_cap;
	const char **others; /* owned: other files of the folders */
	size_t nothers, others_cap;
	const char *run; /* the name that the run of all gets */
	/* Two that users named, and whose names share no folder: they may be two runs.  Or NULL. */
	const char *first_run, *other_run;
	/* borrowed, to be set before they are looked at: of each store only this run; NULL:
	 * stores of several runs are left out */
	const char *only_run;
	bool is_looked_at;
	struct arena arena;
};

/*
 * What lies in folders is taken if it is a ptool store of any schema; beside such a store also
 * what cannot be read, or is called like it and is no database: left out.  A file that is
 * named is taken, whatever it is.  `except` is none of them: NULL, or a file, such as the one that is to be
 * written.  ERR_INPUT: a folder cannot be listed.  fleet_release() frees, always.
 * `stop` gets NULL; it may be NULL.
 */
int fleet_find(const char *const *paths, size_t n, const char *except, struct fleet *out,
	       walk_stop_fn *stop, struct err *err);
/*
 * Opens each, orders them, and finds those that are to be left out: no store, of another
 * schema, damaged, of several runs, the same recording as another, or of another run's
 * rank.  0 however many these are; -1: stopped, or no memory.  `is_whole`: as who reads all
 * of each, store_open().
 */
int fleet_look(struct fleet *fleet, bool is_whole, walk_stop_fn *stop, struct err *err);
/*
 * The same, one by one, for who reads each store at once: looks at the store that is open.
 * -1: it cannot be part, as err says.  fleet_look() then orders them.
 */
int fleet_look_at(struct fleet *fleet, size_t place, struct store *opened,
		  struct err *err);
/* Does the recording of the second one, which was looked at, come behind that of the first? */
bool fleet_is_in_order(const struct fleet_store *first, const struct fleet_store *second);
/* Notes why a store is left out. */
void fleet_leave_out(struct fleet *fleet, struct fleet_store *store,
		     const struct err *why);
/* Stores that are not left out. */
size_t fleet_count(const struct fleet *fleet);
void fleet_release(struct fleet *fleet);

#endif
