/*
 * Do the pages of a database form trees: see tree_check.h.  Tables, indexes, what does not
 * fit into their pages (chains of overflow pages) and the list of free pages are walked,
 * and no page may be met twice: then whatever SQLite does ends after as many pages as the
 * file has.  PRAGMA quick_check tells the same, but calls itself once for each level, and
 * a chain of pages as long as the file ends its stack.
 * https://www.sqlite.org/fileformat.html, 1.3 to 1.6.
 */
#include "store/tree_check.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "store/sql.h"

#define DEPTH_MAX        20 /* SQLite follows no more */
#define HEADER_SIZE      100
#define HEADER_PAGE_SIZE 16 /* 1: 65536 */
#define HEADER_RESERVED  20
#define HEADER_FREE      32
#define PAGE_SIZE_LEAST  512
#define VARINT_MAX       9

enum page_kind {
	INDEX_INTERIOR = 2,
	TABLE_INTERIOR = 5,
	INDEX_LEAF = 10,
	TABLE_LEAF = 13
};

struct walk {
	struct sqlite3_file *file;
	uint32_t page_size,
		usable; /* bytes of a page; without those reserved at its end */
	uint32_t npages;
	uint8_t *seen;  /* a bit a page; owned */
	uint8_t *bytes; /* a page for each level; owned */
	int64_t row_id; /* the last one in this tree */
	/* Of a table whose other leaves are only counted: where they are; 0: of no such. */
	unsigned leaf_depth;
	const atomic_bool *is_over; /* NULL: nobody ends it */
	struct err *err;
};

/* Of a page; `left` is its child, `overflow` the first page of its rest: 0 where none is. */
struct cell_head {
	uint64_t row_id;
	uint32_t left, overflow;
	size_t size;
};

static uint32_t u16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) << 16 | u16(p + 2);
}

static int damaged(const struct walk *w, uint32_t page)
{
	return err_set(
		w->err, ERR_INPUT,
		"the store is damaged at its page %u; ingest its traces into a new one",
		(unsigned)page);
}

static int read_page(const struct walk *w, uint32_t page, uint8_t *bytes, size_t n)
{
	sqlite3_int64 at = (sqlite3_int64)(page - 1) * w->page_size;

	if (w->is_over && atomic_load(w->is_over))
		return err_set(w->err, ERR_INTERRUPT, "interrupted");
	int code = w->file->pMethods->xRead(w->file, bytes, (int)n, at);

	if (code == SQLITE_IOERR_SHORT_READ)
		return damaged(w, page);
	return code == SQLITE_OK ? 0
				 : err_set(w->err, ERR_IO, "%s", sqlite3_errstr(code));
}

/* Meets a page that `from` refers to. */
static int meet(struct walk *w, uint32_t page, uint32_t from)
{
	if (page == 0 || page > w->npages)
		return damaged(w, from);
	uint8_t *byte = &w->seen[page / 8], bit = (uint8_t)(1U << page % 8);
	if (*byte & bit)
		return damaged(w, from);
	*byte |= bit;
	return 0;
}

static int walk_overflow(struct walk *w, uint32_t page, uint32_t from)
{
	uint8_t next[4];

	for (; page; from = page, page = u32(next))
		if (meet(w, page, from) < 0 || read_page(w, page, next, sizeof(next)) < 0)
			return -1;
	return 0;
}

/* The number of bytes, at most 9; they lie within a page that has so many more. */
static size_t read_varint(const uint8_t *p, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < VARINT_MAX - 1; i++) {
		*value = *value << 7 | (p[i] & 0x7f);
		if (p[i] < 0x80)
			return i + 1;
	}
	*value = *value << 8 | p[VARINT_MAX - 1];
	return VARINT_MAX;
}

/* How much of a payload lies in the cell itself. */
static uint64_t local_bytes(const struct walk *w, enum page_kind kind, uint64_t payload)
{
	uint64_t most =
		kind == TABLE_LEAF ? w->usable - 35 : (w->usable - 12) * 64 / 255 - 23;
	uint64_t least = (w->usable - 12) * 32 / 255 - 23;

	if (payload <= most)
		return payload;
	uint64_t n = least + (payload - least) % (w->usable - 4);
	return n <= most ? n : least;
}

/* `p` has so many bytes and, behind the page, those of the longest head more. */
static bool read_cell(const struct walk *w, enum page_kind kind, const uint8_t *p,
		      size_t n, struct cell_head *cell)
{
	bool is_interior = kind == TABLE_INTERIOR || kind == INDEX_INTERIOR;
	bool is_table = kind == TABLE_INTERIOR || kind == TABLE_LEAF;
	size_t at = is_interior ? 4 : 0;
	uint64_t payload = 0;

	*cell = (struct cell_head){ .left = is_interior ? u32(p) : 0 };
	if (kind != TABLE_INTERIOR)
		at += read_varint(p + at, &payload);
	if (is_table)
		at += read_varint(p + at, &cell->row_id);
	uint64_t local = local_bytes(w, kind, payload);
	if (at > n || local > n - at)
		return false;
	at += (size_t)local;
	if (local < payload) {
		if (n - at < 4)
			return false;
		cell->overflow = u32(p + at);
		at += 4;
	}
	cell->size = at;
	return true;
}

static int walk_tree(struct walk *w, uint32_t page, uint32_t from, unsigned depth);

/* A child but the last one; the cell's row id is the last that may be in it. */
static int walk_left(struct walk *w, struct cell_head cell, uint32_t page, unsigned depth)
{
	if (!w->leaf_depth || depth != w->leaf_depth)
		return walk_tree(w, cell.left, page, depth);
	if ((int64_t)cell.row_id <= w->row_id)
		return damaged(w, page);
	w->row_id = (int64_t)cell.row_id;
	return meet(w, cell.left, page);
}

static int walk_cells(struct walk *w, uint32_t page, const uint8_t *bytes, unsigned depth)
{
	const uint8_t *head = bytes + (page == 1 ? HEADER_SIZE : 0);
	enum page_kind kind = head[0];
	bool is_interior = kind == TABLE_INTERIOR || kind == INDEX_INTERIOR;
	const uint8_t *cells = head + (is_interior ? 12 : 8);
	size_t ncells = u16(head + 3);
	size_t used = (size_t)(cells - bytes) + 2 * ncells;

	for (size_t i = 0; i < ncells && used <= w->usable; i++) {
		size_t at = u16(cells + 2 * i);
		struct cell_head cell;
		if (at >= w->usable ||
		    !read_cell(w, kind, bytes + at, w->usable - at, &cell))
			return damaged(w, page);
		used += cell.size;
		if (kind == TABLE_LEAF && (int64_t)cell.row_id <= w->row_id)
			return damaged(w, page);
		if (kind == TABLE_LEAF)
			w->row_id = (int64_t)cell.row_id;
		if (cell.overflow && walk_overflow(w, cell.overflow, page) < 0)
			return -1;
		if (is_interior && walk_left(w, cell, page, depth + 1) < 0)
			return -1;
	}
	if (used > w->usable)
		return damaged(w, page);
	return is_interior ? walk_tree(w, u32(head + 8), page, depth + 1) : 0;
}

/* Calls itself as deep as SQLite goes. */
static int walk_tree(struct walk *w, uint32_t page, uint32_t from, unsigned depth)
{
	if (depth == DEPTH_MAX)
		return damaged(w, from);
	if (meet(w, page, from) < 0)
		return -1;
	uint8_t *bytes = w->bytes + (size_t)depth * (w->page_size + 4 + 2 * VARINT_MAX);
	if (read_page(w, page, bytes, w->page_size) < 0)
		return -1;
	switch (bytes[page == 1 ? HEADER_SIZE : 0]) {
	case INDEX_INTERIOR:
	case TABLE_INTERIOR:
	case INDEX_LEAF:
	case TABLE_LEAF:
		return walk_cells(w, page, bytes, depth);
	default:
		return damaged(w, page);
	}
}

/* Trunks, each with the numbers of free pages. */
static int walk_free(struct walk *w, uint32_t trunk)
{
	for (uint32_t from = 1; trunk; from = trunk, trunk = u32(w->bytes)) {
		if (meet(w, trunk, from) < 0 ||
		    read_page(w, trunk, w->bytes, w->page_size) < 0)
			return -1;
		uint32_t n = u32(w->bytes + 4);
		if (n > w->usable / 4 - 2)
			return damaged(w, trunk);
		for (uint32_t i = 0; i < n; i++)
			if (meet(w, u32(w->bytes + 8 + (size_t)4 * i), trunk) < 0)
				return -1;
	}
	return 0;
}

/* Sets leaf_depth: how deep the leaf at the right edge lies. */
static int measure_depth(struct walk *w, uint32_t root)
{
	uint32_t page = root, from = 1;

	for (w->leaf_depth = 0; w->leaf_depth < DEPTH_MAX; w->leaf_depth++) {
		if (page < 2 || page > w->npages)
			return damaged(w, from);
		if (read_page(w, page, w->bytes, w->page_size) < 0)
			return -1;
		if (w->bytes[0] != TABLE_INTERIOR)
			return 0;
		from = page;
		page = u32(w->bytes + 8);
	}
	return damaged(w, from);
}

/* The tables that a new profile is put behind, and the others; indexes are in no order. */
static const char select_roots[] =
	"SELECT rootpage, type = 'table' AND name IN ('op_detail', 'slice_row', 'slice_pack', "
	"'kernel', 'kernel_source', 'copy', 'device_wait', 'allocation', 'memory_range', 'counter', 'flow', "
	"'slice_args', 'function', 'function_stat', 'call_edge', 'line_stat', 'sample_node', "
	"'sample_sum', 'sample_row', 'op_stat', 'annotation_stat') "
	"FROM sqlite_schema WHERE rootpage > 0";

int tree_roots_read(struct sqlite3 *db, struct tree_roots *out, struct err *err)
{
	struct sqlite3_stmt *stmt;
	size_t cap = 0;
	int rc = sql_prepare(db, select_roots, &stmt, err);

	*out = (struct tree_roots){ .n = 0 };
	if (rc < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) == 1)
		*ARRAY_PUSH(out->items, out->n, cap) = (struct tree_root){
			.page = sqlite3_column_int64(stmt, 0),
			.is_added_to = sqlite3_column_int(stmt, 1),
		};
	sqlite3_finalize(stmt);
	return rc;
}

void tree_roots_release(struct tree_roots *r)
{
	free(r->items);
	*r = (struct tree_roots){ .n = 0 };
}

static int walk_roots(struct walk *w, const struct tree_roots *r, bool for_adding)
{
	for (size_t i = 0; i < r->n; i++) {
		int64_t number = r->items[i].page;
		uint32_t root = number > w->npages ? 0 : (uint32_t)number;
		w->row_id = INT64_MIN;
		w->leaf_depth = 0;
		if (for_adding && r->items[i].is_added_to && measure_depth(w, root) < 0)
			return -1;
		if (walk_tree(w, root, 1, 0) < 0)
			return -1;
	}
	return 0;
}

static int walk_schema(struct walk *w, struct sqlite3 *db, bool for_adding)
{
	struct tree_roots r;
	int rc = tree_roots_read(db, &r, w->err);

	if (rc == 0)
		rc = walk_roots(w, &r, for_adding);
	tree_roots_release(&r);
	return rc;
}

/* The first page says how large pages are; false where no database says so. */
static bool measure(struct walk *w, const uint8_t *header, int64_t size)
{
	uint32_t page_size = u16(header + HEADER_PAGE_SIZE);

	w->page_size = page_size == 1 ? 65536 : page_size;
	if (w->page_size < PAGE_SIZE_LEAST || w->page_size & (w->page_size - 1) ||
	    header[HEADER_RESERVED] > 32)
		return false;
	w->usable = w->page_size - header[HEADER_RESERVED];
	int64_t npages = size / w->page_size;
	w->npages = npages > UINT32_MAX ? UINT32_MAX : (uint32_t)npages;
	return true;
}

/* Through SQLite: to close a descriptor of one's own would end its locks on the file. */
static struct sqlite3_file *file_of(struct sqlite3 *db, sqlite3_int64 *size)
{
	struct sqlite3_file *file = NULL;

	sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	return file && file->pMethods &&
			       file->pMethods->xFileSize(file, size) == SQLITE_OK
		       ? file
		       : NULL;
}

/* known: the roots of its trees; NULL: they are read from it.  is_over: NULL: never. */
static int check(struct sqlite3 *db, const struct tree_roots *known, bool for_adding,
		 const atomic_bool *is_over, struct err *err)
{
	sqlite3_int64 size = 0;
	struct walk w = { .file = file_of(db, &size),
			  .page_size = HEADER_SIZE,
			  .is_over = is_over,
			  .err = err };
	uint8_t header[HEADER_SIZE] = { 0 };

	if (!w.file)
		return err_set(err, ERR_IO, "cannot read it");
	if (read_page(&w, 1, header, sizeof(header)) < 0)
		return -1;
	if (!measure(&w, header, size))
		return damaged(&w, 1);
	uint32_t free_pages = u32(header + HEADER_FREE);
	w.seen = xcalloc(w.npages / 8 + 1, 1);
	w.bytes = xcalloc(DEPTH_MAX, w.page_size + 4 + 2 * VARINT_MAX);
	w.row_id = INT64_MIN;
	int rc = walk_tree(&w, 1, 1, 0);
	if (rc == 0)
		rc = walk_free(&w, free_pages);
	/* A page that is free and in use would be written to: all is looked at. */
	if (rc == 0 && known)
		rc = walk_roots(&w, known, false);
	else if (rc == 0)
		rc = walk_schema(&w, db, for_adding && !free_pages);
	free(w.seen);
	free(w.bytes);
	return rc;
}

int tree_check(struct sqlite3 *db, struct err *err)
{
	return check(db, NULL, false, NULL, err);
}

int tree_check_until(struct sqlite3 *db, const atomic_bool *is_over, struct err *err)
{
	return check(db, NULL, false, is_over, err);
}

int tree_check_for_adding(struct sqlite3 *db, struct err *err)
{
	return check(db, NULL, true, NULL, err);
}

int tree_check_roots(struct sqlite3 *db, const struct tree_roots *roots, struct err *err)
{
	return check(db, roots, false, NULL, err);
}
