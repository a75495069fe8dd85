/*
 * The causes of idle time, and the names that tell them: those of torch's and
 * Lightning's own annotations, of torch's and Triton's files in Python stacks, and
 * of the calls of CUDA's and HIP's runtimes and drivers.
 */
#include "query/gaps/gap_cause.h"

#include <string.h>

/* clang-format off */
const struct gap_cause_row gap_causes[NGAP_CAUSES] = {
	[GAP_NONE] = { "none", "none", "" },
	[GAP_SYNC] = { "sync", "synchronising call", "take the call out, or make it once in many steps" },
	[GAP_READ] = { "device_read", ".item() or other read", "keep the value on the device, and read it once in many steps" },
	[GAP_COPY] = { "blocking_copy", "blocking copy", "copy from pinned memory with non_blocking=True" },
	[GAP_MALLOC] = { "allocation", "cudaMalloc, cudaFree", "keep memory in the caching allocator: no empty_cache() in the loop, fixed shapes, or expandable_segments:True" },
	[GAP_LOADER] = { "dataloader", "DataLoader", "give the DataLoader more workers, prefetching and pin_memory=True" },
	[GAP_COMMUNICATION] = { "communication_wait", "communication wait", "overlap the collective with computation, and even out the ranks" },
	[GAP_COMPILE] = { "compilation", "compilation", "warm up before measuring, and keep shapes and guards from changing" },
	[GAP_COLLECTION] = { "garbage_collection", "garbage collection", "call gc.freeze() after set-up, or collect at chosen steps" },
	[GAP_OPTIMIZER] = { "optimizer", "optimizer", "use a fused or foreach optimizer" },
	[GAP_OVERHEAD] = { "profiler", "profiler's overhead", "record less at a time" },
	[GAP_OPERATOR] = { "operator", "other operator", "launch less often: torch.compile, CUDA graphs, or larger batches" },
	[GAP_ANNOTATION] = { "annotation", "annotated code", "look at what that range does on the host" },
	[GAP_PYTHON] = { "python", "Python", "move that code out of the loop, or off the launching thread" },
	[GAP_CALL] = { "runtime_call", "other runtime call", "make the call less often" },
	[GAP_UNTRACED] = { "untraced_host", "untraced host", "record again with with_stack=True to see which Python code it is" },
	[GAP_EVENT] = { "event_wait", "wait for an event", "let the two streams depend on each other less often" },
	[GAP_ENGINE] = { "copy_engine", "copy engine", "make fewer and larger copies" },
	[GAP_ORDER] = { "stream_order", "order of the stream", "fuse small kernels, or replay them as a CUDA graph" },
	[GAP_LATENCY] = { "launch_latency", "launch latency", "launch less often: torch.compile, CUDA graphs, or larger batches" },
	[GAP_UNKNOWN] = { "launch_unknown", "launch unknown", "record from before the work is launched, with the activity CPU too" },
	[GAP_LATE_RANK] = { "late_rank", "late rank", "even out the ranks: look at why that one is late" },
};
/* clang-format on */

enum place { WHOLE, HEAD, PART };

/* Which slices a rule is for: those of the bits. */
enum {
	CALLS = 1U << CLASS_RUNTIME | 1U << CLASS_DRIVER,
	OPS = 1U << CLASS_OP,
	RANGES = 1U << CLASS_ANNOTATION,
	FRAMES = 1U << CLASS_PYTHON,
	CODE = 1U << CLASS_OP | 1U << CLASS_ANNOTATION | 1U << CLASS_OTHER
};

/* The first that fits counts. */
static const struct rule {
	unsigned classes;
	enum place place;
	const char *text;
	enum gap_cause cause;
} rules[] = {
	{ CALLS, PART, "Synchronize", GAP_SYNC },
	{ CALLS, PART, "Malloc", GAP_MALLOC },
	{ CALLS, PART, "Free", GAP_MALLOC },
	{ CALLS, PART, "HostAlloc", GAP_MALLOC },
	{ CALLS, PART, "HostRegister", GAP_MALLOC },
	{ CALLS, PART, "HostUnregister", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemAlloc", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemCreate", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemMap", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemUnmap", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemRelease", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemSetAccess", GAP_MALLOC },
	{ CALLS, HEAD, "cuMemAddress", GAP_MALLOC },
	{ CALLS, HEAD, "hipMemCreate", GAP_MALLOC },
	{ CALLS, HEAD, "hipMemMap", GAP_MALLOC },
	{ CALLS, PART, "ModuleLoad", GAP_COMPILE },
	{ CALLS, PART, "LibraryLoad", GAP_COMPILE },
	{ OPS, WHOLE, "aten::item", GAP_READ },
	{ OPS, WHOLE, "aten::_local_scalar_dense", GAP_READ },
	{ OPS, WHOLE, "aten::is_nonzero", GAP_READ },
	{ OPS, WHOLE, "aten::equal", GAP_READ },
	{ OPS, WHOLE, "aten::nonzero", GAP_READ },
	{ CODE, PART, "DataLoader", GAP_LOADER },
	{ CODE, PART, "enumerate(DataPipe)", GAP_LOADER },
	{ CODE, PART, "dataloader_next", GAP_LOADER }, /* Lightning */
	{ FRAMES, PART, "torch/utils/data/", GAP_LOADER },
	{ CODE, HEAD, "c10d::", GAP_COMMUNICATION },
	{ CODE, HEAD, "nccl:", GAP_COMMUNICATION },
	{ CODE, HEAD, "rccl:", GAP_COMMUNICATION },
	{ CODE, HEAD, "gloo:", GAP_COMMUNICATION },
	{ CODE, HEAD, "mpi:", GAP_COMMUNICATION },
	{ CODE, WHOLE, "record_param_comms", GAP_COMMUNICATION },
	{ CODE, HEAD, "_c10d_functional::wait", GAP_COMMUNICATION },
	{ CODE, HEAD, "c10d_functional::wait", GAP_COMMUNICATION },
	{ FRAMES, PART, "torch/distributed/distributed_c10d.py", GAP_COMMUNICATION },
	{ CODE, PART, "(dynamo_timed)", GAP_COMPILE },
	{ CODE, PART, "compile_fx", GAP_COMPILE },
	{ CODE, PART, "call_user_compiler", GAP_COMPILE },
	{ CODE, HEAD, "triton_compile", GAP_COMPILE },
	{ FRAMES, PART, "torch/_dynamo/convert_frame.py", GAP_COMPILE },
	{ FRAMES, PART, "torch/_inductor/compile", GAP_COMPILE },
	{ FRAMES, PART, "torch/_inductor/async_compile.py", GAP_COMPILE },
	{ FRAMES, PART, "torch/_inductor/codecache.py", GAP_COMPILE },
	{ FRAMES, PART, "triton/compiler/", GAP_COMPILE },
	{ CODE | FRAMES, HEAD, "Python GC", GAP_COLLECTION },
	{ CODE | FRAMES, HEAD, "gc.collect", GAP_COLLECTION },
	{ CODE | FRAMES, PART, "arbage collect", GAP_COLLECTION },
	{ FRAMES, PART, "built-in function collect", GAP_COLLECTION },
	{ FRAMES, PART, "built-in method collect of module gc", GAP_COLLECTION },
	{ CODE, HEAD, "Optimizer.", GAP_OPTIMIZER },
	{ RANGES, HEAD, "optimizer", GAP_OPTIMIZER },
	{ FRAMES, PART, "torch/optim/", GAP_OPTIMIZER },
};

static bool has_part(struct str name, struct str part)
{
	return part.n <= name.n && memmem(name.p, name.n, part.p, part.n) != NULL;
}

static bool fits(const struct rule *rule, struct str name)
{
	struct str text = str_of(rule->text);

	switch (rule->place) {
	case WHOLE:
		return str_equal(name, text);
	case HEAD:
		return str_starts_with(name, text);
	case PART:
		break;
	}
	return has_part(name, text);
}

enum gap_cause gap_cause_of(enum slice_class class, struct str name)
{
	if (class == CLASS_OVERHEAD)
		return GAP_OVERHEAD;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].classes >> class & 1 && fits(&rules[i], name))
			return rules[i].cause;
	return GAP_NONE;
}

bool gap_name_is_step(struct str name)
{
	return str_starts_with(name, STR_LIT("ProfilerStep#"));
}

bool gap_name_is_copy_op(struct str name)
{
	return str_equal(name, STR_LIT("aten::to")) ||
	       str_equal(name, STR_LIT("aten::_to_copy")) ||
	       str_equal(name, STR_LIT("aten::copy_"));
}

struct gap_copy gap_copy_of(struct str name)
{
	return (struct gap_copy){
		.is_read = has_part(name, STR_LIT("DtoH")) ||
			   has_part(name, STR_LIT("DeviceToHost")),
		.is_pageable = has_part(name, STR_LIT("Pageable")),
	};
}
