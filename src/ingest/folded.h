/*
 * Folded stacks as texts, "main;load (data.py:12);read", and what they mean: texts are
 * remembered, since profilers repeat them, and two stacks that begin the same share their
 * outer frames.
 */
#ifndef PTOOL_INGEST_FOLDED_H
#define PTOOL_INGEST_FOLDED_H

#include "ingest/stacks.h"

/* The sink's numbers; SAMPLE_NONE where a text has none. */
struct meaning {
	uint32_t thread, stack;
};

/* The outer frames that a text begins with, and the stack that they are. */
struct folded_prefix {
	uint64_t hash;
	struct str text; /* in `lines` */
	uint32_t stack;
};

/* Where a frame of a text ends, and the hash of all up to there. */
struct folded_cut {
	size_t end;
	uint64_t hash;
};

struct folded {
	struct stacks *stacks;    /* borrowed */
	struct intern lines;      /* stacks as texts; forgotten when they are too many */
	struct meaning *meanings; /* owned; of lines */
	size_t meanings_cap, remembered, remembered_max;
	struct folded_prefix *prefixes; /* owned; of lines */
	size_t nprefixes, prefixes_cap;
	struct slots prefix_slots;
	struct folded_cut *cuts; /* owned; of the newest text */
	size_t cuts_cap;
	struct intern frames; /* texts of frames, and their numbers: in the spill */
	uint32_t *numbers;    /* owned */
	size_t numbers_cap, nfound;
	bool of_sampling; /* Python's profiling.sampling, whose frames all have a file */
};

void folded_init(struct folded *f, struct stacks *stacks);
void folded_release(struct folded *f);
/*
 * hash: of the text; intern_look_ahead() of f->lines tells it.  offset: of the text in the
 * input.  0, or -1 with err set.
 */
int folded_find(struct folded *f, struct str text, uint64_t hash, uint64_t offset,
		struct meaning *out, struct err *err);

/*
 * First frames that are none but say who was sampled.  The names are borrowed from the text
 * and may be empty.
 */
struct folded_thread {
	struct sample_thread_fact fact; /* without its names */
	struct str process, thread;
};
#define FOLDED_THREAD_INIT                                                 \
	{                                                                  \
		.fact = { NUMBER_NONE, NUMBER_NONE, TEXT_NONE, TEXT_NONE } \
	}

/*
 * Adds to *out what a text's first frames say, as py-spy writes them; *rest goes on behind
 * them.  False: there are none.
 */
bool folded_py_spy(struct str *rest, struct folded_thread *out);
/* The same, also of Austin and Python's profiling.sampling. */
bool folded_thread(struct str *rest, struct folded_thread *out);
/* The sink's number of who was sampled.  0, or -1 with err set. */
int folded_sampled(struct stacks *stacks, const struct folded_thread *who,
		   uint64_t offset, uint32_t *out, struct err *err);

#endif
