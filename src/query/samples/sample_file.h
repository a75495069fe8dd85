/*
 * A file of sampled stacks again: its series, their frames, and the samples in the order in
 * which the file has them.
 */
#ifndef PTOOL_QUERY_SAMPLE_FILE_H
#define PTOOL_QUERY_SAMPLE_FILE_H

#include "base/arena.h"
#include "base/intern.h"
#include "query/samples/sample_runs.h"
#include "query/samples/sample_set.h"
#include "query/text_pool.h"

/* A function and the line of it that ran. */
struct sample_frame {
	uint32_t name, file;      /* texts; file: "~" where there is none */
	int64_t line, first_line; /* that ran, of its definition; or NUMBER_NONE */
};

/* A stack: its innermost frame, below a caller that stands before it. */
struct sample_stack {
	uint32_t caller; /* place in stacks; SAMPLE_ROOT: it is the outermost */
	uint32_t frame;  /* place in frames */
};

/* Who was sampled; texts are empty and numbers NUMBER_NONE where the file has none. */
struct sample_file_thread {
	int64_t id, pid, tid;
	struct str name;
};

struct sample_file {
	struct sample_set set;       /* its series alone */
	struct sample_frame *frames; /* owned, as all below; each once */
	size_t nframes, frames_cap;
	struct sample_stack *stacks;
	size_t nstacks, stacks_cap;
	struct sample_file_thread *threads; /* by id */
	size_t nthreads, threads_cap;
	struct sample_runs runs; /* of its series */
	int64_t first_id;        /* of the first stack */
	struct intern keys;      /* of frames */
	struct text_pool texts;
	struct arena arena; /* of what threads are called */
};

/* Of the scope's one profile; sample_file_release() frees, also on failure. */
int sample_file_load(struct store *store, const struct scope *scope,
		     struct sample_file *out, struct err *err);
void sample_file_release(struct sample_file *file);
/* NULL: there is none of that id. */
const struct sample_file_thread *sample_file_thread(const struct sample_file *file,
						    int64_t id);

/* A sample; weight in the unit of the series. */
struct sample_piece {
	uint32_t stack; /* place in stacks; SAMPLE_ROOT: empty */
	int64_t ts_ns; /* from the profile's first event; NUMBER_NONE: the file has no times */
	int64_t weight;
	int64_t thread_id; /* NUMBER_NONE: not told */
};

/*
 * Calls `each` for the samples of a series, in order, or for its sums where it has none:
 * 0 goes on, 1 is enough, -1 with err set.
 */
int sample_file_each(struct store *store, const struct sample_file *file,
		     const struct sample_series *series,
		     int (*each)(void *to, const struct sample_piece *piece,
				 struct err *err),
		     void *to, struct err *err);

#endif
