/* The pass over tracks: see op_pass.h. */
#include "trace/op_pass.h"

#include <assert.h>
#include <stdlib.h>

#include "base/spill.h"

void op_pass_init(struct op_pass *p, const struct op_rules *rules, struct intern *texts,
		  struct spill *spill)
{
	*p = (struct op_pass){ .rules = *rules,
			       .texts = texts,
			       .spill = spill,
			       .window_end_ns = NUMBER_NONE,
			       .span_end_ns = NUMBER_NONE };
}

void op_pass_set_memory(struct op_pass *p, const struct op_memory_source *memory,
			uint32_t *numbers, size_t n)
{
	op_memory_init(&p->memory, memory, numbers, n, &p->rules, p->spill);
}

void op_pass_release(struct op_pass *p)
{
	op_memory_release(&p->memory);
	for (int i = 0; i < 2 && !p->has_others_names; i++)
		sparse_release(&p->names[i]);
	sparse_release(&p->open_of_name);
	spill_free(p->spill, p->nodes);
	spill_free(p->spill, p->loose);
	*p = (struct op_pass){ 0 };
}

void op_pass_borrow_names(struct op_pass *p, const struct op_pass *from)
{
	p->has_others_names = true;
	memcpy(p->names, from->names, sizeof(p->names));
}

struct known_name {
	struct op_name name;
	bool is_known;
};

struct op_name op_pass_name(struct op_pass *p, uint32_t text, bool is_op)
{
	struct known_name *known = SPARSE_AT(&p->names[is_op], struct known_name, text);

	if (!known->is_known) {
		assert(!p->has_others_names);
		known->name = op_name_of(intern_str(p->texts, text), is_op, p->texts);
		known->is_known = true;
	}
	return known->name;
}

/*
 * Still open when the recording stopped: flagged, or (torch 2.4 to 2.10) cut at
 * the record window's end without a flag.
 */
static bool is_unfinished(const struct op_pass *p, const struct op_event *e)
{
	if (e->unfinished)
		return true;
	return p->window_end_ns != NUMBER_NONE && !p->rules.all_slices &&
	       (e->class == CLASS_OP || e->class == CLASS_ANNOTATION) &&
	       e->ts_ns + e->dur_ns == p->window_end_ns;
}

static void add_node(struct op_pass *p, const struct op_event *e, bool async_track)
{
	bool is_op = e->class == CLASS_OP;
	struct op_name name = op_pass_name(p, e->name, is_op);
	bool unfinished = is_unfinished(p, e);
	int64_t end_ns = e->ts_ns + e->dur_ns;

	if (name.dropped && !p->rules.all_slices)
		return;
	if (unfinished && !p->rules.keep_unfinished && !p->rules.all_slices)
		return;
	if (unfinished && p->rules.keep_unfinished && p->span_end_ns != NUMBER_NONE)
		end_ns = p->span_end_ns > e->ts_ns ? p->span_end_ns : e->ts_ns;
	bool c10d = name.is_async && (is_op || e->class == CLASS_ANNOTATION);
	p->nodes = spill_grow(p->spill, p->nodes, &p->nodes_cap, p->nnodes + 1,
			      sizeof(*p->nodes));
	struct op_node *node = &p->nodes[p->nnodes++];
	*node = (struct op_node){
		.start_ns = e->ts_ns,
		.end_ns = end_ns,
		.row = e->row,
		.name = name.name,
		.is_async =
			async_track || c10d || (unfinished && p->rules.keep_unfinished),
		.device_ns = e->device_ns,
	};
	if (p->memory.n)
		op_memory_charge(&p->memory, node);
}

static int by_row(const void *a, const void *b)
{
	const struct op_loose *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

static void add_memory_node(struct op_pass *p, const struct op_event *e)
{
	const struct op_loose wanted = { .row = e->row };
	const struct op_loose *loose =
		p->nloose ? bsearch(&wanted, p->loose, p->nloose, sizeof(wanted), by_row)
			  : NULL;

	if (!loose)
		return;
	const struct op_memory_event m = op_memory_at(&p->memory, loose->event);
	int64_t bytes = op_memory_bytes(&m);
	p->nodes = spill_grow(p->spill, p->nodes, &p->nodes_cap, p->nnodes + 1,
			      sizeof(*p->nodes));
	p->nodes[p->nnodes++] = (struct op_node){ .start_ns = e->ts_ns,
						  .end_ns = e->ts_ns,
						  .row = e->row,
						  .name = e->name,
						  .cpu_bytes = m.is_cpu ? bytes : 0,
						  .device_bytes = m.is_cpu ? 0 : bytes };
}

bool op_pass_takes(const struct op_pass *p, enum track_kind kind)
{
	return kind == TRACK_THREAD || (kind == TRACK_ASYNC && p->rules.all_slices);
}

static void add_nodes(struct op_pass *p, enum track_kind kind,
		      const struct op_event *events, size_t n)
{
	p->nnodes = 0;
	if (!op_pass_takes(p, kind))
		return;
	for (size_t i = 0; i < n; i++) {
		if (events[i].class == CLASS_MEMORY)
			add_memory_node(p, &events[i]);
		else if (op_class_counts(events[i].class, &p->rules))
			add_node(p, &events[i], kind == TRACK_ASYNC);
	}
}

bool op_pass_wants_cover(const struct op_pass *p)
{
	if (p->memory.float_window)
		return p->memory.n > 0;
	for (size_t i = 0; i < p->memory.n; i++)
		if (op_memory_at(&p->memory, i).out_of_memory)
			return true;
	return false;
}

void op_pass_cover_track(struct op_pass *p, enum track_kind kind,
			 const struct op_event *events, size_t n)
{
	add_nodes(p, kind, events, n);
}

void op_pass_cover_end(struct op_pass *p)
{
	op_memory_finish(&p->memory);
	for (size_t i = 0; i < p->memory.n; i++) {
		if (!op_memory_is_row(&p->memory, i))
			continue;
		p->loose = spill_grow(p->spill, p->loose, &p->loose_cap, p->nloose + 1,
				      sizeof(*p->loose));
		p->loose[p->nloose++] =
			(struct op_loose){ op_memory_at(&p->memory, i).row, (uint32_t)i };
	}
	if (p->nloose)
		qsort(p->loose, p->nloose, sizeof(*p->loose), by_row);
}

void op_pass_track(struct op_pass *p, enum track_kind kind, const struct op_event *events,
		   size_t n)
{
	add_nodes(p, kind, events, n);
	optree_build(p->nodes, p->nnodes, &p->open_of_name, p->spill);
}
