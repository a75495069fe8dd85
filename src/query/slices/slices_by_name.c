/* Slices in the order of their names: see slices_by_name.h. */
#include "query/slices/slices_by_name.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/asset.h"
#include "base/buf.h"

ASSET(asset_query_views_slices_by_name_sql);

/* Fewer are sorted by SQLite sooner than this is set up. */
#define SLICES_LEAST 10000
#define SQL_MAX      4096
/* In an honest store ids follow each other, and a row of a table takes that much or more. */
#define ROW_BYTES 6
/* What SQLite allocates at once. */
#define ALLOCATION_MAX INT64_C(0x7ffffeff)
/* Bits of sqlite3_index_info.colUsed; the last one stands for all further columns. */
#define COLUMNS_MOST 63

/* Columns of slices_by_name.sql. */
enum { INFO_NAME, INFO_TYPE, INFO_IS_OFFERED, INFO_IS_NAME };

struct slice_names {
	sqlite3_vtab base;
	struct slices_by_name *offer; /* borrowed */
	int64_t slices_most, string_last;
	char *columns[COLUMNS_MOST]; /* owned */
	int ncolumns, name_column;
	uint64_t is_offered; /* a bit for each column */
};

struct name {
	char *text; /* owned, by sqlite3_malloc() */
	int n;
	uint32_t id,
		end; /* in order[], where its slices end and those of the next begin */
};

struct slice_cursor {
	sqlite3_vtab_cursor base;
	struct name *names; /* owned; by text */
	uint32_t nnames, name;
	uint32_t *order; /* owned; of slices, as they are read */
	uint32_t nslices, at;
	int64_t *values; /* owned; nvalues for each slice, as they are read */
	int nvalues;
	int place[COLUMNS_MOST]; /* of a column among the values of a slice */
	bool is_read;
};

/* What is being read. */
struct reading {
	uint32_t *name_ids; /* owned; of each slice */
	uint32_t *
		places; /* owned; by the id of a name: how many it has, then where the next goes */
	uint32_t nslices;
};

static int int_of(struct sqlite3 *db, const char *sql, int64_t *out)
{
	struct sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return rc;
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static int disconnect(sqlite3_vtab *base)
{
	struct slice_names *t = (struct slice_names *)base;

	for (int i = 0; i < t->ncolumns; i++)
		free(t->columns[i]);
	free(t);
	return SQLITE_OK;
}

/* The columns of the view, as the text of a declaration. */
static int describe(struct sqlite3 *db, struct slice_names *t, struct buf *sql)
{
	struct sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(
		db, (const char *)asset_query_views_slices_by_name_sql, -1, &stmt, NULL);

	if (rc != SQLITE_OK)
		return rc;
	buf_add_text(sql, "CREATE TABLE x (");
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW && t->ncolumns < COLUMNS_MOST) {
		const char *name = (const char *)sqlite3_column_text(stmt, INFO_NAME);
		const char *type = (const char *)sqlite3_column_text(stmt, INFO_TYPE);
		if (!name || !type)
			continue;
		buf_addf(sql, "\"%s\" %s, ", name, type);
		if (sqlite3_column_int(stmt, INFO_IS_OFFERED))
			t->is_offered |= UINT64_C(1) << t->ncolumns;
		if (sqlite3_column_int(stmt, INFO_IS_NAME))
			t->name_column = t->ncolumns;
		t->columns[t->ncolumns++] = xstrdup(name);
	}
	buf_add_text(sql,
		     "PRIMARY KEY (id)) WITHOUT ROWID"); /* as a view, it has no rowid */
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
}

/* Arrays have a place for each id, so ids may be no more than the file has room for. */
static int read_sizes(struct sqlite3 *db, struct slice_names *t)
{
	int64_t bytes = 0;
	int rc = int_of(db,
			"SELECT (SELECT max(id) FROM main.slice_row) -"
			" (SELECT min(id) FROM main.slice_row) + 1",
			&t->slices_most);

	if (rc == SQLITE_OK)
		rc = int_of(db, "SELECT max(id) FROM main.string", &t->string_last);
	if (rc == SQLITE_OK)
		rc = int_of(db,
			    "SELECT page_count * page_size"
			    " FROM pragma_page_count, pragma_page_size",
			    &bytes);
	if (rc != SQLITE_OK)
		return rc;
	bool is_useful = t->slices_most >= SLICES_LEAST && t->string_last >= 1;
	bool fits = t->slices_most < UINT32_MAX && t->string_last < INT32_MAX &&
		    t->slices_most <= bytes / ROW_BYTES &&
		    t->string_last <= bytes / ROW_BYTES;
	return is_useful && fits ? SQLITE_OK : SQLITE_ERROR;
}

/* Of temp.slice, which slices_by_name_offer() makes. */
static int create(struct sqlite3 *db, void *offer, int argc, const char *const *argv,
		  sqlite3_vtab **out, char **message)
{
	struct slice_names *t = xcalloc(1, sizeof(*t));
	struct buf sql;

	(void)argc, (void)argv, (void)message;
	t->offer = offer;
	buf_init(&sql, SQL_MAX);
	int rc = describe(db, t, &sql);
	if (rc == SQLITE_OK)
		rc = read_sizes(db, t);
	if (rc == SQLITE_OK)
		rc = sqlite3_declare_vtab(db, sql.p);
	buf_release(&sql);
	*out = &t->base;
	if (rc != SQLITE_OK) {
		disconnect(&t->base);
		*out = NULL;
	}
	return rc;
}

/* A table of the store's own file that says it is one of these. */
static int refuse(struct sqlite3 *db, void *offer, int argc, const char *const *argv,
		  sqlite3_vtab **out, char **message)
{
	(void)db, (void)offer, (void)argc, (void)argv, (void)out, (void)message;
	return SQLITE_ERROR;
}

/* Can all arrays of read_all() and read_names() be had, in half of the memory? */
static bool has_room(const struct slice_names *t, uint64_t columns)
{
	int64_t most = t->offer->memory_bytes, value_bytes = 0;
	int64_t name_bytes = (t->string_last + 1) * (int64_t)sizeof(struct name);
	int64_t place_bytes = (t->string_last + 1) * (int64_t)sizeof(uint32_t);

	for (; columns; columns &= columns - 1)
		value_bytes += t->slices_most * (int64_t)sizeof(int64_t);
	if (value_bytes >= ALLOCATION_MAX || name_bytes > ALLOCATION_MAX ||
	    t->slices_most > ALLOCATION_MAX / (int64_t)sizeof(uint32_t))
		return false;
	/* of each slice its name, and its place in the order */
	int64_t bytes = value_bytes + name_bytes + place_bytes +
			2 * t->slices_most * (int64_t)sizeof(uint32_t);
	return !most || bytes <= most / 2;
}

/* A column that is joined by, or looked up, is for the view: this has all slices or none. */
static bool is_looked_up(const sqlite3_index_info *info)
{
	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
			return true;
	return false;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	struct slice_names *t = (struct slice_names *)base;
	uint64_t name = UINT64_C(1) << t->name_column;
	uint64_t values = info->colUsed & ~name;

	if (info->nOrderBy != 1 || info->aOrderBy[0].iColumn != t->name_column ||
	    info->aOrderBy[0].desc)
		return SQLITE_CONSTRAINT;
	if (values & ~t->is_offered || is_looked_up(info))
		return SQLITE_CONSTRAINT;
	if (!has_room(t, values))
		return SQLITE_CONSTRAINT;
	info->idxStr = sqlite3_mprintf("%llx", (unsigned long long)values);
	if (!info->idxStr)
		return SQLITE_NOMEM;
	info->needToFreeIdxStr = 1;
	info->orderByConsumed = 1;
	info->estimatedCost = (double)t->slices_most;
	info->estimatedRows = t->slices_most;
	t->offer->is_used = true;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct slice_cursor *c = xcalloc(1, sizeof(*c));

	(void)base;
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct slice_cursor *c = (struct slice_cursor *)base;

	for (uint32_t i = 0; i < c->nnames; i++)
		sqlite3_free(c->names[i].text);
	sqlite3_free(c->names);
	sqlite3_free(c->order);
	sqlite3_free(c->values);
	free(c);
	return SQLITE_OK;
}

static int prepare_slices(const struct slice_names *t, struct slice_cursor *c,
			  uint64_t columns, struct sqlite3_stmt **stmt)
{
	struct buf sql;

	buf_init(&sql, SQL_MAX);
	buf_add_text(&sql, "SELECT name_id");
	for (int i = 0; i < t->ncolumns; i++) {
		if (!(columns >> i & 1))
			continue;
		c->place[i] = c->nvalues++;
		buf_addf(&sql, ", \"%s\"", t->columns[i]);
	}
	buf_add_text(&sql, " FROM main.slice_row");
	int rc = sqlite3_prepare_v2(t->offer->db, sql.p, -1, stmt, NULL);
	buf_release(&sql);
	return rc;
}

/* In the order of ids: the name and the values of each. */
static int read_slices(const struct slice_names *t, struct slice_cursor *c,
		       struct reading *r, struct sqlite3_stmt *stmt)
{
	int64_t *values = c->values;
	int rc;

	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(stmt, 0);
		if (id < 1 || id > t->string_last || r->nslices == t->slices_most)
			return SQLITE_CORRUPT;
		r->name_ids[r->nslices++] = (uint32_t)id;
		r->places[id]++;
		for (int i = 0; i < c->nvalues; i++)
			*values++ = sqlite3_column_int64(stmt, 1 + i);
	}
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_text(struct sqlite3_stmt *stmt, uint32_t id, struct name *out)
{
	sqlite3_reset(stmt);
	sqlite3_bind_int64(stmt, 1, id);
	int rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_CORRUPT : rc;
	const void *text = sqlite3_column_text(stmt, 0);
	*out = (struct name){ .id = id, .n = sqlite3_column_bytes(stmt, 0) };
	out->text = sqlite3_malloc64((sqlite3_uint64)out->n + 1);
	if (!text || !out->text) {
		sqlite3_free(out->text);
		return SQLITE_NOMEM;
	}
	memcpy(out->text, text, (size_t)out->n);
	return SQLITE_OK;
}

/* Those that slices have. */
static int read_names(const struct slice_names *t, struct slice_cursor *c,
		      const struct reading *r)
{
	struct sqlite3_stmt *stmt;
	uint32_t n = 0;

	for (int64_t id = 1; id <= t->string_last; id++)
		n += r->places[id] > 0;
	c->names = sqlite3_malloc64((n + UINT64_C(1)) * sizeof(*c->names));
	if (!c->names)
		return SQLITE_NOMEM;
	int rc = sqlite3_prepare_v2(t->offer->db,
				    "SELECT text FROM main.string WHERE id = ?1", -1,
				    &stmt, NULL);
	for (uint32_t id = 1; rc == SQLITE_OK && id <= t->string_last; id++) {
		if (r->places[id] == 0)
			continue;
		rc = read_text(stmt, id, &c->names[c->nnames]);
		c->nnames += rc == SQLITE_OK;
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* As SQLite compares texts. */
static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = memcmp(x->text, y->text, (size_t)(x->n < y->n ? x->n : y->n));

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Those of one name in the order of their ids. */
static void sort_slices(struct slice_cursor *c, const struct reading *r)
{
	uint32_t end = 0;

	qsort(c->names, c->nnames, sizeof(*c->names), compare_names);
	for (uint32_t i = 0; i < c->nnames; i++) {
		uint32_t *place = &r->places[c->names[i].id];
		uint32_t first = end;
		end += *place;
		c->names[i].end = end;
		*place = first;
	}
	for (uint32_t i = 0; i < r->nslices; i++)
		c->order[r->places[r->name_ids[i]]++] = i;
	c->nslices = r->nslices;
}

static int read_all(const struct slice_names *t, struct slice_cursor *c, uint64_t columns)
{
	sqlite3_uint64 n = (sqlite3_uint64)t->slices_most;
	size_t places = ((size_t)t->string_last + 1) * sizeof(uint32_t);
	struct sqlite3_stmt *stmt;
	struct reading r = { .nslices = 0 };
	int rc = prepare_slices(t, c, columns, &stmt);

	if (rc != SQLITE_OK)
		return rc;
	r.name_ids = sqlite3_malloc64(n * sizeof(*r.name_ids));
	r.places = sqlite3_malloc64(places);
	c->order = sqlite3_malloc64(n * sizeof(*c->order));
	c->values =
		sqlite3_malloc64(n * (sqlite3_uint64)c->nvalues * sizeof(*c->values) + 1);
	rc = r.name_ids && r.places && c->order && c->values ? SQLITE_OK : SQLITE_NOMEM;
	if (rc == SQLITE_OK) {
		memset(r.places, 0, places);
		rc = read_slices(t, c, &r, stmt);
	}
	sqlite3_finalize(stmt);
	if (rc == SQLITE_OK)
		rc = read_names(t, c, &r);
	if (rc == SQLITE_OK)
		sort_slices(c, &r);
	sqlite3_free(r.places);
	sqlite3_free(r.name_ids);
	return rc;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *columns, int argc,
		  sqlite3_value **argv)
{
	struct slice_cursor *c = (struct slice_cursor *)base;

	(void)number, (void)argc, (void)argv;
	c->at = 0;
	c->name = 0;
	if (c->is_read)
		return SQLITE_OK;
	c->is_read = true;
	return read_all((struct slice_names *)base->pVtab, c,
			strtoull(columns, NULL, 16));
}

static int next(sqlite3_vtab_cursor *base)
{
	struct slice_cursor *c = (struct slice_cursor *)base;

	c->at++;
	c->name += c->at == c->names[c->name].end;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct slice_cursor *c = (struct slice_cursor *)base;

	return c->at >= c->nslices;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	const struct slice_cursor *c = (struct slice_cursor *)base;
	const struct slice_names *t = (struct slice_names *)base->pVtab;
	const struct name *name = &c->names[c->name];

	if (i == t->name_column)
		sqlite3_result_text(to, name->text, name->n, SQLITE_STATIC);
	else
		sqlite3_result_int64(
			to, c->values[(size_t)c->order[c->at] * (size_t)c->nvalues +
				      (size_t)c->place[i]]);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = create,
	.xConnect = refuse,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_at_end,
	.xColumn = column,
};

/* Stores are opened with PRAGMA query_only, which the schema `temp` obeys, too. */
static int change_schema(struct sqlite3 *db, const char *sql)
{
	sqlite3_exec(db, "PRAGMA query_only = OFF", NULL, NULL, NULL);
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_exec(db, "PRAGMA query_only = ON", NULL, NULL, NULL);
	return rc;
}

void slices_by_name_offer(struct sqlite3 *db, int64_t memory_bytes,
			  struct slices_by_name *out)
{
	*out = (struct slices_by_name){ .db = db, .memory_bytes = memory_bytes };
	if (sqlite3_create_module(db, "slices_by_name", &module, out) != SQLITE_OK ||
	    change_schema(db, "CREATE VIRTUAL TABLE temp.slice USING slices_by_name") !=
		    SQLITE_OK)
		out->db = NULL;
}

void slices_by_name_withdraw(struct slices_by_name *s)
{
	if (s->db)
		change_schema(s->db, "DROP TABLE temp.slice");
	s->db = NULL;
}
