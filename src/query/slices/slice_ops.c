/* Calls of the operator table from slices: see slice_ops.h. */
#include "query/slices/slice_ops.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/slices/slice_load.h"
#include "trace/op_pass.h"
#include "trace/opstack.h"

/* Python's sum() since 3.12: Neumaier's compensated sum. */
struct float_sum {
	double sum, lost;
};

struct running {
	const struct slice_ops_request *request;
	struct slice_load load;
	struct op_pass pass;
	struct opstack stacks;
	bool has_stacks;
	struct op_event *events; /* of a track */
	size_t events_cap;
	struct float_sum *children; /* by node of the newest track */
	size_t children_cap;
	int64_t base_us_ns; /* what torch counts microseconds from */
};

static const struct loaded_detail no_detail = { TEXT_NONE, TEXT_NONE, TEXT_NONE,
						NUMBER_NONE, false };

static const struct loaded_detail *detail_of(const struct slice_load *l, uint32_t row)
{
	uint32_t detail = l->slices[row].detail;

	return detail == SLICE_NONE ? &no_detail : &l->details[detail];
}

static struct op_stack_info stack_info(const void *from, uint32_t row)
{
	const struct slice_load *l = from;
	const struct loaded_detail *detail = detail_of(l, row);

	return (struct op_stack_info){ detail->stack, l->slices[row].sequence,
				       detail->is_backward };
}

/* The slices of a track as events; instants are no calls, memory events may be in the tree. */
static size_t track_events(struct running *r, const struct call_track *t)
{
	size_t n = 0;

	r->events = xgrow(r->events, &r->events_cap, t->n, sizeof(*r->events));
	for (uint32_t row = t->first; row < t->first + t->n; row++) {
		const struct loaded_slice *s = &r->load.slices[row];
		if (s->is_instant && s->class != CLASS_MEMORY)
			continue;
		r->events[n++] = (struct op_event){ .ts_ns = s->ts_ns,
						    .dur_ns = s->dur_ns,
						    .device_ns = s->device_ns,
						    .row = row,
						    .name = s->name,
						    .class = (enum slice_class)s->class,
						    .unfinished = s->is_unfinished };
	}
	return n;
}

static void build_track(struct running *r, const struct call_track *t)
{
	size_t n = track_events(r, t); /* may move them */

	op_pass_track(&r->pass, t->kind, r->events, n);
}

/* Microseconds from the start of the recording, as torch holds them. */
static double micros(const struct running *r, int64_t ns)
{
	return (double)sum_sub(ns, r->base_us_ns) / 1000.0;
}

static double duration_us(const struct running *r, const struct op_node *node)
{
	return micros(r, node->end_ns) - micros(r, node->start_ns);
}

static void float_add(struct float_sum *s, double x)
{
	double sum = s->sum + x;
	double larger = s->sum, smaller = x;

	if ((larger < 0 ? -larger : larger) < (smaller < 0 ? -smaller : smaller)) {
		larger = x;
		smaller = s->sum;
	}
	s->lost += (larger - sum) + smaller;
	s->sum = sum;
}

/* Children in the order of starts, which is that of nodes. */
static void sum_children(struct running *r)
{
	const struct op_pass *pass = &r->pass;

	r->children =
		xgrow(r->children, &r->children_cap, pass->nnodes, sizeof(*r->children));
	for (size_t i = 0; i < pass->nnodes; i++)
		r->children[i] = (struct float_sum){ 0, 0 };
	for (size_t i = 0; i < pass->nnodes; i++) {
		const struct op_node *node = &pass->nodes[i];
		if (!node->folded && node->parent != NODE_NONE)
			float_add(&r->children[node->parent], duration_us(r, node));
	}
}

static struct slice_call call_of_row(const struct running *r, const struct call_track *t,
				     uint32_t row)
{
	const struct loaded_slice *s = &r->load.slices[row];

	return (struct slice_call){
		.track = t,
		.shapes = TEXT_NONE,
		.stack = TEXT_NONE,
		.overload = TEXT_NONE,
		.module = TEXT_NONE,
		.category = s->category,
		.class = s->class,
		.ts_ns = s->ts_ns,
		.step = s->step == SLICE_NONE ? NUMBER_NONE : r->load.steps[s->step],
	};
}

static int call_node(struct running *r, const struct call_track *t, size_t at,
		     struct err *err)
{
	const struct op_node *node = &r->pass.nodes[at];
	const struct op_rules *rules = &r->pass.rules;
	const struct loaded_slice *s = &r->load.slices[node->row];
	const struct loaded_detail *detail = detail_of(&r->load, node->row);
	struct slice_call call = call_of_row(r, t, node->row);

	call.node = at;
	call.parent = node->parent;
	call.dur_ns = sum_sub(node->end_ns, node->start_ns);
	call.shapes = detail->shapes;
	call.module = detail->module;
	call.overload = op_pass_name(&r->pass, s->name, s->class == CLASS_OP).overload;
	if (r->has_stacks)
		call.stack =
			opstack_of(&r->stacks, r->pass.nodes, node, stack_info, &r->load);
	call.total_us = duration_us(r, node);
	call.self_us =
		node->is_async
			? 0
			: call.total_us - (r->children[at].sum + r->children[at].lost);
	bool python = s->class == CLASS_PYTHON && !rules->all_slices;
	call.stat = (struct opstat){
		.key = { .name = node->name,
			 .kind = python ? OP_PYTHON : OP_HOST,
			 .is_annotation = s->class == CLASS_ANNOTATION &&
					  rules->split_annotations },
		.first = { node->start_ns, call.dur_ns, node->row },
		.is_async = node->is_async,
		.is_top_level = node->parent == NODE_NONE,
		.sums = opstat_of_node(node, detail->flops),
	};
	if (r->request->as_torch)
		call.stat.sums.total_device_ns = node->total_device_ns;
	return r->request->call(r->request->to, &call, err);
}

static int call_device_row(struct running *r, const struct call_track *t, uint32_t row,
			   struct err *err)
{
	const struct loaded_slice *s = &r->load.slices[row];
	bool annotation = s->class == CLASS_DEVICE_ANNOTATION;
	int64_t fudge_ns = annotation ? r->pass.rules.annotation_fudge_ns : 0;
	int64_t dur_ns = s->dur_ns > fudge_ns ? sum_sub(s->dur_ns, fudge_ns) : 0;
	struct slice_call call = call_of_row(r, t, row);

	call.dur_ns = dur_ns;
	call.stat = (struct opstat){
		.key = { .name = op_pass_name(&r->pass, s->name, false).name,
			 .kind = annotation ? OP_DEVICE_ANNOTATION : OP_DEVICE,
			 .is_annotation = annotation },
		.first = { s->ts_ns, s->dur_ns, row },
		.is_top_level = true,
		.sums = opstat_of_work(dur_ns),
	};
	return r->request->call(r->request->to, &call, err);
}

/* Its row is made by call_memory(). */
static bool is_memory(const struct running *r, const struct op_node *node)
{
	return r->load.slices[node->row].class == CLASS_MEMORY;
}

static int call_track(struct running *r, const struct call_track *t, struct err *err)
{
	build_track(r, t);
	sum_children(r);
	if (r->has_stacks)
		opstack_enter(&r->stacks, r->pass.nodes, r->pass.nnodes, stack_info,
			      &r->load);
	for (size_t i = 0; i < r->pass.nnodes; i++)
		if (!r->pass.nodes[i].folded && !is_memory(r, &r->pass.nodes[i]) &&
		    call_node(r, t, i, err) < 0)
			return -1;
	for (uint32_t row = t->first; row < t->first + t->n; row++) {
		enum slice_class class = (enum slice_class)r->load.slices[row].class;
		if ((class_is_device_work(class) || class == CLASS_DEVICE_ANNOTATION) &&
		    call_device_row(r, t, row, err) < 0)
			return -1;
	}
	return 0;
}

static const struct call_track *track_of(const struct slice_load *l, uint32_t row)
{
	static const struct call_track none = { .thread = TEXT_NONE,
						.name = TEXT_NONE,
						.stream = NUMBER_NONE,
						.device = NUMBER_NONE };

	size_t after; /* the place of the first that begins behind the row */

	SEARCH(after, (size_t)0, l->ntracks, l->tracks[after].first <= row);
	const struct call_track *t = after ? &l->tracks[after - 1] : &none;
	return row - t->first < t->n ? t : &none;
}

static int call_memory(struct running *r, const struct op_memory_event *e,
		       struct err *err)
{
	struct slice_call call = call_of_row(r, track_of(&r->load, e->row), e->row);

	call.stat = (struct opstat){
		.key = { .name = r->load.slices[e->row].name, .kind = OP_MEMORY },
		.first = { e->ts_ns, 0, OPSTAT_MEMORY_ORDER + e->order },
		.is_top_level = true,
		.sums = opstat_of_memory(op_memory_bytes(e), e->is_cpu),
	};
	return r->request->call(r->request->to, &call, err);
}

static int call_all(struct running *r, struct err *err)
{
	for (size_t t = 0; t < r->load.ntracks; t++)
		if (call_track(r, &r->load.tracks[t], err) < 0)
			return -1;
	op_memory_finish(&r->pass.memory);
	for (size_t i = 0; i < r->pass.memory.n; i++) {
		const struct op_memory_event event = op_memory_at(&r->pass.memory, i);
		if (op_memory_is_row(&r->pass.memory, i) &&
		    call_memory(r, &event, err) < 0)
			return -1;
	}
	return 0;
}

static void note_stacks(struct running *r)
{
	for (size_t i = 0; i < r->load.ndetails && !r->has_stacks; i++)
		r->has_stacks = r->load.details[i].stack != TEXT_NONE;
	for (size_t t = 0; r->has_stacks && t < r->load.ntracks; t++) {
		build_track(r, &r->load.tracks[t]);
		opstack_note(&r->stacks, r->pass.nodes, r->pass.nnodes, stack_info,
			     &r->load);
	}
}

/* Memory events by their place in the loaded ones. */
static struct op_memory_event memory_event(const void *from, uint32_t number)
{
	const struct slice_load *l = from;

	return l->memory[number];
}

static int64_t memory_ts(const void *from, uint32_t number)
{
	const struct slice_load *l = from;

	return l->memory[number].ts_ns;
}

static void set_memory(struct running *r, int64_t base_ns)
{
	const struct op_memory_source source = { .from = &r->load,
						 .event = memory_event,
						 .ts_ns = memory_ts,
						 .base_ns = base_ns };
	uint32_t *numbers = xrealloc_array(NULL, r->load.nmemory, sizeof(*numbers));

	for (uint32_t i = 0; i < r->load.nmemory; i++)
		numbers[i] = i;
	op_pass_set_memory(&r->pass, &source, numbers, r->load.nmemory);
}

static void begin(struct running *r, struct text_pool *texts)
{
	const struct scope_profile *p = r->request->profile;
	struct slice_load *l = &r->load;
	int64_t base_ns = sum_add(p->has_base ? p->base_ns : 0, p->start_ns);

	r->base_us_ns = l->span_start_ns;
	l->rules.python_in_tree |= r->request->python;
	op_pass_init(&r->pass, &l->rules, &texts->intern, NULL);
	r->pass.window_end_ns = l->window_end_ns;
	r->pass.span_end_ns = l->span_end_ns;
	opstack_init(&r->stacks, &texts->intern, NULL);
	note_stacks(r);
	set_memory(r, base_ns);
	if (!op_pass_wants_cover(&r->pass))
		return;
	for (size_t t = 0; t < l->ntracks; t++) {
		size_t n = track_events(r, &l->tracks[t]);
		op_pass_cover_track(&r->pass, l->tracks[t].kind, r->events, n);
	}
	op_pass_cover_end(&r->pass);
}

int slice_ops_each(struct store *store, struct text_pool *texts,
		   const struct slice_ops_request *request, struct err *err)
{
	struct running r = { .request = request };
	int rc = slice_load(store, texts, request->profile, request->categories, &r.load,
			    err);

	if (rc == 0) {
		if (request->kernels)
			slice_load_tensor_cores(&r.load, texts, request->kernels);
		begin(&r, texts);
		rc = call_all(&r, err);
		op_pass_release(&r.pass);
		opstack_release(&r.stacks);
	}
	slice_load_release(&r.load);
	free(r.events);
	free(r.children);
	return rc;
}

static void drop_ended(struct open_labels *l, int64_t ns)
{
	while (l->n && l->items[l->n - 1].end_ns <= ns)
		l->n--;
}

void open_labels_add(struct open_labels *l, int64_t start_ns, int64_t end_ns, uint32_t at)
{
	drop_ended(l, start_ns);
	if (end_ns <= start_ns)
		return;
	*ARRAY_PUSH(l->items, l->n, l->cap) = (struct open_label){ end_ns, at };
}

uint32_t open_labels_innermost(struct open_labels *l, int64_t ns)
{
	drop_ended(l, ns);
	return l->n ? l->items[l->n - 1].at : OPEN_LABELS_NONE;
}

void open_labels_release(struct open_labels *l)
{
	free(l->items);
	*l = (struct open_labels){ .n = 0 };
}
