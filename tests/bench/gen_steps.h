/*
 * The programs whose traces gen writes.  A step is a function of its number alone, so
 * it can be built again for each part of a file, and in any order.
 */
#ifndef PTOOL_BENCH_GEN_STEPS_H
#define PTOOL_BENCH_GEN_STEPS_H

#include "gen_text.h"

#define STEP_EVENTS  4096
#define STEP_IDS     1024 /* as dense as Kineto's: a few numbers for each id used */
#define STEP_DEPTH   64
#define STEP_NS      INT64_C(200000000) /* no step takes longer */
#define NAMES        100000
#define AUTOGRAD_TID (TRACE_PID + 7)

struct step {
	struct event events[STEP_EVENTS];
	size_t n;
	size_t open[STEP_DEPTH]; /* indices of the open ranges */
	size_t depth;
	int64_t now_ns, device_free_ns, tid;
	int64_t next_id, next_python, allocated;
	uint64_t rng;
	char (*names)[48]; /* NAMES of them, owned by main: labels and kind names */
};

/* Each fills the step; its clock, thread, ids and dice are set before. */
void build_gpu(struct step *s, int64_t n);
void build_cpu(struct step *s, int64_t n);
void build_stack(struct step *s, int64_t n);
void build_allx(struct step *s, int64_t n);
void build_names(struct step *s, int64_t n);
void build_tracks(struct step *s, int64_t n);

#endif
