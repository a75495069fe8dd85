/*
 * What a reading command reads: a store, or a raw file that is ingested once
 * into a cache; without an operand $PTOOL_STORE, else ./ptool.db.
 */
#ifndef PTOOL_CLI_OPERAND_H
#define PTOOL_CLI_OPERAND_H

#include <stdbool.h>

#include "base/err.h"
#include "store/store.h"

struct operand {
	struct store *store; /* owned */
	char *path;          /* owned: what messages call it */
	char *cached;        /* owned: its store in the cache, or NULL */
	bool is_raw;         /* no store: it was ingested into the cache */
	bool is_fleet;       /* a folder of stores, merged into one */
	bool has_slices;     /* of a folder: they were merged, too */
	bool is_too_large;   /* of a folder: they were wished for, and are too many */
	const char *command; /* borrowed: that reads it, for notes; NULL: it has none */
	bool is_remote;      /* a database's, of which a part is in a temporary store */
};

/* The path of the default store: $PTOOL_STORE, else ptool.db. */
const char *operand_default_store(void);

struct fetch_need;
struct scope_opts;

/*
 * What it is opened for: of a database, or of a folder of stores, only that is brought
 * here.  All borrowed.
 */
struct operand_wish {
	const char *command;
	const char *path; /* NULL: the default store */
	bool is_quiet;
	bool is_again; /* opened a second time: notes are not printed again */
	const struct scope_opts *scope; /* NULL: all profiles of the newest run */
	bool all_runs;                  /* as in struct reading_plan */
	const struct fetch_need *need;  /* NULL: what the command reads */
	/*
	 * Of a folder: the store of the rank, where one is chosen, else slices are merged, too,
	 * where the cache has room for all of them.
	 */
	bool wants_slices;
};
/* On failure *out is empty: there is nothing to close. */
int operand_open_for(const struct operand_wish *wish, struct operand *out,
		     struct err *err);
/* What was read lacked slices that the folder's stores may have: to be opened so again. */
bool operand_missed_slices(const struct operand *operand);

/*
 * Opens it; `path` NULL is the default.  Says on stderr when a raw file is
 * ingested, unless is_quiet.  On failure as operand_open_for(); message_error() with
 * operand_name(path) as the file tells it.
 */
int operand_open(const char *command, const char *path, bool is_quiet,
		 struct operand *out, struct err *err);
/*
 * After an error while it was read: a damaged store in the cache is deleted, and
 * the error says so in place of what the damage led to.
 */
void operand_explain(const struct operand *operand, struct err *err);
/* Says it where rows were read that another ptool made by other rules. */
void operand_close(struct operand *operand);
/* What an error about this operand names: the path, or the default's. */
const char *operand_name(const char *path);

#endif
