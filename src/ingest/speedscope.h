/*
 * A speedscope file while it is read: what its profiles share.  Frames may stand behind
 * the profiles that use them, so that the sink's numbers are given out before names are
 * known.  Inside the reader only.
 */
#ifndef PTOOL_INGEST_SPEEDSCOPE_H
#define PTOOL_INGEST_SPEEDSCOPE_H

#include "base/idmap.h"
#include "ingest/json_stream.h"
#include "ingest/stacks.h"

/* A frame that stacks use, before the list of frames was read. */
struct speedscope_frame {
	int64_t index;
	uint32_t frame;   /* the sink's */
	uint64_t offset;  /* of the sample or event that uses it first ... */
	uint32_t profile; /* ... and which that is, both from 1 */
	uint64_t sample;
};

/* A profile that was read, for what is said of it behind all. */
struct speedscope_series {
	uint32_t number; /* the sink's; SAMPLE_NONE: it has no sample */
	struct series_fact fact;
};

/* A frame of the list: what its line is, the exporter tells, which may come behind it. */
struct speedscope_named {
	uint32_t frame;                /* the sink's */
	struct function_fact function; /* its name is TEXT_NONE where the frame is none */
	int64_t line;
};

struct speedscope {
	struct stacks stacks;
	struct json_stream in;
	struct speedscope_named *frames; /* spilled: by index */
	size_t nframes, frames_cap;
	bool has_frames;
	struct idmap expected_at; /* index -> place in `expected` */
	struct speedscope_frame *expected;
	size_t nexpected, expected_cap;
	struct intern
		known; /* texts of stacks, and what they are; forgotten when too many */
	uint32_t *stack_of;
	size_t stack_cap, remembered;
	struct speedscope_series *series;
	size_t nseries, series_cap;
	int64_t active;   /* series that the file wants to be shown; or NUMBER_NONE */
	uint32_t profile; /* that is read, from 1 */
	struct buf exporter;
	bool has_exporter;
	struct speedscope_profile *waiting; /* owned: that depend on the exporter */
	size_t nwaiting, waiting_cap;
	struct buf text; /* of the newest string */
	bool has_profiles;
	uint64_t nsamples; /* that were told */
};

/* The sink's number of the frame of that index, which sample `sample` uses. */
int speedscope_frame(struct speedscope *s, int64_t index, uint64_t sample,
		     uint64_t offset, uint32_t *frame, struct err *err);
/* speedscope_profile.c: the object that is next.  0 or -1; s->in.is_cut may be set. */
int speedscope_read_profile(struct speedscope *s, struct err *err);
/* Tells the samples of profiles that wait for it, unless rc is -1, and frees them: rc, or -1. */
int speedscope_end_waiting(struct speedscope *s, int rc, struct err *err);

#endif
