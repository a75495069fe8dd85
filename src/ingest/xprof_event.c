/* What the events of TensorFlow's and JAX's traces are, by row, name and args: see xprof.h. */
#include "ingest/xprof.h"

#include "base/decimal.h"
#include "base/sum.h"
#include "ingest/chrome.h"

/* The args that are read, in the order of arg_names. */
enum xprof_arg {
	ARG_CORRELATION,
	ARG_STEP,
	ARG_GROUP,
	ARG_CONTEXT,
	ARG_GRAPH,
	ARG_GRAPH_NODE,
	ARG_OCCUPANCY,
	ARG_KERNEL,
	ARG_MEMCPY,
	ARG_MEMSET,
	ARG_ALLOCATION,
	ARG_FREE,
	ARG_RESIDENCY,
	ARG_OP_CATEGORY,
	NARGS
};

static const char *const arg_names[NARGS] = {
	[ARG_CORRELATION] = "correlation_id",
	[ARG_STEP] = "step_num",
	[ARG_GROUP] = "group_id",
	[ARG_CONTEXT] = "context_id",
	[ARG_GRAPH] = "cuda_graph_id",
	[ARG_GRAPH_NODE] = "cuda_graph_node_id",
	[ARG_OCCUPANCY] = "theoretical_occupancy_pct",
	[ARG_KERNEL] = "kernel_details",
	[ARG_MEMCPY] = "memcpy_details",
	[ARG_MEMSET] = "memset_details",
	[ARG_ALLOCATION] = "memalloc_details",
	[ARG_FREE] = "memfree_details",
	[ARG_RESIDENCY] = "memory_residency_details",
	[ARG_OP_CATEGORY] = "hlo_category",
};

const char *xprof_arg_at(size_t i)
{
	return i < NARGS ? arg_names[i] : NULL;
}

/* Of each arg its value, empty when the event has none. */
struct xprof_args {
	struct str text[NARGS];
};

static void read_args(const struct event *e, struct xprof_args *args)
{
	*args = (struct xprof_args){ { { "", 0 } } };
	for (size_t i = 0; i < e->nargs; i++)
		for (size_t k = 0; k < NARGS; k++)
			if (str_is(e->args[i].key, arg_names[k])) {
				args->text[k] = e->args[i].value.text;
				break;
			}
}

/* An arg that is not there has no bytes behind it, as decimal_int wants them. */
static bool read_number(struct str text, int64_t *number)
{
	return text.n && decimal_int(text, number) == DECIMAL_OK &&
	       *number != NUMBER_NONE;
}

/* cuLaunchKernel is the driver's, cudaLaunchKernel and hipLaunchKernel the runtime's. */
static bool is_driver_call(struct str name)
{
	return name.n > 2 && name.p[0] == 'c' && name.p[1] == 'u' && name.p[2] >= 'A' &&
	       name.p[2] <= 'Z';
}

/* The group joins a step to what ran for it on a device. */
static void read_group(const struct xprof_args *args, struct slice_fact *slice)
{
	int64_t group;

	slice->has_group = read_number(args->text[ARG_GROUP], &group) && group >= 0 &&
			   group <= UINT32_MAX;
	if (slice->has_group)
		slice->group = (uint32_t)group;
}

/* A call, a frame of Python ("$file.py:12 f"), a step, or a range of the program. */
static enum slice_class host_class(struct str name, const struct xprof_args *args,
				   struct slice_fact *slice)
{
	if (read_number(args->text[ARG_STEP], &slice->step_number)) {
		slice->is_step = true;
		read_group(args, slice);
		return CLASS_ANNOTATION;
	}
	if (read_number(args->text[ARG_CORRELATION], &slice->correlation))
		return is_driver_call(name) ? CLASS_DRIVER : CLASS_RUNTIME;
	return name.n && name.p[0] == '$' ? CLASS_PYTHON : CLASS_OTHER;
}

static bool starts_with_any(struct str name, const char *const *prefixes_of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts_with(name, str_of(prefixes_of[i])))
			return true;
	return false;
}

/* What stands on a stream: its args tell, else the tracer's own names (CUPTI, roctracer). */
static enum slice_class stream_class(struct str name, const struct xprof_args *args)
{
	static const char *const copies[] = { "Memcpy", "CopyHostTo", "CopyDeviceTo" };
	static const char *const sets[] = { "Memset", "FillBuffer" };
	static const char *const notes[] = { "MemoryAlloc",  "MemoryFree",
					     "MemoryResid",  "UnifiedMemory",
					     "HostRegister", "HostUnregister" };

	if (args->text[ARG_KERNEL].n)
		return CLASS_KERNEL;
	if (args->text[ARG_MEMCPY].n || starts_with_any(name, copies, 3))
		return CLASS_MEMCPY;
	if (args->text[ARG_MEMSET].n || starts_with_any(name, sets, 2))
		return CLASS_MEMSET;
	if (args->text[ARG_ALLOCATION].n || args->text[ARG_FREE].n ||
	    args->text[ARG_RESIDENCY].n || starts_with_any(name, notes, 6))
		return CLASS_DEVICE_ANNOTATION;
	return CLASS_KERNEL;
}

/* "while.12" and its like lie around the operations of their bodies, on the same row. */
static bool is_container(struct str name, const struct xprof_args *args)
{
	static const char *const containers[] = { "while", "conditional", "call" };
	struct str what = args->text[ARG_OP_CATEGORY];

	if (!what.n) {
		const char *dot = name.n ? memchr(name.p, '.', name.n) : NULL;
		what = (struct str){ name.p, dot ? (size_t)(dot - name.p) : name.n };
	}
	for (size_t i = 0; i < sizeof(containers) / sizeof(*containers); i++)
		if (str_is(what, containers[i]))
			return true;
	return false;
}

/* "key:1 other:2,3,4": up to three numbers of the key; false when it is not there. */
static bool detail_numbers(struct str details, const char *key, int64_t *into, size_t n)
{
	size_t key_n = strlen(key);

	for (size_t at = 0; at < details.n; at++) {
		if (at && details.p[at - 1] != ' ')
			continue;
		struct str rest = str_behind(details, at);
		if (rest.n <= key_n || rest.p[key_n] != ':' ||
		    memcmp(rest.p, key, key_n) != 0)
			continue;
		rest = str_behind(rest, key_n);
		for (size_t i = 0, digits; i < n && rest.n; i++) {
			rest = str_behind(rest, 1); /* the ':' or ',' */
			into[i] = xprof_number(rest, &digits);
			rest = str_behind(rest, digits);
			if (rest.n && rest.p[0] != ',')
				break;
		}
		return true;
	}
	return false;
}

static int64_t detail_number(struct str details, const char *key)
{
	int64_t number = NUMBER_NONE;

	detail_numbers(details, key, &number, 1);
	return number;
}

static void kernel_details(struct str details, struct device_fact *device)
{
	int64_t fixed = detail_number(details, "static_shared");
	int64_t dynamic = detail_number(details, "dynamic_shared");

	device->registers = detail_number(details, "regs");
	detail_numbers(details, "grid", device->grid, 3);
	detail_numbers(details, "block", device->block, 3);
	if (fixed == NUMBER_NONE)
		device->shared_memory = detail_number(details, "group_mem"); /* ROCm */
	else
		device->shared_memory =
			dynamic == NUMBER_NONE ? fixed : sum_add(fixed, dynamic);
}

static void device_args(const struct xprof_args *args, struct slice_fact *slice,
			struct device_fact *device)
{
	struct str context = args->text[ARG_CONTEXT];

	if (!read_number(args->text[ARG_CORRELATION], &slice->correlation))
		read_group(args, slice);
	if (str_starts_with(context,
			    STR_LIT("$$"))) /* "$$1": so that viewers keep it a text */
		context = str_behind(context, 2);
	read_number(context, &device->context);
	read_number(args->text[ARG_GRAPH], &device->graph_id);
	read_number(args->text[ARG_GRAPH_NODE], &device->graph_node_id);
	if (args->text[ARG_OCCUPANCY].n)
		decimal_real(args->text[ARG_OCCUPANCY], &device->occupancy_pct);
	if (slice->class == CLASS_KERNEL)
		kernel_details(args->text[ARG_KERNEL], device);
	else if (slice->class == CLASS_MEMCPY)
		device->bytes = detail_number(args->text[ARG_MEMCPY], "size");
	else if (slice->class == CLASS_MEMSET)
		device->bytes = detail_number(args->text[ARG_MEMSET], "num_bytes");
}

void xprof_slice(struct chrome *c, struct slice_fact *slice, struct kineto_facts *facts)
{
	const struct event *e = &c->event;
	struct str name = event_text(e, FIELD_NAME);
	struct xprof_row row = xprof_row(&c->xprof, chrome_ident(c, FIELD_PID),
					 chrome_ident(c, FIELD_TID));
	struct xprof_args args;

	if (row.kind == XPROF_UNKNOWN)
		return;
	read_args(e, &args);
	if (row.kind == XPROF_HOST) {
		slice->class = host_class(name, &args, slice);
		return;
	}
	slice->class = CLASS_DEVICE_ANNOTATION;
	if (row.kind == XPROF_STREAM)
		slice->class = stream_class(name, &args);
	else if (row.kind == XPROF_OPERATIONS && !is_container(name, &args))
		slice->class = CLASS_ACCELERATOR;
	struct device_fact *device = kineto_device(slice, facts);
	device->device = row.device;
	device->stream = row.stream;
	if (class_is_device_work(slice->class))
		device_args(&args, slice, device);
}
