/*
 * Lifting a store: see lift.h.  The old file is opened beside the new, empty one, and
 * never changed.  Of each of its tables a view TABLE_<format> is made, and the steps
 * are SQL files (lift_<format>.sql) that make views of the next format from those of
 * the one before: columns are added, filled and left out there, and it takes no copy
 * between the steps.  At the end each table of today's schema takes its columns, by
 * name, from the last view.
 */
#include "store/lift.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/asset.h"
#include "base/buf.h"
#include "base/str.h"
#include "store/import.h"
#include "store/lift_squares.h"
#include "store/publish.h"
#include "store/schema_check.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/tree_check.h"
#include "store/write.h"

/* From a format that was released to the one behind it. */
struct lift_step {
	uint32_t from;
	const unsigned char *schema; /* of `from`, to the word */
	const unsigned long *schema_len;
	const unsigned char *sql;
};

static const struct lift_step steps[] = {
	{ 7, asset_store_schema_7_sql, &asset_store_schema_7_sql_len,
	  asset_store_lift_7_sql },
};

#define COLUMNS_MAX 65536 /* bytes of the names of a table's columns */

#define NSTEPS (sizeof(steps) / sizeof(*steps))

/* NULL where no step is from there. */
static const struct lift_step *step_from(uint32_t format)
{
	for (size_t i = 0; i < NSTEPS; i++)
		if (steps[i].from == format)
			return &steps[i];
	return NULL;
}

static struct str schema_of(uint32_t format)
{
	const struct lift_step *step = step_from(format);

	if (step)
		return (struct str){ (const char *)step->schema, *step->schema_len };
	return (struct str){ (const char *)asset_store_schema_sql,
			     asset_store_schema_sql_len };
}

bool lift_knows(uint32_t format)
{
	bool is_known = format < STORE_SCHEMA_VERSION;

	for (; is_known && format < STORE_SCHEMA_VERSION; format++)
		is_known = step_from(format) != NULL;
	return is_known;
}

/* Runs a text of sqlite3_mprintf(), and frees it. */
static int exec_made(struct sqlite3 *db, char *text, struct err *err)
{
	if (!text)
		xdie_of_memory();
	int rc = sql_exec(db, text, err);

	sqlite3_free(text);
	return rc;
}

/* What is done for each name that a statement selects; `format` is the context. */
typedef int each_name(struct sqlite3 *db, const char *name, uint32_t format,
		      struct err *err);

static int for_each_name(struct sqlite3 *db, const char *select, each_name *each,
			 uint32_t format, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(db, select, &stmt, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0) {
		rc = each(db, (const char *)sqlite3_column_text(stmt, 0), format, err);
		if (rc < 0)
			break;
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* TABLE_<format> is the table itself. */
static int view_of_table(struct sqlite3 *db, const char *table, uint32_t format,
			 struct err *err)
{
	return exec_made(db,
			 sqlite3_mprintf("CREATE TEMP VIEW \"%w_%u\" AS "
					 "SELECT * FROM " SQL_OLD ".\"%w\"",
					 table, format, table),
			 err);
}

/* TABLE_<format + 1> is TABLE_<format>, where the step said nothing else. */
static int view_of_view(struct sqlite3 *db, const char *table, uint32_t format,
			struct err *err)
{
	return exec_made(db,
			 sqlite3_mprintf("CREATE TEMP VIEW IF NOT EXISTS \"%w_%u\" AS "
					 "SELECT * FROM \"%w_%u\"",
					 table, format + 1, table, format),
			 err);
}

/* Adds the names of a table's columns to ",a,b,c,"; `schema` is main or temp. */
static int add_columns(struct sqlite3 *db, const char *schema, const char *table,
		       struct buf *out, struct err *err)
{
	char *text = sqlite3_mprintf("PRAGMA %s.table_info(\"%w\")", schema, table);
	struct sqlite3_stmt *stmt;
	int rc;

	if (!text)
		xdie_of_memory();
	rc = sql_prepare(db, text, &stmt, err);
	sqlite3_free(text);
	if (rc < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0)
		buf_addf(out, "%s,", (const char *)sqlite3_column_text(stmt, 1));
	sqlite3_finalize(stmt);
	return rc;
}

static bool has_column(const struct buf *columns, const char *column, size_t n)
{
	char *wanted = xasprintf(",%.*s,", (int)n, column);
	bool has = memmem(columns->p, columns->n, wanted, n + 2) != NULL;

	free(wanted);
	return has;
}

/* Those of both, in the order of the first: "a,b". */
static void common_columns(const struct buf *wanted, const struct buf *given,
			   struct buf *out)
{
	const char *p = wanted->p + 1, *end = wanted->p + wanted->n;

	while (p < end) {
		size_t n = (size_t)((const char *)memchr(p, ',', (size_t)(end - p)) - p);
		if (has_column(given, p, n)) {
			if (out->n)
				buf_add_char(out, ',');
			buf_add(out, p, n);
		}
		p += n + 1;
	}
	buf_add_char(out, '\0');
}

/* The rows of TABLE_<format>; a table without such a view is new, and stays empty. */
static int copy_table(struct sqlite3 *db, const char *table, uint32_t format,
		      struct err *err)
{
	char *view = xasprintf("%s_%u", table, (unsigned)format);
	struct buf wanted, given, common;

	buf_init(&wanted, COLUMNS_MAX);
	buf_init(&given, COLUMNS_MAX);
	buf_init(&common, COLUMNS_MAX);
	buf_add_char(&wanted, ',');
	buf_add_char(&given, ',');
	int rc = add_columns(db, "main", table, &wanted, err);
	if (rc == 0)
		rc = add_columns(db, "temp", view, &given, err);
	if (rc == 0 && given.n > 1) {
		common_columns(&wanted, &given, &common);
		rc = exec_made(db,
			       sqlite3_mprintf("INSERT INTO main.\"%w\" (%s) "
					       "SELECT %s FROM temp.\"%w\"",
					       table, common.p, common.p, view),
			       err);
	}
	buf_release(&common);
	buf_release(&given);
	buf_release(&wanted);
	free(view);
	return rc;
}

/* Names end in the format; ORDER BY has all of them read before the first is told. */
static int pass_on(struct sqlite3 *db, uint32_t format, struct err *err)
{
	char *select =
		xasprintf("SELECT substr(name, 1, length(name) - %d) "
			  "FROM temp.sqlite_schema WHERE name GLOB '*_%u' "
			  "ORDER BY name",
			  snprintf(NULL, 0, "_%u", (unsigned)format), (unsigned)format);
	int rc = for_each_name(db, select, view_of_view, format, err);

	free(select);
	return rc;
}

static int lift_rows(struct sqlite3 *db, uint32_t from, struct err *err)
{
	static const char old_tables[] =
		"SELECT name FROM " SQL_OLD
		".sqlite_schema WHERE type = 'table' ORDER BY name";
	/* Those of slice_class are ptool's own, and there already. */
	static const char new_tables[] = "SELECT name FROM main.sqlite_schema "
					 "WHERE type = 'table' AND name <> 'slice_class' "
					 "ORDER BY name";
	uint32_t format = from;
	const struct lift_step *step;
	int rc = for_each_name(db, old_tables, view_of_table, format, err);

	for (; rc == 0 && format < STORE_SCHEMA_VERSION && (step = step_from(format));
	     format++) {
		rc = sql_exec(db, (const char *)step->sql, err);
		if (rc == 0)
			rc = pass_on(db, format, err);
	}
	return rc < 0 ? -1 : for_each_name(db, new_tables, copy_table, format, err);
}

/* As ptool wrote it, and sound: nothing in it is run, no page is met twice. */
static int check_old(const char *uri, uint32_t format, struct err *err)
{
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
	struct sqlite3 *db;
	int rc = 0;

	if (sqlite3_open_v2(uri, &db, flags, NULL) != SQLITE_OK)
		rc = sql_error(db, err);
	if (rc == 0) {
		sql_harden(db);
		rc = schema_check_as(db, schema_of(format), err);
	}
	if (rc == 0)
		rc = tree_check(db, err);
	sqlite3_close_v2(db);
	return rc;
}

/* SQLite says of a disk that fails here no more than that the file cannot be opened. */
static int attach(struct sqlite3 *db, const char *uri, struct err *err)
{
	if (exec_made(db, sqlite3_mprintf("ATTACH %Q AS " SQL_OLD, uri), err) == 0)
		return 0;
	if (err->kind == ERR_INPUT) /* check_old() has just read all of it */
		err_set(err, ERR_IO, "cannot read it a second time");
	return -1;
}

static int attach_and_lift(struct sqlite3 *db, const char *uri, uint32_t from,
			   struct err *err)
{
	if (sqlite3_create_function(db, "lift_squares", 4,
				    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
				    NULL, lift_squares, NULL, NULL) != SQLITE_OK)
		return sql_error(db, err);
	if (attach(db, uri, err) < 0 || sql_exec(db, "BEGIN", err) < 0 ||
	    write_schema(db, err) < 0 || lift_rows(db, from, err) < 0)
		return -1;
	return sql_exec(db, "COMMIT; DETACH " SQL_OLD, err);
}

static int tell_unfinished(const char *temporary, const char *lock, void *to,
			   struct err *err)
{
	const struct import_events *events = to;

	return events->unfinished(events->to, temporary, lock, err);
}

/* The format of what lies there; -1 where it is none that can be lifted. */
static int read_format(const char *path, uint32_t *format, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set(err, err_kind_of(errno), "%s", strerror(errno));
	struct store_header header = store_read_header(fd);
	close(fd);
	*format = header.schema;
	/* WAL and what else is refused of a store of today's is refused of an old one. */
	if (lift_knows(header.schema))
		header.schema = STORE_SCHEMA_VERSION;
	return store_check_header(&header, err);
}

/* 1: while this process waited, another one has changed it. */
static int publish_lifted(const char *path, const char *out, uint32_t from,
			  const struct publish_keep *keep, struct err *err)
{
	struct publish *publish = NULL;
	char *uri = sql_uri(path, "mode=ro");
	uint32_t format = from;
	int rc = check_old(uri, from, err);

	if (rc == 0)
		rc = publish_begin_keep(out, keep, &publish, err);
	if (rc == 0)
		rc = read_format(path, &format, err);
	if (rc == 0 && format != from)
		rc = 1;
	if (rc == 0)
		rc = attach_and_lift(publish_db(publish), uri, from, err);
	free(uri);
	if (rc == 0)
		return publish_commit(publish, err);
	publish_abort(publish);
	return rc;
}

int store_lift(const char *path, const char *out, bool is_new,
	       struct import_events *events, uint32_t *from, struct err *err)
{
	const struct publish_keep keep = { .to = events,
					   .is_new = is_new,
					   .made = events->unfinished ? tell_unfinished
								      : NULL };
	int rc;

	do {
		if (read_format(path, from, err) < 0)
			return -1;
		if (*from == STORE_SCHEMA_VERSION && strcmp(path, out) == 0)
			return 0;
		if (sql_check_journal(path, err) < 0)
			return -1;
		rc = publish_lifted(path, out, *from, &keep, err);
	} while (rc > 0);
	return rc;
}
