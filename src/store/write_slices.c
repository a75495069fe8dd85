/* Rows of slice_row and of the tables that detail it: see write_rows.h. */
#include "store/write_rows.h"

void cell_row(struct sqlite3_context *to, int64_t base, uint32_t row)
{
	if (row != ROW_NONE)
		bulk_int(to, base + 1 + row);
}

void cell_string(struct sqlite3_context *to, const struct model *m, uint32_t text)
{
	if (text != TEXT_NONE)
		bulk_text(to, intern_str(m->texts, text));
}

void cell_text_id(struct sqlite3_context *to, const struct write_rows *w, uint32_t text)
{
	if (text != TEXT_NONE)
		bulk_int(to, text_id(w, text));
}

static int64_t external_id(const struct model *m, const struct slice_rec *s)
{
	switch ((enum slice_class)s->class) {
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
		return s->detail == ROW_NONE
			       ? NUMBER_NONE
			       : wide_get(&m->numbers, m->launch_ids[s->detail]);
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SYNC:
	case CLASS_DEVICE_ANNOTATION:
		return wide_get(&m->numbers, slice_device(m, s)->external_id);
	case CLASS_OP:
	case CLASS_ANNOTATION:
	case CLASS_OTHER:
	case CLASS_PYTHON:
	case CLASS_OVERHEAD:
	case CLASS_SPAN:
	case NCLASSES:
		break;
	case CLASS_MEMORY:
		return NUMBER_NONE;
	}
	return slice_key(m, s);
}

static bool has_correlation(const struct slice_rec *s)
{
	return s->class == CLASS_RUNTIME || s->class == CLASS_DRIVER ||
	       s->class == CLASS_SYNC || s->class == CLASS_DEVICE_ANNOTATION ||
	       class_is_device_work(s->class);
}

static void slice_flags(const struct slice_rec *s, struct sqlite3_context *to)
{
	int flags = (s->phase == PHASE_INSTANT ? SLICE_INSTANT : 0) |
		    (s->unfinished ? SLICE_UNFINISHED : 0) | (s->apart ? SLICE_APART : 0);

	if (flags)
		bulk_int(to, flags);
}

static void slice_cell(const void *from, int64_t row, int column,
		       struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct model *m = w->m;
	uint32_t at = (uint32_t)row;
	const struct slice_rec *s = model_slice(m, at);
	const struct op_link *op;

	switch (column) {
	case 0:
		bulk_int(to, w->track + 1 + s->track);
		break;
	case 1:
		bulk_int(to, s->ts_ns - m->start_ns);
		break;
	case 2:
		bulk_int(to, s->dur_ns);
		break;
	case 3:
		cell_text_id(to, w, s->name);
		break;
	case 4:
		cell_text_id(to, w, m->categories[s->category]);
		break;
	case 5:
		bulk_int(to, (int64_t)s->class);
		break;
	case 6:
		slice_flags(s, to);
		break;
	case 7:
		cell_depth(to, w, at);
		break;
	case 8:
		cell_row(to, w->slice, m->parent[at]);
		break;
	case 9:
		bulk_int(to, row_self_ns(m, at));
		break;
	case 10:
		cell_step(to, w, at);
		break;
	case 11:
		if (has_correlation(s))
			bulk_number(to, slice_key(m, s));
		break;
	case 12:
		bulk_number(to, external_id(m, s));
		break;
	case 13:
		if (slice_is_of_device(s))
			cell_row(to, w->slice, slice_device(m, s)->launch);
		break;
	case 14:
		if (slice_is_of_device(s))
			cell_row(to, w->slice, slice_device(m, s)->op);
		break;
	case 15:
		op = slice_op_link(m, s);
		if (op)
			cell_row(to, w->op_detail, op->detail);
		break;
	case 16:
		op = slice_op_link(m, s);
		if (op)
			bulk_number(to, wide_get(&m->numbers, op->sequence));
		break;
	default:
		break;
	}
}

const struct bulk bulk_slice = { "slice_row", 17, false, slice_cell };

/* Column 0 of every detail table. */
static const struct device_fact *setup_of(const struct write_rows *w, uint32_t row)
{
	uint32_t setup = slice_device(w->m, model_slice(w->m, row))->setup;

	return uniques_at(&w->m->device_setups, setup);
}

static const struct device_own *own_of(const struct write_rows *w, uint32_t row)
{
	uint32_t own = slice_device(w->m, model_slice(w->m, row))->own;

	return uniques_at(&w->m->device_owns, own);
}

static void real_cell(struct sqlite3_context *to, double value)
{
	if (value >= 0)
		bulk_real(to, value);
}

/* How the kernel came to run: the last columns. */
static int64_t schedule_number(const struct write_rows *w, uint32_t slice, int column)
{
	const struct device_fact *d = setup_of(w, slice);
	const struct device_own *own = own_of(w, slice);
	const int64_t numbers[] = { d->graph_id, own->graph_node_id, own->queued,
				    d->priority };

	return numbers[column];
}

static void kernel_cell(const void *from, int64_t row, int column,
			struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.kernels[row];
	const struct device_fact *d = setup_of(w, slice);
	const int64_t numbers[] = {
		w->slice + 1 + slice, d->device,   d->stream,    d->context,
		d->grid[0],           d->grid[1],  d->grid[2],   d->block[0],
		d->block[1],          d->block[2], d->registers, d->shared_memory
	};
	const double reals[] = { d->blocks_per_sm, d->warps_per_sm, d->occupancy_pct };

	if (column < 12)
		bulk_number(to, numbers[column]);
	else if (column < 15)
		real_cell(to, reals[column - 12]);
	else
		bulk_number(to, schedule_number(w, slice, column - 15));
}

const struct bulk bulk_kernel = { "kernel", 19, true, kernel_cell };

static void copy_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.copies[row];
	const struct device_fact *d = setup_of(w, slice);
	const struct device_own *own = own_of(w, slice);
	const int64_t numbers[] = { w->slice + 1 + slice,
				    d->device,
				    d->stream,
				    d->context,
				    model_copied_bytes(w->m, model_slice(w->m, slice)),
				    d->graph_id,
				    own->graph_node_id };

	if (column == 7)
		cell_string(to, w->m, d->kind);
	else
		bulk_number(to, numbers[column]);
}

const struct bulk bulk_copy = { "copy", 8, true, copy_cell };

static void wait_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.waits[row];
	const struct device_fact *d = setup_of(w, slice);
	const struct device_own *own = own_of(w, slice);
	const int64_t numbers[] = { w->slice + 1 + slice,
				    d->device,
				    d->stream,
				    0,
				    d->wait_stream,
				    own->wait_event,
				    own->wait_correlation };

	if (column == 3)
		cell_string(to, w->m, d->kind);
	else
		bulk_number(to, numbers[column]);
}

const struct bulk bulk_wait = { "device_wait", 7, true, wait_cell };

static void collective_cell(const void *from, int64_t row, int column,
			    struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct collective_rec *rec = &w->m->collectives[w->lists.collectives[row]];
	const struct collective_fact *f = &rec->fact;
	const uint32_t texts[] = { TEXT_NONE,    f->name,   f->dtype,
				   TEXT_NONE,    TEXT_NONE, f->in_split,
				   f->out_split, f->group,  f->group_description,
				   f->ranks };
	const int64_t numbers[] = { f->group_size,  f->rank,     f->source,
				    f->destination, f->sequence, NUMBER_NONE,
				    f->is_async };

	if (column == 0)
		cell_row(to, w->slice, rec->slice);
	else if (column == 3)
		bulk_number(to, f->in_elements);
	else if (column == 4)
		bulk_number(to, f->out_elements);
	else if (column < 10)
		cell_string(to, w->m, texts[column]);
	else if (column == 15)
		cell_string(to, w->m, f->comm_id);
	else
		bulk_number(to, numbers[column - 10]);
}

const struct bulk bulk_collective = { "collective", 17, false, collective_cell };

static void allocation_cell(const void *from, int64_t row, int column,
			    struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct model *m = w->m;
	const struct allocation_walk *at = allocation_walk_to(&w->walk->allocations, row);
	const struct slice_rec *s = model_slice(m, at->row);
	const struct memory_rec *rec = &m->memory[s->detail];
	const struct memory_kind *kind = slice_memory_kind(m, s);
	const int64_t numbers[] = { wide_get(&m->numbers, rec->bytes),
				    rec->address,
				    rec->total_allocated,
				    wide_get(&m->numbers, rec->total_reserved),
				    kind->device_type == NUMBER_NONE ? 0
								     : kind->device_type,
				    kind->device,
				    kind->out_of_memory };

	if (column == 0)
		cell_row(to, w->slice, at->row);
	else if (column == 1)
		cell_row(to, w->slice, ranges_innermost_op(&at->open));
	else
		bulk_number(to, numbers[column - 2]);
}

const struct bulk bulk_allocation = { "allocation", 9, true, allocation_cell };

static void flow_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct arrow_rec *arrow = &w->m->arrows[row];

	if (column == 0)
		cell_row(to, w->slice, arrow->out);
	else if (column == 1)
		cell_row(to, w->slice, arrow->in);
	else if (column == 2)
		cell_text_id(to, w, arrow->category);
	else
		bulk_number(to, wide_get(&w->m->arrow_ids, arrow->id));
}

const struct bulk bulk_flow = { "flow", 4, false, flow_cell };

static void step_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct step_rec *step = &w->m->steps[row];
	const int64_t numbers[] = { w->profile_id, step->number, 0,
				    step->ts_ns - w->m->start_ns,
				    step->end_ns - step->ts_ns };

	if (column == 2)
		cell_row(to, w->slice, step->row);
	else
		bulk_int(to, numbers[column]);
}

const struct bulk bulk_step = { "step", 5, false, step_cell };

static void args_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct args_rec *rec = &w->m->args[w->lists.args[row]];

	if (column == 0)
		cell_row(to, w->slice, rec->slice);
	else
		bulk_text(to, rec->json);
}

const struct bulk bulk_args = { "slice_args", 2, true, args_cell };
