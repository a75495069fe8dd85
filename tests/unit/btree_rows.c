/* Rows by both roads: see btree_rows.h. */
#include "btree_rows.h"

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/btree.h"
#include "store/record.h"

#define COLUMNS   5
#define TEXT_MAX  70000
#define ROWS_MAX  20000
#define BYTES_MAX (8 << 20) /* of texts and blobs in one file */

struct value {
	int type; /* SQLITE_INTEGER, ... */
	int64_t integer;
	double real;
	struct str text;
};

struct side {
	int fd;
	sqlite3 *db;
	sqlite3_stmt *insert;
};

struct comparison {
	const uint8_t *p, *end;
	struct side sql, tree; /* SQLite alone; btree.h and SQLite in turns */
	struct btree_file file;
	struct btree btree;
	bool is_open; /* rows go through btree.h */
	struct record record;
	int64_t rowid;
	struct value values[COLUMNS];
	size_t nrows, nbytes;
	char *text; /* owned */
};

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "btree_rows: %s\n", what);
	abort();
}

static uint64_t take(struct comparison *c, size_t n)
{
	uint64_t value = 0;

	while (n-- && c->p < c->end)
		value = value << 8 | *c->p++;
	return value;
}

static void must_run(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
	abort();
}

static void open_side(struct side *s, const char *pragmas)
{
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/ptool-btree-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	s->fd = mkstemp(path);
	must(s->fd >= 0 && sqlite3_open(path, &s->db) == SQLITE_OK, "cannot open");
	must_run(s->db, pragmas);
	unlink(path);
	free(path);
	must_run(s->db, "CREATE TABLE row (id INTEGER PRIMARY KEY, a INTEGER, b REAL, "
			"c TEXT, d BLOB, e INTEGER) STRICT");
	must(sqlite3_prepare_v2(s->db, "INSERT INTO row VALUES (?1,?2,?3,?4,?5,?6)", -1,
				&s->insert, NULL) == SQLITE_OK,
	     "cannot prepare");
}

static void close_side(struct side *s)
{
	sqlite3_finalize(s->insert);
	must(sqlite3_close(s->db) == SQLITE_OK, "cannot close");
	close(s->fd);
}

static void add_by_sql(struct side *s, int64_t rowid, const struct value *values)
{
	sqlite3_bind_int64(s->insert, 1, rowid);
	for (int i = 0; i < COLUMNS; i++) {
		const struct value *v = &values[i];
		if (v->type == SQLITE_INTEGER)
			sqlite3_bind_int64(s->insert, i + 2, v->integer);
		else if (v->type == SQLITE_FLOAT)
			sqlite3_bind_double(s->insert, i + 2, v->real);
		else if (v->type == SQLITE_TEXT)
			sqlite3_bind_text(s->insert, i + 2, v->text.p, (int)v->text.n,
					  SQLITE_STATIC);
		else if (v->type == SQLITE_BLOB)
			sqlite3_bind_blob(s->insert, i + 2, v->text.p, (int)v->text.n,
					  SQLITE_STATIC);
		else
			sqlite3_bind_null(s->insert, i + 2);
	}
	must(sqlite3_step(s->insert) == SQLITE_DONE, sqlite3_errmsg(s->db));
	sqlite3_reset(s->insert);
}

static uint32_t ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;

	must(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, sql);
	must(sqlite3_step(stmt) == SQLITE_ROW, sql);
	uint32_t number = (uint32_t)sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return number;
}

static uint32_t root_of(sqlite3 *db)
{
	return ask(db, "SELECT rootpage FROM sqlite_schema");
}

static void open_tree(struct comparison *c)
{
	struct err err = ERR_INIT;

	must_run(c->tree.db, "COMMIT");
	/* SQLite itself may leave a page free. */
	if (ask(c->tree.db, "PRAGMA freelist_count")) {
		must(btree_file_open(&c->file, c->tree.fd, &err) == 0, "free pages");
		must_run(c->tree.db, "BEGIN");
		return;
	}
	must(btree_file_open(&c->file, c->tree.fd, &err) == 1, "not a file for pages");
	must(btree_begin(&c->btree, &c->file, root_of(c->tree.db), &err) == 1,
	     "not a table for pages");
	c->is_open = true;
}

static void close_tree(struct comparison *c)
{
	struct err err = ERR_INIT;

	must(btree_end(&c->btree, &err) == 0, err.text);
	btree_release(&c->btree);
	must(btree_file_close(&c->file, &err) == 0, err.text);
	must_run(c->tree.db, "BEGIN");
	c->is_open = false;
}

static void add_by_tree(struct comparison *c)
{
	struct err err = ERR_INIT;

	/* the rowid's own column */
	struct record_at at = record_null(record_begin(&c->record));
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct value *v = &c->values[i];
		if (v->type == SQLITE_INTEGER)
			at = record_int(at, v->integer);
		else if (v->type == SQLITE_FLOAT)
			at = record_real(at, v->real);
		else if (v->type == SQLITE_TEXT)
			at = record_text(&c->record, at, v->text);
		else if (v->type == SQLITE_BLOB)
			at = record_blob(&c->record, at, v->text);
		else
			at = record_null(at);
	}
	record_end(&c->record, at);
	must(btree_add(&c->btree, c->rowid, record_whole(&c->record), &err) == 0,
	     err.text);
}

static void add_row(struct comparison *c, uint64_t step)
{
	if (c->nrows == ROWS_MAX || c->nbytes > BYTES_MAX || c->rowid > INT64_MAX / 2)
		return;
	/* Now and then far on: larger keys. */
	c->rowid += step < 250 ? 1 : (int64_t)1 << (step % 64 % 61);
	add_by_sql(&c->sql, c->rowid, c->values);
	if (c->is_open)
		add_by_tree(c);
	else
		add_by_sql(&c->tree, c->rowid, c->values);
	c->nbytes += c->values[2].text.n + c->values[3].text.n;
	c->nrows++;
}

static void draw_values(struct comparison *c)
{
	static const int types[COLUMNS] = { SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT,
					    SQLITE_BLOB, SQLITE_INTEGER };
	uint64_t kinds = take(c, 1);

	for (size_t i = 0; i < COLUMNS; i++) {
		struct value *v = &c->values[i];
		v->type = kinds >> i & 1 ? types[i] : SQLITE_NULL;
		v->text = (struct str){ c->text, 0 };
		if (v->type == SQLITE_INTEGER) {
			size_t bytes = (size_t)take(c, 1) % 9;
			v->integer = (int64_t)take(c, bytes);
			v->integer = kinds & 0x20 ? -v->integer : v->integer;
		} else if (v->type == SQLITE_FLOAT) {
			uint64_t bits = take(c, 8);
			memcpy(&v->real, &bits, sizeof(bits));
			v->real = kinds & 0x40 ? (double)(int64_t)bits : v->real;
		} else if (v->type != SQLITE_NULL) {
			uint64_t n = take(c, 1);
			v->text.n = kinds & 0x80 ? (n << 8 | take(c, 1)) % TEXT_MAX : n;
		}
	}
}

static void act(struct comparison *c)
{
	uint64_t what = take(c, 1);

	if (what < 16) {
		if (c->is_open)
			close_tree(c);
		else
			open_tree(c);
	} else if (what < 32) {
		for (uint64_t n = take(c, 1) * 4; n-- > 0;)
			add_row(c, 0);
	} else {
		draw_values(c);
		add_row(c, take(c, 1));
	}
}

/* One file as its pages, in order of the rows. */
struct leaves {
	uint8_t *bytes; /* mapped */
	size_t size;
	uint32_t page_bytes;
	uint32_t *pages; /* owned */
	size_t n, cap;
};

static uint32_t get(const uint8_t *p, size_t n)
{
	uint32_t value = 0;

	while (n--)
		value = value << 8 | *p++;
	return value;
}

static const uint8_t *page_of(const struct leaves *l, uint32_t page)
{
	must((size_t)page * l->page_bytes <= l->size, "a page beyond the file");
	return l->bytes + (size_t)(page - 1) * l->page_bytes;
}

static void walk(struct leaves *l, uint32_t page)
{
	const uint8_t *p = page_of(l, page);

	if (p[0] == 13) {
		l->pages = xgrow(l->pages, &l->cap, l->n + 1, sizeof(*l->pages));
		l->pages[l->n++] = page;
		return;
	}
	for (uint32_t i = 0; i < get(p + 3, 2); i++)
		walk(l, get(p + get(p + 12 + (size_t)i * 2, 2), 4));
	walk(l, get(p + 8, 4));
}

static struct leaves leaves_of(const struct side *s)
{
	struct leaves l = { .size = (size_t)lseek(s->fd, 0, SEEK_END) };

	l.bytes = mmap(NULL, l.size, PROT_READ, MAP_SHARED, s->fd, 0);
	must(l.bytes != MAP_FAILED, "cannot map");
	l.page_bytes = get(l.bytes + 16, 2);
	l.page_bytes = l.page_bytes == 1 ? 65536 : l.page_bytes;
	walk(&l, root_of(s->db));
	return l;
}

static void leaves_release(struct leaves *l)
{
	munmap(l->bytes, l->size);
	free(l->pages);
}

/* Cells where they stand; but places of pages that overflow differ, so whole cells do not count. */
static void compare_leaves(const struct comparison *c)
{
	struct leaves a = leaves_of(&c->sql), b = leaves_of(&c->tree);

	must(a.n == b.n, "another number of leaf pages");
	for (size_t i = 0; i < a.n; i++) {
		const uint8_t *p = page_of(&a, a.pages[i]), *q = page_of(&b, b.pages[i]);
		uint32_t n = get(p + 3, 2), content = get(p + 5, 2);
		must(memcmp(p, q, 8 + (size_t)n * 2) == 0, "another head of a leaf");
		content = content ? content : 65536;
		if (c->nbytes == 0)
			must(memcmp(p + content, q + content, a.page_bytes - content) ==
				     0,
			     "another content of a leaf");
	}
	leaves_release(&a);
	leaves_release(&b);
}

static void compare_rows(const struct comparison *c)
{
	sqlite3_stmt *a, *b;
	const char *sql = "SELECT id,a,b,c,d,e FROM row ORDER BY id";
	int rc;

	sqlite3_prepare_v2(c->sql.db, sql, -1, &a, NULL);
	sqlite3_prepare_v2(c->tree.db, sql, -1, &b, NULL);
	while ((rc = sqlite3_step(a)) == sqlite3_step(b) && rc == SQLITE_ROW)
		for (int i = 0; i <= COLUMNS; i++) {
			must(sqlite3_column_type(a, i) == sqlite3_column_type(b, i),
			     "another type");
			int n = sqlite3_column_bytes(a, i);
			must(n == sqlite3_column_bytes(b, i), "another length");
			must(n == 0 || memcmp(sqlite3_column_blob(a, i),
					      sqlite3_column_blob(b, i), (size_t)n) == 0,
			     "another value");
		}
	must(rc == SQLITE_DONE, "another number of rows");
	sqlite3_finalize(a);
	sqlite3_finalize(b);
}

static void check_whole(sqlite3 *db)
{
	sqlite3_stmt *stmt;

	sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL);
	must(sqlite3_step(stmt) == SQLITE_ROW, "no check");
	must(strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") == 0,
	     (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

size_t btree_rows_compare(const uint8_t *data, size_t n)
{
	struct comparison c = { .p = data, .end = data + n };
	static const int page_bytes[] = { 512, 1024, 4096, 16384, 65536 };
	uint64_t choice = take(&c, 1);

	/* Most of what is drawn is nothing: two files each are made for the others. */
	if (choice >= sizeof(page_bytes) / sizeof(*page_bytes))
		return 0;
	char *pragmas = xasprintf("PRAGMA page_size = %d; PRAGMA journal_mode = OFF; "
				  "PRAGMA synchronous = OFF",
				  page_bytes[choice]);

	c.text = xmalloc(TEXT_MAX);
	memset(c.text, 'x', TEXT_MAX);
	open_side(&c.sql, pragmas);
	open_side(&c.tree, pragmas);
	must_run(c.sql.db, "BEGIN");
	must_run(c.tree.db, "BEGIN");
	while (c.p < c.end)
		act(&c);
	if (c.is_open)
		close_tree(&c);
	must_run(c.sql.db, "COMMIT");
	must_run(c.tree.db, "COMMIT");
	compare_rows(&c);
	check_whole(c.tree.db);
	compare_leaves(&c);
	close_side(&c.sql);
	close_side(&c.tree);
	record_release(&c.record);
	free(c.text);
	free(pragmas);
	return c.nrows;
}
