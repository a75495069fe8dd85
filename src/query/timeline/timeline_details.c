/* Names and details of a timeline: see timeline_details.h. */
#include "query/timeline/timeline_details.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "query/kernels/kernel_detail.h"
#include "query/short_name.h"

#define SHORT_CELLS 48 /* there is seldom room for more in a slice */

static struct str shorter(struct text_pool *texts, uint32_t number)
{
	struct str text = text_pool_str(texts, number);
	struct buf name;

	if (text.n <= SHORT_CELLS)
		return text;
	buf_init(&name, SIZE_MAX);
	short_name_add(&name, text, SHORT_CELLS);
	text = intern_str(&texts->intern, intern_add(&texts->intern, buf_str(&name)));
	buf_release(&name);
	return text;
}

uint32_t timeline_name(struct timeline_names *names, struct text_pool *texts,
		       uint32_t text, uint32_t class)
{
	uint32_t *first = ARRAY_AT(names->first, names->first_cap, text);

	for (uint32_t at = *first; at; at = names->next[at - 1])
		if (names->items[at - 1].class == class)
			return at - 1;
	*ARRAY_AT(names->next, names->next_cap, names->n) = *first;
	*ARRAY_PUSH(names->items, names->n, names->cap) =
		(struct timeline_name){ text_pool_str(texts, text), shorter(texts, text),
					class };
	*first = (uint32_t)names->n;
	return *first - 1;
}

void timeline_names_release(struct timeline_names *names)
{
	free(names->items);
	free(names->next);
	free(names->first);
	*names = (struct timeline_names){ .n = 0 };
}

enum value_type { VALUE_TEXT, VALUE_NUMBER, VALUE_REAL, VALUE_SHAPE };

/* By enum timeline_detail. */
static const struct column columns[NDETAILS] = {
	[DETAIL_SHAPES] = { "shapes", "Input shapes", UNIT_TEXT },
	[DETAIL_MODULE] = { "module", "Module", UNIT_TEXT },
	[DETAIL_FLOPS] = { "flops", "FLOP", UNIT_COUNT },
	[DETAIL_GRID] = { "grid", "Grid", UNIT_TEXT },
	[DETAIL_BLOCK] = { "block", "Block", UNIT_TEXT },
	[DETAIL_REGISTERS] = { "registers", "Registers a thread", UNIT_COUNT },
	[DETAIL_SHARED] = { "shared_memory_bytes", "Shared memory", UNIT_BYTES },
	[DETAIL_OCCUPANCY] = { "occupancy_pct", "Estimated occupancy", UNIT_PERCENT },
	[DETAIL_BYTES] = { "bytes", "Bytes", UNIT_BYTES },
	[DETAIL_COLLECTIVE] = { "collective", "Collective", UNIT_TEXT },
	[DETAIL_DTYPE] = { "dtype", "Element type", UNIT_TEXT },
	[DETAIL_IN_ELEMENTS] = { "in_elements", "Elements in", UNIT_COUNT },
	[DETAIL_OUT_ELEMENTS] = { "out_elements", "Elements out", UNIT_COUNT },
	[DETAIL_GROUP] = { "group", "Process group", UNIT_TEXT },
	[DETAIL_GROUP_SIZE] = { "group_size", "Ranks in the group", UNIT_COUNT },
	[DETAIL_BLAMED] = { "blamed", "Look at", UNIT_TEXT },
};

/* What a value is where it is not what the column's unit says. */
static enum value_type type_of(int64_t column)
{
	if (column == DETAIL_GRID)
		return VALUE_SHAPE;
	if (column == DETAIL_OCCUPANCY)
		return VALUE_REAL;
	return columns[column].unit == UNIT_TEXT ? VALUE_TEXT : VALUE_NUMBER;
}

static struct cell sizes_cell(struct arena *arena, const int64_t sizes[3])
{
	if (sizes[0] == NUMBER_NONE)
		return cell_null();
	return cell_text(
		str_of(arena_printf(arena, "%" PRId64 " x %" PRId64 " x %" PRId64,
				    sizes[0], sizes[1], sizes[2])));
}

static struct cell count_cell(int64_t value)
{
	return value == NUMBER_NONE ? cell_null() : cell_int(value);
}

static void set_shape(struct timeline_details *d, uint32_t number, struct cell *cells)
{
	struct kernel_shape shape;

	memcpy(&shape, intern_str(&d->shapes, number).p, sizeof(shape));
	cells[DETAIL_GRID] = sizes_cell(&d->arena, shape.grid);
	cells[DETAIL_BLOCK] = sizes_cell(&d->arena, shape.block);
	cells[DETAIL_REGISTERS] = count_cell(shape.registers);
	cells[DETAIL_SHARED] = count_cell(shape.shared_bytes);
}

static void set_value(struct timeline_details *d, struct timeline_pair pair,
		      struct cell *cells)
{
	double real;

	switch (type_of(pair.column)) {
	case VALUE_TEXT:
		cells[pair.column] = text_pool_cell(d->texts, (uint32_t)pair.value);
		break;
	case VALUE_NUMBER:
		cells[pair.column] = cell_int(pair.value);
		break;
	case VALUE_REAL:
		memcpy(&real, &pair.value, sizeof(real));
		cells[pair.column] = cell_real(real);
		break;
	case VALUE_SHAPE:
		set_shape(d, (uint32_t)pair.value, cells);
		break;
	}
}

static int next_row(struct table *t, struct cell *cells, struct err *err)
{
	struct timeline_details *d =
		(struct timeline_details *)((char *)t -
					    offsetof(struct timeline_details, table));

	(void)err;
	if (d->at == d->sets.n)
		return 0;
	for (size_t i = 0; i < NDETAILS; i++)
		cells[i] = cell_null();
	arena_release(&d->arena);
	struct str set = intern_str(&d->sets, (uint32_t)d->at++);
	for (size_t i = 0; i < set.n; i += sizeof(struct timeline_pair)) {
		struct timeline_pair pair;
		memcpy(&pair, set.p + i, sizeof(pair));
		set_value(d, pair, cells);
	}
	return 1;
}

/* It is a part of what owns it. */
static void free_nothing(struct table *t)
{
	(void)t;
}

void timeline_details_init(struct timeline_details *d, const struct text_pool *texts)
{
	*d = (struct timeline_details){
		.table = { .columns = columns,
			   .ncolumns = NDETAILS,
			   .next = next_row,
			   .free = free_nothing },
		.texts = texts,
	};
	intern_init(&d->sets);
	intern_init(&d->shapes);
	intern_add(&d->sets, (struct str){ "", 0 });
}

void timeline_details_release(struct timeline_details *d)
{
	intern_release(&d->sets);
	intern_release(&d->shapes);
	arena_release(&d->arena);
}

void timeline_say(struct timeline_saying *s, enum timeline_detail column, int64_t value)
{
	if (value != NUMBER_NONE && s->n < NDETAILS)
		s->pairs[s->n++] = (struct timeline_pair){ column, value };
}

void timeline_say_text(struct timeline_saying *s, enum timeline_detail column,
		       uint32_t text)
{
	timeline_say(s, column, text == TEXT_NONE ? NUMBER_NONE : (int64_t)text);
}

void timeline_say_real(struct timeline_saying *s, enum timeline_detail column,
		       double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	timeline_say(s, column, value >= 0 ? bits : NUMBER_NONE);
}

uint32_t timeline_detail(struct timeline_details *d, const struct timeline_saying *s)
{
	return s->n ? intern_add(&d->sets,
				 str_bytes(s->pairs, s->n * sizeof(s->pairs[0])))
		    : 0;
}
