/* RowBinary: see rowbinary.h. */
#include "remote/rowbinary.h"

#include <inttypes.h>
#include <string.h>

#include "base/varint.h"

bool rowbinary_put_int(struct buf *to, int64_t value)
{
	uint64_t bits = (uint64_t)value;
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(bits >> (8 * i));
	return buf_add(to, bytes, sizeof(bytes));
}

bool rowbinary_put_real(struct buf *to, double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return rowbinary_put_int(to, bits);
}

bool rowbinary_put_text(struct buf *to, struct str text)
{
	uint8_t length[VARINT_MAX];
	size_t n = (size_t)(varint_put(length, text.n) - length);

	return buf_add(to, length, n) && buf_add(to, text.p, text.n);
}

bool rowbinary_put_null(struct buf *to, bool is_null)
{
	return buf_add_char(to, is_null ? 1 : 0);
}

void rowbinary_begin(struct rowbinary_reader *r)
{
	r->nrows = 0;
	buf_init(&r->rest, ROWBINARY_ROW_MAX);
}

int rowbinary_too_much(struct err *err)
{
	return err_set(err, ERR_IO,
		       "the server has more rows than one command reads: choose one run "
		       "with --run, or a rank with --rank");
}

uint64_t rowbinary_least(const struct rowbinary_type *types, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += types[i].nullable || types[i].kind == ROWBINARY_TEXT ? 1 : 8;
	return bytes;
}

/* What came of trying to read something. */
enum got { GOT_IT, GOT_PART, GOT_NONSENSE };

struct cursor {
	const uint8_t *at, *end;
};

static enum got read_number(struct cursor *c, uint64_t *value)
{
	if (c->end - c->at < 8)
		return GOT_PART;
	*value = 0;
	for (unsigned i = 0; i < 8; i++)
		*value |= (uint64_t)c->at[i] << (8 * i);
	c->at += 8;
	return GOT_IT;
}

static enum got read_text(struct cursor *c, struct str *text)
{
	const uint8_t *at = c->at;
	uint64_t n;

	if (!varint_get(&at, c->end, &n))
		return c->end - c->at < VARINT_MAX ? GOT_PART : GOT_NONSENSE;
	if (n > ROWBINARY_ROW_MAX)
		return GOT_NONSENSE;
	if ((uint64_t)(c->end - at) < n)
		return GOT_PART;
	*text = (struct str){ (const char *)at, (size_t)n };
	c->at = at + n;
	return GOT_IT;
}

static enum got read_cell(struct cursor *c, struct rowbinary_type type,
			  struct rowbinary_cell *cell)
{
	uint64_t bits = 0;
	enum got got;

	*cell = (struct rowbinary_cell){ .is_null = false };
	if (type.nullable) {
		if (c->at == c->end)
			return GOT_PART;
		if (*c->at > 1)
			return GOT_NONSENSE;
		cell->is_null = *c->at++ == 1;
		if (cell->is_null)
			return GOT_IT;
	}
	if (type.kind == ROWBINARY_TEXT)
		return read_text(c, &cell->text);
	got = read_number(c, &bits);
	cell->number = (int64_t)bits;
	if (type.kind == ROWBINARY_REAL)
		memcpy(&cell->real, &bits, sizeof(bits));
	return got;
}

static enum got read_row(const struct rowbinary_reader *r, struct cursor *c,
			 struct rowbinary_cell *cells)
{
	struct cursor at = *c;

	for (size_t i = 0; i < r->ntypes; i++) {
		enum got got = read_cell(&at, r->types[i], &cells[i]);
		if (got != GOT_IT)
			return got;
	}
	*c = at;
	return GOT_IT;
}

static int nonsense(struct err *err)
{
	return err_set(err, ERR_IO, "the server's answer is malformed");
}

/* As many rows as are whole; how many bytes they took, or -1. */
static ssize_t read_rows(struct rowbinary_reader *r, struct str bytes, struct err *err)
{
	struct rowbinary_cell cells[ROWBINARY_COLUMNS_MAX];
	struct cursor c = { (const uint8_t *)bytes.p,
			    (const uint8_t *)bytes.p + bytes.n };
	enum got got = GOT_IT;

	while (c.at < c.end && (got = read_row(r, &c, cells)) == GOT_IT) {
		if (r->nrows == r->most)
			return err_set(err, ERR_IO,
				       "the server sends more than the %" PRIu64
				       " rows that there are",
				       r->most);
		r->nrows++;
		if (r->row(r->to, cells, err) < 0)
			return -1;
	}
	if (got == GOT_NONSENSE)
		return nonsense(err);
	return (ssize_t)((const char *)c.at - bytes.p);
}

static int take_room(struct rowbinary_reader *r, size_t n, struct err *err)
{
	if (n > *r->room)
		return rowbinary_too_much(err);
	*r->room -= n;
	return 0;
}

int rowbinary_feed(struct rowbinary_reader *r, struct str bytes, struct err *err)
{
	bool had_rest = r->rest.n > 0;

	if (bytes.n == 0)
		return 0;
	if (r->room && take_room(r, bytes.n, err) < 0)
		return -1;
	if (had_rest && !buf_add_str(&r->rest, bytes))
		return nonsense(err);
	struct str all = had_rest ? buf_str(&r->rest) : bytes;
	ssize_t used = read_rows(r, all, err);
	if (used < 0)
		return -1;
	struct str left = str_behind(all, (size_t)used);
	if (had_rest) {
		memmove(r->rest.p, left.p, left.n);
		r->rest.n = left.n;
		return 0;
	}
	return buf_add_str(&r->rest, left) ? 0 : nonsense(err);
}

int rowbinary_end(struct rowbinary_reader *r, struct err *err)
{
	bool is_whole = r->rest.n == 0;

	buf_release(&r->rest);
	return is_whole ? 0
			: err_set(err, ERR_IO, "the server's answer ends within a row");
}
