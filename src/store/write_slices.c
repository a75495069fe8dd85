/* Rows of slice_row and of the tables that detail it: see write_rows.h. */
#include "store/write_rows.h"

#define FLAG_INSTANT    1
#define FLAG_UNFINISHED 2
#define FLAG_APART      4

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

void cell_text_id(struct sqlite3_context *to, uint32_t text)
{
	if (text != TEXT_NONE)
		bulk_int(to, (int64_t)text + 1);
}

static int64_t external_id(const struct model *m, const struct slice_rec *s)
{
	switch ((enum slice_class)s->class) {
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
		return s->detail == ROW_NONE ? NUMBER_NONE : m->launch_ids[s->detail];
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SYNC:
	case CLASS_DEVICE_ANNOTATION:
		return s->detail == ROW_NONE ? NUMBER_NONE
					     : m->devices[s->detail].external_id;
	case CLASS_OP:
	case CLASS_ANNOTATION:
	case CLASS_OTHER:
	case CLASS_PYTHON:
	case CLASS_OVERHEAD:
	case CLASS_SPAN:
	case CLASS_MEMORY:
	case NCLASSES:
		break;
	}
	return s->key;
}

static bool has_correlation(const struct slice_rec *s)
{
	return s->class == CLASS_RUNTIME || s->class == CLASS_DRIVER ||
	       s->class == CLASS_SYNC || s->class == CLASS_DEVICE_ANNOTATION ||
	       class_is_device_work(s->class);
}

static const struct op_link *op_link(const struct model *m, const struct slice_rec *s)
{
	if ((s->class != CLASS_OP && s->class != CLASS_ANNOTATION) ||
	    s->detail == ROW_NONE)
		return NULL;
	return &m->op_links[s->detail];
}

static void slice_flags(const struct slice_rec *s, struct sqlite3_context *to)
{
	int flags = (s->phase == PHASE_INSTANT ? FLAG_INSTANT : 0) |
		    (s->unfinished ? FLAG_UNFINISHED : 0) | (s->apart ? FLAG_APART : 0);

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
		cell_text_id(to, s->name);
		break;
	case 4:
		cell_text_id(to, m->categories[s->category]);
		break;
	case 5:
		bulk_int(to, s->class);
		break;
	case 6:
		slice_flags(s, to);
		break;
	case 7:
		bulk_int(to, m->depth[at]);
		break;
	case 8:
		cell_row(to, w->slice, m->parent[at]);
		break;
	case 9:
		bulk_int(to, m->self_ns[at]);
		break;
	case 10:
		cell_row(to, w->step, m->step[at]);
		break;
	case 11:
		if (has_correlation(s))
			bulk_number(to, s->key);
		break;
	case 12:
		bulk_number(to, external_id(m, s));
		break;
	case 13:
		cell_row(to, w->slice, m->launch[at]);
		break;
	case 14:
		if (s->class != CLASS_MEMORY)
			cell_row(to, w->slice, m->op[at]);
		break;
	case 15:
		op = op_link(m, s);
		if (op)
			cell_row(to, w->op_detail, op->detail);
		break;
	case 16:
		op = op_link(m, s);
		if (op)
			bulk_number(to, op->sequence);
		break;
	default:
		break;
	}
}

const struct bulk bulk_slice = { "slice_row", 17, false, slice_cell };

/* Column 0 of every detail table. */
static const struct device_fact *device_fact(const struct write_rows *w, uint32_t row)
{
	return &w->m->devices[model_slice(w->m, row)->detail].fact;
}

static void real_cell(struct sqlite3_context *to, double value)
{
	if (value >= 0)
		bulk_real(to, value);
}

static void kernel_cell(const void *from, int64_t row, int column,
			struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.kernels[row];
	const struct device_fact *d = device_fact(w, slice);
	const int64_t numbers[] = {
		w->slice + 1 + slice, d->device,   d->stream,    d->context,
		d->grid[0],           d->grid[1],  d->grid[2],   d->block[0],
		d->block[1],          d->block[2], d->registers, d->shared_memory
	};
	const double reals[] = { d->blocks_per_sm, d->warps_per_sm, d->occupancy_pct };
	const int64_t tail[] = { d->graph_id, d->graph_node_id, d->queued, d->priority };

	if (column < 12)
		bulk_number(to, numbers[column]);
	else if (column < 15)
		real_cell(to, reals[column - 12]);
	else
		bulk_number(to, tail[column - 15]);
}

const struct bulk bulk_kernel = { "kernel", 19, false, kernel_cell };

static void copy_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.copies[row];
	const struct device_fact *d = device_fact(w, slice);
	const int64_t numbers[] = { w->slice + 1 + slice, d->device, d->stream,
				    d->context,           d->bytes,  d->graph_id,
				    d->graph_node_id };

	bulk_number(to, numbers[column]);
}

const struct bulk bulk_copy = { "copy", 7, false, copy_cell };

static void wait_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.waits[row];
	const struct device_fact *d = device_fact(w, slice);
	const int64_t numbers[] = {
		w->slice + 1 + slice, d->device,     d->stream,          0,
		d->wait_stream,       d->wait_event, d->wait_correlation
	};

	if (column == 3)
		cell_string(to, w->m, d->sync_kind);
	else
		bulk_number(to, numbers[column]);
}

const struct bulk bulk_wait = { "device_wait", 7, false, wait_cell };

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
		cell_row(to, w->slice, w->lists.slice_row[rec->slice]);
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
	uint32_t slice = w->lists.allocations[row];
	const struct memory_fact *f =
		&w->m->memory[model_slice(w->m, slice)->detail].fact;
	int64_t type = f->device_type == NUMBER_NONE ? 0 : f->device_type;
	const int64_t numbers[] = { f->bytes,          f->address, f->total_allocated,
				    f->total_reserved, type,       f->device,
				    f->out_of_memory };

	if (column == 0)
		cell_row(to, w->slice, slice);
	else if (column == 1)
		cell_row(to, w->slice, w->m->op[slice]);
	else
		bulk_number(to, numbers[column - 2]);
}

const struct bulk bulk_allocation = { "allocation", 9, false, allocation_cell };

static void flow_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct arrow_rec *arrow = &w->m->arrows[row];
	const struct flow_rec *f = &w->m->flows[arrow->flow];

	if (column == 0)
		cell_row(to, w->slice, arrow->out);
	else if (column == 1)
		cell_row(to, w->slice, arrow->in);
	else if (column == 2)
		cell_text_id(to, f->category);
	else if (f->id.text == TEXT_NONE)
		bulk_number(to, f->id.number);
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
		cell_row(to, w->slice, w->lists.slice_row[rec->slice]);
	else
		bulk_text(to, rec->json);
}

const struct bulk bulk_args = { "slice_args", 2, true, args_cell };
