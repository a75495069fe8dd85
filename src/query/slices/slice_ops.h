/*
 * The calls of a profile's operator table, one by one, from the slices in the
 * store: the same passes as at ingest (trace/op_pass.h), over rows.
 */
#ifndef PTOOL_QUERY_SLICE_OPS_H
#define PTOOL_QUERY_SLICE_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/kernels/tensor_core.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "trace/opstat.h"
#include "trace/optree.h"

/* What a call stands on. */
struct call_track {
	enum track_kind kind;
	uint32_t first, n;      /* its rows */
	uint32_t thread, name;  /* texts: the thread's id and name, or TEXT_NONE */
	int64_t stream, device; /* NUMBER_NONE where there is none */
};

/* One call: a row of the table whose sums are of one.  Borrowed for the callback. */
struct slice_call {
	const struct call_track *track;
	struct opstat stat; /* key: name, kind and is_annotation */
	uint32_t shapes, stack, overload, module, category; /* texts, or TEXT_NONE */
	int class;                                          /* enum slice_class */
	int64_t ts_ns, dur_ns;
	size_t node; /* of host calls: its number in the track's tree, which grows ... */
	uint32_t parent;          /* ... and its parent's, a smaller one, or NODE_NONE */
	int64_t step;             /* its N, or NUMBER_NONE */
	double self_us, total_us; /* as torch's float64 arithmetic has them */
};

typedef int slice_call_fn(void *to, const struct slice_call *call, struct err *err);

struct slice_ops_request {
	const struct scope_profile *profile;
	bool python; /* Python frames take part, also where this torch left them out */
	/* Device times are those of these kernels alone; NULL: of all device work. */
	const struct tensor_core_choice *kernels;
	bool categories; /* calls have theirs: it costs time */
	bool as_torch; /* calls within one of their name add to the device total again */
	slice_call_fn *call;
	void *to;
};

/*
 * Calls back for every call, track by track, each in the order of starts; Python
 * frames too, with kind OP_PYTHON.  0, or -1 with err set here or by the callback.
 */
int slice_ops_each(struct store *store, struct text_pool *texts,
		   const struct slice_ops_request *request, struct err *err);

/*
 * The labels of record_function that are open at a moment of a thread, by time alone:
 * the tree of slices cuts what overruns, here a label lasts until its end.  The same as
 * at ingest (store/ranges.h), so that device work has one owner everywhere.
 */
#define OPEN_LABELS_NONE UINT32_MAX

struct open_label {
	int64_t end_ns;
	uint32_t at; /* the caller's number of it */
};

/* Zeroed it is empty. */
struct open_labels {
	struct open_label *items; /* owned; by start, ended ones may be among them */
	size_t n, cap;
};

/* Labels of a thread in the order of their starts; one that has no length is left out. */
void open_labels_add(struct open_labels *l, int64_t start_ns, int64_t end_ns,
		     uint32_t at);
/* The innermost one that is open at a time no earlier than any start: its number. */
uint32_t open_labels_innermost(struct open_labels *l, int64_t ns);
void open_labels_release(struct open_labels *l);

#endif
