/*
 * Parquet, for pandas, duckdb, polars and spark: columns of int64, double, boolean or
 * text, all of which may be null, in groups of rows, compressed by zstd.  What the
 * columns' numbers are is the file's key "ptool.units".
 * Source: github.com/apache/parquet-format, README.md and parquet.thrift.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "base/zstd_pack.h"
#include "report/proto_put.h"
#include "report/renderer.h"
#include "report/table_keys.h"
#include "report/thrift_put.h"

#define MAGIC          "PAR1"
#define GROUP_ROWS     65536
#define GROUP_BYTES    ((size_t)32 << 20)
#define FORMAT_VERSION 1
#define LENGTH_BYTES   4

/* Numbers of parquet.thrift. */
enum physical { BOOLEAN = 0, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6, UNDECIDED = -1 };
enum { CONVERTED_UTF8 = 0, OPTIONAL = 1, ENCODING_PLAIN = 0, ENCODING_RLE = 3 };
enum { CODEC_ZSTD = 6, PAGE_OF_DATA = 0 };

/* A column's part of the newest group. */
struct chunk {
	enum physical type;
	struct cell *cells; /* owned, with the texts in `texts` */
	struct buf texts;
};

/* Where a chunk was written, for the end of the file. */
struct written {
	int64_t offset, bytes, raw_bytes, rows;
};

struct parquet {
	FILE *out; /* borrowed */
	const struct table *table;
	const char *const *keys;  /* names of the columns: readers find them by name */
	struct chunk *chunks;     /* owned; by column */
	size_t nrows, text_bytes; /* of the newest group */
	size_t most_rows;         /* of a group */
	int64_t offset, total_rows;
	struct written *written; /* owned; by group and column */
	size_t nwritten, written_cap;
	struct buf raw, packed, head;
};

static void put(struct parquet *p, struct str bytes)
{
	fwrite(bytes.p, 1, bytes.n, p->out);
	p->offset += (int64_t)bytes.n;
}

/* Keeps the cell until its group is full: of a text its length stands in place of it. */
static void keep(struct parquet *p, size_t column, const struct cell *cell)
{
	struct chunk *c = &p->chunks[column];
	struct cell *kept = &c->cells[p->nrows];

	*kept = *cell;
	if (cell->type != CELL_TEXT)
		return;
	size_t before = c->texts.n;
	utf8_add_valid(&c->texts, cell->as.text); /* readers refuse anything else */
	kept->as.text = (struct str){ NULL, c->texts.n - before };
	p->text_bytes += kept->as.text.n;
}

/* What columns of a unit are, and what the file calls the unit; NULL: it has none. */
static const struct {
	enum physical type;
	const char *name;
} of_unit[] = {
	[UNIT_TEXT] = { BYTE_ARRAY, NULL },
	[UNIT_COUNT] = { INT64, "count" },
	[UNIT_ID] = { INT64, NULL },
	[UNIT_NS] = { INT64, "ns" },
	[UNIT_TIME] = { INT64, "ns since the first event" },
	[UNIT_BYTES] = { INT64, "bytes" },
	[UNIT_PERCENT] = { DOUBLE, "percent" },
	[UNIT_RATIO] = { DOUBLE, "ratio" },
	[UNIT_BOOL] = { BOOLEAN, NULL },
	[UNIT_FLOPS] = { INT64, "floating point operations" },
	[UNIT_ANY] = { BYTE_ARRAY, NULL },
};

/* What all cells of the first group can be; what its column says where all are null. */
static enum physical decide(const struct parquet *p, size_t column)
{
	const struct chunk *c = &p->chunks[column];
	enum unit unit = p->table->columns[column].unit;
	bool has[CELL_TEXT + 1] = { false };

	for (size_t i = 0; i < p->nrows; i++)
		has[c->cells[i].type] = true;
	if (has[CELL_TEXT])
		return BYTE_ARRAY;
	if (has[CELL_REAL])
		return DOUBLE;
	if (has[CELL_INT] && unit != UNIT_BOOL)
		return of_unit[unit].type == DOUBLE ? DOUBLE : INT64;
	return of_unit[unit].type;
}

static void add_length(struct buf *to, size_t n)
{
	for (size_t i = 0; i < LENGTH_BYTES; i++)
		buf_add_char(to, (char)(n >> 8 * i));
}

/* Numbers among texts are texts, as SQLite prints them. */
static void add_as_text(struct parquet *p, const struct cell *cell, const char **text)
{
	char number[64];
	struct str bytes = { number, 0 };

	if (cell->type == CELL_TEXT) {
		bytes = (struct str){ *text, cell->as.text.n };
		*text += bytes.n;
	} else if (cell->type == CELL_INT) {
		bytes.n = (size_t)snprintf(number, sizeof(number), "%" PRId64,
					   cell->as.integer);
	} else {
		bytes.n =
			(size_t)snprintf(number, sizeof(number), "%.17g", cell->as.real);
	}
	add_length(&p->raw, bytes.n);
	buf_add_str(&p->raw, bytes);
}

static void add_bits(struct buf *to, uint64_t bits)
{
	for (size_t i = 0; i < sizeof(bits); i++)
		buf_add_char(to, (char)(bits >> 8 * i));
}

/* 1 where a row has a value: packed bits, after their length. */
static void add_levels(struct parquet *p, const struct chunk *c)
{
	size_t bytes = (p->nrows + 7) / 8;
	struct buf *levels = &p->packed;

	buf_clear(levels);
	proto_put_varint(levels, bytes << 1 | 1);
	for (size_t at = 0; at < bytes; at++) {
		unsigned int byte = 0;
		for (size_t i = 8 * at; i < 8 * at + 8 && i < p->nrows; i++)
			byte |= (unsigned int)(c->cells[i].type != CELL_NULL) << i % 8;
		buf_add_char(levels, (char)byte);
	}
	add_length(&p->raw, levels->n);
	buf_add_str(&p->raw, buf_str(levels));
}

/* Is there a double of the same value? */
static bool is_double(int64_t number)
{
	double real = (double)number;

	return real < 0x1p63 && (int64_t)real == number;
}

/* False: the cell is none of the column's type. */
static bool add_value(struct parquet *p, const struct chunk *c, const struct cell *cell,
		      const char **text)
{
	uint64_t bits;
	double real;

	if (c->type == BYTE_ARRAY) {
		add_as_text(p, cell, text);
		return true;
	}
	if (cell->type == CELL_TEXT || (cell->type == CELL_REAL && c->type == INT64) ||
	    (cell->type == CELL_INT && c->type == DOUBLE && !is_double(cell->as.integer)))
		return false;
	bits = (uint64_t)cell->as.integer;
	if (c->type == DOUBLE) {
		real = cell->type == CELL_REAL ? cell->as.real : (double)cell->as.integer;
		memcpy(&bits, &real, sizeof(bits));
	}
	add_bits(&p->raw, bits);
	return true;
}

/* Bits, from the lowest of each byte on. */
static void add_booleans(struct parquet *p, const struct chunk *c)
{
	unsigned int byte = 0, n = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		if (c->cells[i].type == CELL_NULL)
			continue;
		byte |= (unsigned int)(c->cells[i].as.integer != 0) << n % 8;
		if (++n % 8 == 0) {
			buf_add_char(&p->raw, (char)byte);
			byte = 0;
		}
	}
	if (n % 8)
		buf_add_char(&p->raw, (char)byte);
}

static int add_values(struct parquet *p, size_t column, struct err *err)
{
	const struct chunk *c = &p->chunks[column];
	const char *text = c->texts.n ? c->texts.p : "";

	if (c->type == BOOLEAN) {
		add_booleans(p, c);
		return 0;
	}
	for (size_t i = 0; i < p->nrows; i++)
		if (c->cells[i].type != CELL_NULL &&
		    !add_value(p, c, &c->cells[i], &text))
			return err_set(
				err, ERR_USAGE,
				"column %s has numbers first and others later, which "
				"Parquet cannot hold; CAST it",
				p->table->columns[column].name);
	return 0;
}

static void put_page_head(struct parquet *p)
{
	struct thrift t = thrift_of(&p->head);

	buf_clear(&p->head);
	thrift_i32(&t, 1, PAGE_OF_DATA);
	thrift_i32(&t, 2, (int32_t)p->raw.n);
	thrift_i32(&t, 3, (int32_t)p->packed.n);
	thrift_begin(&t, 5);
	thrift_i32(&t, 1, (int32_t)p->nrows);
	thrift_i32(&t, 2, ENCODING_PLAIN);
	thrift_i32(&t, 3, ENCODING_RLE);
	thrift_i32(&t, 4, ENCODING_RLE);
	thrift_end(&t);
	thrift_end(&t);
	put(p, buf_str(&p->head));
}

static int put_chunk(struct parquet *p, size_t column, struct err *err)
{
	struct chunk *c = &p->chunks[column];
	int64_t start = p->offset;

	if (c->type == UNDECIDED)
		c->type = decide(p, column);
	buf_clear(&p->raw);
	add_levels(p, c);
	if (add_values(p, column, err) < 0)
		return -1;
	if (p->raw.n > INT32_MAX)
		return err_set(err, ERR_USAGE,
			       "column %s: a text is too long for Parquet",
			       p->table->columns[column].name);
	buf_clear(&p->packed);
	if (zstd_pack(buf_str(&p->raw), &p->packed, err) < 0)
		return -1;
	put_page_head(p);
	int64_t raw_bytes = (int64_t)(p->head.n + p->raw.n);
	put(p, buf_str(&p->packed));
	*ARRAY_PUSH(p->written, p->nwritten, p->written_cap) =
		(struct written){ start, p->offset - start, raw_bytes,
				  (int64_t)p->nrows };
	buf_clear(&c->texts);
	return 0;
}

static int put_group(struct parquet *p, struct err *err)
{
	for (size_t i = 0; i < p->table->ncolumns; i++)
		if (put_chunk(p, i, err) < 0)
			return -1;
	p->total_rows += (int64_t)p->nrows;
	p->nrows = p->text_bytes = 0;
	return 0;
}

static void describe_columns(struct parquet *p, struct thrift *t)
{
	const struct table *table = p->table;

	thrift_list(t, 2, THRIFT_STRUCT, table->ncolumns + 1);
	thrift_begin_item(t);
	thrift_text(t, 4, STR_LIT("schema"));
	thrift_i32(t, 5, (int32_t)table->ncolumns);
	thrift_end(t);
	for (size_t i = 0; i < table->ncolumns; i++) {
		enum physical type = p->chunks[i].type;
		if (type == UNDECIDED) /* there is no row */
			type = of_unit[table->columns[i].unit].type;
		thrift_begin_item(t);
		thrift_i32(t, 1, type);
		thrift_i32(t, 3, OPTIONAL);
		thrift_text(t, 4, str_of(p->keys[i]));
		if (type == BYTE_ARRAY)
			thrift_i32(t, 6, CONVERTED_UTF8);
		thrift_end(t);
	}
}

static void describe_chunk(const struct parquet *p, struct thrift *t, size_t column,
			   const struct written *w)
{
	thrift_begin_item(t);
	thrift_i64(t, 2, w->offset);
	thrift_begin(t, 3);
	thrift_i32(t, 1, p->chunks[column].type);
	thrift_list(t, 2, THRIFT_I32, 2);
	thrift_item_i32(t, ENCODING_PLAIN);
	thrift_item_i32(t, ENCODING_RLE);
	thrift_list(t, 3, THRIFT_TEXT, 1);
	thrift_item_text(t, str_of(p->keys[column]));
	thrift_i32(t, 4, CODEC_ZSTD);
	thrift_i64(t, 5, w->rows);
	thrift_i64(t, 6, w->raw_bytes);
	thrift_i64(t, 7, w->bytes);
	thrift_i64(t, 9, w->offset);
	thrift_end(t);
	thrift_end(t);
}

static void describe_groups(const struct parquet *p, struct thrift *t)
{
	size_t ncolumns = p->table->ncolumns;
	size_t ngroups = ncolumns ? p->nwritten / ncolumns : 0;

	thrift_list(t, 4, THRIFT_STRUCT, ngroups);
	for (size_t i = 0; i < ngroups; i++) {
		const struct written *group = &p->written[i * ncolumns];
		int64_t raw_bytes = 0;
		thrift_begin_item(t);
		thrift_list(t, 1, THRIFT_STRUCT, ncolumns);
		for (size_t k = 0; k < ncolumns; k++) {
			describe_chunk(p, t, k, &group[k]);
			raw_bytes += group[k].raw_bytes;
		}
		thrift_i64(t, 2, raw_bytes);
		thrift_i64(t, 3, group->rows);
		thrift_end(t);
	}
}

/* "self_cpu_ns=ns calls=count": of columns that have one. */
static void describe_units(const struct parquet *p, struct thrift *t)
{
	struct buf units;

	buf_init(&units, SIZE_MAX);
	for (size_t i = 0; i < p->table->ncolumns; i++) {
		const char *unit = of_unit[p->table->columns[i].unit].name;
		if (unit)
			buf_addf(&units, "%s%s=%s", units.n ? "\n" : "", p->keys[i],
				 unit);
	}
	thrift_list(t, 5, THRIFT_STRUCT, 1);
	thrift_begin_item(t);
	thrift_text(t, 1, STR_LIT("ptool.units"));
	thrift_text(t, 2, buf_str(&units));
	thrift_end(t);
	buf_release(&units);
}

static void put_end(struct parquet *p)
{
	struct thrift t = thrift_of(&p->head);

	buf_clear(&p->head);
	thrift_i32(&t, 1, FORMAT_VERSION);
	describe_columns(p, &t);
	thrift_i64(&t, 3, p->total_rows);
	describe_groups(p, &t);
	describe_units(p, &t);
	thrift_text(&t, 6, STR_LIT("ptool " PTOOL_VERSION));
	thrift_end(&t);
	add_length(&p->head, p->head.n);
	put(p, buf_str(&p->head));
	put(p, STR_LIT(MAGIC));
}

static int put_rows(struct parquet *p, struct table *t, struct cell *cells,
		    struct err *err)
{
	int rc;

	while ((rc = t->next(t, cells, err)) > 0 && !ferror(p->out)) {
		for (size_t i = 0; i < t->ncolumns; i++)
			keep(p, i, &cells[i]);
		p->nrows++;
		if ((p->nrows == p->most_rows || p->text_bytes >= GROUP_BYTES) &&
		    put_group(p, err) < 0)
			return -1;
	}
	return rc < 0 || (p->nrows && put_group(p, err) < 0) ? -1 : 0;
}

/* As many as the cells of all columns have room for. */
static size_t most_rows(size_t ncolumns)
{
	size_t rows = GROUP_BYTES / sizeof(struct cell) / (ncolumns + 1);

	return rows < GROUP_ROWS ? rows + 1 : GROUP_ROWS;
}

static int parquet_render(struct table *t, const struct render_opts *opts, FILE *out,
			  struct err *err)
{
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	struct arena arena = { 0 };
	struct parquet p = { .out = out,
			     .table = t,
			     .keys = table_keys(&arena, t),
			     .most_rows = most_rows(t->ncolumns),
			     .chunks = xcalloc(t->ncolumns, sizeof(*p.chunks)) };

	(void)opts;
	buf_init(&p.raw, SIZE_MAX);
	buf_init(&p.packed, SIZE_MAX);
	buf_init(&p.head, SIZE_MAX);
	for (size_t i = 0; i < t->ncolumns; i++) {
		p.chunks[i].type = UNDECIDED;
		p.chunks[i].cells = xcalloc(p.most_rows, sizeof(struct cell));
		buf_init(&p.chunks[i].texts, SIZE_MAX);
	}
	put(&p, STR_LIT(MAGIC));
	int rc = put_rows(&p, t, cells, err);
	if (rc == 0)
		put_end(&p);
	for (size_t i = 0; i < t->ncolumns; i++) {
		free(p.chunks[i].cells);
		buf_release(&p.chunks[i].texts);
	}
	free(p.chunks);
	free(p.written);
	buf_release(&p.raw);
	buf_release(&p.packed);
	buf_release(&p.head);
	free(cells);
	arena_release(&arena);
	return rc < 0 ? -1 : render_end(out, err);
}

const struct renderer parquet_renderer = {
	.name = "parquet",
	.help = "Parquet, for pandas, duckdb and polars",
	.suffix = "parquet",
	.is_binary = true,
	.render = parquet_render,
};
