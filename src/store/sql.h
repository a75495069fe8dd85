/*
 * Preparing and running SQL with failures in a struct err: the few helpers that
 * store/ and query/ share.
 */
#ifndef PTOOL_STORE_SQL_H
#define PTOOL_STORE_SQL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct sqlite3;
struct sqlite3_stmt;

/*
 * The connection trusts nothing in its file: triggers never run, virtual tables
 * but those of JSON are gone, no extension is loaded, no function of SQLite
 * that takes an address works.  Call it once, after journal_mode is set.
 */
void sql_harden(struct sqlite3 *db);

/*
 * Before SQLite is used first: is its memory counted, which sqlite3_hard_heap_limit64() needs?
 * It is under one mutex, on which threads with a connection each wait for each other.
 */
void sql_count_memory(bool does);

/* One statement; the caller finalizes *out.  On failure *out is NULL. */
int sql_prepare(struct sqlite3 *db, const char *text, struct sqlite3_stmt **out,
		struct err *err);
/* 1: a row is there; 0: done, and the statement is reset; -1: err is set, and it is reset. */
int sql_step(struct sqlite3_stmt *stmt, struct err *err);
/*
 * Texts and blobs that a file or a server chose may be longer than SQLite takes.  `rc` is 0 at
 * first, and keeps the first failure of those that are bound, which sql_step() does not see.
 */
void sql_bind_bytes(struct sqlite3_stmt *stmt, int index, struct str bytes, bool is_text,
		    int *rc);
/* As sql_step(), unless one could not be bound. */
int sql_step_bound(struct sqlite3_stmt *stmt, int rc, struct err *err);
/* Runs every statement of the text; rows are thrown away. */
int sql_exec(struct sqlite3 *db, const char *text, struct err *err);
/* The first column of the one row that the text selects; ERR_EMPTY when there is none. */
int sql_int(struct sqlite3 *db, const char *text, int64_t *out, struct err *err);

/* The bytes of a text or blob of the row, "" of NULL; borrowed until the next step. */
struct str sql_bytes(struct sqlite3_stmt *stmt, int column);
/* A text of the row, in the arena; NULL of NULL. */
const char *sql_text(struct sqlite3_stmt *stmt, int column, struct arena *arena);

/*
 * The connection's last failure, as -1 with err set.  Disk and memory are
 * ERR_IO, a broken file or a missing table is ERR_INPUT, an attempt to write
 * what is read-only is ERR_USAGE, sqlite3_interrupt() is ERR_INTERRUPT, slices that
 * may not be read (store_forbid_slices()) are ERR_EMPTY.
 */
int sql_error(struct sqlite3 *db, struct err *err);

/* The name of the database that ptool migrate attaches to the new one. */
#define SQL_OLD "old"

/* True when sql_error() said that memory ran out: then the file is not to blame. */
bool sql_is_out_of_memory(const struct err *err);

/*
 * A file: URI for sqlite3_open_v2() with SQLITE_OPEN_URI: the path quoted, so
 * that '?', '#' and '%' in it mean themselves, then '?' and the options
 * ("mode=ro&nolock=1").  The caller frees it.
 */
char *sql_uri(const char *path, const char *options);

/*
 * -1, ERR_INPUT, when SQLite would wait, or read what is no file, if it opened the database
 * at this path: it looks for a journal beside the file.
 */
int sql_check_journal(const char *path, struct err *err);

#endif
