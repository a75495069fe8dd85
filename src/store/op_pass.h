/*
 * From the slices of a profile to the calls of torch's operator table, one
 * track after the other: which slices count, under which name, unfinished ones,
 * memory.  The loader runs it over its records, `ptool top` over rows of the
 * store when an option needs single slices.
 */
#ifndef PTOOL_STORE_OP_PASS_H
#define PTOOL_STORE_OP_PASS_H

#include "base/intern.h"
#include "ingest/sink.h"
#include "store/optree.h"

/* A slice of a track; times in one clock of the caller's. */
struct op_event {
	int64_t ts_ns, dur_ns;
	int64_t device_ns; /* device work launched for it */
	uint32_t row, name;
	enum slice_class class;
	bool unfinished;
};

struct op_pass {
	struct op_rules rules;
	int64_t window_end_ns, span_end_ns; /* the caller's clock, or NUMBER_NONE */
	struct intern *texts;               /* borrowed */
	struct op_memory memory;
	struct op_name *names[2];           /* owned; by text number, for others and for operators */
	uint8_t *names_known[2];
	size_t names_cap[2];
	struct op_node *nodes;              /* owned; of the newest track */
	size_t nnodes, nodes_cap;
};

/*
 * `events` of memory are moved in.  base_ns: absolute time of the clock's 0, for
 * the float window.  op_pass_release() frees.
 */
void op_pass_init(struct op_pass *p, const struct op_rules *rules, struct intern *texts);
void op_pass_set_memory(struct op_pass *p, struct op_memory_event *events, size_t n,
			int64_t base_ns);
void op_pass_release(struct op_pass *p);

/*
 * The slices of one track in the order of rows; sets p->nodes, folded ones
 * among them.  Asynchronous tracks give asynchronous nodes.
 */
void op_pass_track(struct op_pass *p, enum track_kind kind, const struct op_event *events,
		   size_t n);
/* The table's name of a text; cached. */
struct op_name op_pass_name(struct op_pass *p, uint32_t text, bool is_op);

#endif
