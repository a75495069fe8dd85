/*
 * A speedscope file while it is read: what its profiles share.  Frames may stand behind
 * the profiles that use them, so that the sink's numbers are given out before names are
 * known.  Inside the reader only.
 */
#ifndef PTOOL_INGEST_SPEEDSCOPE_H
#define PTOOL_INGEST_SPEEDSCOPE_H

#include "base/idmap.h"
#include "ingest/stacks.h"
#include "ingest/window.h"

#define SPEEDSCOPE_KEY_MAX 32

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

struct speedscope {
	struct stacks stacks;
	struct window w;
	uint32_t *frames; /* owned: the sink's, by index */
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
	struct buf text; /* of the newest string */
	bool is_cut;     /* the text has ended */
	bool has_profiles;
	uint64_t nsamples; /* that were told */
};

/*
 * The next value of an array or object: 1, and w.j.p stands at it; 0 at the end, or where
 * the text is cut; -1.  `key` of an object: at most SPEEDSCOPE_KEY_MAX bytes.
 */
int speedscope_element(struct speedscope *s, bool first, struct err *err);
int speedscope_member(struct speedscope *s, bool first, char key[SPEEDSCOPE_KEY_MAX + 1],
		      struct err *err);
/* Goes into the array or object that is next: 1; 0 it is cut; -1, also when it is none. */
int speedscope_enter(struct speedscope *s, char bracket, const char *what,
		     struct err *err);
/* The value that is next, whole; 1, 0 or -1 as above. */
int speedscope_value(struct speedscope *s, struct json_value *value, struct err *err);
/* -1 with what the tokenizer or the text says at its place. */
int speedscope_bad(const struct speedscope *s, const char *what, struct err *err);

/* The sink's number of the frame of that index, which sample `sample` uses. */
int speedscope_frame(struct speedscope *s, int64_t index, uint64_t sample,
		     uint64_t offset, uint32_t *frame, struct err *err);
/* speedscope_profile.c: the object that is next.  0 or -1; s->is_cut may be set. */
int speedscope_read_profile(struct speedscope *s, struct err *err);

#endif
