/* Rows as pages or through SQLite: see bulk_writer.h. */
#include "store/bulk_writer.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "store/sql.h"

struct bulk_writer bulk_writer(struct sqlite3 *db, const void *from,
			       struct bulk_team *team, int64_t page_rows)
{
	return (struct bulk_writer){
		.db = db, .from = from, .team = team, .page_rows = page_rows, .fd = -1
	};
}

/* To SQLite, which sees at its next transaction that the file changed. */
static int leave_pages(struct bulk_writer *w, struct err *err)
{
	if (!w->is_file_open)
		return 0;
	w->is_file_open = false;
	if (btree_file_close(&w->file, err) < 0)
		return -1;
	return sql_exec(w->db, "BEGIN", err);
}

/* 1: the file is ours; 0: it is SQLite's, as it was; -1. */
static int enter_pages(struct bulk_writer *w, struct err *err)
{
	const char *path = sqlite3_db_filename(w->db, "main");

	if (w->is_file_open || w->only_sql)
		return w->is_file_open;
	/* A database in memory has no file. */
	w->only_sql = !path || !*path;
	if (w->fd < 0 && !w->only_sql)
		w->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	w->only_sql |= w->fd < 0;
	if (w->only_sql)
		return 0;
	if (sql_exec(w->db, "COMMIT", err) < 0)
		return -1;
	int rc = btree_file_open(&w->file, w->fd, err);
	w->is_file_open = rc > 0;
	w->only_sql = rc == 0;
	if (rc == 0 && sql_exec(w->db, "BEGIN", err) < 0)
		return -1;
	return rc;
}

static const struct bulk_place *known_place(const struct bulk_places *known,
					    const char *table)
{
	for (size_t i = 0; known && i < known->n; i++)
		if (strcmp(known->items[i].table, table) == 0)
			return &known->items[i];
	return NULL;
}

/* The table as sqlite_schema has it. */
static int place_of(struct bulk_writer *w, const char *table, struct bulk_place *place,
		    struct err *err)
{
	const struct bulk_place *known = known_place(w->places, table);
	struct sqlite3_stmt *stmt;
	static const char text[] =
		"SELECT rootpage, ?1 IN (SELECT tbl_name FROM sqlite_schema WHERE type = "
		"'index') FROM sqlite_schema WHERE type = 'table' AND name = ?1";

	*place = known ? *known : (struct bulk_place){ .table = table };
	if (known)
		return 0;
	if (sql_prepare(w->db, text, &stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	if (rc > 0)
		*place = (struct bulk_place){ table, sqlite3_column_int64(stmt, 0),
					      sqlite3_column_int64(stmt, 1) };
	sqlite3_finalize(stmt);
	if (rc > 0 && w->places && w->places->n < BULK_PLACES_MAX)
		w->places->items[w->places->n++] = *place;
	return rc < 0 ? -1 : 0;
}

/*
 * An index is made anew behind the rows, as it can be without many that are there already
 * and as long as SQLite sorts it in memory.
 */
#define INDEXED_MAX 100000

static bool can_add(const struct bulk_place *place, const struct btree *tree,
		    int64_t nrows)
{
	return !place->has_index || (tree->last <= nrows && nrows <= INDEXED_MAX);
}

static int index_again(struct bulk_writer *w, const char *table, struct err *err)
{
	char sql[64];

	if (leave_pages(w, err) < 0)
		return -1;
	sqlite3_snprintf(sizeof(sql), sql, "REINDEX %s", table);
	return sql_exec(w->db, sql, err);
}

static int damaged(const char *table, struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "the store is damaged: ids of %s are too large to add rows",
		       table);
}

struct adding {
	struct btree *tree;
	const char *table;
};

/* Ids that follow those of another table may be taken where somebody changed the store. */
static int add_record(void *to, int64_t id, struct str record, struct err *err)
{
	const struct adding *a = to;

	return id <= a->tree->last ? damaged(a->table, err)
				   : btree_add(a->tree, id, record, err);
}

/* 1, or 0 where the table's pages are none to add to; -1. */
static int write_pages(struct bulk_writer *w, const struct bulk *bulk, int64_t nrows,
		       struct err *err)
{
	struct btree tree;
	struct bulk_place place;

	if (place_of(w, bulk->table, &place, err) < 0)
		return -1;
	int rc = place.root ? enter_pages(w, err) : 0;
	if (rc <= 0)
		return rc;
	struct adding adding = { &tree, bulk->table };
	const struct bulk_taker taker = { add_record, &adding };
	rc = btree_begin(&tree, &w->file, (uint32_t)place.root, err);
	if (rc > 0 && tree.last > INT64_MAX - nrows)
		rc = damaged(bulk->table, err);
	int64_t first_id = tree.last < 1 || rc < 0 ? 1 : tree.last + 1;
	if (rc > 0 && !can_add(&place, &tree, nrows))
		rc = 0;
	if (rc > 0 && (bulk_team_rows(w->team, bulk, nrows, first_id, &taker, err) < 0 ||
		       btree_end(&tree, err) < 0))
		rc = -1;
	btree_release(&tree);
	if (rc > 0 && place.has_index && index_again(w, bulk->table, err) < 0)
		rc = -1;
	return rc;
}

int bulk_write(struct bulk_writer *w, const struct bulk *bulk, int64_t nrows,
	       struct err *err)
{
	if (nrows > 0 && nrows >= w->page_rows) {
		int rc = write_pages(w, bulk, nrows, err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	if (nrows > 0 && leave_pages(w, err) < 0)
		return -1;
	return bulk_insert(w->db, bulk, w->from, nrows, err);
}

int bulk_writer_end(struct bulk_writer *w, struct err *err)
{
	struct err ignored = ERR_INIT; /* after a failure there is one */
	int rc = leave_pages(w, err->kind ? &ignored : err);

	if (w->is_file_open)
		btree_file_drop(&w->file);
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	return rc;
}
