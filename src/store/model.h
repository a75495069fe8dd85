/*
 * One profile in memory between its reader and the database: compact records
 * in file order, and what the passes over them find out (order.h, nest.h,
 * link.h).  Owned by the loader; every pass works on all of it.
 */
#ifndef PTOOL_STORE_MODEL_H
#define PTOOL_STORE_MODEL_H

#include "base/arena.h"
#include "base/expand.h"
#include "base/idmap.h"
#include "base/intern.h"
#include "base/spill.h"
#include "store/functions.h"
#include "store/samples.h"
#include "store/unique.h"
#include "store/wide.h"
#include "trace/axes.h"
#include "trace/engine_step.h"
#include "trace/fact.h"
#include "trace/finding.h"

#define ROW_NONE       UINT32_MAX
#define MODEL_ROWS_MAX (UINT32_MAX / 2 - 1) /* slices or arrow ends of one profile */

/* Bits of the place of an event in the input: 256 GiB. */
#define OFFSET_BITS 38
#define OFFSET_MAX  ((UINT64_C(1) << OFFSET_BITS) - 1)

/* A (pid, tid) as the trace spells it: a thread, a stream, or both. */
struct place {
	struct ident pid, tid;
	uint32_t track
		[TRACK_ASYNC]; /* by enum track_kind below TRACK_ASYNC, or TEXT_NONE */
	uint32_t name;         /* of the thread, or TEXT_NONE */
	int64_t sort_index;    /* or NUMBER_NONE */
	uint32_t process;
};

struct process {
	struct ident pid;
	uint32_t name, labels;           /* or TEXT_NONE */
	int64_t sort_index;              /* or NUMBER_NONE */
	int64_t origin_rank, origin_pid; /* before files were merged, or NUMBER_NONE */
};

struct track {
	enum track_kind kind;
	uint32_t place; /* TEXT_NONE for asynchronous tracks */
	uint32_t scope; /* asynchronous tracks: text */
	uint32_t process;
	bool has_pairs;  /* begins or ends to be paired */
	size_t first, n; /* its rows in `order`, once they are ordered */
};

/* 40 bytes: there are millions. */
struct slice_rec {
	int64_t ts_ns, dur_ns;
	uint64_t offset : OFFSET_BITS;
	uint64_t category : 16; /* index into categories */
	uint64_t class : 4;     /* enum slice_class */
	uint64_t phase : 3;     /* enum slice_phase; an end stays one, and is no row */
	uint64_t unfinished : 1;
	uint64_t apart : 2; /* enum apart; its dur is as recorded */
	uint32_t track, name;
	/*
	 * Correlation of launches, device work, waits; place in memory_kinds of memory;
	 * external id of others: see slice_key().  Of an end: the slice it ended, or ROW_NONE.
	 */
	uint32_t key;
	/* By class: index into op_links, launch_ids, devices, memory; or ROW_NONE. */
	uint32_t detail;
};

/* Why a slice is set apart: see apart.h. */
enum apart { APART_NOT, APART_NEGATIVE, APART_LONG, APART_FAR };

/* What an operator's record points to; the parameters are shared. */
struct op_link {
	uint32_t sequence; /* of m->numbers */
	uint32_t detail;   /* place in op_details */
};

/* What device work, a wait or a device annotation shares with no other, or few. */
struct device_own {
	int64_t bytes, graph_node_id, queued, wait_event, wait_correlation;
};

struct device_rec {
	uint32_t external_id; /* of m->numbers */
	uint32_t setup, own;  /* places in device_setups and device_owns, or ROW_NONE */
	uint32_t launch, op;  /* device work: rows of them, or ROW_NONE */
	uint32_t step;        /* device work: index, ROW_NONE, or STEP_BY_START */
};

/* Not the step of a launch, but the one that the row's own start lies in. */
#define STEP_BY_START (UINT32_MAX - 1)

struct memory_kind {
	int64_t device_type, device;
	int64_t out_of_memory; /* 0 or 1 */
};

struct memory_rec {
	int64_t address, total_allocated;
	uint32_t total_reserved, bytes; /* of m->numbers */
};

/* Here and below, `slice` is a place in the file, and a row behind order_rows(). */
/* How much a call of the runtime copies, where it says so. */
struct launch_size {
	uint32_t launch; /* index into launch_ids */
	int64_t bytes;
};

struct collective_rec {
	struct collective_fact fact;
	uint32_t slice;
};

struct counter_rec {
	int64_t ts_ns;
	double value;
	uint64_t offset;
	uint32_t process, name, series;
};

/* 40 bytes; they are freed once they are arrows. */
struct flow_rec {
	int64_t ts_ns, id_number;
	uint64_t offset : OFFSET_BITS;
	uint64_t end : 2; /* enum flow_end */
	uint64_t enclosing : 1;
	uint32_t id_text, place, category, name;
};

struct arrow_rec {
	uint32_t out, in;  /* rows */
	uint32_t category; /* of the flow that ends it */
	uint32_t id;       /* its id, of m->arrow_ids; WIDE_NONE when it is text */
};

struct step_rec {
	int64_t number, ts_ns, end_ns; /* on the host */
	int64_t from_ns, to_ns;        /* its window: see steps_move() */
	uint32_t row;            /* ROW_NONE: it has no slice (steps.h, pipeline.h) */
	bool is_engines;         /* by the annotation of an engine or a training loop */
	const char *source;      /* what marks it, as in the store; static */
	struct engine_step told; /* what its annotation says */
};

/* A step, the process whose it is, and the place of the step around it (find_around()). */
struct owned_step {
	uint32_t process, step, around;
};

/* Device work that was launched for a row itself. */
struct charge {
	int64_t device_ns;
	uint32_t row;
};

/* A slice that says itself which step it is. */
struct step_mark {
	int64_t number;
	uint32_t slice;
};

/* A step or device work of a group. */
struct group_mark {
	uint32_t group, slice;
};

struct finding_rec {
	enum finding finding;
	uint32_t detail; /* text */
	int64_t count;
	uint64_t offset;
	struct str excerpt; /* in the model's arena */
	int64_t time_ns;    /* of the events concerned, or NUMBER_NONE */
	double share_pct;   /* finding_kind's share_of; negative: none */
};

struct metadata_rec {
	uint32_t key;
	struct str json; /* in the model's arena */
	char *room;      /* where it stands once it has changed ... */
	size_t cap;      /* ... and the bytes that are there */
};

struct range_rec {
	struct memory_range_fact fact;
	uint32_t slice;
};

struct args_rec {
	uint32_t slice;
	struct str json; /* in the model's arena */
};

/* Growable arrays: NAME, nNAME, NAME_cap. */
#define MODEL_ARRAY(type, name) \
	type *name;             \
	size_t n##name, name##_cap

/* One more at the end of an array: a pointer to it. */
#define APPEND(m, array)                                                    \
	((m)->array = spill_grow((m)->spill, (m)->array, &(m)->array##_cap, \
				 (m)->n##array + 1, sizeof(*(m)->array)),   \
	 &(m)->array[(m)->n##array++])

#define NEAR_PLACES 16 /* a power of two */

struct model {
	struct intern *texts; /* borrowed: shared by the profiles of a run */
	struct spill *spill;  /* borrowed, or NULL: where what grows with events lies */
	const struct limits *limits; /* borrowed */
	unsigned threads; /* others that may help in the passes over what was read */
	struct arena arena;
	struct profile_fact profile;
	bool is_rank_of_name; /* profile.rank is what the file's name tells */
	struct axes axes;     /* the rank's place in them: axes_find.h */
	int64_t file_step;    /* the step that its name tells, or NUMBER_NONE */
	MODEL_ARRAY(uint32_t, categories);
	MODEL_ARRAY(struct process, processes);
	MODEL_ARRAY(struct place, places);
	uint32_t near_places
		[NEAR_PLACES]; /* asked for last, by a few bits of pid and tid */
	MODEL_ARRAY(struct track, tracks);
	MODEL_ARRAY(struct slice_rec, slices);
	struct wides numbers;         /* the slices' keys and what hangs on them */
	struct wides arrow_ids;       /* the arrows' */
	struct uniques op_details;    /* struct op_fact without the sequence */
	struct uniques device_setups; /* struct device_fact without what is in ... */
	struct uniques device_owns;   /* ... struct device_own */
	struct uniques memory_kinds;  /* struct memory_kind */
	MODEL_ARRAY(struct op_link, op_links);
	MODEL_ARRAY(uint32_t, launch_ids); /* external ids of calls, of m->numbers */
	MODEL_ARRAY(struct launch_size, launch_sizes); /* by launch */
	MODEL_ARRAY(struct device_rec, devices);
	MODEL_ARRAY(struct memory_rec, memory);
	MODEL_ARRAY(struct collective_rec, collectives);
	MODEL_ARRAY(struct step_mark, step_marks);   /* by slice */
	MODEL_ARRAY(struct group_mark, group_marks); /* by slice */
	MODEL_ARRAY(struct counter_rec, counters);
	MODEL_ARRAY(struct flow_rec, flows);
	MODEL_ARRAY(struct finding_rec, findings);
	MODEL_ARRAY(struct metadata_rec, metadata);
	uint64_t metadata_bytes; /* of all of it, and of device_infos */
	MODEL_ARRAY(struct args_rec, args);
	MODEL_ARRAY(struct range_rec, ranges);              /* by slice */
	MODEL_ARRAY(struct device_info_fact, device_infos); /* texts in the arena */
	MODEL_ARRAY(struct op_sum_fact, op_sums); /* rows of a printed operator table */
	struct functions functions; /* of a call graph, or of sampled stacks */
	struct samples samples;
	size_t nrepeated; /* namings of what had a name already */
	struct intern place_keys, process_keys, scope_keys; /* numbers are indexes */
	struct intern device_ids;                           /* distinct ones */
	struct idmap finding_of;  /* kind and detail -> index into findings */
	uint32_t told[NFINDINGS]; /* of those without a detail: index + 1, or 0 */
	uint32_t *scope_track;    /* asynchronous track by number in scope_keys */
	size_t scope_track_cap;

	/* From here on: by row, as the slices are, in the order (track, ts, -dur, file). */
	uint32_t *order; /* row -> place in the file */
	size_t nrows;
	size_t napart;    /* rows behind those, which no pass looks at: apart.h */
	uint32_t *parent; /* row, or ROW_NONE */
	uint32_t *selves; /* self times, of far_selves: see row_self_ns() */
	struct wides far_selves;
	MODEL_ARRAY(struct charge, charges); /* by row; of others it is 0 */
	MODEL_ARRAY(uint32_t, works); /* rows of device work with a launch, by launch */
	const char *step_name; /* regular expression of their names, or NULL; borrowed */
	MODEL_ARRAY(struct step_rec, steps);
	struct owned_step *step_owners; /* the steps by process, and once more by start */
	MODEL_ARRAY(struct arrow_rec, arrows);
	int64_t start_ns, end_ns; /* of all events, in the file's clock */
	bool has_time;
	bool has_odd_dur; /* a duration that cannot be was recorded */
	bool is_odd;      /* some times cannot be; the others are around body_ns */
	int64_t body_ns;
};

/* Both stay the caller's, and must outlive it; `spill` may be NULL. */
void model_init(struct model *m, struct intern *texts, struct spill *spill);
void model_release(struct model *m);

/* In each loop over rows or slices, so that memory stays within its limit. */
static inline void model_tick(const struct model *m, size_t i)
{
	spill_tick(m->spill, i);
}

/* How many others are worth starting for a pass over n things. */
static inline unsigned model_others(const struct model *m, size_t n)
{
	return n < m->limits->shared_rows ? 0 : m->threads;
}

/* The slice record of a row; behind order_rows(). */
static inline struct slice_rec *model_slice(const struct model *m, uint32_t row)
{
	return &m->slices[row];
}

static inline int64_t slice_key(const struct model *m, const struct slice_rec *s)
{
	return wide_get(&m->numbers, s->key);
}

/* Behind nest_rows(). */
static inline int64_t row_self_ns(const struct model *m, uint32_t row)
{
	return wide_get(&m->far_selves, m->selves[row]);
}

/* Has it a device_rec?  Device work, and what else a device's tracer shows, has one. */
static inline bool slice_is_of_device(const struct slice_rec *s)
{
	return s->class >= CLASS_KERNEL && s->class <= CLASS_DEVICE_ANNOTATION;
}

/* The record of a slice of the device. */
static inline struct device_rec *slice_device(const struct model *m,
					      const struct slice_rec *s)
{
	return &m->devices[s->detail];
}

/* What the device did it with, or NULL; device_own apart. */
static inline const struct device_fact *slice_setup(const struct model *m,
						    const struct slice_rec *s)
{
	uint32_t setup = slice_device(m, s)->setup;

	return setup == ROW_NONE ? NULL : uniques_at(&m->device_setups, setup);
}

/* The parameters of an operator or annotation, or NULL. */
static inline const struct op_link *slice_op_link(const struct model *m,
						  const struct slice_rec *s)
{
	if ((s->class != CLASS_OP && s->class != CLASS_ANNOTATION) ||
	    s->detail == ROW_NONE)
		return NULL;
	return &m->op_links[s->detail];
}

/* What a memory event shares with others; it has a detail. */
static inline const struct memory_kind *slice_memory_kind(const struct model *m,
							  const struct slice_rec *s)
{
	return uniques_at(&m->memory_kinds, (uint32_t)slice_key(m, s));
}

static inline const struct op_fact *op_link_detail(const struct model *m,
						   const struct op_link *link)
{
	return uniques_at(&m->op_details, link->detail);
}

/* The row that launched this row of device work, or ROW_NONE. */
static inline uint32_t row_launch(const struct model *m, uint32_t row)
{
	return slice_device(m, model_slice(m, row))->launch;
}

static inline int64_t slice_end(const struct slice_rec *s)
{
	return s->ts_ns + s->dur_ns;
}

/* Stretches the recording to [start, end]. */
static inline void model_note_time(struct model *m, int64_t start_ns, int64_t end_ns)
{
	if (!m->has_time || start_ns < m->start_ns)
		m->start_ns = start_ns;
	if (!m->has_time || end_ns > m->end_ns)
		m->end_ns = end_ns;
	m->has_time = true;
}

/*
 * Counts a finding; the excerpt is copied when it is the first of its kind.  Its
 * record, borrowed until the next call, to add times to.
 */
struct finding_rec *model_finding(struct model *m, enum finding finding, uint64_t offset,
				  struct str detail, struct str excerpt);
/* The record of a finding without detail, borrowed likewise; NULL when there is none. */
struct finding_rec *model_told(const struct model *m, enum finding finding);
/* 0, or -1 with err at the first finding that is a warning or an error. */
int model_check_strict(const struct model *m, struct err *err);
/* The (pid, tid), a new one when it was not seen before: its index. */
uint32_t model_place(struct model *m, struct ident pid, struct ident tid);
uint32_t model_process(struct model *m, struct ident pid);
uint32_t model_track(struct model *m, const struct track_fact *fact);

/* What hangs on a slice, copied: its index. */
uint32_t model_op_link(struct model *m, const struct op_fact *op);
/* Of a call of the runtime; ROW_NONE when there is nothing to keep. */
uint32_t model_launch(struct model *m, int64_t external_id,
		      const struct device_fact *fact);
/* What a row of the device copied, as itself or the launch of it alone says. */
int64_t model_copied_bytes(const struct model *m, const struct slice_rec *s);
/* `fact` may be NULL. */
uint32_t model_device(struct model *m, const struct device_fact *fact,
		      int64_t external_id);
/* *kind is the place of what it shares. */
uint32_t model_memory(struct model *m, const struct memory_fact *fact, int64_t *kind);
/* Frees what is in no arrow; behind flow_rows(). */
void model_drop_flows(struct model *m);

#endif
