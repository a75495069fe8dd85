/* Which profiles of a database count: of each the newest push that is whole. */
#ifndef PTOOL_REMOTE_LIST_H
#define PTOOL_REMOTE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "remote/http.h"
#include "remote/tables.h"

/* A profile's push; texts are the list's. */
struct remote_push {
	uint64_t run_id, profile_key, push_id, store_key, store_push_id;
	int64_t schema, place, largest_sum, store_bytes;
	const char *run, *counts, *store_sha256;
	const char *path; /* of the profile */
	int64_t rank;     /* when has_rank */
	bool has_rank;
	/* Private, for the order. */
	uint64_t run_age;       /* the run's newest push */
	const char *first_path; /* of the first profile of its store */
	/* Those of remote_tables.profile; owned by the list. */
	const struct rowbinary_cell *cells;
};

/* More are not believed. */
#define REMOTE_PROFILES_MAX 1000000

struct remote_list {
	struct remote_push
		*items; /* owned; by run, the newest last, then as in a store */
	size_t n, cap;
	const struct remote_tables *tables; /* borrowed */
	size_t nothers; /* that were left out: of another format of stores */
	int64_t newest_schema;
	struct arena arena;
};

/* Which ones: those of a run by its name, else of the newest, or of all runs. */
struct remote_wish {
	const char *run; /* NULL: the newest */
	bool all_runs;
};

/*
 * Where there is no such run all of them are given.  ERR_EMPTY: there is none.  ERR_INPUT: all are of another format.
 * remote_list_release() in both cases.
 */
int remote_list_load(struct http *http, const struct remote_tables *tables,
		     const struct remote_wish *wish, struct remote_list *out,
		     struct err *err);
void remote_list_release(struct remote_list *list);

/*
 * How many rows the push has of a table.  False where it has none of a summary, which
 * then has to be asked for otherwise.
 */
bool remote_push_count(const struct remote_push *push, const char *table, uint64_t *n);
/* By which rules the rows of a summary were made; 0: it does not say. */
int remote_push_rules(const struct remote_push *push, const char *table);

#endif
