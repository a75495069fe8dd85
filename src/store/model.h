/*
 * One profile in memory between its reader and the database: compact records
 * in file order, and what the passes over them find out (order.h, nest.h,
 * link.h).  Owned by the loader; every pass works on all of it.
 */
#ifndef PTOOL_STORE_MODEL_H
#define PTOOL_STORE_MODEL_H

#include "base/arena.h"
#include "base/intern.h"
#include "ingest/sink.h"
#include "store/idmap.h"

#define ROW_NONE       UINT32_MAX
#define MODEL_ROWS_MAX (UINT32_MAX - 1) /* slices of one profile */

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
	uint32_t name, labels; /* or TEXT_NONE */
	int64_t sort_index;    /* or NUMBER_NONE */
};

struct track {
	enum track_kind kind;
	uint32_t place; /* TEXT_NONE for asynchronous tracks */
	uint32_t scope; /* asynchronous tracks: text */
	uint32_t process;
	bool has_pairs;  /* begins or ends to be paired */
	size_t first, n; /* its rows in `order`, once they are ordered */
};

/* 48 bytes: there are millions. */
struct slice_rec {
	int64_t ts_ns, dur_ns;
	uint64_t offset;
	int64_t key; /* correlation of launches, device work, waits; external id of others;
			      of a dead end: index of the slice it ended, or NUMBER_NONE */
	uint32_t track, name;
	uint32_t
		detail; /* by class: index into op_links, launch_ids, devices, memory; or ROW_NONE */
	uint16_t category;                /* index into categories */
	uint8_t class;                    /* enum slice_class */
	uint8_t phase : 4;                /* enum slice_phase */
	uint8_t unfinished : 1, dead : 1; /* dead: an end, which is no row */
	uint8_t apart : 2;                /* enum apart; its dur is as recorded */
};

/* Why a slice is set apart: see apart.h. */
enum apart { APART_NOT, APART_NEGATIVE, APART_LONG, APART_FAR };

/* What an operator's record points to; the parameters are shared. */
struct op_link {
	int64_t sequence;
	uint32_t detail; /* index into op_details */
};

struct device_rec {
	struct device_fact fact;
	int64_t external_id;
};

struct memory_rec {
	struct memory_fact fact;
	uint32_t slice;
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

struct flow_rec {
	int64_t ts_ns;
	uint64_t offset;
	struct ident id;
	uint32_t place, category, name;
	enum flow_end end;
	bool enclosing;
};

struct arrow_rec {
	uint32_t out, in; /* rows */
	uint32_t flow;    /* index of the flow that ends it */
};

struct step_rec {
	int64_t number, ts_ns, end_ns;
	uint32_t row; /* ROW_NONE: the whole recording is the step */
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

struct args_rec {
	uint32_t slice;
	struct str json; /* in the model's arena */
};

/* Growable arrays: NAME, nNAME, NAME_cap. */
#define MODEL_ARRAY(type, name) \
	type *name;             \
	size_t n##name, name##_cap

struct model {
	struct intern *texts; /* borrowed: shared by the profiles of a run */
	struct arena arena;
	struct intern op_detail_keys; /* struct op_fact without the sequence, as bytes */
	struct profile_fact profile;
	bool is_rank_of_name; /* profile.rank is what the file's name tells */
	int64_t file_step;    /* the step that its name tells, or NUMBER_NONE */
	MODEL_ARRAY(uint32_t, categories);
	MODEL_ARRAY(struct process, processes);
	MODEL_ARRAY(struct place, places);
	MODEL_ARRAY(struct track, tracks);
	MODEL_ARRAY(struct slice_rec, slices);
	MODEL_ARRAY(struct op_fact, op_details);
	MODEL_ARRAY(struct op_link, op_links);
	MODEL_ARRAY(int64_t, launch_ids); /* external ids of calls, by their detail */
	MODEL_ARRAY(struct device_rec, devices);
	MODEL_ARRAY(struct memory_rec, memory);
	MODEL_ARRAY(struct collective_rec, collectives);
	MODEL_ARRAY(struct step_mark, step_marks);   /* in the order of slices */
	MODEL_ARRAY(struct group_mark, group_marks); /* the same */
	MODEL_ARRAY(struct counter_rec, counters);
	MODEL_ARRAY(struct flow_rec, flows);
	MODEL_ARRAY(struct finding_rec, findings);
	MODEL_ARRAY(struct metadata_rec, metadata);
	MODEL_ARRAY(struct args_rec, args);
	MODEL_ARRAY(struct device_info_fact, device_infos); /* texts in the arena */
	size_t nrepeated; /* namings of what had a name already */
	struct intern place_keys, process_keys, scope_keys; /* numbers are indexes */
	struct idmap finding_of; /* kind and detail -> index into findings */
	uint32_t *scope_track;   /* asynchronous track by number in scope_keys */
	size_t scope_track_cap;

	/* From here on: by row, that is in the order (track, ts, -dur, file). */
	uint32_t *order; /* row -> index into slices */
	size_t nrows;
	size_t napart;    /* rows behind those, which no pass looks at: apart.h */
	uint32_t *parent; /* row, or ROW_NONE */
	uint32_t *depth;
	int64_t *self_ns;
	uint32_t *launch;             /* device work: row of the launch, else ROW_NONE */
	uint32_t *op;                 /* device work and memory: row of the operator */
	uint32_t *step;               /* index into steps, or ROW_NONE */
	int64_t *device_ns;           /* device work launched for this row itself */
	MODEL_ARRAY(uint32_t, works); /* rows of device work with a launch, by launch */
	MODEL_ARRAY(struct step_rec, steps);
	MODEL_ARRAY(struct arrow_rec, arrows);
	int64_t start_ns, end_ns; /* of all events, in the file's clock */
	bool has_time;
	bool has_odd_dur; /* a duration that cannot be was recorded */
	bool is_odd;      /* some times cannot be; the others are around body_ns */
	int64_t body_ns;
};

/* Names of tracks' kinds in the store. */
const char *track_kind_name(enum track_kind kind);

void model_init(struct model *m, struct intern *texts);
void model_release(struct model *m);

/* The slice record of a row. */
static inline struct slice_rec *model_slice(const struct model *m, uint32_t row)
{
	return &m->slices[m->order[row]];
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
/* The parameters of an operator call, without its sequence number: shared by equal ones. */
uint32_t model_op_detail(struct model *m, const struct op_fact *op);

#endif
