/*
 * The operator tree: torch's own nesting of operators, annotations, runtime
 * calls and, in newer versions, Python frames, from which key_averages() is
 * made (torch-profiler.md a.1 to a.9; torch/autograd/profiler_util.py).  It
 * differs from the tree of slices: partial overlaps pop for good, a child that
 * is its parent's only one and has its name is folded, self may be negative.
 *
 * One thread at a time, over arrays in the order (start, -end, file): the
 * caller gives nodes and gets their places and sums back.
 */
#ifndef PTOOL_STORE_OPTREE_H
#define PTOOL_STORE_OPTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/str.h"
#include "ingest/sink.h"

#define NODE_NONE UINT32_MAX

/* What a name is to torch's table; found once for each distinct name. */
struct op_name {
	uint32_t name; /* as the table spells it: demangled, ProfilerStep*, no overload */
	uint32_t
		overload; /* of an operator's name "aten::add.Tensor": "Tensor", or TEXT_NONE */
	bool dropped;  /* torch drops these before the tree is built */
	bool is_async; /* a c10d work range: outside the tree */
};

/* `is_op`: overloads are taken off operators only. */
struct op_name op_name_of(struct str text, bool is_op, struct intern *texts);

/* The events that the rules let into the tree, apart from their names. */
bool op_class_counts(enum slice_class class, const struct op_rules *rules);

struct op_node {
	/* given */
	int64_t start_ns, end_ns;
	int64_t cpu_bytes, device_bytes; /* allocated less freed within [start, end] */
	int64_t device_ns;               /* device work launched for this node itself */
	uint32_t row;                    /* the caller's */
	uint32_t name;                   /* as the table spells it */
	bool is_async;                   /* outside the tree: no self time */
	/* found */
	bool folded;     /* an only child of its parent's name: no row of its own */
	bool recursive;  /* inside a surviving node of its name */
	uint32_t parent; /* index of the surviving node around it, or NODE_NONE */
	int64_t self_ns, self_cpu_bytes, self_device_bytes;
	int64_t self_device_ns, total_device_ns;
};

/* The nodes of one thread, sorted. */
void optree_build(struct op_node *nodes, size_t n);

/*
 * Memory events as torch's table sees them: running sums by time, so that the
 * bytes within an interval are a difference.
 */
struct op_memory_event {
	int64_t ts_ns;
	int64_t bytes;
	uint64_t order; /* breaks ties: the caller's */
	uint32_t row;
	bool is_cpu;
	bool out_of_memory;
};

struct op_memory {
	struct op_memory_event *events; /* owned; by (ts, order) */
	size_t n;
	size_t last;                     /* where the newest interval began */
	int64_t *cpu_sums, *device_sums; /* owned; n + 1 of them */
	int32_t *covers;   /* owned; +1 and -1 where intervals begin and end */
	bool float_window; /* torch 2.4 to 2.10: compared in float64 microseconds */
	bool is_finished;
	int64_t base_ns;
};

/* Takes the events over (they are sorted in place). */
void op_memory_init(struct op_memory *m, struct op_memory_event *events, size_t n,
		    const struct op_rules *rules, int64_t base_ns);
void op_memory_release(struct op_memory *m);
/* Sets cpu_bytes and device_bytes; before op_memory_finish() notes the interval as covered. */
void op_memory_charge(struct op_memory *m, struct op_node *node);
/*
 * Behind all intervals: is this event in torch's table as a row of its own,
 * because no interval holds it?
 */
void op_memory_finish(struct op_memory *m);
bool op_memory_is_row(const struct op_memory *m, size_t event);

/*
 * c10::DeviceType values whose memory counts as the CPU's: CPU, MKLDNN, IDEEP; and
 * where none is told, as in the table allocation.
 */
static inline bool op_memory_is_cpu(int64_t device_type)
{
	return device_type == NUMBER_NONE || device_type == 0 || device_type == 2 ||
	       device_type == 5;
}

#endif
