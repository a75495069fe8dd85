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

/* A frame of the newest stack, and the stack that ends with it. */
struct place {
	size_t end; /* of its text */
	uint32_t stack;
};

struct folded {
	struct stacks *stacks;    /* borrowed */
	struct intern lines;      /* stacks as texts; forgotten when they are too many */
	struct meaning *meanings; /* owned; of lines */
	size_t meanings_cap, remembered;
	struct intern frames; /* texts of frames, and their numbers */
	uint32_t *numbers;    /* owned */
	size_t numbers_cap;
	struct str newest; /* stack whose places are known; in `lines` */
	struct place *places;
	size_t nplaces, places_cap;
};

void folded_init(struct folded *f, struct stacks *stacks);
void folded_release(struct folded *f);
/* offset: of the text in the input.  0, or -1 with err set. */
int folded_find(struct folded *f, struct str text, uint64_t offset, struct meaning *out,
		struct err *err);

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
