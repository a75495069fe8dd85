/*
 * Any bytes as RowBinary: the same rows, and the same end, whether they come at once or in
 * pieces; what was read is written again as the same bytes.  Corpus only.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/rowbinary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* The first byte chooses which of these are the columns. */
static const struct rowbinary_type sets[][3] = {
	{ { ROWBINARY_INT, false }, { ROWBINARY_TEXT, false }, { ROWBINARY_REAL, true } },
	{ { ROWBINARY_TEXT, true }, { ROWBINARY_INT, true }, { ROWBINARY_TEXT, false } },
};

struct again {
	const struct rowbinary_type *types;
	struct buf bytes;
};

static void put(struct buf *to, struct rowbinary_type type,
		const struct rowbinary_cell *cell)
{
	if (type.nullable)
		rowbinary_put_null(to, cell->is_null);
	if (cell->is_null)
		return;
	if (type.kind == ROWBINARY_TEXT)
		rowbinary_put_text(to, cell->text);
	else
		rowbinary_put_int(to, cell->number);
}

static int write_again(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct again *again = to;

	(void)err;
	for (size_t i = 0; i < 3; i++)
		put(&again->bytes, again->types[i], &cells[i]);
	return 0;
}

/* 0, or -1; what was written again is the caller's. */
static int read_all(struct str bytes, size_t piece, struct again *again, uint64_t *nrows)
{
	struct err err = ERR_INIT;
	struct rowbinary_reader r = { .types = again->types,
				      .ntypes = 3,
				      .most = 1000,
				      .row = write_again,
				      .to = again };
	int rc = 0;

	rowbinary_begin(&r);
	while (rc == 0 && bytes.n) {
		size_t n = bytes.n < piece ? bytes.n : piece;
		rc = rowbinary_feed(&r, (struct str){ bytes.p, n }, &err);
		bytes = str_behind(bytes, n);
	}
	*nrows = r.nrows;
	return rowbinary_end(&r, &err) < 0 ? -1 : rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct again whole, parts;
	uint64_t nwhole, nparts;

	if (size < 2)
		return 0;
	struct str bytes = { (const char *)data + 2, size - 2 };
	whole.types = parts.types = sets[data[0] & 1];
	buf_init(&whole.bytes, size);
	buf_init(&parts.bytes, size);
	int rc = read_all(bytes, size, &whole, &nwhole);
	must(read_all(bytes, (size_t)(data[1] & 31) + 1, &parts, &nparts) == rc);
	must(nwhole == nparts && str_equal(buf_str(&whole.bytes), buf_str(&parts.bytes)));
	/* a length may be written in more bytes than it needs */
	must(whole.bytes.n <= bytes.n);
	buf_release(&whole.bytes);
	buf_release(&parts.bytes);
	return 0;
}
