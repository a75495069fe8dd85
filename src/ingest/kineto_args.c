/* The members of args that have a meaning in PyTorch's events: see kineto.h. */
#include "base/decimal.h"
#include "ingest/chrome.h"
#include "ingest/json.h"
#include "ingest/kineto.h"
#include "ingest/shapes.h"
#include "trace/dtype.h"
#include "trace/step_name.h"

static int64_t product_of(const struct shape *shape)
{
	int64_t product = 1;

	for (size_t i = 0; i < shape->n; i++)
		if (shape->dims[i] < 0 ||
		    __builtin_mul_overflow(product, shape->dims[i], &product))
			return NUMBER_NONE;
	return product;
}

/* The tensor with these dims adds to *sum; false when nothing can be said any more. */
static bool add_tensor(const struct json_value *dims, struct str spelled,
		       struct str *type, int64_t *sum)
{
	struct shape shape;

	if (str_is(spelled, "TensorList"))
		return false;
	/* Tensors have C++'s types; "Int" and "Double" are numbers of Python. */
	if (!spelled.n || (spelled.p[0] >= 'A' && spelled.p[0] <= 'Z') ||
	    !dtype_find(spelled))
		return true;
	if (!dims || dims->type != JSON_ARRAY || !shape_of_text(dims->text, &shape))
		return false;
	int64_t elements = product_of(&shape);
	if (elements == NUMBER_NONE || (type->n && !str_equal(*type, spelled)))
		return false;
	*type = spelled;
	*sum = *sum == NUMBER_NONE ? 0 : *sum;
	return !__builtin_add_overflow(*sum, elements, sum);
}

/*
 * What the inputs of a range of torch.distributed ("gloo:all_reduce") say of the
 * collective, where no record_param_comms says more: the elements of all tensors among
 * them ("Input Dims" and "Input type", JSON texts in a window), and their type.
 * NUMBER_NONE when there are none, they are of several types, or of lists of tensors,
 * which have no dims there.
 */
static int64_t comm_elements(struct str dims, struct str types, struct str *type)
{
	struct json_value value, shape;
	int64_t sum = NUMBER_NONE;
	int more;

	*type = (struct str){ "", 0 };
	if (!dims.n || !types.n || types.p[0] != '[')
		return NUMBER_NONE;
	/* Side by side: each list may have as many entries as an event has room for. */
	struct json_items items = json_items_of(types), shapes = json_items_of(dims);
	bool has_shape = dims.p[0] == '[';
	while ((more = json_next_element(&items, &value)) > 0) {
		has_shape = has_shape && json_next_element(&shapes, &shape) > 0;
		if (!add_tensor(has_shape ? &shape : NULL, value.text, type, &sum))
			return NUMBER_NONE;
	}
	return more == 0 ? sum : NUMBER_NONE;
}

enum arg_type {
	ARG_INT,    /* int64 at offset */
	ARG_REAL,   /* double */
	ARG_TEXT,   /* text number */
	ARG_TRIPLE, /* int64[3] */
	ARG_LINES,  /* text number of lines of source, of a list of stacks */
	ARG_FLAG,   /* true/false/"True" as 0 or 1 */
	ARG_SPECIAL /* handled by name in special_arg */
};

enum arg_target {
	TO_SLICE,
	TO_OP,
	TO_DEVICE,
	TO_CALL, /* of the runtime, or the copy itself */
	TO_COPY,
	TO_KERNEL,
	TO_COLLECTIVE,
	TO_MEMORY
};

struct arg {
	const char *key;
	enum arg_type type;
	enum arg_target target;
	size_t offset;
};

#define SLICE(field)      TO_SLICE, offsetof(struct slice_fact, field)
#define OP(field)         TO_OP, offsetof(struct op_fact, field)
#define DEVICE(field)     TO_DEVICE, offsetof(struct device_fact, field)
#define CALL(field)       TO_CALL, offsetof(struct device_fact, field)
#define COPY(field)       TO_COPY, offsetof(struct device_fact, field)
#define KERNEL(field)     TO_KERNEL, offsetof(struct device_fact, field)
#define COLLECTIVE(field) TO_COLLECTIVE, offsetof(struct collective_fact, field)
#define MEMORY(field)     TO_MEMORY, offsetof(struct memory_fact, field)

static const struct arg args[] = {
	{ "External id", ARG_INT, SLICE(external_id) },
	{ "external id", ARG_INT, SLICE(external_id) },
	{ "correlation", ARG_INT, SLICE(correlation) },
	{ "finished", ARG_SPECIAL, SLICE(unfinished) },
	{ "Trace name", ARG_SPECIAL, SLICE(unfinished) },
	{ "Profiler Event Index", ARG_SPECIAL, SLICE(unfinished) },
	{ "Input Dims", ARG_SPECIAL, OP(shapes) },
	{ "Input dims", ARG_SPECIAL, OP(shapes) },
	{ "Input type", ARG_SPECIAL, OP(flops) },
	{ "Concrete Inputs", ARG_SPECIAL, OP(flops) },
	{ "Call stack", ARG_TEXT, OP(stack) },
	{ "Module Hierarchy", ARG_TEXT, OP(module) },
	{ "Sequence number", ARG_INT, OP(sequence) },
	{ "Fwd thread id", ARG_INT, OP(fwd_thread) },
	{ "ptool flops", ARG_INT,
	  OP(flops) }, /* of an export, which has no input types */
	{ "device", ARG_INT, DEVICE(device) },
	{ "Device", ARG_INT, DEVICE(device) },
	{ "context", ARG_INT, DEVICE(context) },
	{ "stream", ARG_INT, DEVICE(stream) },
	{ "bytes", ARG_INT, DEVICE(bytes) },
	{ "size", ARG_INT, CALL(bytes) }, /* ROCm: of the call alone; MTIA: of the copy */
	{ "direction", ARG_TEXT, COPY(kind) },
	{ "stack", ARG_LINES, KERNEL(lines) },
	{ "grid", ARG_TRIPLE, DEVICE(grid) },
	{ "block", ARG_TRIPLE, DEVICE(block) },
	{ "registers per thread", ARG_INT, DEVICE(registers) },
	{ "shared memory", ARG_INT, DEVICE(shared_memory) },
	{ "blocks per SM", ARG_REAL, DEVICE(blocks_per_sm) },
	{ "warps per SM", ARG_REAL, DEVICE(warps_per_sm) },
	{ "est. achieved occupancy %", ARG_REAL, DEVICE(occupancy_pct) },
	{ "theoretical occupancy %", ARG_REAL, DEVICE(occupancy_pct) },
	{ "graph id", ARG_INT, DEVICE(graph_id) },
	{ "graph node id", ARG_INT, DEVICE(graph_node_id) },
	{ "queued", ARG_INT, DEVICE(queued) },
	{ "priority", ARG_INT, DEVICE(priority) },
	{ "cuda_sync_kind", ARG_TEXT, DEVICE(kind) },
	{ "wait_on_stream", ARG_INT, DEVICE(wait_stream) },
	{ "wait_on_cuda_event_id", ARG_INT, DEVICE(wait_event) },
	{ "wait_on_cuda_event_record_corr_id", ARG_INT, DEVICE(wait_correlation) },
	{ "Collective name", ARG_TEXT, COLLECTIVE(name) },
	{ "dtype", ARG_TEXT, COLLECTIVE(dtype) },
	{ "Process Group Name", ARG_TEXT, COLLECTIVE(group) },
	{ "Process Group ID", ARG_TEXT, COLLECTIVE(group) },
	{ "Process Group Description", ARG_TEXT, COLLECTIVE(group_description) },
	{ "Process Group Ranks", ARG_TEXT, COLLECTIVE(ranks) },
	{ "In split size", ARG_TEXT, COLLECTIVE(in_split) },
	{ "Out split size", ARG_TEXT, COLLECTIVE(out_split) },
	{ "Comms Id", ARG_TEXT, COLLECTIVE(comm_id) },
	{ "In msg nelems", ARG_INT, COLLECTIVE(in_elements) },
	{ "In msg size", ARG_INT, COLLECTIVE(in_elements) },
	{ "Out msg nelems", ARG_INT, COLLECTIVE(out_elements) },
	{ "Out msg size", ARG_INT, COLLECTIVE(out_elements) },
	{ "Group size", ARG_INT, COLLECTIVE(group_size) },
	{ "Rank", ARG_INT, COLLECTIVE(rank) },
	{ "Src Rank", ARG_INT, COLLECTIVE(source) },
	{ "Dst Rank", ARG_INT, COLLECTIVE(destination) },
	{ "Seq", ARG_INT, COLLECTIVE(sequence) },
	{ "Is asynchronized op", ARG_FLAG, COLLECTIVE(is_async) },
	{ "Bytes", ARG_INT, MEMORY(bytes) },
	{ "Addr", ARG_INT, MEMORY(address) },
	{ "Total Allocated", ARG_INT, MEMORY(total_allocated) },
	{ "Total Reserved", ARG_INT, MEMORY(total_reserved) },
	{ "Device Type", ARG_INT, MEMORY(device_type) },
	{ "Device Id", ARG_INT, MEMORY(device) },
};

#define NARGS (sizeof(args) / sizeof(*args))

_Static_assert(NARGS <= 64, "args given twice are found by one bit for each");

const char *kineto_arg_at(size_t i)
{
	return i < NARGS ? args[i].key : NULL;
}

/* Where a key's search in arg_slots begins. */
static size_t arg_slot(struct str key)
{
	if (key.n < 3)
		return 0;
	const unsigned char *p = (const unsigned char *)key.p;
	size_t h = key.n * 61 + p[0] * (size_t)7 + p[key.n - 1] * (size_t)31 +
		   p[key.n / 2] * (size_t)17;
	return h & (KINETO_ARG_SLOTS - 1);
}

void kineto_index_args(struct kineto *k)
{
	for (size_t i = 0; i < NARGS; i++) {
		size_t at = arg_slot(str_of(args[i].key));
		while (k->arg_slots[at])
			at = (at + 1) & (KINETO_ARG_SLOTS - 1);
		k->arg_slots[at] = (uint8_t)(i + 1);
	}
}

static const struct arg *find_arg(const struct kineto *k, struct str key)
{
	for (size_t at = arg_slot(key); k->arg_slots[at];
	     at = (at + 1) & (KINETO_ARG_SLOTS - 1)) {
		const struct arg *arg = &args[k->arg_slots[at] - 1];
		if (str_is(key, arg->key))
			return arg;
	}
	return NULL;
}

#define NO_MEANING UINT8_MAX

/* What an arg's key means, looked up once for each of them; NULL: nothing. */
static const struct arg *meaning_of(const struct kineto *k, const struct event_arg *given)
{
	if (given->meaning && *given->meaning)
		return *given->meaning == NO_MEANING ? NULL : &args[*given->meaning - 1];
	const struct arg *found = find_arg(k, given->key);
	if (given->meaning)
		*given->meaning = found ? (uint8_t)(found - args + 1) : NO_MEANING;
	return found;
}

static void read_triple(const struct json_value *value, int64_t *into)
{
	struct shape triple;

	if (value->type == JSON_ARRAY && shape_of_text(value->text, &triple))
		for (size_t i = 0; i < 3 && i < triple.n; i++)
			into[i] = triple.dims[i];
}

static void read_integer(struct chrome *c, const struct json_value *value, int64_t *into)
{
	int64_t integer;

	enum decimal_status status = json_int(value, &integer);
	if (status == DECIMAL_TOO_BIG || (status == DECIMAL_OK && integer == NUMBER_NONE))
		c->kineto.flaws |= KINETO_INTEGER_RANGE;
	else if (status == DECIMAL_OK)
		*into = integer;
}

static void store_arg(struct chrome *c, const struct arg *arg,
		      const struct json_value *value, char *base)
{
	void *into = base + arg->offset;
	double real;

	switch (arg->type) {
	case ARG_INT:
		read_integer(c, value, into);
		break;
	case ARG_REAL:
		if (decimal_real(value->text, &real))
			*(double *)into = real;
		break;
	case ARG_TEXT:
		if (value->text.n && value->type != JSON_NULL)
			*(uint32_t *)into = chrome_text(c, value);
		break;
	case ARG_TRIPLE:
		read_triple(value, into);
		break;
	case ARG_LINES:
		if (value->type == JSON_ARRAY)
			*(uint32_t *)into = kineto_lines(c, value->text);
		break;
	case ARG_FLAG:
		*(int64_t *)into = value->type == JSON_TRUE ||
				   str_is(value->text, "True") ||
				   str_is(value->text, "1");
		break;
	case ARG_SPECIAL:
		break;
	}
}

static void special_arg(struct chrome *c, const struct event_arg *arg,
			struct slice_fact *slice, struct op_texts *texts)
{
	struct str key = arg->key;

	if (str_is(key, "finished")) {
		if (arg->value.type == JSON_FALSE && slice->phase == PHASE_COMPLETE)
			slice->unfinished = true;
	} else if (str_is(key, "Input Dims") || str_is(key, "Input dims")) {
		texts->dims = arg->value.text;
	} else if (str_is(key, "Input type")) {
		texts->types = arg->value.text;
	} else if (str_is(key, "Concrete Inputs")) {
		texts->concrete = arg->value.text;
	} else {
		c->kineto.told.marks.event_index = true;
	}
}

static const struct op_fact no_op = { TEXT_NONE,   TEXT_NONE,   TEXT_NONE,
				      TEXT_NONE,   TEXT_NONE,   NUMBER_NONE,
				      NUMBER_NONE, NUMBER_NONE, false };
static const struct device_fact no_device = {
	.device = NUMBER_NONE,
	.context = NUMBER_NONE,
	.stream = NUMBER_NONE,
	.bytes = NUMBER_NONE,
	.grid = { NUMBER_NONE, NUMBER_NONE, NUMBER_NONE },
	.block = { NUMBER_NONE, NUMBER_NONE, NUMBER_NONE },
	.registers = NUMBER_NONE,
	.shared_memory = NUMBER_NONE,
	.graph_id = NUMBER_NONE,
	.graph_node_id = NUMBER_NONE,
	.queued = NUMBER_NONE,
	.priority = NUMBER_NONE,
	.blocks_per_sm = -1,
	.warps_per_sm = -1,
	.occupancy_pct = -1,
	.kind = TEXT_NONE,
	.lines = TEXT_NONE,
	.wait_stream = NUMBER_NONE,
	.wait_event = NUMBER_NONE,
	.wait_correlation = NUMBER_NONE,
};
const struct collective_fact kineto_no_collective = {
	.name = TEXT_NONE,
	.dtype = TEXT_NONE,
	.group = TEXT_NONE,
	.group_description = TEXT_NONE,
	.ranks = TEXT_NONE,
	.in_split = TEXT_NONE,
	.out_split = TEXT_NONE,
	.comm_id = TEXT_NONE,
	.in_elements = NUMBER_NONE,
	.out_elements = NUMBER_NONE,
	.group_size = NUMBER_NONE,
	.rank = NUMBER_NONE,
	.source = NUMBER_NONE,
	.destination = NUMBER_NONE,
	.sequence = NUMBER_NONE,
	.is_async = NUMBER_NONE,
};
static const struct memory_fact no_memory = { NUMBER_NONE, NUMBER_NONE, NUMBER_NONE,
					      NUMBER_NONE, NUMBER_NONE, NUMBER_NONE,
					      false };

struct device_fact *kineto_device(struct slice_fact *slice, struct kineto_facts *facts)
{
	if (!slice->device) {
		facts->device = no_device;
		slice->device = &facts->device;
	}
	return &facts->device;
}

#define IS(class) (UINT32_C(1) << CLASS_##class)
#define WORK      (IS(KERNEL) | IS(MEMCPY) | IS(MEMSET) | IS(ACCELERATOR))

/* Classes whose slices have args of a target: an operator's input may be called "stream". */
static const uint32_t target_classes[] = {
	[TO_SLICE] = ~IS(OTHER),
	[TO_OP] = IS(OP) | IS(ANNOTATION),
	[TO_DEVICE] = WORK | IS(SYNC) | IS(DEVICE_ANNOTATION),
	[TO_CALL] = IS(RUNTIME) | IS(MEMCPY),
	[TO_COPY] = IS(MEMCPY),
	[TO_KERNEL] = IS(KERNEL),
	[TO_COLLECTIVE] = IS(OP) | IS(ANNOTATION) | IS(KERNEL),
	[TO_MEMORY] = IS(MEMORY),
};

/* The struct that a target means for this slice, NULL when its class has none. */
static char *target_base(enum arg_target target, struct slice_fact *slice,
			 struct kineto_facts *facts)
{
	if (!(target_classes[target] >> slice->class & 1))
		return NULL;
	switch (target) {
	case TO_SLICE:
		return (char *)slice;
	case TO_OP:
		return (char *)&facts->op;
	case TO_DEVICE:
	case TO_CALL:
	case TO_COPY:
	case TO_KERNEL:
		return (char *)kineto_device(slice, facts);
	case TO_COLLECTIVE:
		if (!slice->collective) {
			facts->collective = kineto_no_collective;
			slice->collective = &facts->collective;
		}
		return (char *)&facts->collective;
	case TO_MEMORY:
		return (char *)&facts->memory;
	}
	return NULL;
}

static void finish_memory(struct chrome *c, struct slice_fact *slice,
			  struct memory_fact *memory)
{
	memory->out_of_memory =
		str_is(event_text(&c->event, FIELD_NAME), "[OutOfMemory]");
	c->kineto.told.memory_seen = true;
	slice->memory = memory;
}

/* What "gloo:all_reduce" moved, where only the shapes of its inputs tell. */
static void add_range_facts(struct chrome *c, struct slice_fact *slice,
			    const struct op_texts *texts, struct collective_fact *facts)
{
	struct str name, type;

	if (slice->collective || !texts->types.n ||
	    !comm_range_backend(event_text(&c->event, FIELD_NAME), &name))
		return;
	int64_t elements = comm_elements(texts->dims, texts->types, &type);
	if (elements == NUMBER_NONE)
		return;
	*facts = kineto_no_collective;
	facts->name = chrome_made_text(c, name);
	facts->dtype = c->sink->text(c->sink, type);
	facts->in_elements = elements;
	slice->collective = facts;
}

void kineto_args(struct chrome *c, struct slice_fact *slice, struct kineto_facts *facts)
{
	const struct event *e = &c->event;
	struct op_texts texts = { { "", 0 }, { "", 0 }, { "", 0 } };
	uint64_t seen = 0, twice = 0; /* bits of what args[] holds */

	facts->op = no_op;
	facts->memory = no_memory;
	for (size_t i = 0; i < e->nargs; i++) {
		const struct event_arg *given = &e->args[i];
		const struct arg *arg = meaning_of(&c->kineto, given);
		if (!arg)
			continue;
		uint64_t bit = UINT64_C(1) << (arg - args);
		twice |= seen & bit;
		seen |= bit;
		char *base = target_base(arg->target, slice, facts);
		if (!base)
			continue;
		if (arg->type == ARG_SPECIAL)
			special_arg(c, given, slice, &texts);
		else
			store_arg(c, arg, &given->value, base);
	}
	if (twice)
		c->kineto.flaws |= KINETO_DUPLICATE_ARG;
	/* A keyword input may be called dtype or Rank: the name makes a collective. */
	if (slice->collective && facts->collective.name == TEXT_NONE)
		slice->collective = NULL;
	if (slice->class == CLASS_OP || slice->class == CLASS_ANNOTATION) {
		kineto_finish_op(c, slice, &facts->op, &texts);
		add_range_facts(c, slice, &texts, &facts->collective);
	} else if (slice->class == CLASS_MEMORY) {
		finish_memory(c, slice, &facts->memory);
	}
}
