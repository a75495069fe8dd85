/*
 * The host's threads read once: calls of compiled regions, as they nest, and compilations.
 * What they sum up to is compile.h's.
 */
#ifndef PTOOL_QUERY_COMPILE_READ_H
#define PTOOL_QUERY_COMPILE_READ_H

#include "query/compile/compile.h"
#include "query/compile/compile_name.h"
#include "query/slices/slices.h"

/* A call of a region, or of what stands for one. */
struct compile_call {
	int64_t start_ns, end_ns, slice_id;
	int64_t step; /* its number, or NUMBER_NONE */
	int64_t self_ns, lookup_ns, graph_launches;
	uint32_t around; /* place of the call around it, on its thread; or COMPILE_NONE */
	uint32_t region; /* place in struct compile */
	uint8_t word;    /* enum compile_word */
	bool is_wanted;
	bool has_mark; /* a graph is said to run in it, and not only in a call in it */
	bool has_ops;  /* likewise, operators run */
};

/* A CompiledFunction, whose backward pass has its sequence number. */
struct compile_forward {
	int64_t slice_id, start_ns;
	uint32_t call; /* that it is or runs in */
};

/* A compilation. */
struct compile_range {
	int64_t start_ns, end_ns;
	int64_t step;   /* its number, or NUMBER_NONE */
	uint32_t id;    /* text, or COMPILE_NONE */
	uint32_t call;  /* that it runs in; or COMPILE_NONE */
	uint32_t after; /* the call right behind it, on its thread; or COMPILE_NONE */
	bool is_wanted, is_backward, is_restart; /* of one that began before */
};

/* What the host did for a kernel: its launch, or on the CPU all of it. */
struct compile_unit {
	int64_t start_ns, end_ns;
	uint32_t call; /* that it runs in; or COMPILE_NONE */
	uint32_t name; /* text: of COMPILE_WORD_KERNEL with its handle */
	bool is_wanted;
};

/* From a moment on, which call is the innermost; or COMPILE_NONE. */
struct compile_moment {
	int64_t ts_ns;
	uint32_t call;
};

/* Of a track, what is its own of the arrays. */
struct compile_track {
	const struct slices_track *track;
	size_t first_call, ncalls, first_range, nranges, first_forward, nforwards,
		first_unit, nunits, first_moment, nmoments;
	size_t next; /* place of the next of its profile + 1; 0: none */
};

struct compile_read {
	struct compile_call *calls; /* owned; of each track by start */
	size_t ncalls, calls_cap;
	struct compile_range *ranges; /* owned; likewise */
	size_t nranges, ranges_cap;
	struct compile_forward *forwards; /* owned; likewise */
	size_t nforwards, forwards_cap;
	struct compile_unit *units; /* owned; likewise, none in another */
	size_t nunits, units_cap;
	struct compile_moment *moments; /* owned; likewise */
	size_t nmoments, moments_cap;
	struct compile_track *tracks; /* owned; those that have any */
	size_t ntracks, tracks_cap;
	const struct scope *scope; /* borrowed */
	size_t *first; /* owned; by place of the profile: that of a track + 1 */
	bool has_marks, has_lookups;
};

/* The track's, or NULL when it has nothing of compiled code. */
const struct compile_track *compile_track_of(const struct compile_read *r,
					     const struct slices_track *track);
/* The innermost call on the track at that time, or COMPILE_NONE. */
uint32_t compile_call_at(const struct compile_read *r, const struct slices_track *track,
			 int64_t ts_ns);

/* The first track of a profile; NULL: it has none. */
const struct compile_track *compile_first_track(const struct compile_read *r,
						const struct scope_profile *profile);
/* NULL behind the last. */
const struct compile_track *compile_next_track(const struct compile_read *r,
					       const struct compile_track *track);

/* Regions without sums go to `c`.  compile_read_release() in both cases. */
int compile_read(struct store *store, const struct scope *scope, struct slices *slices,
		 struct compile *c, struct compile_read *out, struct err *err);
void compile_read_release(struct compile_read *r);

/* The region of an id in a pass, made where it is new. */
uint32_t compile_region_at(struct compile *c, uint32_t id, enum compile_pass pass);

#endif
