/*
 * What PyTorch's Kineto adds to Chrome's format: categories, args, metadata,
 * and the dialect that tells how torch of that time counted (torch-profiler
 * b.1; libkineto/src/output_json.cpp, torch/csrc/profiler/collection.cpp).
 */
#ifndef PTOOL_INGEST_KINETO_H
#define PTOOL_INGEST_KINETO_H

#include "base/intern.h"
#include "ingest/event.h"
#include "ingest/sink.h"
#include "trace/torch_dialect.h"

#define KINETO_ARG_SLOTS 512 /* a power of two, several times the args known */
/* Times since 1970 are larger: this one is of 1973. */
#define SINCE_1970_NS     INT64_C(100000000000000000)
#define KINETO_WINDOW_END "Record Window End" /* the instant at which recording stopped */

/* What events tell of the recording and of the dialect; of parts it adds up. */
struct kineto_told {
	bool phase_seen; /* there was an event */
	struct torch_marks marks;
	bool kineto_category;
	bool memory_seen, shapes_seen, stacks_seen;
	bool pipeline, others; /* slices that pipeline.h knows; and any other */
	int64_t window_end_ns, span_end_ns; /* or NUMBER_NONE */
};

/* Raw JSON that comes again and again, and the sink's text for it. */
struct kineto_texts {
	struct intern raw;
	uint32_t *texts; /* owned */
	size_t cap;
};

struct kineto {
	uint8_t arg_slots[KINETO_ARG_SLOTS]; /* arg's number + 1 by hash of its key */
	/* of operators' inputs; lists: values with the shapes of tensors in lists */
	struct kineto_texts shapes, types, values, lists;
	struct kineto_texts lines; /* of kernels */
	uint8_t *
		names; /* owned; by text: 1 values are not needed, 2 they are, 3 and shapes in lists */
	size_t names_cap;
	char unknown[32]; /* the newest category without a meaning ... */
	size_t unknown_n; /* ... and its length */
	bool schema_version, events_seen, flops_seen, distributed_seen;
	bool memory_told; /* profile_memory was on; memory_seen where there were events of it */
	struct torch_entries entries;
	struct kineto_told told;
	unsigned flaws;              /* enum kineto_flaw, of the current event's args */
	struct flow_fact open_arrow; /* dialect L: its start was the last event ... */
	bool has_open_arrow;         /* ... or there is none */
	int64_t base_ns, rank, world_size;
	uint32_t host; /* text number, or TEXT_NONE */
	/* Of a trace that ptool exported: how what it was made from is read. */
	const char *export_dialect; /* NULL: it is none */
	struct op_rules export_rules;
};

/* Where the facts of one event's args are put; pointers in the slice point here. */
struct kineto_facts {
	struct op_fact op;
	struct device_fact device;
	struct collective_fact collective;
	struct memory_fact memory;
};

/* What was wrong with the args of one event. */
enum kineto_flaw {
	KINETO_DUPLICATE_ARG = 1,
	KINETO_INTEGER_RANGE = 2 /* an integer lies beyond int64 */
};

struct chrome;

/*
 * A complete event of such a file: its device, and the end of its operator's arrow
 * where the file has none.  0, or -1 with err set.
 */
int kineto_list_slice(struct chrome *c, struct slice_fact *slice,
		      struct kineto_facts *facts, struct err *err);
/* An arrow as the file has it: both its ends get one name. */
void kineto_list_arrow(struct chrome *c, struct flow_fact *flow);

void kineto_init(struct kineto *k);
void kineto_release(struct kineto *k);
/* Forgets what events told, for the next block. */
void kineto_restart(struct kineto *k);
/* Adds what the events of a later part of the trace told. */
void kineto_add(struct kineto_told *told, const struct kineto_told *part);
/* The class of an event of this category; `name` decides for memory instants. */
enum slice_class kineto_class(struct kineto *k, const struct event *e);
/* Texts of an operator's args that are only needed until all are read. */
struct op_texts {
	struct str dims, types, concrete;
};

/* What is shown of a list of stacks (text_list.h): the sink's text, or TEXT_NONE. */
uint32_t kineto_lines(struct chrome *c, struct str json);
/* What follows from an operator's args once all are read. */
void kineto_finish_op(struct chrome *c, struct slice_fact *slice, struct op_fact *op,
		      const struct op_texts *texts);
/* Fills arg_slots. */
void kineto_index_args(struct kineto *k);
/* Of a collective nothing is known. */
extern const struct collective_fact kineto_no_collective;
/* The details of work or of a wait, which slice points to from now on; not recorded at first. */
struct device_fact *kineto_device(struct slice_fact *slice, struct kineto_facts *facts);
/* Fills slice from the current event's args: ids, links and details. */
void kineto_args(struct chrome *c, struct slice_fact *slice, struct kineto_facts *facts);
/* Name i of the args that are read; NULL after the last. */
const char *kineto_arg_at(size_t i);
/* Notes how the first event is written. */
void kineto_note_first(struct kineto *k, const struct event *e);
/* Notes what an event tells about the dialect. */
void kineto_note_event(struct chrome *c, const struct slice_fact *slice);
/* An entry beside the events: passed on, and read where it is known. */
void kineto_metadata(struct chrome *c, struct str key, const struct json_value *value);
/* Key i of the entries that are read; NULL after the last. */
const char *kineto_entry_at(size_t i);
/* Tells the sink what the file was. */
void kineto_finish(struct chrome *c);

#endif
