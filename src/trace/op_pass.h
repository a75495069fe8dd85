/*
 * From the slices of a profile to the calls of torch's operator table, one
 * track after the other: which slices count, under which name, unfinished ones,
 * memory.  The loader runs it over its records, `ptool top` over rows of the
 * store when an option needs single slices.
 */
#ifndef PTOOL_TRACE_OP_PASS_H
#define PTOOL_TRACE_OP_PASS_H

#include "base/intern.h"
#include "base/sparse.h"
#include "trace/fact.h"
#include "trace/op_memory.h"

/* A slice of a track, or a memory event's instant; times in one clock of the caller's. */
struct op_event {
	int64_t ts_ns, dur_ns;
	int64_t device_ns; /* device work launched for it */
	uint32_t row, name;
	enum slice_class class;
	bool unfinished;
};

/* A memory event that stands in the tree. */
struct op_loose {
	uint32_t row;
	uint32_t event; /* its place in time: op_memory_at() */
};

struct op_pass {
	struct op_rules rules;
	int64_t window_end_ns, span_end_ns; /* the caller's clock, or NUMBER_NONE */
	struct intern *texts;               /* borrowed */
	struct op_memory memory;
	struct op_loose *loose; /* owned; by row */
	size_t nloose, loose_cap;
	/* struct known_name by text number, for others and for operators; owned */
	struct sparse names[2];
	bool has_others_names;
	struct sparse open_of_name; /* owned; by text number: see optree_build() */
	struct op_node *nodes;      /* owned; of the newest part */
	size_t nnodes, nodes_cap;
	struct spill *spill; /* borrowed, or NULL: where what grows with events lies */
};

/*
 * `memory`: op_memory_init()'s source and numbers.  op_pass_release() frees.
 */
void op_pass_init(struct op_pass *p, const struct op_rules *rules, struct intern *texts,
		  struct spill *spill);
void op_pass_set_memory(struct op_pass *p, const struct op_memory_source *memory,
			uint32_t *numbers, size_t n);
void op_pass_release(struct op_pass *p);
/*
 * The names that `from` has been asked for, all that this one will be: so that several
 * threads can ask, none of which numbers a text.  `from` outlives it.
 */
void op_pass_borrow_names(struct op_pass *p, const struct op_pass *from);

/*
 * A memory event that no interval holds is an event of torch's list, and can be a
 * child in the tree: [OutOfMemory] always is one, and in float64 (torch 2.4 to
 * 2.10) an event can lie inside an operator and yet be held by none.  Where that
 * may be, all tracks go through op_pass_cover_track() before any is built, and
 * op_pass_cover_end() ends it.
 */
bool op_pass_wants_cover(const struct op_pass *p);
void op_pass_cover_track(struct op_pass *p, enum track_kind kind,
			 const struct op_event *events, size_t n);
void op_pass_cover_end(struct op_pass *p);

/*
 * The slices of one track in the order of rows, or a part of them that begins and
 * ends where no slice is open; sets p->nodes, folded ones and those of memory events
 * (CLASS_MEMORY, which are no calls) among them.  Asynchronous tracks give
 * asynchronous nodes.
 */
void op_pass_track(struct op_pass *p, enum track_kind kind, const struct op_event *events,
		   size_t n);
/* Whether slices of such tracks are nodes, those of CLASS_MEMORY and op_class_counts(). */
bool op_pass_takes(const struct op_pass *p, enum track_kind kind);
/* The table's name of a text; cached. */
struct op_name op_pass_name(struct op_pass *p, uint32_t text, bool is_op);

#endif
