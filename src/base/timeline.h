/*
 * A timeline: tracks of slices that lie in rows, as a view fills them and a renderer draws
 * them.  Times are nanoseconds from the first event of the track's recording.
 */
#ifndef PTOOL_BASE_TIMELINE_H
#define PTOOL_BASE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/table.h"

struct timeline_slice {
	int64_t start_ns, dur_ns;
	int64_t busy_ns;  /* of a bundle: what its slices take together */
	uint32_t bundled; /* slices that it stands for; 0: it is one itself */
	uint32_t name;    /* place in names */
	uint32_t row;     /* in a row no slice begins before the one before it ends */
	uint32_t detail;  /* row of the table of details; the first says nothing */
	/* Of device work: the call and the operator it was launched by; 0: not known. */
	uint32_t launch, op; /* ordinals + 1 */
};

struct timeline_sample {
	int64_t ts_ns;
	double value;
};

enum timeline_kind {
	TIMELINE_THREAD,
	TIMELINE_ASYNC,
	TIMELINE_STREAM_NOTES,
	TIMELINE_STREAM,
	/* From here on made of what the others have: they count as no slices. */
	TIMELINE_IDLE,
	TIMELINE_COLLECTIVES,
	TIMELINE_COUNTER,
	NTIMELINE_KINDS
};

/* In the order of kinds: those that others name come before them. */
struct timeline_track {
	enum timeline_kind kind;
	size_t profile;       /* place in profiles */
	struct str name;      /* of the thread, stream, device or counter; may be empty */
	struct str process;   /* may be empty */
	struct cell pid, tid; /* numbers, texts or nothing; tid of a stream: its number */
	struct cell device;   /* of streams and of idle time */
	uint32_t base; /* ordinal of the first slice: they are counted over all tracks */
	uint32_t rows;
	/* Borrowed until the next track; by (start, longest first). */
	const struct timeline_slice *slices;
	size_t n;
	bool has_bundles;
	/* Of a counter, likewise, by time. */
	const struct timeline_sample *samples;
	size_t nsamples;
	enum unit values; /* of samples */
};

struct timeline_name {
	struct str text, shorter; /* the same where it is short already */
	uint32_t class;           /* place in classes */
};

struct timeline_step {
	size_t profile; /* place in profiles */
	int64_t number, start_ns, dur_ns;
};

struct timeline_profile {
	struct cell rank;
	struct str path;
	int64_t shift_ns; /* of its times, so that those of several profiles agree */
	int64_t dur_ns;
};

/* [start, end), of a profile. */
struct timeline_window {
	size_t profile; /* place in profiles */
	int64_t start_ns, end_ns;
};

/* What is known after the last track; all of it lives as long as the timeline. */
struct timeline_head {
	const struct timeline_profile *profiles;
	size_t nprofiles;
	const struct timeline_name *names;
	size_t nnames;
	const char *const *classes;
	size_t nclasses;
	struct table *details; /* rows in the order of their numbers; borrowed */
	const struct timeline_step *steps;
	size_t nsteps;
	int64_t slices;    /* recorded ones, bundled or not; without memory events */
	int64_t bundled;   /* of them, those that are in bundles */
	int64_t bundle_ns; /* each of these is shorter; 0: there are none */
	const struct timeline_window *whole; /* where nothing is bundled; with bundles */
	size_t nwhole;
	bool is_aligned; /* the clocks of several profiles agree */
};

struct timeline {
	/* 1: *out is the next track; 0: there is none left; -1: err is set. */
	int (*next)(struct timeline *t, struct timeline_track *out, struct err *err);
	/* When next() gave 0. */
	void (*head)(struct timeline *t, struct timeline_head *out);
	void (*free)(struct timeline *t);
};

#endif
