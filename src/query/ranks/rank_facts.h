/*
 * What `ptool ranks` knows of one rank: its steps, and what their time went to in
 * stretches that begin and end where its collectives do.  The analysis reads these rows
 * alone, whoever made them.  Nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_RANK_FACTS_H
#define PTOOL_QUERY_RANK_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/comm/comm_load.h"
#include "query/gaps/gap_cause.h"
#include "query/scope.h"

enum rank_what {
	RANK_COMPUTE,    /* a kernel computed; without devices, operators ran */
	RANK_COPY,       /* memory was copied or set, and nothing computed */
	RANK_COLLECTIVE, /* a collective ran, and nothing else */
	RANK_IDLE,       /* nothing ran */
	NRANK_WHATS
};

/* Of a stretch the time of one kind.  Those of a profile come in time. */
struct rank_part {
	int64_t start_ns, end_ns; /* the stretch; that of a collective is all its time */
	int64_t ns;
	int64_t call;  /* slice of the collective; 0: none is known */
	uint32_t step; /* place in steps */
	uint8_t what;  /* enum rank_what */
	uint8_t cause; /* enum gap_cause, of idle time */
};

/* Steps do not overlap: a moment belongs to the step that began last. */
struct rank_step {
	int64_t number; /* NUMBER_NONE: of no step */
	int64_t start_ns, wall_ns;
};

/* Kernels of one name and launch, or operators of one name. */
struct rank_kernel {
	uint32_t key; /* the same on all ranks */
	int64_t calls, ns;
};

struct rank_facts {
	const struct scope_profile *profile;
	struct rank_step *steps; /* owned; in time */
	size_t nsteps, steps_cap;
	struct rank_part *parts; /* owned */
	size_t nparts, parts_cap;
	struct rank_kernel *kernels; /* owned; by key */
	size_t nkernels, kernels_cap;
	bool has_devices;
};

/*
 * From slices: rank_timeline.c.  `from` is comm_load()'s of the same profile.
 * rank_facts_release() in both cases.
 */
int rank_facts_load(struct store *store, struct comm_sources *sources,
		    const struct comm_profile *from, const struct scope_profile *profile,
		    struct rank_facts *out, struct err *err);
void rank_facts_release(struct rank_facts *f);

#endif
