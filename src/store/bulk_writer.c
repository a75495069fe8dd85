/* Rows as pages or through SQLite: see bulk_writer.h. */
#include "store/bulk_writer.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "store/sql.h"

struct bulk_writer bulk_writer(struct sqlite3 *db, int64_t page_rows)
{
	return (struct bulk_writer){ .db = db, .page_rows = page_rows, .fd = -1 };
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

/* *root is 0 where the table has an index, which is SQLite's to keep. */
static int root_of(struct bulk_writer *w, const char *table, int64_t *root,
		   struct err *err)
{
	struct sqlite3_stmt *stmt;
	static const char text[] =
		"SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1 "
		"AND ?1 NOT IN (SELECT tbl_name FROM sqlite_schema WHERE type = 'index')";

	*root = 0;
	if (sql_prepare(w->db, text, &stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	if (rc > 0)
		*root = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

static void add_cell(struct record *record, const struct bulk_cell *cell)
{
	switch (cell->kind) {
	case BULK_INT:
		record_int(record, cell->number);
		break;
	case BULK_REAL:
		record_real(record, cell->real);
		break;
	case BULK_TEXT:
		record_text(record, cell->bytes);
		break;
	case BULK_BLOB:
		record_blob(record, cell->bytes);
		break;
	case BULK_UNSET:
	case BULK_NULL:
		record_null(record);
		break;
	}
}

static int add_rows(struct btree *tree, const struct bulk *bulk, const void *from,
		    int64_t nrows, struct err *err)
{
	struct bulk_cell cells[RECORD_COLUMNS_MAX] = { { .kind = BULK_UNSET } };
	struct record record = { .body = NULL };
	int rc = 0;

	for (int64_t row = 0; row < nrows && rc == 0; row++) {
		bulk->row(from, row, cells);
		if (row == 0 && bulk_check(bulk, cells, err) < 0)
			return -1;
		int64_t id = tree->last < 1 ? 1 : tree->last + 1;
		if (cells[0].kind == BULK_INT)
			id = cells[0].number;
		record_begin(&record);
		record_null(&record); /* the id is the rowid */
		for (int i = 1; i < bulk->ncolumns; i++)
			add_cell(&record, &cells[i]);
		rc = btree_add(tree, id, &record, err);
	}
	record_release(&record);
	return rc;
}

/* 1, or 0 where the table's pages are none to add to; -1. */
static int write_pages(struct bulk_writer *w, const struct bulk *bulk, const void *from,
		       int64_t nrows, struct err *err)
{
	struct btree tree;
	int64_t root;

	if (root_of(w, bulk->table, &root, err) < 0)
		return -1;
	int rc = root ? enter_pages(w, err) : 0;
	if (rc <= 0)
		return rc;
	rc = btree_begin(&tree, &w->file, (uint32_t)root, err);
	if (rc > 0 &&
	    (add_rows(&tree, bulk, from, nrows, err) < 0 || btree_end(&tree, err) < 0))
		rc = -1;
	btree_release(&tree);
	return rc;
}

int bulk_write(struct bulk_writer *w, const struct bulk *bulk, const void *from,
	       int64_t nrows, struct err *err)
{
	if (nrows > 0 && nrows >= w->page_rows) {
		int rc = write_pages(w, bulk, from, nrows, err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	if (nrows > 0 && leave_pages(w, err) < 0)
		return -1;
	return bulk_insert(w->db, bulk, from, nrows, err);
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
