/* Rows of slice_pack, columns of slices as bytes: see write_rows.h and ptool-store(5). */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/varint.h"
#include "store/write_rows.h"

enum packing {
	PACK_NUMBERS,     /* a varint each */
	PACK_DIFFERENCES, /* a varint each: zigzag of what it is more than the one before */
	PACK_BYTES        /* a byte each */
};

struct pack_column {
	enum packing packing;
	int64_t (*value)(const struct write_rows *w, uint32_t row);
};

static int64_t id_of(int64_t base, uint32_t row)
{
	return row == ROW_NONE ? 0 : base + 1 + row;
}

static int64_t ts_of(const struct write_rows *w, uint32_t row)
{
	return model_slice(w->m, row)->ts_ns - w->m->start_ns;
}

static int64_t dur_of(const struct write_rows *w, uint32_t row)
{
	return model_slice(w->m, row)->dur_ns;
}

static int64_t name_of(const struct write_rows *w, uint32_t row)
{
	return text_id(w, model_slice(w->m, row)->name);
}

static int64_t class_of(const struct write_rows *w, uint32_t row)
{
	return (int64_t)model_slice(w->m, row)->class;
}

static int64_t marks_of(const struct write_rows *w, uint32_t row)
{
	const struct slice_rec *s = model_slice(w->m, row);
	const struct op_link *op = slice_op_link(w->m, s);
	bool has_sequence = op && wide_get(&w->m->numbers, op->sequence) != NUMBER_NONE;

	return (s->phase == PHASE_INSTANT ? SLICE_INSTANT : 0) |
	       (s->unfinished ? SLICE_UNFINISHED : 0) |
	       (has_sequence ? SLICE_SEQUENCE : 0);
}

static int64_t step_of(const struct write_rows *w, uint32_t row)
{
	return id_of(w->step, step_of_row(&w->walk->steps, row));
}

static int64_t launch_of(const struct write_rows *w, uint32_t row)
{
	const struct slice_rec *s = model_slice(w->m, row);

	return slice_is_of_device(s) ? id_of(w->slice, slice_device(w->m, s)->launch) : 0;
}

static int64_t op_of(const struct write_rows *w, uint32_t row)
{
	const struct slice_rec *s = model_slice(w->m, row);

	return slice_is_of_device(s) ? id_of(w->slice, slice_device(w->m, s)->op) : 0;
}

static int64_t detail_of(const struct write_rows *w, uint32_t row)
{
	const struct op_link *op = slice_op_link(w->m, model_slice(w->m, row));

	return op ? id_of(w->op_detail, op->detail) : 0;
}

/* Columns 2 and on of the table. */
static const struct pack_column columns[] = {
	{ PACK_DIFFERENCES, ts_of },     { PACK_NUMBERS, dur_of },
	{ PACK_NUMBERS, name_of },       { PACK_BYTES, class_of },
	{ PACK_BYTES, marks_of },        { PACK_DIFFERENCES, step_of },
	{ PACK_DIFFERENCES, launch_of }, { PACK_DIFFERENCES, op_of },
	{ PACK_DIFFERENCES, detail_of }
};

#define NCOLUMNS ((int)(2 + sizeof(columns) / sizeof(*columns)))

static uint8_t *put(uint8_t *p, enum packing packing, int64_t value, int64_t before)
{
	switch (packing) {
	case PACK_NUMBERS:
		return varint_put(p, (uint64_t)value);
	case PACK_DIFFERENCES:
		return varint_put(
			p, zigzag_of((int64_t)((uint64_t)value - (uint64_t)before)));
	case PACK_BYTES:
		break;
	}
	*p = (uint8_t)value;
	return p + 1;
}

/* Nothing, which is NULL, where all are 0: but not of ts, whose first may be 0 alone. */
static void pack(const struct write_rows *w, const struct pack_range *range, int column,
		 struct sqlite3_context *to)
{
	const struct pack_column *c = &columns[column];
	uint8_t *bytes = xmalloc((size_t)range->n * VARINT_MAX), *p = bytes;
	int64_t before = 0;
	bool is_any = column == 0;

	for (uint32_t row = range->first; row < range->first + range->n; row++) {
		int64_t value = c->value(w, row);
		is_any |= value != 0;
		p = put(p, c->packing, value, before);
		before = value;
	}
	if (is_any)
		bulk_blob_copy(to,
			       (struct str){ (const char *)bytes, (size_t)(p - bytes) });
	free(bytes);
}

static void pack_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct pack_range *range = &w->lists.packs[row];

	if (column == 0)
		cell_row(to, w->slice, range->first);
	else if (column == 1)
		bulk_int(to, range->n);
	else
		pack(w, range, column - 2, to);
}

const struct bulk bulk_pack = { "slice_pack", NCOLUMNS, true, pack_cell };
