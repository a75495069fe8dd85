/*
 * Threads of a py-spy chrometrace while it is read: which frames are open, and since when.
 * Inside the reader only.
 */
#ifndef PTOOL_INGEST_CHROMETRACE_H
#define PTOOL_INGEST_CHROMETRACE_H

#include "base/idmap.h"
#include "base/intern.h"
#include "ingest/folded.h"
#include "ingest/stacks.h"

#define CHROMETRACE_NONE UINT32_MAX

/* A frame begins or ends. */
struct chrometrace_event {
	char phase; /* 'B' or 'E' */
	int64_t pid, tid, ts_ns;
	struct stacks_frame frame; /* borrowed texts */
	uint64_t offset, number;   /* number: from 1 */
};

struct chrometrace_open {
	uint32_t key;   /* in frames: which one it is */
	uint32_t stack; /* the sink's */
	uint32_t who;   /* in sampled, or CHROMETRACE_NONE */
};

struct chrometrace_thread {
	int64_t pid;   /* of the newest event */
	int64_t tid;   /* Python's, which forks of a process share */
	int64_t ts_ns; /* since when the innermost frame is that */
	uint32_t series;
	uint32_t who; /* the newest of its frames that names it, or CHROMETRACE_NONE */
	struct chrometrace_open *open; /* owned */
	size_t nopen, open_cap;
};

struct chrometrace {
	struct stacks stacks;
	struct intern frames; /* name, file and line */
	uint32_t *numbers;    /* owned: the sink's numbers of frames */
	size_t numbers_cap;
	struct chrometrace_thread *threads; /* owned */
	size_t nthreads, threads_cap;
	struct idmap by_tid;
	struct folded_thread *sampled; /* owned; of frames that say who was sampled */
	size_t nsampled, sampled_cap;
	struct buf key;
	int64_t last_ns; /* of any event */
	uint64_t nsamples;
	bool is_mixed; /* processes share a tid */
};

void chrometrace_init(struct chrometrace *c, struct sink *sink,
		      const struct read_options *options);
void chrometrace_release(struct chrometrace *c);
/* 0, or -1 with err set. */
int chrometrace_event(struct chrometrace *c, const struct chrometrace_event *event,
		      struct err *err);
/* Frames that are open last until the last event of all, unless the text is cut there. */
int chrometrace_end(struct chrometrace *c, bool is_cut, struct err *err);

#endif
