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
	int column;
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

static const struct pack_column packed[] = {
	{ COL_SLICE_PACK_TS, PACK_DIFFERENCES, ts_of },
	{ COL_SLICE_PACK_DUR, PACK_NUMBERS, dur_of },
	{ COL_SLICE_PACK_NAME_ID, PACK_NUMBERS, name_of },
	{ COL_SLICE_PACK_CLASS, PACK_BYTES, class_of },
	{ COL_SLICE_PACK_MARKS, PACK_BYTES, marks_of },
	{ COL_SLICE_PACK_STEP_ID, PACK_DIFFERENCES, step_of },
	{ COL_SLICE_PACK_LAUNCH_ID, PACK_DIFFERENCES, launch_of },
	{ COL_SLICE_PACK_OP_ID, PACK_DIFFERENCES, op_of },
	{ COL_SLICE_PACK_OP_DETAIL_ID, PACK_DIFFERENCES, detail_of },
};

#define NPACKED (sizeof(packed) / sizeof(*packed))

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

/* Packs one column to `to`: where it ends, or `to` where all are 0 (NULL in the store). */
static uint8_t *pack(const struct write_rows *w, const struct pack_range *range,
		     const struct pack_column *column, uint8_t *to)
{
	uint8_t *p = to;
	int64_t before = 0;
	/* The first ts may be 0 alone. */
	bool is_any = column->column == COL_SLICE_PACK_TS;

	for (uint32_t row = range->first; row < range->first + range->n; row++) {
		model_tick(w->m, row);
		int64_t value = column->value(w, row);
		is_any |= value != 0;
		p = put(p, column->packing, value, before);
		before = value;
	}
	return is_any ? p : to;
}

static void pack_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct pack_range *range = &w->lists.packs[row];
	uint8_t *p = xmalloc(NPACKED * range->n * VARINT_MAX);

	free(w->walk->packed);
	w->walk->packed = p;
	c[COL_SLICE_PACK_ID] = cell_row(w->slice, range->first);
	c[COL_SLICE_PACK_SLICES] = bulk_int(range->n);
	for (size_t i = 0; i < NPACKED; i++) {
		uint8_t *end = pack(w, range, &packed[i], p);
		struct str bytes = { (const char *)p, (size_t)(end - p) };
		c[packed[i].column] = bytes.n ? bulk_blob(bytes) : bulk_null();
		p = end;
	}
}

const struct bulk bulk_pack = BULK(SLICE_PACK, slice_pack, pack_row);
