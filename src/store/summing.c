/* Sums of rows: see summing.h. */
#include "store/summing.h"

#include "base/search.h"
#include "store/ranges.h"
#include "store/steps.h"
#include "trace/op_pass.h"
#include "trace/opstack.h"

/* Events of a track that are in memory at a time, unless more are open at once. */
#define PART_EVENTS 8192

static const struct op_fact *detail_of(const struct model *m, uint32_t row)
{
	const struct op_link *link = slice_op_link(m, model_slice(m, row));

	return link ? op_link_detail(m, link) : NULL;
}

static struct op_stack_info stack_info(const void *from, uint32_t row)
{
	const struct model *m = from;
	const struct op_link *link = slice_op_link(m, model_slice(m, row));

	if (!link)
		return (struct op_stack_info){ TEXT_NONE, NUMBER_NONE, false };
	const struct op_fact *detail = op_link_detail(m, link);
	return (struct op_stack_info){ detail->stack,
				       wide_get(&m->numbers, link->sequence),
				       detail->is_backward };
}

/* Device work launched for a row itself; rows are mostly asked for in their order. */
static int64_t device_ns_of(struct summing *s, uint32_t row)
{
	const struct model *m = s->m;
	size_t at = s->next_charge;

	if (at > 0 && m->charges[at - 1].row >= row)
		at = 0;
	while (at < m->ncharges && m->charges[at].row < row)
		at++;
	s->next_charge = at;
	return at < m->ncharges && m->charges[at].row == row ? m->charges[at].device_ns
							     : 0;
}

/*
 * The next rows before `end` as events, 0 at the end: cut where nothing is open, so
 * that they are trees of their own and few are in memory at a time.
 */
static size_t next_events(struct summing *s, size_t *next, size_t end)
{
	const struct model *m = s->m;
	int64_t reach_ns = INT64_MIN; /* the last end so far */
	size_t n = 0;

	for (; *next < end; ++*next) {
		uint32_t row = (uint32_t)*next;
		model_tick(m, row);
		const struct slice_rec *slice = model_slice(m, row);
		if (!summing_is_event(slice))
			continue;
		if (n >= PART_EVENTS && slice->ts_ns >= reach_ns)
			break;
		struct op_event event = summing_event(slice, row);
		if (op_class_counts(slice->class, &m->profile.rules))
			reach_ns = summing_reach(slice, reach_ns);
		event.device_ns = device_ns_of(s, row);
		s->events = spill_grow(m->spill, s->events, &s->events_cap, n + 1,
				       sizeof(*s->events));
		s->events[n++] = event;
	}
	return n;
}

void summing_copy_groups(struct opstats *into, const struct opstats *from, bool by_name)
{
	for (size_t i = 0; i < from->n; i++) {
		struct opstat group = from->rows[i];
		group.histogram = (struct histogram){ 0 };
		if (by_name)
			group.key.step = ROW_NONE;
		opstat_merge(opstats_group(into, &group.key), &group);
	}
}

/* Adds one call, whose duration is its largest one, to its groups by detail and by step. */
static void add_call(struct summing *s, const struct opstat_key *key,
		     const struct opstat *call)
{
	struct summary *out = s->out;
	struct opstat_key full = *key, step = *key;

	full.step = ROW_NONE;
	step.shapes = TEXT_NONE;
	step.stack = TEXT_NONE;
	step.overload = TEXT_NONE;
	if (!out->is_split && memcmp(&full, &step, sizeof(full)) != 0) {
		out->is_split = true;
		summing_copy_groups(&out->stats[GRAIN_STEPS], &out->stats[GRAIN_FULL],
				    false);
	}
	struct opstat *group = opstats_group(&out->stats[GRAIN_FULL], &full);
	opstat_merge(group, call);
	histogram_add(&group->histogram, call->sums.max_ns, (uint64_t)call->sums.calls);
	if (out->is_split)
		opstat_merge(opstats_group(&out->stats[GRAIN_STEPS], &step), call);
	out->has_steps |= step.step != ROW_NONE;
}

static struct opstat_first first_of(const struct model *m, uint32_t row, int64_t start_ns,
				    int64_t dur_ns)
{
	return (struct opstat_first){ start_ns, dur_ns, m->order[row] };
}

static void add_node(struct summing *s, const struct op_node *node)
{
	const struct model *m = s->m;
	const struct slice_rec *slice = model_slice(m, node->row);
	const struct op_fact *detail = detail_of(m, node->row);
	int64_t total_ns = node->end_ns - node->start_ns;
	struct opstat_key key = {
		.step = step_of_row(&s->steps, node->row),
		.name = node->name,
		.shapes = detail ? detail->shapes : TEXT_NONE,
		.stack = TEXT_NONE,
		.overload = op_pass_name(&s->pass, slice->name, slice->class == CLASS_OP)
				    .overload,
		.kind = slice->class == CLASS_PYTHON && !s->pass.rules.all_slices
				? OP_PYTHON
				: OP_HOST,
		.is_annotation = slice->class == CLASS_ANNOTATION &&
				 s->pass.rules.split_annotations,
	};
	if (s->has_stacks)
		key.stack = opstack_of(&s->stacks, s->pass.nodes, node, stack_info, m);
	struct opstat call = {
		.first = first_of(m, node->row, node->start_ns, total_ns),
		.is_async = node->is_async,
		.is_top_level = node->parent == NODE_NONE,
		.sums = opstat_of_node(node, detail ? detail->flops : NUMBER_NONE),
	};
	add_call(s, &key, &call);
}

static void add_device_row(struct summing *s, uint32_t row, enum op_kind kind)
{
	const struct model *m = s->m;
	const struct slice_rec *slice = model_slice(m, row);
	int64_t fudge_ns =
		kind == OP_DEVICE_ANNOTATION ? s->pass.rules.annotation_fudge_ns : 0;
	int64_t dur_ns = slice->dur_ns > fudge_ns ? slice->dur_ns - fudge_ns : 0;
	struct opstat_key key = {
		.step = step_of_row(&s->steps, row),
		.name = op_pass_name(&s->pass, slice->name, false).name,
		.shapes = TEXT_NONE,
		.stack = TEXT_NONE,
		.overload = TEXT_NONE,
		.kind = (uint16_t)kind,
		.is_annotation = kind == OP_DEVICE_ANNOTATION,
	};
	struct opstat call = {
		.first = first_of(m, row, slice->ts_ns, slice->dur_ns),
		.is_top_level = true,
		.sums = opstat_of_work(dur_ns),
	};
	add_call(s, &key, &call);
}

/* Its row is made by add_memory_rows(). */
static bool is_memory(const struct model *m, const struct op_node *node)
{
	return model_slice(m, node->row)->class == CLASS_MEMORY;
}

/* The rows of the track that are this part's. */
static void sum_track(struct summing *s, const struct track *t)
{
	size_t first = t->first > s->first ? t->first : s->first;
	size_t end = t->first + t->n < s->end ? t->first + t->n : s->end;
	size_t next = first, n;

	while ((n = next_events(s, &next, end)) > 0) {
		op_pass_track(&s->pass, t->kind, s->events, n);
		if (s->has_stacks)
			opstack_enter(&s->stacks, s->pass.nodes, s->pass.nnodes,
				      stack_info, s->m);
		for (size_t i = 0; i < s->pass.nnodes; i++) {
			model_tick(s->m, i);
			if (!s->pass.nodes[i].folded &&
			    !is_memory(s->m, &s->pass.nodes[i]))
				add_node(s, &s->pass.nodes[i]);
		}
	}
	for (size_t row = first; row < end; row++) {
		model_tick(s->m, row);
		enum slice_class class = model_slice(s->m, (uint32_t)row)->class;
		if (class_is_device_work(class))
			add_device_row(s, (uint32_t)row, OP_DEVICE);
		else if (class == CLASS_DEVICE_ANNOTATION)
			add_device_row(s, (uint32_t)row, OP_DEVICE_ANNOTATION);
	}
}

/* Memory events by row. */
static struct op_memory_event memory_event(const void *from, uint32_t row)
{
	const struct model *m = from;
	const struct slice_rec *slice = model_slice(m, row);
	const struct memory_kind *kind = slice_memory_kind(m, slice);

	return (struct op_memory_event){
		.ts_ns = slice->ts_ns,
		.bytes = wide_get(&m->numbers, m->memory[slice->detail].bytes),
		.order = m->order[row],
		.row = row,
		.is_cpu = op_memory_is_cpu(kind->device_type),
		.out_of_memory = kind->out_of_memory != 0
	};
}

static int64_t memory_ts(const void *from, uint32_t row)
{
	return model_slice(from, row)->ts_ns;
}

/* The memory events of the profile into the pass. */
static void set_memory(struct summing *s)
{
	const struct model *m = s->m;
	const struct op_memory_source source = { .from = m,
						 .event = memory_event,
						 .ts_ns = memory_ts,
						 .base_ns = m->profile.has_base
								    ? m->profile.base_ns
								    : 0 };
	uint32_t *rows = spill_alloc(m->spill, m->nmemory, sizeof(*rows));
	size_t n = 0;

	for (uint32_t row = 0; row < m->nrows && n < m->nmemory; row++) {
		model_tick(m, row);
		if (slice_is_allocation(model_slice(m, row)))
			rows[n++] = row;
	}
	op_pass_set_memory(&s->pass, &source, rows, n);
	if (!op_pass_wants_cover(&s->pass))
		return;
	for (size_t t = 0; t < m->ntracks; t++) {
		const struct track *track = &m->tracks[t];
		size_t next = track->first, end = next + track->n, part;
		while ((part = next_events(s, &next, end)) > 0)
			op_pass_cover_track(&s->pass, track->kind, s->events, part);
	}
	op_pass_cover_end(&s->pass);
}

/* Memory events outside every operator are rows of their own (a.1, 4). */
static void add_memory_rows(struct summing *s)
{
	const struct op_memory *memory = &s->pass.memory;

	op_memory_finish(&s->pass.memory);
	for (size_t i = 0; i < memory->n; i++) {
		if (!op_memory_is_row(memory, i))
			continue;
		const struct op_memory_event e = op_memory_at(memory, i);
		struct opstat_key key = { .step = step_of_row(&s->steps, e.row),
					  .name = model_slice(s->m, e.row)->name,
					  .shapes = TEXT_NONE,
					  .stack = TEXT_NONE,
					  .overload = TEXT_NONE,
					  .kind = OP_MEMORY };
		struct opstat call = {
			.first = { e.ts_ns, 0, OPSTAT_MEMORY_ORDER + e.order },
			.is_top_level = true,
			.sums = opstat_of_memory(op_memory_bytes(&e), e.is_cpu)
		};
		add_call(s, &key, &call);
	}
}

/* Rows of a printed table, where the mean is all that is known of single calls. */
static void add_printed_rows(struct summing *s)
{
	const struct model *m = s->m;

	for (size_t i = 0; i < m->nop_sums; i++) {
		const struct op_sum_fact *row = &m->op_sums[i];
		const struct op_sums *sums = &row->sums;
		bool is_device = row->kind != OP_HOST;
		int64_t ns = is_device ? sums->total_device_ns : sums->total_ns;
		int64_t mean_ns = (int64_t)((double)ns / (double)sums->calls);
		struct opstat_key key = { .step = ROW_NONE,
					  .name = row->name,
					  .shapes = row->shapes,
					  .stack = row->stack,
					  .overload = row->overload,
					  .kind = (uint16_t)row->kind };
		struct opstat call = {
			.first = { (int64_t)i, 0, i },
			.is_async = row->is_async,
			.sums = { .calls = sums->calls,
				  .primitive_calls = sums->calls,
				  .self_ns = sums->self_ns,
				  .total_ns = sums->total_ns,
				  .min_ns = mean_ns,
				  .max_ns = mean_ns,
				  .squares = squares_of(mean_ns, sums->calls),
				  .self_device_ns = sums->self_device_ns,
				  .total_device_ns = sums->total_device_ns,
				  .cpu_bytes = sums->cpu_bytes,
				  .self_cpu_bytes = sums->self_cpu_bytes,
				  .device_bytes = sums->device_bytes,
				  .self_device_bytes = sums->self_device_bytes,
				  .flops = sums->flops }
		};
		add_call(s, &key, &call);
	}
}

static void note_stacks(struct summing *s)
{
	const struct model *m = s->m;

	for (uint32_t i = 0; i < m->op_details.n && !s->has_stacks; i++) {
		const struct op_fact *detail = uniques_at(&m->op_details, i);
		s->has_stacks = detail->stack != TEXT_NONE;
	}
	if (!s->has_stacks)
		return;
	for (size_t t = 0; t < m->ntracks; t++) {
		const struct track *track = &m->tracks[t];
		size_t next = track->first, end = next + track->n, n;
		while ((n = next_events(s, &next, end)) > 0) {
			op_pass_track(&s->pass, track->kind, s->events, n);
			opstack_note(&s->stacks, s->pass.nodes, s->pass.nnodes,
				     stack_info, m);
		}
	}
}

void summing_init(struct summing *s, const struct model *m, struct summary *out)
{
	*s = (struct summing){
		.m = m, .out = out, .steps = step_cursor(m), .end = m->nrows
	};
	*out = (struct summary){ .spill = m->spill };
	for (int grain = 0; grain < NGRAINS; grain++)
		opstats_init_in(&out->stats[grain], m->spill);
	op_pass_init(&s->pass, &m->profile.rules, m->texts, m->spill);
	s->pass.window_end_ns = m->profile.window_end_ns;
	s->pass.span_end_ns = m->profile.span_end_ns;
	opstack_init(&s->stacks, m->texts, m->spill);
}

void summing_release(struct summing *s)
{
	op_pass_release(&s->pass);
	opstack_release(&s->stacks);
	spill_free(s->m->spill, s->events);
}

void summing_prepare(struct summing *s)
{
	note_stacks(s);
	set_memory(s);
}

/* The first charge of the row, or behind it. */
static size_t first_charge(const struct model *m, size_t row)
{
	size_t at;

	SEARCH(at, 0, m->ncharges, m->charges[at].row < row);
	return at;
}

void summing_rows(struct summing *s)
{
	s->next_charge = first_charge(s->m, s->first);
	for (size_t t = 0; t < s->m->ntracks; t++)
		sum_track(s, &s->m->tracks[t]);
}

void summing_rest(struct summing *s)
{
	add_memory_rows(s);
	add_printed_rows(s);
}
