/*
 * ptool ranks: what each rank's time went to, whom it waited for, whom it kept waiting,
 * and which ranks and steps are unlike the others.
 */
#ifndef PTOOL_QUERY_RANKS_H
#define PTOOL_QUERY_RANKS_H

#include "query/comm/comm_load.h"
#include "query/ranks/rank_waits.h"
#include "query/view.h"

enum rank_by {
	RANKS_BY_RANK,
	RANKS_BY_STEP,
	RANKS_BY_AXES /* by enum axis from here on */
};

/* Ways to be unlike the other ranks, or steps: bits. */
enum {
	RANK_SLOW_COMPUTE = 1, /* the same kernels take longer */
	RANK_MORE_COMPUTE = 2, /* it computes longer, and its kernels are not slow */
	RANK_SLOW_LINK = 4,    /* the same collectives take longer after the last came */
	RANK_LATE_HOST = 8,    /* it is idle longer, and for no other rank */
	RANK_SLOW_STEP = 16    /* the step takes longer, on the ranks together */
};

/* What a rank's time went to, in all its steps or one; they add up to wall_ns. */
struct rank_sums {
	int64_t wall_ns, compute_ns, copy_ns, transfer_ns, wait_ns, idle_ns;
	int64_t cause_ns[NGAP_CAUSES];   /* idle_ns by cause */
	int64_t late_ns;                 /* what others waited because of it */
	int64_t why_ns[NRANK_WHYS];      /* late_ns by what it did */
	int64_t late_rank, late_rank_ns; /* waited for most; NUMBER_NONE and 0: nobody */
	unsigned unlike;                 /* RANK_SLOW_COMPUTE and so on */
};

struct ranks_step {
	int64_t number;  /* NUMBER_NONE: outside of steps */
	int64_t wall_ns; /* lower median over the ranks that have it */
	bool is_slow;
};

/* By participant. */
struct rank_model {
	struct rank_sums sums;
	struct rank_sums *steps; /* owned; by place in the facts' steps */
	double compute_ratio;    /* of the same kernels to the others' median; or 0 */
	double link_ratio;       /* of the same transfers likewise; or 0 */
};

/* All of a run's ranks. */
struct ranks {
	struct text_pool texts;
	struct comm_sources sources;
	struct comm_matches matches; /* aligned */
	struct rank_facts *facts;    /* owned; by participant */
	struct rank_model *models;   /* owned; by participant */
	struct rank_waits waits;
	struct ranks_step *steps; /* owned; by number */
	size_t nsteps;
	double usual_step_ns; /* median of steps' wall_ns */
};

/*
 * ERR_EMPTY: no profile tells its rank, or there is only one rank.  ranks_release() in
 * both cases.
 */
int ranks_load(struct store *store, const struct scope *scope, struct ranks *out,
	       struct err *err);
void ranks_release(struct ranks *r);
/* The place of a step of that number in r->steps. */
size_t ranks_step_place(const struct ranks *r, int64_t number);

/* rank_compare.c: ratios, and who is unlike the others. */
int ranks_compare(struct store *store, const struct scope *scope, struct ranks *r,
		  struct err *err);

/* -1, 0 or 1: are they alike, in whatever group of as many ranks? */
int ranks_compare_calls(const struct comm_call *a, const struct comm_call *b);

struct ranks_request {
	enum rank_by by;
	bool what_if;
	struct view_request show; /* `asked`: ranks_columns() */
};

extern const struct view ranks_view, ranks_whatif_view;
/* view_request.asked: the columns that rows by `by` have. */
unsigned ranks_columns(enum rank_by by);

/* ranks_heat.c: ranks by steps, how long others waited because of each; or NULL. */
struct memtable *ranks_heat(const struct ranks *r);
/* ranks_whatif.c: the run without stragglers, played again. */
struct memtable *ranks_whatif(const struct ranks *r, const struct scope *scope,
			      const struct view_request *show);
/* ranks_notes.c: who is unlike the others, and what to look at next. */
void ranks_add_notes(const struct ranks *r, struct memtable *m);

/* All ranks of the run are compared; the rows are of those in the scope. */
int ranks_open(struct store *store, const struct scope *scope,
	       const struct ranks_request *request, struct table **out, struct err *err);

#endif
