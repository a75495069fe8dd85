/* Rows of slice_row and of the tables that detail it: see write_rows.h. */
#include "store/apart.h"
#include "store/write_rows.h"

/* Where an event of a class keeps its external id. */
enum external_place { EXTERNAL_KEY, EXTERNAL_LAUNCH, EXTERNAL_DEVICE, EXTERNAL_NONE };

static const enum external_place external_places[NCLASSES] = {
	[CLASS_RUNTIME] = EXTERNAL_LAUNCH, [CLASS_DRIVER] = EXTERNAL_LAUNCH,
	[CLASS_KERNEL] = EXTERNAL_DEVICE,  [CLASS_MEMCPY] = EXTERNAL_DEVICE,
	[CLASS_MEMSET] = EXTERNAL_DEVICE,  [CLASS_ACCELERATOR] = EXTERNAL_DEVICE,
	[CLASS_SYNC] = EXTERNAL_DEVICE,    [CLASS_DEVICE_ANNOTATION] = EXTERNAL_DEVICE,
	[CLASS_MEMORY] = EXTERNAL_NONE,
};

static int64_t external_id(const struct model *m, const struct slice_rec *s)
{
	switch (external_places[s->class]) {
	case EXTERNAL_KEY:
		return slice_key(m, s);
	case EXTERNAL_LAUNCH:
		if (s->detail != ROW_NONE)
			return wide_get(&m->numbers, m->launch_ids[s->detail]);
		break;
	case EXTERNAL_DEVICE:
		return wide_get(&m->numbers, slice_device(m, s)->external_id);
	case EXTERNAL_NONE:
		break;
	}
	return NUMBER_NONE;
}

static bool has_correlation(const struct slice_rec *s)
{
	return s->class == CLASS_RUNTIME || s->class == CLASS_DRIVER ||
	       s->class == CLASS_SYNC || s->class == CLASS_DEVICE_ANNOTATION ||
	       class_is_device_work(s->class);
}

static struct bulk_cell slice_flags(const struct slice_rec *s)
{
	int flags = (s->phase == PHASE_INSTANT ? SLICE_INSTANT : 0) |
		    (s->unfinished ? SLICE_UNFINISHED : 0) | (s->apart ? SLICE_APART : 0);

	return flags ? bulk_int(flags) : bulk_null();
}

/* The columns that say what was recorded; the others are found by passes. */
static void recorded(const struct write_rows *w, const struct slice_rec *s,
		     struct bulk_cell *c)
{
	const struct model *m = w->m;
	const struct op_link *op = slice_op_link(m, s);

	c[COL_SLICE_ROW_TRACK_ID] = bulk_int(w->track + 1 + s->track);
	c[COL_SLICE_ROW_TS] = bulk_int(s->ts_ns - m->start_ns);
	c[COL_SLICE_ROW_NAME_ID] = cell_text_id(w, s->name);
	c[COL_SLICE_ROW_CATEGORY_ID] = cell_text_id(w, m->categories[s->category]);
	c[COL_SLICE_ROW_CLASS] = bulk_int((int64_t)s->class);
	c[COL_SLICE_ROW_FLAGS] = slice_flags(s);
	c[COL_SLICE_ROW_CORRELATION] =
		has_correlation(s) ? bulk_number(slice_key(m, s)) : bulk_null();
	c[COL_SLICE_ROW_EXTERNAL_ID] = bulk_number(external_id(m, s));
	c[COL_SLICE_ROW_OP_DETAIL_ID] =
		op ? cell_row(w->op_detail, op->detail) : bulk_null();
	c[COL_SLICE_ROW_SEQUENCE] =
		op ? bulk_number(wide_get(&m->numbers, op->sequence)) : bulk_null();
}

static void slice_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct model *m = w->m;
	uint32_t at = (uint32_t)row;
	const struct slice_rec *s = model_slice(m, at);
	const struct device_rec *device =
		slice_is_of_device(s) ? slice_device(m, s) : NULL;

	model_tick(m, at);
	recorded(w, s, c);
	c[COL_SLICE_ROW_DUR] = bulk_int(s->dur_ns);
	c[COL_SLICE_ROW_DEPTH] = cell_depth(w, at);
	c[COL_SLICE_ROW_PARENT_ID] = cell_row(w->slice, m->parent[at]);
	c[COL_SLICE_ROW_SELF_NS] = bulk_int(row_self_ns(m, at));
	c[COL_SLICE_ROW_STEP_ID] = cell_step(w, at);
	c[COL_SLICE_ROW_LAUNCH_ID] =
		device ? cell_row(w->slice, device->launch) : bulk_null();
	c[COL_SLICE_ROW_OP_ID] = device ? cell_row(w->slice, device->op) : bulk_null();
}

static void seek_slice(const void *from, int64_t row)
{
	const struct write_rows *w = from;

	row_walk_seek(w->walk, (uint32_t)row);
}

/* Of rows that depend on no other. */
static void seek_any(const void *from, int64_t row)
{
	(void)from;
	(void)row;
}

const struct bulk bulk_slice = BULK_PARTS(SLICE_ROW, slice_row, slice_row, seek_slice);

/* Slices that are set apart: no pass has found out anything about them. */
static void apart_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;

	recorded(w, model_slice(w->m, (uint32_t)(w->m->nrows + (size_t)row)), c);
	c[COL_SLICE_ROW_DUR] = bulk_int(0);
	c[COL_SLICE_ROW_DEPTH] = bulk_int(0);
	c[COL_SLICE_ROW_PARENT_ID] = bulk_null();
	c[COL_SLICE_ROW_SELF_NS] = bulk_int(0);
	c[COL_SLICE_ROW_STEP_ID] = bulk_null();
	c[COL_SLICE_ROW_LAUNCH_ID] = bulk_null();
	c[COL_SLICE_ROW_OP_ID] = bulk_null();
}

const struct bulk bulk_apart = BULK(SLICE_ROW, slice_row, apart_row);

static void quarantine_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	uint32_t at = (uint32_t)(w->m->nrows + (size_t)row);
	const struct slice_rec *s = model_slice(w->m, at);
	enum finding finding = apart_finding((enum apart)s->apart);

	c[COL_QUARANTINE_SLICE_ID] = cell_row(w->slice, at);
	c[COL_QUARANTINE_CODE] = bulk_text(str_of(finding_kinds[finding].code));
	c[COL_QUARANTINE_DUR] = bulk_int(s->dur_ns);
}

const struct bulk bulk_quarantine = BULK(QUARANTINE, quarantine, quarantine_row);

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

static struct bulk_cell real_cell(double value)
{
	return value >= 0 ? bulk_real(value) : bulk_null();
}

static void kernel_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.kernels[row];
	const struct device_fact *d = setup_of(w, slice);
	const struct device_own *own = own_of(w, slice);

	model_tick(w->m, (size_t)row);
	c[COL_KERNEL_SLICE_ID] = cell_row(w->slice, slice);
	c[COL_KERNEL_DEVICE] = bulk_number(d->device);
	c[COL_KERNEL_STREAM] = bulk_number(d->stream);
	c[COL_KERNEL_CONTEXT] = bulk_number(d->context);
	c[COL_KERNEL_GRID_X] = bulk_number(d->grid[0]);
	c[COL_KERNEL_GRID_Y] = bulk_number(d->grid[1]);
	c[COL_KERNEL_GRID_Z] = bulk_number(d->grid[2]);
	c[COL_KERNEL_BLOCK_X] = bulk_number(d->block[0]);
	c[COL_KERNEL_BLOCK_Y] = bulk_number(d->block[1]);
	c[COL_KERNEL_BLOCK_Z] = bulk_number(d->block[2]);
	c[COL_KERNEL_REGISTERS] = bulk_number(d->registers);
	c[COL_KERNEL_SHARED_MEMORY_BYTES] = bulk_number(d->shared_memory);
	c[COL_KERNEL_BLOCKS_PER_SM] = real_cell(d->blocks_per_sm);
	c[COL_KERNEL_WARPS_PER_SM] = real_cell(d->warps_per_sm);
	c[COL_KERNEL_OCCUPANCY_PCT] = real_cell(d->occupancy_pct);
	c[COL_KERNEL_GRAPH_ID] = bulk_number(d->graph_id);
	c[COL_KERNEL_GRAPH_NODE_ID] = bulk_number(own->graph_node_id);
	c[COL_KERNEL_QUEUED] = bulk_number(own->queued);
	c[COL_KERNEL_PRIORITY] = bulk_number(d->priority);
}

const struct bulk bulk_kernel = BULK_PARTS(KERNEL, kernel, kernel_row, seek_any);

static void kernel_source_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.sources[row];

	c[COL_KERNEL_SOURCE_SLICE_ID] = cell_row(w->slice, slice);
	c[COL_KERNEL_SOURCE_LINES_ID] = cell_text_id(w, setup_of(w, slice)->lines);
}

const struct bulk bulk_kernel_source =
	BULK(KERNEL_SOURCE, kernel_source, kernel_source_row);

static void copy_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.copies[row];
	const struct device_fact *d = setup_of(w, slice);

	c[COL_COPY_SLICE_ID] = cell_row(w->slice, slice);
	c[COL_COPY_DEVICE] = bulk_number(d->device);
	c[COL_COPY_STREAM] = bulk_number(d->stream);
	c[COL_COPY_CONTEXT] = bulk_number(d->context);
	c[COL_COPY_BYTES] =
		bulk_number(model_copied_bytes(w->m, model_slice(w->m, slice)));
	c[COL_COPY_GRAPH_ID] = bulk_number(d->graph_id);
	c[COL_COPY_GRAPH_NODE_ID] = bulk_number(own_of(w, slice)->graph_node_id);
	c[COL_COPY_DIRECTION] = cell_string(w->m, d->kind);
}

const struct bulk bulk_copy = BULK(COPY, copy, copy_row);

static void wait_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	uint32_t slice = w->lists.waits[row];
	const struct device_fact *d = setup_of(w, slice);
	const struct device_own *own = own_of(w, slice);

	c[COL_DEVICE_WAIT_SLICE_ID] = cell_row(w->slice, slice);
	c[COL_DEVICE_WAIT_DEVICE] = bulk_number(d->device);
	c[COL_DEVICE_WAIT_STREAM] = bulk_number(d->stream);
	c[COL_DEVICE_WAIT_KIND] = cell_string(w->m, d->kind);
	c[COL_DEVICE_WAIT_WAIT_STREAM] = bulk_number(d->wait_stream);
	c[COL_DEVICE_WAIT_WAIT_EVENT] = bulk_number(own->wait_event);
	c[COL_DEVICE_WAIT_WAIT_CORRELATION] = bulk_number(own->wait_correlation);
}

const struct bulk bulk_wait = BULK(DEVICE_WAIT, device_wait, wait_row);

static void collective_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct model *m = w->m;
	const struct collective_rec *rec = &m->collectives[w->lists.collectives[row]];
	const struct collective_fact *f = &rec->fact;

	c[COL_COLLECTIVE_SLICE_ID] = cell_row(w->slice, rec->slice);
	c[COL_COLLECTIVE_NAME] = cell_string(m, f->name);
	c[COL_COLLECTIVE_DTYPE] = cell_string(m, f->dtype);
	c[COL_COLLECTIVE_IN_ELEMENTS] = bulk_number(f->in_elements);
	c[COL_COLLECTIVE_OUT_ELEMENTS] = bulk_number(f->out_elements);
	c[COL_COLLECTIVE_IN_SPLIT] = cell_string(m, f->in_split);
	c[COL_COLLECTIVE_OUT_SPLIT] = cell_string(m, f->out_split);
	c[COL_COLLECTIVE_GROUP_NAME] = cell_string(m, f->group);
	c[COL_COLLECTIVE_GROUP_DESCRIPTION] = cell_string(m, f->group_description);
	c[COL_COLLECTIVE_GROUP_RANKS] = cell_string(m, f->ranks);
	c[COL_COLLECTIVE_GROUP_SIZE] = bulk_number(f->group_size);
	c[COL_COLLECTIVE_RANK] = bulk_number(f->rank);
	c[COL_COLLECTIVE_SOURCE] = bulk_number(f->source);
	c[COL_COLLECTIVE_DESTINATION] = bulk_number(f->destination);
	c[COL_COLLECTIVE_SEQUENCE] = bulk_number(f->sequence);
	c[COL_COLLECTIVE_COMM_ID] = cell_string(m, f->comm_id);
	c[COL_COLLECTIVE_IS_ASYNC] = bulk_number(f->is_async);
}

const struct bulk bulk_collective = BULK(COLLECTIVE, collective, collective_row);

static void memory_range_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct range_rec *range = &w->m->ranges[row];

	c[COL_MEMORY_RANGE_SLICE_ID] = cell_row(w->slice, range->slice);
	c[COL_MEMORY_RANGE_START_BYTES] = bulk_int(range->fact.start_bytes);
	c[COL_MEMORY_RANGE_END_BYTES] = bulk_int(range->fact.end_bytes);
	c[COL_MEMORY_RANGE_LEVEL] = bulk_number(range->fact.level);
}

const struct bulk bulk_memory_range = BULK(MEMORY_RANGE, memory_range, memory_range_row);

static void allocation_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct model *m = w->m;
	const struct allocation_walk *at = allocation_walk_to(&w->walk->allocations, row);
	const struct slice_rec *s = model_slice(m, at->row);
	const struct memory_rec *rec = &m->memory[s->detail];
	const struct memory_kind *kind = slice_memory_kind(m, s);
	int64_t type = kind->device_type;

	c[COL_ALLOCATION_SLICE_ID] = cell_row(w->slice, at->row);
	c[COL_ALLOCATION_OP_ID] = cell_row(w->slice, ranges_innermost_op(&at->open));
	c[COL_ALLOCATION_BYTES] = bulk_number(wide_get(&m->numbers, rec->bytes));
	c[COL_ALLOCATION_ADDRESS] = bulk_number(rec->address);
	c[COL_ALLOCATION_TOTAL_ALLOCATED_BYTES] = bulk_number(rec->total_allocated);
	c[COL_ALLOCATION_TOTAL_RESERVED_BYTES] =
		bulk_number(wide_get(&m->numbers, rec->total_reserved));
	c[COL_ALLOCATION_DEVICE_TYPE] = bulk_int(type == NUMBER_NONE ? 0 : type);
	c[COL_ALLOCATION_DEVICE] = bulk_number(kind->device);
	c[COL_ALLOCATION_OUT_OF_MEMORY] = bulk_number(kind->out_of_memory);
}

const struct bulk bulk_allocation = BULK(ALLOCATION, allocation, allocation_row);

static void flow_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct arrow_rec *arrow = &w->m->arrows[row];

	model_tick(w->m, (size_t)row);
	c[COL_FLOW_SLICE_OUT] = cell_row(w->slice, arrow->out);
	c[COL_FLOW_SLICE_IN] = cell_row(w->slice, arrow->in);
	c[COL_FLOW_CATEGORY_ID] = cell_text_id(w, arrow->category);
	c[COL_FLOW_TRACE_ID] = bulk_number(wide_get(&w->m->arrow_ids, arrow->id));
}

const struct bulk bulk_flow = BULK_PARTS(FLOW, flow, flow_row, seek_any);

static void step_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct step_rec *step = &w->m->steps[row];
	const struct engine_step *told = &step->told;
	const char *phase = engine_phase_name(told->phase);

	c[COL_STEP_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_STEP_NUMBER] = bulk_int(step->number);
	c[COL_STEP_SLICE_ID] = cell_row(w->slice, step->row);
	c[COL_STEP_TS] = bulk_int(step->from_ns - w->m->start_ns);
	c[COL_STEP_DUR] = bulk_int(step->to_ns - step->from_ns);
	c[COL_STEP_HOST_TS] = bulk_int(step->ts_ns - w->m->start_ns);
	c[COL_STEP_HOST_DUR] = bulk_int(step->end_ns - step->ts_ns);
	c[COL_STEP_SOURCE] = bulk_text(str_of(step->source));
	c[COL_STEP_PHASE] = phase ? bulk_text(str_of(phase)) : bulk_null();
	c[COL_STEP_REQUESTS] = bulk_number(told->requests);
	c[COL_STEP_TOKENS] = bulk_number(told->tokens);
	c[COL_STEP_CONTEXT_TOKENS] = bulk_number(told->context_tokens);
}

const struct bulk bulk_step = BULK(STEP, step, step_row);

static void args_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct args_rec *rec = &w->m->args[w->lists.args[row]];

	c[COL_SLICE_ARGS_SLICE_ID] = cell_row(w->slice, rec->slice);
	c[COL_SLICE_ARGS_ARGS] = bulk_text(rec->json);
}

const struct bulk bulk_args = BULK(SLICE_ARGS, slice_args, args_row);
