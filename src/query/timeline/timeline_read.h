/*
 * The slices of the tracks of one profile, in rows, read from the packed columns track by
 * track: those that launch device work before that work.
 */
#ifndef PTOOL_QUERY_TIMELINE_READ_H
#define PTOOL_QUERY_TIMELINE_READ_H

#include "base/intervals.h"
#include "base/timeline.h"
#include "query/comm/comm_calls.h"
#include "query/kernels/kernel_detail.h"
#include "query/scope.h"
#include "query/slices/slice_pack.h"
#include "query/timeline/counter_spans.h"
#include "query/timeline/timeline_bundle.h"
#include "query/timeline/timeline_details.h"
#include "query/timeline/timeline_rows.h"

/* Classes of what the timeline makes itself; those of slices are before them. */
enum {
	TIMELINE_CLASS_BUNDLE = NCLASSES,
	TIMELINE_CLASS_COLLECTIVE,
	TIMELINE_CLASS_CAUSE
};

/* A track as the store has it. */
struct timeline_source {
	struct timeline_track track;
	int64_t first_id, n;
};

struct timeline_copy {
	int64_t slice_id, bytes;
};

/* What all profiles share; borrowed but for what is said. */
struct timeline_shared {
	struct store *store;
	struct text_pool texts;          /* owned */
	struct timeline_names names;     /* owned */
	struct timeline_details details; /* owned */
	struct collective_facts facts;   /* owned */
	struct counter_spans counters;   /* owned */
	struct slice_pack host, device;  /* owned: with details; with launches */
	struct arena arena;              /* owned: texts of tracks */
	uint8_t *communicates;           /* owned; by name: is it known to, or not to? */
	size_t communicates_cap;
	uint32_t bundle_text; /* what bundles are called */
	int64_t slices, bundled;
	int64_t bundle_ns; /* 0: none is made */
	uint32_t total;    /* ordinals given away */
};

struct timeline_reader {
	struct timeline_shared *shared; /* borrowed */
	const struct scope_profile *profile;
	size_t place;                    /* of the profile in the scope */
	struct timeline_source *sources; /* owned */
	size_t nsources, sources_cap, next;
	struct intervals whole; /* owned: nothing in it is bundled */
	uint32_t *ordinals;     /* owned; by id - first_slice_id: ordinal + 1 */
	uint32_t *op_details;   /* owned; by id - first_op_detail_id */
	int64_t first_op_detail, nop_details;
	struct kernel_details kernels;
	struct timeline_copy *copies; /* owned; by slice_id */
	size_t ncopies, copies_cap, next_copy, next_fact;
	struct timeline_rows rows;
	struct bundler bundler;
	struct timeline_slice *slices; /* owned: of the newest track */
	size_t n, cap;
	struct timeline_slice *collectives; /* owned: on devices, of all tracks */
	size_t ncollectives, collectives_cap;
};

/* timeline_reader_close() in both cases; the profile and `shared` are borrowed. */
int timeline_reader_open(struct timeline_shared *shared,
			 const struct scope_profile *profile, size_t place,
			 struct timeline_reader *out, struct err *err);
/* Accepts a zeroed one. */
void timeline_reader_close(struct timeline_reader *r);

/* Counts the slices of the profile, and those that each threshold bundles. */
int timeline_reader_count(struct timeline_reader *r, int64_t joins[BUNDLE_NEVER + 1],
			  int64_t *slices, struct err *err);
/* What is needed for timeline_reader_next() besides. */
int timeline_reader_begin(struct timeline_reader *r, struct err *err);
/* 1: *out is the next track that has slices; 0; -1 with err set. */
int timeline_reader_next(struct timeline_reader *r, struct timeline_track *out,
			 struct err *err);

#endif
