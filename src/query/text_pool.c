/* Texts of the store as numbers: see text_pool.h. */
#include "query/text_pool.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/query.h"

/* Ids follow each other without a gap, and a row of the table takes that much. */
#define TEXT_ROW_BYTES 6

#define LONG_TEXT 256 /* bytes: hashing less costs nothing */

static int damaged(struct err *err)
{
	return err_set(err, ERR_INPUT, "the store names a text that it does not have");
}

int text_pool_max_id(struct store *store, int64_t *max_id, struct err *err)
{
	const char *sql = (const char *)asset_query_views_string_count_sql;
	bool fits;

	if (sql_int(store_db(store), sql, max_id, err) < 0)
		return -1;
	if (*max_id < 0 || *max_id >= UINT32_MAX)
		return damaged(err);
	if (query_rows_fit(store, *max_id, TEXT_ROW_BYTES, &fits, err) < 0)
		return -1;
	return fits ? 0 : damaged(err);
}

int text_pool_open(struct store *store, struct text_pool *out, struct err *err)
{
	*out = (struct text_pool){ .stmt = NULL };
	intern_init(&out->intern);
	idmap_init(&out->longs, 0);
	if (text_pool_max_id(store, &out->max_id, err) < 0)
		return -1;
	out->numbers = xcalloc((size_t)out->max_id + 1, sizeof(*out->numbers));
	return query_prepare(store, asset_query_views_string_text_sql, &out->stmt, err);
}

void text_pool_close(struct text_pool *t)
{
	sqlite3_finalize(t->stmt);
	intern_release(&t->intern);
	idmap_release(&t->longs);
	free(t->numbers);
	free(t->work_kinds);
	*t = (struct text_pool){ .stmt = NULL };
}

static int read_text(struct text_pool *t, int64_t id, struct err *err)
{
	query_bind_int(t->stmt, ":id", id);
	int rc = sql_step(t->stmt, err);
	if (rc < 0)
		return -1;
	if (rc > 0) {
		struct cell cell = query_cell(t->stmt, 0);
		struct str text =
			cell.type == CELL_TEXT ? cell.as.text : (struct str){ "", 0 };
		t->numbers[id] = intern_add(&t->intern, text) + 1;
	}
	sqlite3_reset(t->stmt);
	return rc > 0 ? 0 : damaged(err);
}

int text_pool_number(struct text_pool *t, int64_t id, uint32_t *number, struct err *err)
{
	*number = TEXT_NONE;
	if (id == 0)
		return 0;
	if (id < 0 || id > t->max_id)
		return damaged(err);
	if (!t->numbers[id] && read_text(t, id, err) < 0)
		return -1;
	*number = t->numbers[id] - 1;
	return 0;
}

uint32_t text_pool_column(struct text_pool *t, struct sqlite3_stmt *stmt, int column)
{
	struct cell cell = query_cell(stmt, column);

	return cell.type == CELL_TEXT && cell.as.text.n
		       ? intern_add(&t->intern, cell.as.text)
		       : TEXT_NONE;
}

struct str text_pool_str(const struct text_pool *t, uint32_t number)
{
	return number == TEXT_NONE ? (struct str){ "", 0 }
				   : intern_str(&t->intern, number);
}

struct cell text_pool_cell(const struct text_pool *t, uint32_t number)
{
	return number == TEXT_NONE ? cell_null() : cell_text(text_pool_str(t, number));
}

struct str text_pool_keep(struct text_pool *t, struct str text)
{
	return intern_str(&t->intern, intern_add(&t->intern, text));
}

uint32_t text_pool_number_of(struct text_pool *t, struct cell cell)
{
	if (cell.type != CELL_TEXT)
		return TEXT_NONE;
	int64_t address = (int64_t)(uintptr_t)cell.as.text.p;
	size_t at = cell.as.text.n < LONG_TEXT ? 0 : idmap_first(&t->longs, address);
	uint32_t number = idmap_next(&t->longs, &at);
	if (number != UINT32_MAX)
		return number;
	number = intern_add(&t->intern, cell.as.text);
	if (cell.as.text.n >= LONG_TEXT)
		idmap_add(&t->longs, address, number);
	return number;
}
