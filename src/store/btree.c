/*
 * Pages of tables: see btree.h.  Sections are those of fileformat2.html.
 *
 * The right edge of the tree is read when rows are to be added: the last leaf is
 * filled on, and of each level above the children of its last page stand in memory.
 * New pages go behind the file; at the end the levels are packed, from below.
 */
#include "store/btree.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "store/record.h"

/* The database header: section 1.3. */
#define HEADER_BYTES 100
enum {
	AT_PAGE_BYTES = 16,
	AT_WRITE_VERSION = 18, /* 1: a rollback journal */
	AT_RESERVED = 20,
	AT_CHANGE_COUNTER = 24,
	AT_NPAGES = 28,
	AT_FREE_PAGES = 36,
	AT_SCHEMA_FORMAT = 44,
	AT_AUTO_VACUUM = 52,
	AT_VALID_FOR = 92 /* the change counter that the number of pages is of */
};

#define LOCK_BYTE INT64_C(0x40000000) /* the page that holds it is never used */

/* A b-tree page: section 1.6. */
enum {
	INTERIOR = 5,
	LEAF = 13,
	AT_FREEBLOCK = 1,
	AT_NCELLS = 3,
	AT_CONTENT = 5,
	AT_FRAGMENTS = 7,
	LEAF_HEADER = 8,
	AT_RIGHT = 8, /* the rightmost child */
	INTERIOR_HEADER = 12
};

#define POINTER_BYTES  2 /* of a cell's place */
#define CELL_BYTES_MIN 4

#define PENDING_BYTES (1 << 20)

static uint32_t get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

static void put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void put32(uint8_t *p, uint32_t value)
{
	put16(p, value >> 16);
	put16(p + 2, value);
}

static int read_at(int fd, void *to, size_t n, int64_t at, struct err *err)
{
	while (n > 0) {
		ssize_t got = pread(fd, to, n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(err, "cannot read the store");
		if (got == 0)
			return err_set(err, ERR_INPUT, "the store is cut short");
		to = (char *)to + got;
		n -= (size_t)got;
		at += got;
	}
	return 0;
}

static int write_at(int fd, const void *from, size_t n, int64_t at, struct err *err)
{
	while (n > 0) {
		ssize_t put = pwrite(fd, from, n, at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_set(err, ERR_IO, "cannot write the store: %s",
				       strerror(errno));
		from = (const char *)from + put;
		n -= (size_t)put;
		at += put;
	}
	return 0;
}

static int64_t place_of(const struct btree_file *f, uint32_t page)
{
	return (int64_t)(page - 1) * f->page_bytes;
}

int btree_file_open(struct btree_file *f, int fd, struct err *err)
{
	uint8_t header[HEADER_BYTES];

	*f = (struct btree_file){ .fd = fd };
	if (read_at(fd, header, sizeof(header), 0, err) < 0)
		return -1;
	f->page_bytes = get16(header + AT_PAGE_BYTES);
	f->page_bytes = f->page_bytes == 1 ? 65536 : f->page_bytes;
	f->usable = f->page_bytes - header[AT_RESERVED];
	f->npages = get32(header + AT_NPAGES);
	f->change_counter = get32(header + AT_CHANGE_COUNTER);
	if (f->page_bytes < 512 || (f->page_bytes & (f->page_bytes - 1)) != 0 ||
	    f->usable < 480 || header[AT_WRITE_VERSION] != 1 || f->npages == 0 ||
	    f->change_counter != get32(header + AT_VALID_FOR) ||
	    get32(header + AT_FREE_PAGES) != 0 || get32(header + AT_SCHEMA_FORMAT) != 4 ||
	    get32(header + AT_AUTO_VACUUM) != 0)
		return 0;
	f->pending =
		xmalloc(PENDING_BYTES > f->page_bytes ? PENDING_BYTES : f->page_bytes);
	f->pending_first = f->npages + 1;
	return 1;
}

static int write_pending(struct btree_file *f, struct err *err)
{
	size_t n = (size_t)f->npending * f->page_bytes;
	int64_t at = place_of(f, f->pending_first);
	int rc = write_at(f->fd, f->pending, n, at, err);

	/* The disk begins with them now, and fsync() has less to wait for; it tells errors. */
	if (rc == 0)
		sync_file_range(f->fd, at, (off_t)n, SYNC_FILE_RANGE_WRITE);
	f->pending_first += f->npending;
	f->npending = 0;
	return rc;
}

void btree_file_drop(struct btree_file *f)
{
	free(f->pending);
	f->pending = NULL;
}

int btree_file_close(struct btree_file *f, struct err *err)
{
	uint8_t number[4];
	int rc = write_pending(f, err);

	btree_file_drop(f);
	put32(number, f->npages);
	if (rc == 0)
		rc = write_at(f->fd, number, sizeof(number), AT_NPAGES, err);
	put32(number, f->change_counter + 1);
	if (rc == 0)
		rc = write_at(f->fd, number, sizeof(number), AT_CHANGE_COUNTER, err);
	if (rc == 0)
		rc = write_at(f->fd, number, sizeof(number), AT_VALID_FOR, err);
	return rc;
}

/* Room for a page at the end of the file, zeroed, until the next one is asked for; or NULL. */
static uint8_t *new_page(struct btree_file *f, uint32_t *page, struct err *err)
{
	uint32_t lock_page = (uint32_t)(LOCK_BYTE / f->page_bytes) + 1;
	uint32_t n = f->npages + 1 == lock_page ? 2 : 1;

	if ((size_t)(f->npending + n) * f->page_bytes > PENDING_BYTES &&
	    f->npending > 0 && write_pending(f, err) < 0)
		return NULL;
	if (f->npages > UINT32_MAX - 3) {
		err_set(err, ERR_IO, "the store has as many pages as SQLite can count");
		return NULL;
	}
	uint8_t *at = f->pending + (size_t)f->npending * f->page_bytes;
	memset(at, 0, (size_t)n * f->page_bytes);
	f->npending += n;
	f->npages += n;
	*page = f->npages;
	return at + (size_t)(n - 1) * f->page_bytes;
}

/* A page that is in the file, or pending there. */
static int write_page(struct btree_file *f, uint32_t page, const uint8_t *bytes,
		      struct err *err)
{
	if (page >= f->pending_first) {
		memcpy(f->pending + (size_t)(page - f->pending_first) * f->page_bytes,
		       bytes, f->page_bytes);
		return 0;
	}
	return write_at(f->fd, bytes, f->page_bytes, place_of(f, page), err);
}

static void add_child(struct btree_level *level, struct btree_child child)
{
	*ARRAY_PUSH(level->children, level->n, level->cap) = child;
}

/* The children of an interior page but its last one, which is *page then; false: it is none. */
static bool read_interior(const struct btree_file *f, const uint8_t *bytes,
			  struct btree_level *level, uint32_t *page)
{
	uint32_t n = get16(bytes + AT_NCELLS);
	uint64_t key;

	if (n == 0 || INTERIOR_HEADER + (size_t)n * POINTER_BYTES > f->usable)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *place =
			bytes + INTERIOR_HEADER + (size_t)i * POINTER_BYTES;
		uint32_t at = get16(place);
		if (at + 4 >= f->usable ||
		    !record_varint_get(bytes + at + 4, f->usable - at - 4, &key))
			return false;
		add_child(level, (struct btree_child){ get32(bytes + at), (int64_t)key });
	}
	*page = get32(bytes + AT_RIGHT);
	return true;
}

/* The leaf that is filled on: sets what is known of it; false: its rows cannot be read. */
static bool read_leaf(struct btree *t)
{
	const struct btree_file *f = t->file;
	uint64_t size, rowid;

	t->ncells = get16(t->leaf + AT_NCELLS);
	t->content = get16(t->leaf + AT_CONTENT);
	t->content = t->content ? t->content : 65536;
	size_t pointers = LEAF_HEADER + (size_t)t->ncells * POINTER_BYTES;
	if (t->content > f->usable || pointers > t->content)
		return false;
	if (t->ncells == 0)
		return t->nlevels == 0;
	uint32_t at = get16(t->leaf + pointers - POINTER_BYTES);
	if (at < t->content || at >= f->usable)
		return false;
	size_t n = record_varint_get(t->leaf + at, f->usable - at, &size);
	if (!n || !record_varint_get(t->leaf + at + n, f->usable - at - n, &rowid))
		return false;
	t->last = (int64_t)rowid;
	return true;
}

static void empty_leaf(struct btree *t)
{
	memset(t->leaf, 0, t->file->page_bytes);
	t->leaf[0] = LEAF;
	t->leaf_page = 0;
	t->ncells = 0;
	t->content = t->file->usable;
}

/* 1: a leaf is in t->leaf, and the levels above are read; 0: it is no such tree; -1. */
static int read_edge(struct btree *t, struct err *err)
{
	const struct btree_file *f = t->file;
	struct btree_level *levels = t->levels;
	uint32_t page = t->root;

	for (;;) {
		if (page < 2 || page > f->npages)
			return 0;
		if (read_at(f->fd, t->leaf, f->page_bytes, place_of(f, page), err) < 0)
			return -1;
		if (t->leaf[0] == LEAF)
			break;
		if (t->leaf[0] != INTERIOR || t->nlevels == BTREE_DEPTH_MAX - 1)
			return 0;
		/* From above: turned round below. */
		levels[t->nlevels].page = page;
		if (!read_interior(f, t->leaf, &levels[t->nlevels++], &page))
			return 0;
	}
	for (size_t i = 0, j = t->nlevels; i + 1 < j; i++) {
		struct btree_level level = levels[i];
		levels[i] = levels[--j];
		levels[j] = level;
	}
	t->leaf_page = page;
	return read_leaf(t);
}

int btree_begin(struct btree *t, struct btree_file *f, uint32_t root, struct err *err)
{
	*t = (struct btree){ .file = f, .root = root, .last = INT64_MIN };
	t->leaf = xmalloc(f->page_bytes);
	int rc = read_edge(t, err);
	if (rc == 1 && t->ncells &&
	    (get16(t->leaf + AT_FREEBLOCK) || t->leaf[AT_FRAGMENTS])) {
		/* Rows were deleted here: it stays as it is. */
		add_child(&t->levels[0], (struct btree_child){ t->leaf_page, t->last });
		rc = t->nlevels > 0;
		empty_leaf(t);
	}
	return rc;
}

void btree_release(struct btree *t)
{
	for (size_t i = 0; i < BTREE_DEPTH_MAX; i++)
		free(t->levels[i].children);
	free(t->leaf);
	*t = (struct btree){ .file = NULL };
}

/* The leaf is full, or the last. */
static int write_leaf(struct btree *t, struct err *err)
{
	bool is_root = t->leaf_page == t->root;

	put16(t->leaf + AT_NCELLS, t->ncells);
	put16(t->leaf + AT_CONTENT, t->content & 0xffff);
	if (t->leaf_page && !is_root) {
		if (write_page(t->file, t->leaf_page, t->leaf, err) < 0)
			return -1;
	} else {
		uint8_t *to = new_page(t->file, &t->leaf_page, err);
		if (!to)
			return -1;
		memcpy(to, t->leaf, t->file->page_bytes);
	}
	add_child(&t->levels[0], (struct btree_child){ t->leaf_page, t->last });
	empty_leaf(t);
	return 0;
}

/* How much of a payload stands in the leaf: section 1.6, "the table leaf". */
static size_t local_bytes(const struct btree_file *f, size_t size)
{
	size_t most = f->usable - 35, least = (f->usable - 12) * 32 / 255 - 23;

	if (size <= most)
		return size;
	size_t local = least + (size - least) % (f->usable - 4);
	return local <= most ? local : least;
}

/* Writes a payload's end into pages that hang on each other; *first is the first. */
static int write_overflow(struct btree_file *f, const uint8_t *p, size_t n,
			  uint32_t *first, struct err *err)
{
	uint8_t *link = NULL, head[4];
	uint32_t linking = 0;

	while (n > 0) {
		uint32_t page;
		uint8_t *to = new_page(f, &page, err);
		if (!to)
			return -1;
		/* The page before may have gone to the file meanwhile. */
		put32(head, page);
		if (!linking)
			*first = page;
		else if (linking >= f->pending_first)
			memcpy(link, head, sizeof(head));
		else if (write_at(f->fd, head, sizeof(head), place_of(f, linking), err) <
			 0)
			return -1;
		size_t part = n < f->usable - 4 ? n : f->usable - 4;
		memcpy(to + 4, p, part);
		p += part;
		n -= part;
		link = to;
		linking = page;
	}
	return 0;
}

int btree_add(struct btree *t, int64_t rowid, struct str record, struct err *err)
{
	uint8_t head[2 * RECORD_VARINT_MAX];
	size_t size = record.n, local = local_bytes(t->file, size);
	uint8_t *p = record_varint_put(head, size);
	size_t nhead = (size_t)(record_varint_put(p, (uint64_t)rowid) - head);
	size_t cell = nhead + local + (local < size ? 4 : 0);
	uint32_t overflow = 0;

	assert(rowid > t->last || t->last == INT64_MIN);
	cell = cell < CELL_BYTES_MIN ? CELL_BYTES_MIN : cell;
	if (LEAF_HEADER + (size_t)(t->ncells + 1) * POINTER_BYTES + cell > t->content &&
	    write_leaf(t, err) < 0)
		return -1;
	t->content -= (uint32_t)cell;
	uint8_t *to = t->leaf + t->content;
	memcpy(to, head, nhead);
	memcpy(to + nhead, record.p, local);
	if (local < size) {
		if (write_overflow(t->file, (const uint8_t *)record.p + local,
				   size - local, &overflow, err) < 0)
			return -1;
		put32(to + nhead + local, overflow);
	}
	put16(t->leaf + LEAF_HEADER + (size_t)t->ncells++ * POINTER_BYTES, t->content);
	t->last = rowid;
	return 0;
}

static uint32_t interior_cell_bytes(int64_t key)
{
	uint8_t bytes[RECORD_VARINT_MAX];

	return 4 + (uint32_t)(record_varint_put(bytes, (uint64_t)key) - bytes);
}

/*
 * How many of the next n children one interior page takes: all but the last have a
 * cell.  None is left alone: a page has a cell.
 */
static size_t fill_interior(const struct btree_file *f, const struct btree_child *next,
			    size_t n)
{
	size_t room = f->usable - INTERIOR_HEADER, take = 1;

	while (take < n) {
		size_t need = POINTER_BYTES + interior_cell_bytes(next[take - 1].last);
		if (need > room)
			break;
		room -= need;
		take++;
	}
	return n - take == 1 ? take - 1 : take;
}

static void lay_interior(const struct btree_file *f, uint8_t *bytes,
			 const struct btree_child *children, size_t n)
{
	uint32_t content = f->usable;

	memset(bytes, 0, f->page_bytes);
	bytes[0] = INTERIOR;
	for (size_t i = 0; i + 1 < n; i++) {
		content -= interior_cell_bytes(children[i].last);
		put32(bytes + content, children[i].page);
		record_varint_put(bytes + content + 4, (uint64_t)children[i].last);
		put16(bytes + INTERIOR_HEADER + i * POINTER_BYTES, content);
	}
	put16(bytes + AT_NCELLS, (uint32_t)(n - 1));
	put16(bytes + AT_CONTENT, content & 0xffff);
	put32(bytes + AT_RIGHT, children[n - 1].page);
}

/* Packs a level's children into pages, which are children of the level above. */
static int pack_level(struct btree *t, size_t i, struct err *err)
{
	struct btree_file *f = t->file;
	struct btree_level *level = &t->levels[i];
	bool is_top = i + 1 >= t->nlevels;
	uint32_t page = level->page;

	for (size_t at = 0, take; at < level->n; at += take, page = 0) {
		take = fill_interior(f, level->children + at, level->n - at);
		bool is_root = is_top && take == level->n;
		lay_interior(f, t->leaf, level->children + at, take);
		if (is_root)
			return write_page(f, t->root, t->leaf, err);
		if (page == t->root)
			page = 0;
		if (!page) {
			uint8_t *to = new_page(f, &page, err);
			if (!to)
				return -1;
			memcpy(to, t->leaf, f->page_bytes);
		} else if (write_page(f, page, t->leaf, err) < 0) {
			return -1;
		}
		if (is_top)
			t->nlevels = i + 2;
		add_child(&t->levels[i + 1],
			  (struct btree_child){ page,
						level->children[at + take - 1].last });
	}
	return 0;
}

int btree_end(struct btree *t, struct err *err)
{
	/* All rows in the root. */
	if (t->leaf_page == t->root) {
		put16(t->leaf + AT_NCELLS, t->ncells);
		put16(t->leaf + AT_CONTENT, t->content & 0xffff);
		return write_page(t->file, t->root, t->leaf, err);
	}
	if (t->ncells && write_leaf(t, err) < 0)
		return -1;
	for (size_t i = 0; i < BTREE_DEPTH_MAX - 1; i++) {
		bool is_top = i + 1 >= t->nlevels;
		if (pack_level(t, i, err) < 0)
			return -1;
		if (is_top && i + 1 >= t->nlevels)
			return 0;
	}
	return err_set(err, ERR_IO, "the store is deeper than SQLite can read");
}
