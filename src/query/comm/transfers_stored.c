/*
 * Copies and sets as a summary (query/summary/summary.h): the rows of transfer_part from a
 * profile's slices, and what they say in place of the slices.
 */
#include "base/array.h"
#include "query/comm/transfers_rows.h"
#include "query/query.h"
#include "store/columns.h"

/* transfer_part.grain */
static const enum transfers_by grains[] = { TRANSFERS_BY_DEVICE, TRANSFERS_BY_KIND,
					    TRANSFERS_BY_OP, TRANSFERS_BY_STEP };

#define GRAINS (sizeof(grains) / sizeof(*grains))

static void set_key(const struct text_pool *texts, enum transfers_by by,
		    const struct transfer *of, struct cell *c)
{
	const char *memory = host_memory_name((enum host_memory)of->memory);

	if (by == TRANSFERS_BY_DEVICE)
		return;
	c[COL_TRANSFER_PART_KIND_ID] =
		cell_text(str_of(transfer_kind_name((enum transfer_kind)of->kind)));
	c[COL_TRANSFER_PART_MEMORY_ID] = cell_text_or_null(memory);
	if (by == TRANSFERS_BY_OP)
		c[COL_TRANSFER_PART_OP_ID] = text_pool_cell(texts, of->op);
	if (by == TRANSFERS_BY_STEP)
		c[COL_TRANSFER_PART_STEP] = number_cell(of->step);
}

static bool add_row(const struct text_pool *texts, size_t grain,
		    const struct transfer_row *row, struct part_rows *out)
{
	struct cell *c = part_rows_add(out);

	if (!c)
		return false;
	c[COL_TRANSFER_PART_GRAIN] = cell_int((int64_t)grain);
	if (row->device.type == CELL_INT)
		c[COL_TRANSFER_PART_DEVICE] = row->device;
	else if (row->device.type == CELL_TEXT)
		c[COL_TRANSFER_PART_DEVICE_NAME_ID] =
			part_rows_text(out, row->device.as.text.p);
	set_key(texts, grains[grain], &row->of, c);
	c[COL_TRANSFER_PART_CALLS] = cell_int(row->calls);
	c[COL_TRANSFER_PART_TOTAL_NS] = cell_int(row->total_ns);
	c[COL_TRANSFER_PART_BUSY_NS] = cell_int(row->exposure.busy_ns);
	c[COL_TRANSFER_PART_EXPOSED_NS] = cell_int(row->exposure.exposed_ns);
	c[COL_TRANSFER_PART_BYTES] = number_cell(row->bytes);
	c[COL_TRANSFER_PART_SIZED_NS] = cell_int(row->sized_ns);
	c[COL_TRANSFER_PART_BLOCKING_CALLS] = number_cell(row->blocking_calls);
	return true;
}

static void add_rows(const struct summary_source *from, const struct device_work *work,
		     const struct transfers *all, struct part_rows *out)
{
	bool has_room = true;

	for (size_t grain = 0; grain < GRAINS && has_room; grain++) {
		struct transfer_rows rows = { .texts = from->texts };
		transfer_rows_add(&rows, grains[grain], from->profile, work, all);
		for (size_t i = 0; i < rows.n && has_room; i++)
			has_room = add_row(from->texts, grain, &rows.items[i], out);
		transfer_rows_release(&rows);
	}
}

static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	static const struct filter everything = { .has_steps = false };
	const struct device_work *work = summary_work(from, err);
	struct transfers_sources sources = { .store = NULL };
	struct transfers all = { .n = 0 };
	struct scope scope;

	if (!work)
		return -1;
	scope_of_profile(from->profile, &scope);
	int rc = transfers_sources_open(from->store, &scope, &everything, from->texts,
					&sources, err);
	if (rc == 0)
		rc = transfers_load(&sources, from->profile, work, &all, err);
	if (rc == 0)
		add_rows(from, work, &all, out);
	transfers_release(&all);
	transfers_sources_close(&sources);
	scope_release(&scope);
	return rc;
}

const struct summary summary_transfers = { PART_TABLE(TRANSFER_PART, transfer_part),
					   make };

/* NTRANSFER_KINDS: none is called so. */
static enum transfer_kind kind_of(struct cell cell)
{
	enum transfer_kind kind = TRANSFER_HTOD;

	while (kind < NTRANSFER_KINDS &&
	       (cell.type != CELL_TEXT ||
		!str_is(cell.as.text, transfer_kind_name(kind))))
		kind++;
	return kind;
}

static enum host_memory memory_of(struct cell cell)
{
	enum host_memory memory = HOST_MEMORY_UNKNOWN + 1;

	while (memory < NHOST_MEMORIES &&
	       (cell.type != CELL_TEXT ||
		!str_is(cell.as.text, host_memory_name(memory))))
		memory++;
	return memory < NHOST_MEMORIES ? memory : HOST_MEMORY_UNKNOWN;
}

static struct cell device_cell(const struct cell *c)
{
	struct cell name = c[COL_TRANSFER_PART_DEVICE_NAME_ID];

	if (c[COL_TRANSFER_PART_DEVICE].type == CELL_INT)
		return c[COL_TRANSFER_PART_DEVICE];
	return name.type == CELL_TEXT ? name : cell_null();
}

static int read_row(struct transfer_rows *to, const struct scope_profile *profile,
		    const struct cell *c, struct err *err)
{
	bool has_kind = c[COL_TRANSFER_PART_GRAIN].as.integer > 0;
	int64_t busy_ns = part_int(c[COL_TRANSFER_PART_BUSY_NS], -1);
	int64_t exposed_ns = part_int(c[COL_TRANSFER_PART_EXPOSED_NS], -1);
	enum transfer_kind kind =
		has_kind ? kind_of(c[COL_TRANSFER_PART_KIND_ID]) : TRANSFER_COPY;

	if (exposed_ns < 0 || exposed_ns > busy_ns || kind == NTRANSFER_KINDS)
		return summary_damaged(&summary_transfers, err);
	*ARRAY_PUSH(to->items, to->n, to->cap) = (struct transfer_row){
		.profile = profile,
		.device = device_cell(c),
		.of = { .kind = (uint8_t)kind,
			.memory = (uint8_t)memory_of(c[COL_TRANSFER_PART_MEMORY_ID]),
			.op = text_pool_number_of(to->texts, c[COL_TRANSFER_PART_OP_ID]),
			.step = part_int(c[COL_TRANSFER_PART_STEP], NUMBER_NONE) },
		.calls = part_int(c[COL_TRANSFER_PART_CALLS], 0),
		.total_ns = part_int(c[COL_TRANSFER_PART_TOTAL_NS], 0),
		.bytes = part_int(c[COL_TRANSFER_PART_BYTES], NUMBER_NONE),
		.sized_ns = part_int(c[COL_TRANSFER_PART_SIZED_NS], 0),
		.blocking_calls =
			part_int(c[COL_TRANSFER_PART_BLOCKING_CALLS], NUMBER_NONE),
		.exposure = { busy_ns, exposed_ns, busy_ns - exposed_ns },
	};
	return 0;
}

int transfer_rows_stored(struct transfer_rows *to, enum transfers_by by,
			 struct summary_reader *reader,
			 const struct scope_profile *profile, bool *is_there,
			 struct err *err)
{
	struct part_rows rows;
	size_t grain = 0;

	while (grain < GRAINS && grains[grain] != by)
		grain++;
	*is_there = grain < GRAINS && summary_has(reader, profile, &summary_transfers);
	if (!*is_there)
		return 0;
	int rc = summary_read(reader, profile, &summary_transfers, &rows, err);
	for (size_t i = 0; rc == 0 && i < rows.n; i++) {
		const struct cell *c = part_rows_at(&rows, i);
		if (part_int(c[COL_TRANSFER_PART_GRAIN], -1) == (int64_t)grain)
			rc = read_row(to, profile, c, err);
	}
	part_rows_release(&rows);
	return rc;
}
