/* The names of rows in TensorFlow's and JAX's traces: see xprof.h. */
#include "ingest/xprof.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "base/sum.h"
#include "ingest/chrome.h"

#define NAMED_MAX   ((size_t)1 << 15) /* more rows of devices are no recording */
#define NAMED_LEAST 64                /* a power of two */

enum named_kind {
	NAMED_NONE, /* a free slot */
	NAMED_OTHER,
	NAMED_HOST,
	NAMED_GPU,         /* its rows of streams are its work */
	NAMED_ACCELERATOR, /* its row of operations is */
	NAMED_STREAM,
	NAMED_OPERATIONS
};

struct xprof_named {
	int64_t pid, tid;
	int64_t number; /* of a device or a stream, or NUMBER_NONE */
	bool is_process;
	uint8_t kind; /* enum named_kind */
};

void xprof_release(struct xprof *x)
{
	free(x->all);
	*x = (struct xprof){ 0 };
}

static uint64_t key_hash(const struct xprof_named *key)
{
	uint64_t tid = (uint64_t)key->tid * 2 + key->is_process;

	return hash_u64((uint64_t)key->pid * UINT64_C(0x9e3779b97f4a7c15) ^ tid);
}

/* Where the entry is, or the free slot where it would be. */
static struct xprof_named *find_slot(const struct xprof *x, const struct xprof_named *key)
{
	size_t at = key_hash(key) & (x->nslots - 1);

	for (;; at = (at + 1) & (x->nslots - 1)) {
		struct xprof_named *slot = &x->all[at];
		if (slot->kind == NAMED_NONE ||
		    (slot->pid == key->pid && slot->tid == key->tid &&
		     slot->is_process == key->is_process))
			return slot;
	}
}

static void grow(struct xprof *x)
{
	struct xprof old = *x;

	x->nslots = old.nslots ? 2 * old.nslots : NAMED_LEAST;
	x->all = xcalloc(x->nslots, sizeof(*x->all));
	for (size_t i = 0; i < old.nslots; i++)
		if (old.all[i].kind != NAMED_NONE)
			*find_slot(x, &old.all[i]) = old.all[i];
	free(old.all);
}

/*
 * The last name counts: one that says nothing takes an earlier one's place.  False: a name
 * of xprof's that there is no room for.
 */
static bool add_name(struct xprof *x, const struct xprof_named *named)
{
	bool known = x->n && find_slot(x, named)->kind != NAMED_NONE;

	if (!known && (named->kind == NAMED_OTHER || x->n == NAMED_MAX))
		return named->kind == NAMED_OTHER || !x->seen;
	if (2 * (x->n + 1) > x->nslots)
		grow(x);
	*find_slot(x, named) = *named;
	x->n += !known;
	return true;
}

/* NULL: it has no name that says something. */
static const struct xprof_named *find_name(const struct xprof *x, int64_t pid,
					   int64_t tid, bool is_process)
{
	const struct xprof_named key = { .pid = pid,
					 .tid = tid,
					 .is_process = is_process };
	const struct xprof_named *slot = x->n ? find_slot(x, &key) : NULL;

	return slot && slot->kind != NAMED_NONE ? slot : NULL;
}

/* The digits at the text's begin; NUMBER_NONE when they are none.  *n: how many. */
static int64_t xprof_number(struct str text, size_t *n)
{
	int64_t number;

	*n = 0;
	while (*n < text.n && text.p[*n] >= '0' && text.p[*n] <= '9')
		++*n;
	if (decimal_text_int((struct str){ text.p, *n }, &number) != DECIMAL_OK)
		return NUMBER_NONE;
	return number;
}

struct process_prefix {
	struct str text;
	enum named_kind kind;
};

static const struct process_prefix prefixes[] = {
	{ { "/host:", 6 }, NAMED_HOST },
	{ { "/device:GPU:", 12 }, NAMED_GPU },
	{ { "/device:CPU:", 12 }, NAMED_OTHER },
	{ { "/device:", 8 }, NAMED_ACCELERATOR },
};

/*
 * "/host:CPU", "/device:TPU:0", "/device:GPU:0 (Metal)", after a host's name in
 * files of several hosts.  TensorFlow 1 wrote "/device:GPU:0/stream:all Compute",
 * whose rows show the same work twice: that is left as it stands.
 */
static enum named_kind process_kind(struct str name, int64_t *number)
{
	const char *at = name.n ? memchr(name.p, ' ', name.n) : NULL;
	size_t n;

	if (at && name.p[0] != '/')
		name = str_behind(name, (size_t)(at - name.p) + 1);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (!str_starts_with(name, prefixes[i].text))
			continue;
		struct str rest = str_behind(name, prefixes[i].text.n);
		const char *colon = rest.n ? memchr(rest.p, ':', rest.n) : NULL;
		if (prefixes[i].kind == NAMED_ACCELERATOR && colon)
			rest = str_behind(rest, (size_t)(colon - rest.p) + 1);
		*number = xprof_number(rest, &n);
		rest = str_behind(rest, n);
		return rest.n && rest.p[0] == '/' ? NAMED_OTHER : prefixes[i].kind;
	}
	return NAMED_OTHER;
}

bool xprof_process_name(struct xprof *x, struct ident pid, struct str name)
{
	struct xprof_named named = { .pid = pid.number,
				     .number = NUMBER_NONE,
				     .is_process = true };

	if (pid.text != TEXT_NONE)
		return true;
	named.kind = (uint8_t)process_kind(name, &named.number);
	x->seen |= named.kind != NAMED_OTHER;
	return add_name(x, &named);
}

bool xprof_thread_name(struct xprof *x, struct ident pid, struct ident tid,
		       struct str name)
{
	const struct str stream = STR_LIT("Stream #");
	struct xprof_named named = { .pid = pid.number,
				     .tid = tid.number,
				     .number = NUMBER_NONE,
				     .kind = NAMED_OTHER };
	size_t n;

	if (pid.text != TEXT_NONE || tid.text != TEXT_NONE)
		return true;
	if (str_starts_with(name, stream)) {
		named.kind = NAMED_STREAM;
		named.number = xprof_number(str_behind(name, stream.n), &n);
	} else if (str_is(name, "XLA Ops") || str_is(name, "Sparse Core Ops")) {
		named.kind = NAMED_OPERATIONS;
	}
	return add_name(x, &named);
}

/* What the names that were given so far say of the row. */
static struct xprof_row xprof_row(const struct xprof *x, struct ident pid,
				  struct ident tid)
{
	struct xprof_row row = { XPROF_UNKNOWN, NUMBER_NONE, NUMBER_NONE };

	if (pid.text != TEXT_NONE || tid.text != TEXT_NONE)
		return row;
	const struct xprof_named *process = find_name(x, pid.number, 0, true);
	if (!process || process->kind == NAMED_OTHER)
		return row;
	row.kind = XPROF_DERIVED;
	if (process->kind == NAMED_HOST)
		row.kind = XPROF_HOST;
	else
		row.device = process->number;
	const struct xprof_named *thread = find_name(x, pid.number, tid.number, false);
	if (!thread || row.kind == XPROF_HOST)
		return row;
	if (thread->kind == NAMED_STREAM) {
		row.kind = XPROF_STREAM;
		row.stream = thread->number;
	} else if (thread->kind == NAMED_OPERATIONS &&
		   process->kind == NAMED_ACCELERATOR) {
		row.kind = XPROF_OPERATIONS;
	}
	return row;
}

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
