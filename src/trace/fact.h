/*
 * The words that all layers share: what a slice, a track, a step of nesting, an
 * operator, device work, memory, an arrow or a function is, as a recording says it.
 * The readers make facts (ingest/sink.h takes them), the store keeps them, the views
 * ask for them.
 *
 * Facts are small and of fixed size: a text is a number of whoever took it.  Every
 * pointer in a fact is borrowed for the call.  Times are int64 ns in the file's own
 * clock, sizes bytes.
 */
#ifndef PTOOL_TRACE_FACT_H
#define PTOOL_TRACE_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define TEXT_NONE   UINT32_MAX /* no text */
#define NUMBER_NONE INT64_MIN  /* not recorded */

/* What a slice is; decides on which tree it stands and what counts it. */
enum slice_class {
	CLASS_OTHER,
	CLASS_OP,         /* an operator (cpu_op) */
	CLASS_ANNOTATION, /* record_function, ProfilerStep */
	CLASS_PYTHON,     /* a Python frame */
	CLASS_RUNTIME,    /* a call of the device's runtime */
	CLASS_DRIVER,     /* a call of the device's driver */
	CLASS_OVERHEAD,   /* the profiler's own */
	CLASS_KERNEL,     /* device work from here ... */
	CLASS_MEMCPY,
	CLASS_MEMSET,
	CLASS_ACCELERATOR,       /* ... to here: work of other accelerators */
	CLASS_SYNC,              /* a wait, as the device's tracer shows it */
	CLASS_DEVICE_ANNOTATION, /* an annotation's span on the device */
	CLASS_SPAN,              /* the recording itself (cat Trace) */
	CLASS_MEMORY,            /* a [memory] or [OutOfMemory] instant */
	NCLASSES
};

static inline bool class_is_device_work(enum slice_class c)
{
	return c >= CLASS_KERNEL && c <= CLASS_ACCELERATOR;
}

/* How the event gives its extent; the sink pairs begins with ends. */
enum slice_phase {
	PHASE_COMPLETE, /* ts and dur */
	PHASE_INSTANT,  /* ts */
	PHASE_BEGIN,    /* ends at the matching PHASE_END of its track */
	PHASE_END,
	PHASE_STEP_INTO, /* legacy async: a part that lasts until the next step */
	PHASE_STEP_PAST  /* legacy async: a part that began at the previous step */
};

enum track_kind {
	TRACK_THREAD,       /* a CPU thread */
	TRACK_STREAM,       /* device work of a stream */
	TRACK_STREAM_NOTES, /* annotations and waits shown on a stream */
	TRACK_ASYNC         /* asynchronous slices of one category and id */
};

/* As in the store: "thread", "stream", "stream_notes", "async". */
const char *track_kind_name(enum track_kind kind);

/* A pid or tid: a number, or text when it is none ("7" and 7 are the same). */
struct ident {
	int64_t number;
	uint32_t text; /* TEXT_NONE: it is the number */
};

struct track_fact {
	enum track_kind kind;
	struct ident pid, tid;
	uint32_t scope; /* TRACK_ASYNC: text of category, scope and id; else TEXT_NONE */
	/* TRACK_ASYNC: tells apart those whose scopes read alike; else 0 */
	uint64_t parts;
};

/* What only operators carry. */
struct op_fact {
	uint32_t shapes;    /* "[[8, 3], []]" as Python prints it, or TEXT_NONE */
	uint32_t stack;     /* ";"-joined frames, innermost first, or TEXT_NONE */
	uint32_t module;    /* Module Hierarchy, or TEXT_NONE */
	uint32_t types;     /* "bfloat16;Scalar": of each input, or TEXT_NONE */
	uint32_t values;    /* ";[1, 1]": of inputs that are no tensors, or TEXT_NONE */
	int64_t flops;      /* by torch's formulas, or NUMBER_NONE */
	int64_t sequence;   /* joins forward and backward, or NUMBER_NONE */
	int64_t fwd_thread; /* 0 in the forward pass, or NUMBER_NONE */
	bool is_backward;   /* runs for the backward pass (torch's own rule) */
};

/*
 * What device work and waits carry; NUMBER_NONE where not recorded.  A call of the
 * runtime has one for `bytes` alone, when it says how much it copies.
 */
struct device_fact {
	int64_t device, context, stream;
	int64_t bytes; /* copies and sets */
	int64_t grid[3], block[3];
	int64_t registers, shared_memory; /* per thread; bytes */
	int64_t graph_id, graph_node_id;
	int64_t queued, priority;
	double blocks_per_sm, warps_per_sm, occupancy_pct; /* negative: not recorded */
	/* Of a wait "Stream Wait Event", of a copy "DEVICE_TO_HOST"; or TEXT_NONE. */
	uint32_t kind;
	uint32_t lines; /* of source, that Inductor made a kernel of; or TEXT_NONE */
	int64_t wait_stream, wait_event, wait_correlation;
};

/* A collective, on its operator (record_param_comms) or on its kernel. */
struct collective_fact {
	uint32_t name, dtype, group, group_description, ranks, in_split, out_split,
		comm_id;
	int64_t in_elements, out_elements, group_size, rank, source, destination,
		sequence;
	int64_t is_async; /* 0, 1 or NUMBER_NONE */
};

struct memory_fact {
	int64_t bytes; /* negative: freed; NUMBER_NONE for OutOfMemory without it */
	int64_t address, total_allocated, total_reserved;
	int64_t device_type; /* c10::DeviceType: 0 CPU, 1 CUDA, ... */
	int64_t device;      /* index, -1 for the CPU */
	bool out_of_memory;
};

/* What the process had around a call, as mprof records it. */
struct memory_range_fact {
	int64_t start_bytes, end_bytes;
	int64_t level; /* calls around it, or NUMBER_NONE */
};

/* Half the range of 64 bits: sums and differences of two times must fit as well. */
static inline bool time_is_possible(int64_t ts_ns)
{
	return ts_ns <= INT64_MAX / 2 && ts_ns >= INT64_MIN / 2;
}

/* A duration that cannot be: below 0, or longer than 7 days (HTA drops the same). */
#define SLICE_DUR_MAX_NS INT64_C(604800000000000)

static inline bool dur_is_possible(int64_t dur_ns)
{
	return (uint64_t)dur_ns <= (uint64_t)SLICE_DUR_MAX_NS;
}

struct slice_fact {
	/*
	 * dur 0 for instants, begins and ends.  A complete one's is as recorded, even
	 * where it cannot be: the reader tells the finding, the sink sets it apart.
	 * The end is a time too unless the duration cannot be.
	 */
	int64_t ts_ns, dur_ns;
	uint32_t track, name, category; /* category may be TEXT_NONE */
	enum slice_class class;
	enum slice_phase phase;
	bool unfinished; /* still open when the recording stopped */
	bool is_step;    /* an annotation that tells a step's number: */
	int64_t step_number;
	bool has_group; /* a step, and device work of the step with the same group */
	uint32_t group;
	int64_t correlation;      /* joins a launch to its device work, or NUMBER_NONE */
	int64_t external_id;      /* joins both to an operator, or NUMBER_NONE */
	uint64_t offset;          /* byte of the event in the input */
	const struct op_fact *op; /* each may be NULL */
	const struct device_fact *device;
	const struct collective_fact *collective;
	const struct memory_fact *memory;
	const struct memory_range_fact *range;
	struct str args; /* the event's args as JSON text, when asked for */
};

struct counter_fact {
	int64_t ts_ns;
	struct ident pid;
	uint32_t name, series; /* "name key" pairs of the format */
	double value;
	uint64_t offset;
};

/* A name, label or sort index of a process or thread: the last one counts. */
enum naming_kind {
	NAMING_PROCESS,
	NAMING_PROCESS_LABELS,
	NAMING_PROCESS_SORT,
	NAMING_PROCESS_ORIGIN, /* of a merged file: its rank, and the pid it had */
	NAMING_THREAD,
	NAMING_THREAD_SORT
};

static inline bool naming_is_sort(enum naming_kind kind)
{
	return kind == NAMING_PROCESS_SORT || kind == NAMING_THREAD_SORT;
}

static inline bool naming_is_thread(enum naming_kind kind)
{
	return kind == NAMING_THREAD || kind == NAMING_THREAD_SORT;
}

struct naming_fact {
	enum naming_kind kind;
	struct ident pid, tid; /* tid: a thread's */
	struct str text;       /* of names and labels */
	int64_t index;         /* to sort by; of NAMING_PROCESS_ORIGIN the rank ... */
	int64_t origin_pid;    /* ... and the pid, or NUMBER_NONE */
	uint64_t offset;
};

enum flow_end { FLOW_START, FLOW_STEP, FLOW_FINISH };

struct flow_fact {
	int64_t ts_ns;
	struct ident pid, tid; /* of a thread or of a stream */
	uint32_t category, name;
	struct ident id;
	enum flow_end end;
	bool enclosing; /* binds to the slice around ts, else to the next one */
	uint64_t offset;
};

/*
 * A function of a call graph or of stacks, as Python names it: (file, line, name).  File
 * "~" and line 0: it has none.
 */
struct function_fact {
	uint32_t file, name;
	int64_t line;          /* of its definition, or NUMBER_NONE */
	struct str file_bytes; /* of the file's name where it is no UTF-8; borrowed */
};

/* A count of calls; where it lies beyond int64 `n` is the end of the range. */
struct count {
	int64_t n;         /* or NUMBER_NONE */
	struct str digits; /* borrowed; of one beyond int64, else empty */
};

/* What a call graph says of a function, or of its calls from one caller. */
struct call_sums {
	struct count calls, primitive;
	bool has_times;
	double self_s, total_s; /* seconds as recorded, which may be no numbers */
};

/*
 * More primitive calls than calls cannot be: yappi swaps the two, and they are put right.
 * True: they were swapped.
 */
static inline bool call_sums_put_right(struct call_sums *sums)
{
	struct count calls = sums->calls;

	if (sums->primitive.n <= calls.n)
		return false;
	sums->calls = sums->primitive;
	sums->primitive = calls;
	return true;
}

struct function_stat_fact {
	uint32_t function;
	struct call_sums sums;
	uint64_t offset;
};

struct call_fact {
	uint32_t caller, callee;
	struct call_sums sums;
};

/*
 * A line of a function, as a line profiler reports it; NUMBER_NONE where it does not.
 * Its table of the function is `block`, from 1: some print one for each call.
 */
struct line_fact {
	uint32_t function, text; /* text: the source, or TEXT_NONE */
	int64_t block, line, hits;
	int64_t self_ns; /* with what the line called */
	int64_t memory_bytes, increment_bytes;
};

/* What weights of sampled stacks count. */
enum sample_unit { SAMPLE_NS, SAMPLE_BYTES, SAMPLE_COUNT, NSAMPLE_UNITS };

/* As in the store: "ns", "bytes", "count". */
const char *sample_unit_name(enum sample_unit unit);

/*
 * One measure of sampled stacks: a profile of a speedscope file, a sample type of a
 * pprof file.  Those of one unit, measure and mode may be added up.
 */
struct series_fact {
	uint32_t name;    /* text: as the file calls it, or TEXT_NONE */
	uint32_t measure; /* text that tells several of one unit apart, or TEXT_NONE */
	const char *mode; /* "wall", "cpu", "gil", "allocation": static; NULL: not told */
	enum sample_unit unit;
	bool is_default; /* the one that the file wants to be shown first */
	bool is_ordered; /* its samples come in an order: each is kept */
	bool is_evented; /* from events: its pieces are no samples, and are not counted */
	bool is_rounded; /* the producer rounded the weights */
	int64_t start_at, end_at; /* as the file says, in its unit; or NUMBER_NONE */
};

/* Who was sampled; texts may be TEXT_NONE, numbers NUMBER_NONE. */
struct sample_thread_fact {
	int64_t pid, tid;
	uint32_t process, thread; /* names */
};

/* A place in the code that stacks are made of. */
struct frame_fact {
	uint32_t function; /* or FRAME_LEFT_OUT */
	int64_t line;      /* that ran, or NUMBER_NONE */
};

#define SAMPLE_NONE UINT32_MAX /* no series, thread, frame or stack */
/* The function of what stands in stacks and is no frame: those that it calls stay. */
#define FRAME_LEFT_OUT (UINT32_MAX - 1)
#define DECIMALS_MAX   9 /* digits behind the point of a weight */

/* Samples of one stack, or what is known of them together. */
struct sample_fact {
	uint32_t series;
	uint32_t thread; /* or SAMPLE_NONE */
	uint32_t stack;  /* or SAMPLE_NONE: an empty one */
	int64_t samples; /* how many, or NUMBER_NONE */
	/* In the unit of the series; of SAMPLE_COUNT in units of 10^-decimals. */
	int64_t weight;
	unsigned decimals; /* at most DECIMALS_MAX */
	int64_t ts_ns;     /* in the file's clock, or NUMBER_NONE; of an ordered series */
	uint64_t offset;
};

/* Sums of the calls of an operator, or of the pieces of device work of a name. */
struct op_sums {
	int64_t calls;
	int64_t self_ns, total_ns, self_device_ns, total_device_ns;
	int64_t cpu_bytes, self_cpu_bytes, device_bytes, self_device_bytes;
	int64_t flops; /* NUMBER_NONE: no call has a formula */
};

/* A row of the operator table as it was printed: no slices are known of it. */
struct op_sum_fact {
	uint32_t name;
	uint32_t shapes, stack, overload; /* or TEXT_NONE */
	int kind;                         /* enum op_kind (opstat.h) */
	bool is_async;                    /* outside the tree */
	struct op_sums sums;
	uint64_t offset;
};

/* How torch of this file's time builds its key_averages (torch-profiler a.1 to a.9). */
struct op_rules {
	bool all_slices;        /* no PyTorch trace: every host slice is an operator */
	bool split_annotations; /* an annotation and an operator of one name are two rows */
	bool float_memory_window; /* memory instants compared in float64 microseconds */
	bool python_in_tree;      /* Python frames take part in the nesting */
	bool keep_unfinished;     /* open ranges count, until the span's end */
	int64_t annotation_fudge_ns; /* what the exporter adds to a device annotation's dur */
};

struct profile_fact {
	/* "pytorch", "chrome", "pstats", "line_profiler", "samples", ...: static */
	const char *format;
	const char *dialect; /* "F", "cprofile", ..., or "": static */
	bool has_base;
	int64_t base_ns;                    /* absolute ns = base + ts */
	int64_t rank, world_size;           /* or NUMBER_NONE */
	int64_t window_end_ns, span_end_ns; /* file clock, or NUMBER_NONE */
	bool has_memory, has_shapes, has_stacks, has_flops;
	uint32_t host; /* text, or TEXT_NONE */
	struct op_rules rules;
};
/* The initialisers of a profile that says none of these. */
#define PROFILE_FACT_NONE                                                             \
	.rank = NUMBER_NONE, .world_size = NUMBER_NONE, .window_end_ns = NUMBER_NONE, \
	.span_end_ns = NUMBER_NONE, .host = TEXT_NONE

struct device_info_fact {
	int64_t id;
	struct str name; /* borrowed */
	int64_t total_memory, sms, major, minor;
	struct str json; /* the whole entry */
	bool is_first;   /* of its list: what a list before it said does not count */
};

#endif
