/*
 * A file of pyinstrument while it is read: what a session and a tree share.  Inside the
 * reader only.
 */
#ifndef PTOOL_INGEST_PYINSTRUMENT_H
#define PTOOL_INGEST_PYINSTRUMENT_H

#include "base/intern.h"
#include "ingest/json_stream.h"
#include "ingest/stacks.h"

/* The stack of a sample, for all that have the same text. */
struct pyinstrument_stack {
	uint32_t stack, thread; /* the sink's */
};

struct pyinstrument {
	struct stacks stacks;
	struct json_stream in;
	struct buf text;      /* the newest string */
	struct intern frames; /* texts of frames; numbers are indexes */
	uint32_t *frame_of;   /* owned: the sink's */
	size_t frames_cap;
	struct intern known; /* texts of stacks; forgotten when they are too many */
	struct pyinstrument_stack *stack_of; /* owned */
	size_t stacks_cap, remembered;
	uint32_t series; /* the sink's, or SAMPLE_NONE */
	struct series_fact fact;
	int64_t at_ns;     /* of the newest sample, since the recording began */
	uint64_t nsamples; /* of a session, or parts of a tree that were told */
	bool has_list;     /* of samples, or a tree */
};

/* A frame: "func\0file\0first line\1attribute\1attribute", "l12" is the line that ran. */
struct stacks_frame pyinstrument_parse(struct str text);
/* The sink's number of the series, which is told at its first sample. */
uint32_t pyinstrument_series(struct pyinstrument *p);
/* pyinstrument_tree.c: the tree of functions that is next.  0 or -1; it may be cut. */
int pyinstrument_tree(struct pyinstrument *p, struct err *err);

#endif
