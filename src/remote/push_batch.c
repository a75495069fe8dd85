/* Rows of several profiles: see push_batch.h. */
#include "remote/push_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/zstd_pack.h"

/*
 * With what the program and its libraries take it stays below 32 MB.  A rank of 75,000
 * slices has 2.7 MB of rows, and some 0.3 MB of them packed.
 */
#define PACKED_MOST ((size_t)3 << 20)
#define PIECE_BYTES ((size_t)512 << 10)
#define ROWS_MAX    ((size_t)1 << 30)

/* Each row behind its length. */
struct batch_piece {
	size_t profile;  /* place */
	size_t at, size; /* packed */
	size_t bytes;    /* unpacked */
};

void push_batch_init(struct push_batch *b, size_t ntables)
{
	*b = (struct push_batch){ .tables = xcalloc(ntables, sizeof(*b->tables)),
				  .ntables = ntables };
	for (size_t i = 0; i < ntables; i++)
		buf_init(&b->tables[i].packed, ROWS_MAX);
	buf_init(&b->rows, ROWS_MAX);
}

void push_batch_release(struct push_batch *b)
{
	push_batch_drop(b, true);
	for (size_t i = 0; i < b->ntables; i++) {
		free(b->tables[i].pieces);
		buf_release(&b->tables[i].packed);
	}
	free(b->tables);
	free(b->profiles);
	buf_release(&b->rows);
	*b = (struct push_batch){ 0 };
}

static int too_large(struct err *err)
{
	return err_set(err, ERR_INPUT, "a row is too large to push");
}

static int end_piece(struct push_batch *b, struct batch_table *t, struct err *err)
{
	struct batch_piece piece = { b->nprofiles, t->packed.n, 0, b->rows.n };

	if (b->rows.n == 0)
		return 0;
	if (zstd_pack(buf_str(&b->rows), &t->packed, err) < 0)
		return -1;
	buf_clear(&b->rows);
	piece.size = t->packed.n - piece.at;
	b->bytes += piece.size;
	*ARRAY_PUSH(t->pieces, t->n, t->cap) = piece;
	return b->bytes > PACKED_MOST;
}

int push_batch_add(struct push_batch *b, size_t table, struct remote_rows *rows,
		   struct err *err)
{
	struct batch_table *t = &b->tables[table];
	int rc = 1;

	while (rc > 0) {
		uint32_t length = 0;
		size_t at = b->rows.n;
		if (!buf_add(&b->rows, &length, sizeof(length)))
			return too_large(err);
		rc = remote_rows_next(rows, &b->rows, err);
		if (rc <= 0) {
			b->rows.n = at;
			break;
		}
		length = (uint32_t)(b->rows.n - at - sizeof(length));
		memcpy(b->rows.p + at, &length, sizeof(length));
		if (b->rows.n >= PIECE_BYTES && (rc = end_piece(b, t, err)) != 0)
			return rc;
		rc = 1;
	}
	return rc < 0 ? -1 : end_piece(b, t, err);
}

void push_batch_keep(struct push_batch *b, struct push_profile *profile)
{
	b->bytes += profile->cells.n;
	size_t bytes = b->bytes - b->whole;

	*ARRAY_PUSH(b->profiles, b->nprofiles, b->cap) = *profile;
	*profile = (struct push_profile){ 0 };
	b->whole = b->bytes;
	if (bytes > b->largest)
		b->largest = bytes;
}

void push_batch_drop(struct push_batch *b, bool all)
{
	if (all) {
		while (b->nprofiles)
			push_profile_release(&b->profiles[--b->nprofiles]);
		b->whole = 0;
	}
	for (size_t i = 0; i < b->ntables; i++) {
		struct batch_table *t = &b->tables[i];
		while (t->n && t->pieces[t->n - 1].profile >= b->nprofiles)
			t->packed.n = t->pieces[--t->n].at;
	}
	buf_clear(&b->rows);
	b->bytes = b->whole;
}

bool push_batch_is_full(const struct push_batch *b)
{
	return b->bytes + b->largest > PACKED_MOST;
}

void push_batch_read(const struct push_batch *b, size_t table, struct batch_reader *out)
{
	*out = (struct batch_reader){ .batch = b, .table = &b->tables[table] };
	buf_init(&out->rows, ROWS_MAX);
}

void push_batch_read_end(struct batch_reader *r)
{
	buf_release(&r->rows);
}

static int unpack(struct batch_reader *r, const struct batch_piece *piece,
		  struct err *err)
{
	const struct str packed = { r->table->packed.p + piece->at, piece->size };
	size_t n = 0;

	buf_clear(&r->rows);
	if (!buf_add_blanks(&r->rows, piece->bytes))
		return too_large(err);
	return zstd_unpack(packed, r->rows.p, piece->bytes, &n, err);
}

int push_batch_give(void *from, struct buf *piece, struct err *err)
{
	struct batch_reader *r = from;

	if (r->next == r->table->n)
		return 0;
	const struct batch_piece *now = &r->table->pieces[r->next++];
	const struct push_profile *profile = &r->batch->profiles[now->profile];
	if (unpack(r, now, err) < 0)
		return -1;
	for (size_t at = 0; at < r->rows.n;) {
		uint32_t length;
		memcpy(&length, r->rows.p + at, sizeof(length));
		at += sizeof(length);
		if (!rowbinary_put_int(piece, (int64_t)profile->run_id) ||
		    !rowbinary_put_int(piece, (int64_t)profile->push_id) ||
		    !buf_add(piece, r->rows.p + at, length))
			return too_large(err);
		at += length;
	}
	return 0;
}
