/* PyTorch's categories, and what follows from an operator's args: see kineto.h. */
#include "ingest/kineto.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/shapes.h"
#include "ingest/text_list.h"
#include "trace/category.h"
#include "trace/op_work.h"

#define HOST_PID   "CPU functions"
#define DEVICE_PID "CUDA functions"
#define ARROW      "cpu_to_cuda"

static bool kineto_list_has(const struct event *e)
{
	struct str pid = event_text(e, FIELD_PID);

	return (str_is(pid, HOST_PID) || str_is(pid, DEVICE_PID)) &&
	       str_is(event_text(e, FIELD_PH), "X");
}

static enum slice_class kineto_list_class(const struct event *e)
{
	return str_is(event_text(e, FIELD_PID), HOST_PID) ? CLASS_OP : CLASS_KERNEL;
}

/* A device is called by its number. */
static void set_device(const struct event *e, struct slice_fact *slice,
		       struct kineto_facts *facts)
{
	struct device_fact *device = kineto_device(slice, facts);
	int64_t number;

	if (device->device == NUMBER_NONE &&
	    decimal_int(event_text(e, FIELD_TID), &number) == DECIMAL_OK)
		device->device = number;
}

int kineto_list_slice(struct chrome *c, struct slice_fact *slice,
		      struct kineto_facts *facts, struct err *err)
{
	struct kineto *k = &c->kineto;
	struct flow_fact end = k->open_arrow;
	bool leads_here = k->has_open_arrow && slice->class == CLASS_KERNEL;

	k->has_open_arrow = false;
	if (slice->class == CLASS_KERNEL)
		set_device(&c->event, slice, facts);
	if (!leads_here)
		return 0;
	end.end = FLOW_FINISH;
	end.ts_ns = slice->ts_ns;
	end.pid = chrome_ident(c, FIELD_PID);
	end.tid = chrome_ident(c, FIELD_TID);
	end.enclosing = false;
	end.offset = slice->offset;
	return c->sink->flow(c->sink, &end, err);
}

void kineto_list_arrow(struct chrome *c, struct flow_fact *flow)
{
	struct kineto *k = &c->kineto;

	k->has_open_arrow = false;
	if (!k->told.marks.list || !str_is(event_text(&c->event, FIELD_CAT), ARROW))
		return;
	/* The two ends are called by the operator and by the work. */
	flow->name = flow->category;
	k->has_open_arrow = flow->end == FLOW_START;
	k->open_arrow = *flow;
}

/* Of shapes that are remembered: far more than a model has. */
#define SHAPES_MOST      16384
#define SHAPE_BYTES_MOST ((size_t)1 << 20)

void kineto_init(struct kineto *k)
{
	*k = (struct kineto){ .rank = NUMBER_NONE,
			      .world_size = NUMBER_NONE,
			      .told.window_end_ns = NUMBER_NONE,
			      .told.span_end_ns = NUMBER_NONE,
			      .host = TEXT_NONE };
	intern_init(&k->shapes.raw);
	intern_init(&k->types.raw);
	intern_init(&k->values.raw);
	intern_init(&k->lists.raw);
	intern_init(&k->lines.raw);
	kineto_index_args(k);
}

static void texts_release(struct kineto_texts *t)
{
	intern_release(&t->raw);
	free(t->texts);
}

void kineto_release(struct kineto *k)
{
	texts_release(&k->shapes);
	texts_release(&k->types);
	texts_release(&k->values);
	texts_release(&k->lists);
	texts_release(&k->lines);
	free(k->names);
}

void kineto_restart(struct kineto *k)
{
	kineto_release(k);
	kineto_init(k);
}

static void add_marks(struct torch_marks *marks, const struct torch_marks *part)
{
	if (!marks->fractional)
		marks->relative = part->relative;
	marks->fractional |= part->fractional;
	marks->operator_category |= part->operator_category;
	marks->event_index |= part->event_index;
	marks->list |= part->list;
	marks->long_memory |= part->long_memory;
}

void kineto_add(struct kineto_told *told, const struct kineto_told *part)
{
	if (!told->phase_seen) {
		told->marks.metadata_first = part->marks.metadata_first;
		told->marks.one_line = part->marks.one_line;
	}
	add_marks(&told->marks, &part->marks);
	told->phase_seen |= part->phase_seen;
	told->kineto_category |= part->kineto_category;
	told->memory_seen |= part->memory_seen;
	told->shapes_seen |= part->shapes_seen;
	told->stacks_seen |= part->stacks_seen;
	told->pipeline |= part->pipeline;
	told->others |= part->others;
	if (part->window_end_ns != NUMBER_NONE)
		told->window_end_ns = part->window_end_ns;
	if (part->span_end_ns != NUMBER_NONE)
		told->span_end_ns = part->span_end_ns;
}

static bool is_memory_name(struct str name)
{
	return str_is(name, "[memory]") || str_is(name, "[OutOfMemory]");
}

/* NULL: it has no meaning here.  The last of those is remembered, as they come in rows. */
static const struct category *find_category(struct kineto *k, struct str cat)
{
	if (cat.n && cat.n == k->unknown_n && memcmp(k->unknown, cat.p, cat.n) == 0)
		return NULL;
	const struct category *found = category_find(cat);
	if (!found && cat.n <= sizeof(k->unknown)) {
		memcpy(k->unknown, cat.p, cat.n);
		k->unknown_n = cat.n;
	}
	return found;
}

/*
 * Memory records are instants named [memory]; before 1.11 they had no category,
 * torch's Python exporter writes them as X of category cpu_instant_event.  A
 * record_function may carry the same name: it is an X of another category.
 */
static bool is_memory(struct kineto *k, const struct event *e, enum slice_class class)
{
	if (class != CLASS_MEMORY && class != CLASS_OTHER)
		return false;
	bool is_complete = str_is(event_text(e, FIELD_PH), "X");
	if ((class == CLASS_OTHER && is_complete) ||
	    !is_memory_name(event_text(e, FIELD_NAME)))
		return false;
	k->told.marks.long_memory |= is_complete;
	return true;
}

/*
 * MTIA has one category for all that its devices do.  What names begin with: waits and
 * marks are no work, and requests to the DMA engine are copies.
 */
static enum slice_class accelerator_class(struct str name)
{
	static const struct {
		const char *prefix;
		enum slice_class class;
	} known[] = {
		{ "event_", CLASS_SYNC },    { "wait", CLASS_SYNC },
		{ "sync", CLASS_SYNC },      { "barrier", CLASS_SYNC },
		{ "semaphore", CLASS_SYNC }, { "dma_", CLASS_MEMCPY },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (str_starts_with(name, str_of(known[i].prefix)))
			return known[i].class;
	return CLASS_ACCELERATOR;
}

/* What the category tells belongs to the layout, unless the name has a say. */
static void remember_class(const struct event *e, enum slice_class class)
{
	if (!e->layout || !e->layout->fixed_n[LAYOUT_CATEGORY] || class == CLASS_OTHER ||
	    class == CLASS_MEMORY || class == CLASS_ACCELERATOR)
		return;
	e->layout->found.has_class = true;
	e->layout->found.class = (uint8_t) class;
}

enum slice_class kineto_class(struct kineto *k, const struct event *e)
{
	struct str cat = event_text(e, FIELD_CAT);

	if (e->layout && e->layout->found.has_class)
		return (enum slice_class)e->layout->found.class;
	if (cat.n == 0 && kineto_list_has(e)) {
		k->told.marks.list = true;
		return kineto_list_class(e);
	}
	const struct category *found = find_category(k, cat);
	enum slice_class class = found ? found->class : CLASS_OTHER;
	remember_class(e, class);
	if (class == CLASS_ACCELERATOR)
		class = accelerator_class(event_text(e, FIELD_NAME));
	if (is_memory(k, e, class))
		return CLASS_MEMORY;
	if (class == CLASS_MEMORY)
		return CLASS_OTHER;
	k->told.kineto_category |= found != NULL;
	k->told.marks.operator_category |=
		class == CLASS_OP && cat.n == sizeof("Operator") - 1;
	return class;
}

/*
 * What `make` writes for the JSON, whose strings it leaves as they stand, escapes and bad
 * UTF-8 with them.  It is remembered only to be faster: what becomes too much is forgotten.
 */
static uint32_t text_of(struct chrome *c, struct kineto_texts *t, struct str json,
			void (*make)(struct str json, struct buf *out))
{
	if (t->raw.n >= SHAPES_MOST || t->raw.text.total >= SHAPE_BYTES_MOST) {
		intern_release(&t->raw);
		intern_init(&t->raw);
	}
	size_t known = t->raw.n;
	uint32_t raw = intern_add(&t->raw, json);

	/* a text that is cut is told each time */
	if (raw == known || json.n > read_limits(c->options)->text_bytes / 4) {
		t->texts = xgrow(t->texts, &t->cap, raw + 1, sizeof(*t->texts));
		make(json, &c->scratch);
		t->texts[raw] = c->scratch.n ? chrome_made_text(c, buf_str(&c->scratch))
					     : TEXT_NONE;
	}
	return t->texts[raw];
}

uint32_t kineto_lines(struct chrome *c, struct str json)
{
	return text_of(c, &c->kineto.lines, json, text_list_lines);
}

/*
 * Values of inputs, where the work of an operator of this name depends on more than
 * tensors; with the shapes of tensors in lists, where it does on those.
 */
static uint32_t values_of(struct chrome *c, uint32_t text, struct str name,
			  const struct op_texts *texts)
{
	struct kineto *k = &c->kineto;

	if (text == TEXT_NONE)
		return TEXT_NONE;
	uint8_t *known = ARRAY_AT(k->names, k->names_cap, text);
	if (!*known) {
		const struct op_kind *kind = op_kind_find(name);
		*known = op_kind_needs_lists(kind)    ? 3
			 : op_kind_needs_values(kind) ? 2
						      : 1;
	}
	if (*known == 1)
		return TEXT_NONE;
	if (*known == 2)
		return text_of(c, &k->values, texts->concrete, shapes_values_text);
	struct buf pair;
	buf_init(&pair, SIZE_MAX);
	buf_add_char(&pair, '[');
	buf_add_str(&pair, texts->concrete);
	buf_add_char(&pair, ',');
	buf_add_str(&pair, texts->dims);
	buf_add_char(&pair, ']');
	struct str json = buf_str(&pair);
	for (size_t i = 0; i < JSON_PADDING; i++)
		buf_add_char(&pair, '\0');
	json.p = pair.p; /* it may have moved */
	uint32_t values = text_of(c, &k->lists, json, shapes_lists_text);
	buf_release(&pair);
	return values;
}

/*
 * The backward pass by torch-profiler.md a.9: the record scope is not in the
 * file, this stand-in is exact on every recording measured.
 */
static bool is_backward(struct str name, const struct op_fact *op)
{
	if (str_is(name, "torch::autograd::AccumulateGrad"))
		return true;
	return op->fwd_thread > 0 &&
	       !str_starts_with(name, STR_LIT("autograd::engine::evaluate_function"));
}

void kineto_finish_op(struct chrome *c, struct slice_fact *slice, struct op_fact *op,
		      const struct op_texts *texts)
{
	struct str name = event_text(&c->event, FIELD_NAME);
	struct buf plain;

	buf_init(&plain, SIZE_MAX);
	if (event_has(&c->event, FIELD_NAME) && c->event.field[FIELD_NAME].escaped)
		name = json_unescape(name, &plain);
	if (texts->dims.n) {
		op->shapes =
			text_of(c, &c->kineto.shapes, texts->dims, shapes_python_text);
		if (texts->types.n)
			op->types = text_of(c, &c->kineto.types, texts->types,
					    shapes_types_text);
		if (texts->concrete.n)
			op->values = values_of(c, slice->name, name, texts);
		int64_t flops =
			shapes_flops(name, texts->dims, texts->types, texts->concrete);
		if (flops != NUMBER_NONE)
			op->flops = flops;
		c->kineto.told.shapes_seen = true;
	}
	op->is_backward = slice->class == CLASS_OP && is_backward(name, op);
	c->kineto.told.stacks_seen |= op->stack != TEXT_NONE;
	slice->op = op;
	buf_release(&plain);
}

void kineto_note_first(struct kineto *k, const struct event *e)
{
	k->told.marks.metadata_first = str_is(event_text(e, FIELD_PH), "M");
	k->told.marks.one_line = !memchr(e->text.p, '\n', e->text.n);
}

void kineto_note_event(struct chrome *c, const struct slice_fact *slice)
{
	struct kineto *k = &c->kineto;
	const struct event *e = &c->event;

	if (slice->class == CLASS_PYTHON)
		k->told.stacks_seen = true;
	if (slice->class == CLASS_SPAN && dur_is_possible(slice->dur_ns))
		k->told.span_end_ns = slice->ts_ns + slice->dur_ns;
	else if (slice->phase == PHASE_INSTANT &&
		 str_is(event_text(e, FIELD_NAME), KINETO_WINDOW_END))
		k->told.window_end_ns = slice->ts_ns;
	if (!k->told.marks.fractional) {
		struct str ts = event_text(e, FIELD_TS);
		k->told.marks.fractional = ts.n && memchr(ts.p, '.', ts.n);
		k->told.marks.relative =
			k->told.marks.fractional && slice->ts_ns < SINCE_1970_NS;
	}
}
