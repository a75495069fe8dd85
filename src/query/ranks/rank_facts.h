/*
 * What `ptool ranks` knows of one rank: its steps, and what their time went to in
 * stretches that begin and end where its collectives do.  The analysis reads these rows
 * alone, whoever made them.  Nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_RANK_FACTS_H
#define PTOOL_QUERY_RANK_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "query/comm/comm_calls.h"
#include "query/gaps/gap_cause.h"
#include "query/scope.h"
#include "query/summary/summary.h"

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

/*
 * Steps do not overlap: a moment belongs to the step that began last, while that lasts.
 * None is empty.
 */
struct rank_step {
	int64_t number; /* NUMBER_NONE: of no step */
	int64_t start_ns, wall_ns;
};

struct rank_facts {
	const struct scope_profile *profile;
	struct rank_step *steps; /* owned; in time */
	size_t nsteps, steps_cap;
	struct rank_part *parts; /* owned */
	size_t nparts, parts_cap;
};

/*
 * From slices; `calls` are the profile's collectives.  rank_facts_release() in both cases.
 */
int rank_facts_make(struct summary_source *from, const struct comm_calls *calls,
		    struct rank_facts *out, struct err *err);
/* The same, read from rank_part where the store has it. */
int rank_facts_load(struct summary_reader *reader, const struct comm_calls *calls,
		    const struct scope_profile *profile, struct rank_facts *out,
		    struct err *err);
void rank_facts_release(struct rank_facts *f);

#endif
