/*
 * Steps of inference engines across ranks: a step that only decodes waits in its
 * collectives for a rank whose step has prompts (phase prefill or mixed).
 */
#ifndef PTOOL_QUERY_COMM_PHASES_H
#define PTOOL_QUERY_COMM_PHASES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/memtable.h"
#include "query/comm/comm_match.h"
#include "trace/engine_step.h"

/* What one step of a rank waited for one of another, in all collectives they share. */
struct comm_phase_wait {
	uint32_t waiter, late; /* participants */
	int64_t step, late_step, wait_ns;
	enum engine_phase late_phase;
};

/* How long a participant's decoding steps waited so, and for which rank most of it. */
struct comm_phase_sum {
	int64_t wait_ns, rank; /* NUMBER_NONE: no step has a phase; there is none */
};

struct comm_phases {
	struct comm_phase_wait *items; /* owned; the longest first */
	size_t n, cap;
	struct comm_phase_sum *sums; /* owned; by participant */
	bool is_told;                /* some step has a phase */
};

/* The participants are aligned.  comm_phases_release() in both cases. */
int comm_phases_load(struct store *store, const struct scope *scope,
		     const struct comm_matches *m, struct comm_phases *out,
		     struct err *err);
void comm_phases_release(struct comm_phases *p);

/* The longest waits, with rank, step and phase of both. */
void comm_phases_note(const struct comm_phases *p, const struct comm_matches *m,
		      struct memtable *to);

#endif
