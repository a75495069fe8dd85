/*
 * A store, opened to be read: never created, never changed, nothing left beside
 * it.  publish.h is how one is written.
 */
#ifndef PTOOL_STORE_STORE_H
#define PTOOL_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct fetch_need;
struct sqlite3;
struct sqlite3_stmt;

/* The SQLite header's application_id of a store: "ptol". */
#define STORE_APPLICATION_ID 0x70746f6c
/* The user_version this ptool reads and writes; a store of another one is ingested again. */
#define STORE_SCHEMA_VERSION 8

struct store;

/*
 * ERR_INPUT when the file is missing ("No such file or directory"), is not a
 * store, is one of another schema version, or has a schema that ptool did not
 * write (schema_check.h).  ERR_IO when reading fails.  store_close() frees *out, which is NULL on failure.
 */
int store_open(const char *path, struct store **out, struct err *err);
/*
 * The same for who reads a little of many stores: the pages of it are not looked at first.
 * Rows of a damaged one may come in circles, which ends like an endless query once so many
 * steps have the pages looked at: no SQL that walks pages in one step, as count(*) does.
 */
int store_open_in_part(const char *path, struct store **out, struct err *err);
/* Reads all of it: true when it is no sound database, whatever rows say. */
bool store_is_damaged(struct store *store);
/* Accepts NULL.  Statements on store_db() must be finalized or given back before. */
void store_close(struct store *store);
/*
 * Borrowed from the store.  No SQL that is run on it can write or create a file:
 * neither TEMP tables nor ATTACH, and views may not use unsafe functions.
 */
struct sqlite3 *store_db(struct store *store);
/* True if the last call of SQLite on this store failed. */
bool store_has_failed(struct store *store);
/*
 * A statement that is prepared once, however often it is asked for: without bindings, before
 * its first row.  The text lives as long as the store.  store_give_statement() takes it back,
 * also NULL; on failure *out is NULL.
 */
int store_take_statement(struct store *store, const char *sql, struct sqlite3_stmt **out,
			 struct err *err);
void store_give_statement(struct store *store, struct sqlite3_stmt *stmt);

/*
 * Slices were left out of what is asked: from now on a statement that reads them
 * (slice_tables.h) is refused when it is prepared, ERR_EMPTY.
 */
void store_forbid_slices(struct store *store);
/*
 * Only what a question needs as a rule was brought here (need.h): a statement that reads
 * another table is refused in the same way, ERR_INPUT, because the answer would be wrong.
 */
void store_forbid_others(struct store *store, const struct fetch_need *need);
/* Was one refused?  Then more is to be brought. */
bool store_missed_others(const struct store *store);
/* Is the table, or was it brought, here? */
bool store_has_table(const struct store *store, const char *table);
/* Were slices refused? */
bool store_missed_slices(const struct store *store);
/* Rows of a summary that another ptool made by other rules were read, or were not. */
void store_note_rules(struct store *store);
bool store_noted_rules(const struct store *store);
/*
 * For who has an authorizer of its own: false when this action of SQLite's reads what may
 * not be read.
 */
bool store_may(struct store *store, int action, const char *table);

/*
 * One that is being written, for who reads in it what is there: the connection stays the
 * writer's, which outlives it.  store_close() frees.
 */
struct store *store_of_writer(struct sqlite3 *db);

/*
 * True when the path is a regular file with SQLite's magic: a store operand,
 * perhaps a foreign one, and not a raw trace.  Never reads from a pipe.
 */
bool store_is(const char *path);

/* True when it is a ptool store of any schema. */
bool store_is_own(const char *path);

/* What the 100-byte header of a file says; all false when it is not SQLite's. */
struct store_header {
	bool is_sqlite; /* the 16-byte magic */
	bool is_store;  /* SQLite, and STORE_APPLICATION_ID */
	bool is_wal;    /* another program switched it to write-ahead logging */
	bool is_utf16;  /* another program made it anew, in another encoding */
	int error;      /* errno when the file could not be read, else 0 */
	uint32_t schema;
	uint64_t size_bytes; /* of the database; a shorter file is cut short */
};

/* Of a file's first bytes. */
struct store_header store_header_of(struct bytes head);
/* Does not move the file's offset. */
struct store_header store_read_header(int fd);
/* All false when it cannot be opened, too.  Never reads from a pipe. */
struct store_header store_look_at(const char *path);
/* 0, or -1 with the error of a file that store_open() refuses. */
int store_check_header(const struct store_header *header, struct err *err);

/* For `ptool --version`. */
int store_schema_version(void);
const char *store_sqlite_version(void);

#endif
