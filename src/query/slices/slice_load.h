/*
 * A profile's slices in memory, with what the operator tree needs of them.
 * Every link that the store gives is checked here: who follows one stays inside
 * the arrays and comes to an end.
 */
#ifndef PTOOL_QUERY_SLICE_LOAD_H
#define PTOOL_QUERY_SLICE_LOAD_H

#include "query/kernels/tensor_core.h"
#include "query/slices/slice_ops.h"
#include "trace/op_memory.h"

#define SLICE_NONE UINT32_MAX

struct loaded_slice {
	int64_t ts_ns, dur_ns;
	int64_t sequence;        /* or NUMBER_NONE; see slice_load() */
	int64_t device_ns;       /* device work launched for it */
	uint32_t name, category; /* texts; TEXT_NONE: no category is known */
	uint32_t launch, op;     /* rows, or SLICE_NONE */
	uint32_t detail, step;   /* indexes, or SLICE_NONE */
	uint8_t class;           /* enum slice_class */
	bool is_instant, is_unfinished;
};

struct loaded_detail {
	uint32_t shapes, stack, module; /* texts, or TEXT_NONE */
	int64_t flops;                  /* or NUMBER_NONE */
	bool is_backward;
};

struct slice_load {
	struct loaded_slice *slices; /* owned; by id */
	size_t n, cap;
	struct call_track *tracks; /* owned */
	size_t ntracks, tracks_cap;
	struct loaded_detail *details; /* owned */
	size_t ndetails, details_cap;
	int64_t *steps, *step_ids; /* owned: N and step.id */
	size_t nsteps, steps_cap, step_ids_cap;
	struct op_memory_event *memory; /* owned */
	size_t nmemory, memory_cap;
	struct op_rules rules;
	int64_t window_end_ns,
		span_end_ns; /* from the profile's first event, or NUMBER_NONE */
	int64_t span_start_ns; /* the recording's own span; without one: of the file's clock */
	int64_t first_detail_id;
};

/*
 * slice_load_release() in both cases.  Without `categories` there are none, and it is twice
 * as fast; sequences are there where an operator has a stack.
 */
int slice_load(struct store *store, struct text_pool *texts,
	       const struct scope_profile *profile, bool categories,
	       struct slice_load *out, struct err *err);
/* Of it only the rules and times of the profile; nothing to release. */
int slice_load_rules(struct store *store, const struct scope_profile *profile,
		     struct slice_load *out, struct err *err);
/* From then on device_ns is that of kernels of which the names say so. */
void slice_load_tensor_cores(struct slice_load *l, const struct text_pool *texts,
			     const struct tensor_core_choice *choice);
void slice_load_release(struct slice_load *l);

#endif
