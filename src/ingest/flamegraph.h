/*
 * A flame graph while it is read: frames as they are drawn, and what becomes of them.
 * Inside the reader only.
 */
#ifndef PTOOL_INGEST_FLAMEGRAPH_H
#define PTOOL_INGEST_FLAMEGRAPH_H

#include "base/intern.h"
#include "ingest/folded.h"
#include "ingest/stacks.h"

#define FLAME_NONE UINT32_MAX

/* Where a frame begins and how wide it is. */
struct flame_span {
	int64_t start, width;
};

struct flame_frame {
	uint64_t offset; /* of its title */
	int64_t y;       /* millionths */
	struct flame_span
		drawn; /* millionths of a pixel or of a hundredth of the picture */
	struct flame_span exact; /* samples, where has_exact */
	int64_t count;           /* of its title */
	int64_t own;             /* of it what no frame above it has */
	uint32_t text;           /* in names */
	uint32_t stack;          /* the sink's */
	uint32_t who;            /* in sampled, or FLAME_NONE */
	bool has_exact, is_all;  /* "all (9 samples, 100%)", which is no frame */
};

/* Frames that say who was sampled; texts in names. */
struct flame_thread {
	struct folded_thread who;
	uint32_t number; /* the sink's; FLAME_NONE: not asked for yet */
};

struct flamegraph {
	uint64_t size; /* bytes of the picture */
	struct stacks stacks;
	struct intern names;
	uint32_t *numbers; /* owned: the sink's numbers of frames, by name; FLAME_NONE */
	struct flame_frame *frames; /* owned; flame_place() sorts them */
	size_t nframes, frames_cap;
	struct flame_thread *sampled; /* owned */
	size_t nsampled, sampled_cap;
	struct str unit;  /* borrowed: what the titles count, "samples" */
	bool has_pixels;  /* places are not in hundredths of the picture */
	bool is_cut;      /* the text has ended too early */
	bool is_inexact;  /* some count was rounded */
	bool is_narrowed; /* frames may be missing that were too narrow to draw */
};

/*
 * Finds who calls whom: `own` of each frame, and frames in an order in which callers come
 * before what they call; callers[i] is the place of frame i's caller, or FLAME_NONE.
 * 0, or -1 with err set.
 */
int flame_place(struct flamegraph *f, uint32_t *callers, struct err *err);
/* Tells the sink the stacks and their samples.  0, or -1 with err set. */
int flame_tell(struct flamegraph *f, const uint32_t *callers, struct err *err);

#endif
