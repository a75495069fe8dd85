/*
 * The causes of idle time, and the names that tell them: those of torch's and
 * Lightning's own annotations, of torch's and Triton's files in Python stacks, and
 * of the calls of CUDA's and HIP's runtimes and drivers.
 */
#include "query/gaps/gap_cause.h"

#include <string.h>

#include "query/comm/transfers.h"
#include "trace/optree.h"
#include "trace/step_name.h"

#define LAUNCH_LESS "launch less often: torch.compile, CUDA graphs, or larger batches"
#define MORE_JIT    "put more of the step under one jax.jit or tf.function(jit_compile=True)"
#define LOOK_THERE  "ptool gaps --list shows where"
#define ALL_NODES   "see every node with Nsight Systems or rocprofv3: "

/* clang-format off */
const struct gap_cause_row gap_causes[NGAP_CAUSES] = {
	[GAP_NONE] = { "none", "none", "", NULL, NULL },
	[GAP_SYNC] = { "sync", "synchronising call", "remove the call, or make it once in many steps", NULL, NULL },
	[GAP_READ] = { "device_read", ".item() or other read", "keep the value on the device, and read it once in many steps", NULL, NULL },
	[GAP_COPY] = { "blocking_copy", "blocking copy", "copy from pinned memory with non_blocking=True", NULL, "copy the next batch ahead of time, while the device computes" },
	[GAP_MALLOC] = { "allocation", "cudaMalloc, cudaFree", "keep memory in the caching allocator: no empty_cache() in the loop, fixed shapes, or expandable_segments:True", NULL, "reserve device memory at the start: XLA_PYTHON_CLIENT_PREALLOCATE=true in JAX, no memory growth in TensorFlow" },
	[GAP_LOADER] = { "dataloader", "DataLoader", "give the DataLoader more workers, prefetching and pin_memory=True", NULL, "prepare batches ahead of time, on threads or processes of their own" },
	[GAP_COMMUNICATION] = { "communication_wait", "communication wait", "overlap the collective with computation, and even out the ranks", NULL, NULL },
	[GAP_COMPILE] = { "compilation", "compilation", "warm up before measuring, and keep shapes and guards from changing", NULL, "warm up before measuring, and keep shapes from changing" },
	[GAP_COLLECTION] = { "garbage_collection", "garbage collection", "call gc.freeze() after set-up, or collect at chosen steps", NULL, NULL },
	[GAP_OPTIMIZER] = { "optimizer", "optimizer", "use a fused optimizer (fused=True), or torch.compile its step", "look at what the optimizer does on the CPU: the first step creates its state; " LOOK_THERE, "put the optimizer's update under jax.jit or tf.function" },
	[GAP_OVERHEAD] = { "profiler", "profiler's overhead", "record less at a time", NULL, NULL },
	[GAP_SLOW] = { "slow_start", "slow start (first use)", "run a few steps before you measure: the first use of a kernel or library loads code", NULL, NULL },
	[GAP_OPERATOR] = { "operator", "CPU-bound: operator", LAUNCH_LESS, "move this work off the launching thread, or do it ahead of time; " LOOK_THERE, "launch less often: " MORE_JIT ", or use larger batches" },
	[GAP_ANNOTATION] = { "annotation", "CPU-bound: annotation", "look at what this range does on the CPU", NULL, NULL },
	[GAP_PYTHON] = { "python", "CPU-bound: Python", "avoid Python between launches: torch.compile or CUDA graphs (with_stack=True inflates it)", "move this code out of the loop, or off the launching thread; " LOOK_THERE, "take Python out from between launches: " MORE_JIT },
	[GAP_CALL] = { "runtime_call", "other runtime call", "make the call less often", "look at what this call does; " LOOK_THERE, NULL },
	[GAP_UNTRACED] = { "untraced_host", "CPU, not recorded", "record again with with_stack=True to see which Python code it is", NULL, "record again with a higher host_tracer_level, and with python_tracer_level=1, to see what it is" },
	[GAP_EVENT] = { "event_wait", "wait for an event", "let the two streams depend on each other less often", "look at what that stream did until then: ptool timeline draws it", NULL },
	[GAP_ENGINE] = { "copy_engine", "copy engine", "make fewer and larger copies", NULL, NULL },
	[GAP_ORDER] = { "stream_order", "back-to-back kernels", "fuse small kernels, or replay them as a CUDA graph", NULL, "let XLA fuse more: " MORE_JIT },
	[GAP_GRAPH_LAUNCH] = { "graph_launch", "launch of a graph", "launch the graph before the device runs out of work, or put more work into each graph", "replay each graph once before you measure: its first launch uploads it", NULL },
	[GAP_GRAPH_START] = { "graph_start", "before a graph replay", "put the work before the graph into it", NULL, NULL },
	[GAP_GRAPH_BETWEEN] = { "graph_between", "between graph replays", "put the work of several replays into one graph", NULL, NULL },
	[GAP_GRAPH_NODES] = { "graph_nodes", "inside a graph replay", "fuse the graph's small kernels", ALL_NODES "a host, event or conditional node held the graph up, or kernels of it were not recorded", NULL },
	[GAP_GRAPH_END] = { "graph_end", "after a graph replay", "put the work after the graph into it", NULL, NULL },
	[GAP_LATENCY] = { "launch_latency", "launch latency", LAUNCH_LESS, NULL, "launch less often: " MORE_JIT ", or use larger batches" },
	[GAP_EARLIER] = { "earlier_work", "unexplained device wait", "what the device waited for was not recorded: start the profiler some steps earlier, or look for other programs on the device", NULL, NULL },
	[GAP_UNKNOWN] = { "launch_unknown", "launch not recorded", "start the profiler one step earlier (schedule(warmup=1)) with ProfilerActivity.CPU; a newer PyTorch records more kinds of launches", NULL, "start the profiler one step earlier, and record the host (host_tracer_level=2)" },
	[GAP_LATE_RANK] = { "late_rank", "late rank", "even out the ranks: look at why that one is late", NULL, NULL },
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

/* What these files run at every call, long after they have compiled: ends of names. */
static const char *const at_run_time[] = {
	"): run",         "): wrapper",          "): runner",
	"): __call__",    "): launch",           "): launch_metadata",
	"): __getitem__", "): __getattribute__", NULL
};

/* The first that fits counts. */
static const struct rule {
	unsigned classes;
	enum place place;
	const char *text;
	enum gap_cause cause;
	const char *const *but_ends; /* of names that it is not for; NULL: none */
} rules[] = {
	{ CALLS, PART, "ynchronize", GAP_SYNC, NULL },
	{ CALLS, PART, "Malloc", GAP_MALLOC, NULL },
	{ CALLS, PART, "Free", GAP_MALLOC, NULL },
	{ CALLS, PART, "HostAlloc", GAP_MALLOC, NULL },
	{ CALLS, PART, "HostRegister", GAP_MALLOC, NULL },
	{ CALLS, PART, "HostUnregister", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemAlloc", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemCreate", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemMap", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemUnmap", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemRelease", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemSetAccess", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "cuMemAddress", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "hipMemCreate", GAP_MALLOC, NULL },
	{ CALLS, HEAD, "hipMemMap", GAP_MALLOC, NULL },
	{ OPS, WHOLE, "aten::item", GAP_READ, NULL },
	{ OPS, WHOLE, "aten::_local_scalar_dense", GAP_READ, NULL },
	{ OPS, WHOLE, "aten::is_nonzero", GAP_READ, NULL },
	{ OPS, WHOLE, "aten::equal", GAP_READ, NULL },
	{ OPS, WHOLE, "aten::nonzero", GAP_READ, NULL },
	{ CODE, PART, "DataLoader", GAP_LOADER, NULL },
	{ CODE, PART, "enumerate(DataPipe)", GAP_LOADER, NULL },
	{ CODE, PART, "dataloader_next", GAP_LOADER, NULL }, /* Lightning */
	{ FRAMES, PART, "torch/utils/data/", GAP_LOADER, NULL },
	{ CODE, WHOLE, "c10d::barrier", GAP_COMMUNICATION, NULL },
	{ CODE, WHOLE, "c10d::monitored_barrier_", GAP_COMMUNICATION, NULL },
	{ CODE, HEAD, "gloo:", GAP_COMMUNICATION, NULL },
	{ CODE, HEAD, "mpi:", GAP_COMMUNICATION, NULL },
	{ FRAMES, PART, "): barrier", GAP_COMMUNICATION, NULL },
	{ FRAMES, PART, "): monitored_barrier", GAP_COMMUNICATION, NULL },
	{ FRAMES, PART, "method wait of torch._C._distributed_c10d", GAP_COMMUNICATION,
	  NULL },
	{ CODE, PART, "(dynamo_timed)", GAP_COMPILE, NULL },
	{ CODE, PART, "compile_fx", GAP_COMPILE, NULL },
	{ CODE, PART, "call_user_compiler", GAP_COMPILE, NULL },
	{ CODE, HEAD, "triton_compile", GAP_COMPILE, NULL },
	{ FRAMES, PART, "torch/_dynamo/convert_frame.py", GAP_COMPILE, NULL },
	{ FRAMES, PART, "torch/_inductor/compile", GAP_COMPILE, at_run_time },
	{ FRAMES, PART, "torch/_inductor/async_compile.py", GAP_COMPILE, at_run_time },
	{ FRAMES, PART, "torch/_inductor/codecache.py", GAP_COMPILE, at_run_time },
	{ FRAMES, PART, "triton/compiler/", GAP_COMPILE, at_run_time },
	{ CODE | FRAMES, HEAD, "Python GC", GAP_COLLECTION, NULL },
	{ CODE | FRAMES, HEAD, "gc.collect", GAP_COLLECTION, NULL },
	{ CODE | FRAMES, PART, "arbage collect", GAP_COLLECTION, NULL },
	{ FRAMES, PART, "built-in function collect", GAP_COLLECTION, NULL },
	{ FRAMES, PART, "built-in method collect of module gc", GAP_COLLECTION, NULL },
	{ CODE, HEAD, "Optimizer.step", GAP_OPTIMIZER, NULL },
	{ RANGES, HEAD, "optimizer", GAP_OPTIMIZER, NULL },
	{ FRAMES, PART, "torch/optim/", GAP_OPTIMIZER, NULL },
};

static bool has_end(struct str name, const char *const *ends)
{
	for (; ends && *ends; ends++) {
		struct str end = str_of(*ends);
		if (name.n >= end.n && memcmp(name.p + name.n - end.n, end.p, end.n) == 0)
			return true;
	}
	return false;
}

/* plain: of an operator, without its overload. */
static bool fits(const struct rule *rule, struct str name, struct str plain)
{
	struct str text = str_of(rule->text);

	if (has_end(name, rule->but_ends))
		return false;
	switch (rule->place) {
	case WHOLE:
		return str_equal(plain, text);
	case HEAD:
		return str_starts_with(name, text);
	case PART:
		break;
	}
	return str_contains(name, text);
}

enum gap_cause gap_cause_of(enum slice_class class, struct str name)
{
	struct str plain = op_name_plain(name);

	if (class == CLASS_OVERHEAD)
		return GAP_OVERHEAD;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].classes >> class & 1 && fits(&rules[i], name, plain))
			return rules[i].cause == GAP_OPTIMIZER &&
					       str_contains(name, STR_LIT("zero_grad"))
				       ? GAP_NONE
				       : rules[i].cause;
	return GAP_NONE;
}

bool gap_name_is_collective(enum slice_class class, struct str name)
{
	static const char *const heads[] = { "c10d::",
					     "nccl:",
					     "rccl:",
					     "record_param_comms",
					     "_c10d_functional::",
					     "c10d_functional::" };

	if (class == CLASS_PYTHON)
		return str_contains(name,
				    STR_LIT("torch/distributed/distributed_c10d.py"));
	if (!(CODE >> class & 1))
		return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (str_starts_with(name, str_of(heads[i])))
			return true;
	return false;
}

bool gap_call_copies(struct str name)
{
	return str_contains(name, STR_LIT("Memcpy"));
}

bool gap_call_may_be_slow(struct str name)
{
	return !str_contains(name, STR_LIT("ynchronize")) && !gap_call_copies(name);
}

static bool has_frames(const struct gap_loss *loss)
{
	return loss->has_stacks || loss->cause_ns[GAP_PYTHON] > 0;
}

/* Those of XLA are its own to choose. */
static bool has_graphs(const struct gap_loss *loss)
{
	return !loss->is_xprof &&
	       (loss->cause_ns[GAP_GRAPH_LAUNCH] > 0 ||
		loss->cause_ns[GAP_GRAPH_START] > 0 ||
		loss->cause_ns[GAP_GRAPH_BETWEEN] > 0 ||
		loss->cause_ns[GAP_GRAPH_NODES] > 0 || loss->cause_ns[GAP_GRAPH_END] > 0);
}

static bool lacks_graphs(const struct gap_loss *loss)
{
	return loss->lacks_graphs;
}

static bool is_fused(const struct gap_loss *loss)
{
	return loss->is_fused;
}

/* Others write kernels in Triton, too. */
static bool is_inductors(struct str kernel)
{
	static const char *const kinds[] = { "triton_poi_", "triton_red_", "triton_per_",
					     "triton_for_", "triton_tem_", "triton_spl_",
					     "triton_unk_", "triton__0d" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_starts_with(kernel, str_of(kinds[i])))
			return true;
	return str_is(kernel, "triton_");
}

static bool is_compiled(const struct gap_loss *loss)
{
	return str_contains(loss->blamed, STR_LIT("torchinductor_")) ||
	       str_contains(loss->blamed, STR_LIT("Call CompiledFxGraph")) ||
	       str_contains(loss->blamed, STR_LIT("Torch-Compiled Region")) ||
	       is_inductors(loss->blamed);
}

static bool is_compiled_without_graphs(const struct gap_loss *loss)
{
	return loss->lacks_graphs && is_compiled(loss);
}

/* cudaHostAlloc, hipHostMalloc, cudaHostRegister, ... */
static bool is_of_host_memory(const struct gap_loss *loss)
{
	return !loss->is_xprof && str_contains(loss->blamed, STR_LIT("Host"));
}

static bool is_barrier(const struct gap_loss *loss)
{
	return str_contains(loss->blamed, STR_LIT("barrier"));
}

static bool is_pipeline(const struct gap_loss *loss)
{
	return loss->is_pipeline;
}

static bool is_long(const struct gap_loss *loss)
{
	return loss->long_ns > loss->ns / 2;
}

bool gap_event_is_unknown(const struct gap_loss *loss)
{
	return is_long(loss) && !str_starts_with(loss->blamed, STR_LIT("stream "));
}

#define CAUSE(cause) (UINT64_C(1) << (cause))
#define LAUNCHES     (CAUSE(GAP_OPERATOR) | CAUSE(GAP_PYTHON) | CAUSE(GAP_LATENCY))

/* Where the recording says that the usual remedy is taken already: the first that fits. */
static const struct other_remedy {
	uint64_t causes;
	bool (*fits)(const struct gap_loss *loss);
	const char *remedy;
} other_remedies[] = {
	{ CAUSE(GAP_EVENT), gap_event_is_unknown,
	  "look at what other streams run until then (ptool timeline): the recording does "
	  "not say whose event it is. At the start of a recording it may be of work launched "
	  "before, which keeps the device busy: start the profiler some steps earlier" },
	{ CAUSE(GAP_MALLOC), is_of_host_memory,
	  "pin buffers once and reuse them, or let the DataLoader do it (pin_memory=True)" },
	{ CAUSE(GAP_COMMUNICATION), is_barrier,
	  "no barrier in the loop: in it all ranks wait for the last" },
	{ CAUSE(GAP_UNKNOWN), is_pipeline,
	  "the timeline does not say what the work waited for: 'ptool ranks --what-if' "
	  "shows what stragglers cost" },
	{ CAUSE(GAP_UNTRACED), has_frames,
	  "no Python frame was recorded then: py-spy record --native or perf shows what "
	  "ran there" },
	{ CAUSE(GAP_OPTIMIZER), is_fused, GAP_TRY_FUSED },
	{ LAUNCHES | CAUSE(GAP_ANNOTATION), is_compiled_without_graphs, GAP_TRY_LARGER },
	{ LAUNCHES, lacks_graphs, GAP_TRY_WITHOUT_GRAPHS },
	{ CAUSE(GAP_ORDER), is_compiled_without_graphs, "fuse small kernels by hand" },
	{ CAUSE(GAP_ORDER), lacks_graphs, "fuse small kernels: torch.compile" },
	{ LAUNCHES, has_graphs,
	  "launch less often: put this work into the graphs that the program replays, or "
	  "fuse small operators" },
	{ CAUSE(GAP_PYTHON), is_compiled,
	  "replay the compiled model's kernels as graphs: "
	  "torch.compile(mode='reduce-overhead') (with_stack=True inflates it)" },
	{ LAUNCHES | CAUSE(GAP_ANNOTATION), is_compiled,
	  "replay the compiled model's kernels as graphs: "
	  "torch.compile(mode='reduce-overhead')" },
	{ CAUSE(GAP_ORDER), has_graphs,
	  "fuse small kernels, or put them into the graphs that the program replays" },
};

const char *gap_cause_remedy(enum gap_cause cause, const struct gap_loss *loss)
{
	if (gap_causes[cause].few && is_long(loss) &&
	    !(cause == GAP_EVENT && gap_event_is_unknown(loss)))
		return gap_causes[cause].few;
	for (size_t i = 0; i < sizeof(other_remedies) / sizeof(*other_remedies); i++)
		if (other_remedies[i].causes & CAUSE(cause) &&
		    other_remedies[i].fits(loss))
			return other_remedies[i].remedy;
	return loss->is_xprof && gap_causes[cause].xprof ? gap_causes[cause].xprof
							 : gap_causes[cause].remedy;
}

bool gap_name_is_step(struct str name)
{
	return step_name_is_mark(name);
}

bool gap_name_is_copy_op(struct str name)
{
	name = op_name_plain(name);
	return str_is(name, "aten::to") || str_is(name, "aten::_to_copy") ||
	       str_is(name, "aten::copy_");
}

struct gap_copy gap_copy_of(struct str name)
{
	return (struct gap_copy){
		.is_read = transfer_kind_of(name) == TRANSFER_DTOH,
		.is_pageable = str_contains(name, STR_LIT("Pageable")),
	};
}
