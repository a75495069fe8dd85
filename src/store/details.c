/*
 * What hangs on slices by their class, as small as it gets: what many events
 * have in common is stored once, and most numbers are small (model.h).
 */
#include "store/model.h"

#include "base/search.h"

/* Here and below: zeroed first, padding too, because the bytes are compared. */
static uint32_t op_detail(struct model *m, const struct op_fact *op)
{
	struct op_fact key;

	memset(&key, 0, sizeof(key));
	key.shapes = op->shapes;
	key.stack = op->stack;
	key.module = op->module;
	key.types = op->types;
	key.values = op->values;
	key.flops = op->flops;
	key.fwd_thread = op->fwd_thread;
	key.is_backward = op->is_backward;
	return uniques_add(&m->op_details, &key);
}

uint32_t model_op_link(struct model *m, const struct op_fact *op)
{
	*APPEND(m, op_links) =
		(struct op_link){ wide_add(&m->numbers, op->sequence), op_detail(m, op) };
	return (uint32_t)m->nop_links - 1;
}

uint32_t model_launch(struct model *m, int64_t external_id,
		      const struct device_fact *fact)
{
	bool has_size = fact && fact->bytes != NUMBER_NONE;

	if (external_id == NUMBER_NONE && !has_size)
		return ROW_NONE;
	*APPEND(m, launch_ids) = wide_add(&m->numbers, external_id);
	uint32_t launch = (uint32_t)m->nlaunch_ids - 1;
	if (has_size)
		*APPEND(m, launch_sizes) = (struct launch_size){ launch, fact->bytes };
	return launch;
}

/* The size that a launch tells, or NUMBER_NONE. */
static int64_t launch_bytes(const struct model *m, uint32_t launch)
{
	size_t at;

	SEARCH(at, 0, m->nlaunch_sizes, m->launch_sizes[at].launch < launch);
	return at < m->nlaunch_sizes && m->launch_sizes[at].launch == launch
		       ? m->launch_sizes[at].bytes
		       : NUMBER_NONE;
}

/* Is there but one piece of device work that this row launched? */
static bool launched_one(const struct model *m, uint32_t launch)
{
	size_t at;

	SEARCH(at, 0, m->nworks, row_launch(m, m->works[at]) < launch);
	return at + 1 >= m->nworks || row_launch(m, m->works[at + 1]) != launch;
}

int64_t model_copied_bytes(const struct model *m, const struct slice_rec *s)
{
	const struct device_rec *d = slice_device(m, s);
	const struct device_own *own =
		d->own == ROW_NONE ? NULL : uniques_at(&m->device_owns, d->own);

	if (own && own->bytes != NUMBER_NONE)
		return own->bytes;
	if (!m->nlaunch_sizes || d->launch == ROW_NONE || !launched_one(m, d->launch))
		return NUMBER_NONE;
	return launch_bytes(m, model_slice(m, d->launch)->detail);
}

static uint32_t device_setup(struct model *m, const struct device_fact *f)
{
	struct device_fact key;

	memset(&key, 0, sizeof(key));
	key.device = f->device;
	key.context = f->context;
	key.stream = f->stream;
	memcpy(key.grid, f->grid, sizeof(key.grid));
	memcpy(key.block, f->block, sizeof(key.block));
	key.registers = f->registers;
	key.shared_memory = f->shared_memory;
	key.graph_id = f->graph_id;
	key.priority = f->priority;
	key.blocks_per_sm = f->blocks_per_sm;
	key.warps_per_sm = f->warps_per_sm;
	key.occupancy_pct = f->occupancy_pct;
	key.kind = f->kind;
	key.lines = f->lines;
	key.wait_stream = f->wait_stream;
	size_t known = m->device_setups.n;
	uint32_t setup = uniques_add(&m->device_setups, &key);
	if (m->device_setups.n > known)
		intern_add(&m->device_ids, str_bytes(&key.device, sizeof(key.device)));
	return setup;
}

static uint32_t device_own(struct model *m, const struct device_fact *f)
{
	const struct device_own key = { f->bytes, f->graph_node_id, f->queued,
					f->wait_event, f->wait_correlation };

	return uniques_add(&m->device_owns, &key);
}

uint32_t model_device(struct model *m, const struct device_fact *fact,
		      int64_t external_id)
{
	*APPEND(m, devices) = (struct device_rec){
		.external_id = wide_add(&m->numbers, external_id),
		.setup = fact ? device_setup(m, fact) : ROW_NONE,
		.own = fact ? device_own(m, fact) : ROW_NONE,
		.launch = ROW_NONE,
		.op = ROW_NONE,
		.step = STEP_BY_START,
	};
	return (uint32_t)m->ndevices - 1;
}

uint32_t model_memory(struct model *m, const struct memory_fact *fact, int64_t *kind)
{
	const struct memory_kind shared = { fact->device_type, fact->device,
					    fact->out_of_memory };

	*kind = uniques_add(&m->memory_kinds, &shared);
	*APPEND(m, memory) = (struct memory_rec){
		.address = fact->address,
		.total_allocated = fact->total_allocated,
		.total_reserved = wide_add(&m->numbers, fact->total_reserved),
		.bytes = wide_add(&m->numbers, fact->bytes),
	};
	return (uint32_t)m->nmemory - 1;
}

void model_drop_flows(struct model *m)
{
	spill_free(m->spill, m->flows);
	m->flows = NULL;
	m->nflows = m->flows_cap = 0;
}
