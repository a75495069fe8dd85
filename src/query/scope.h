/*
 * Which profiles a reading command works on: those of the newest run, or of a
 * named one, narrowed by rank and by profile.  Read once; a handful of rows in
 * most stores, one for each rank of a large job.
 */
#ifndef PTOOL_QUERY_SCOPE_H
#define PTOOL_QUERY_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "store/store.h"
#include "trace/axes.h"

struct scope_profile {
	int64_t id, run_id;
	const char *run;     /* name of its run */
	const char *path;    /* as resolved when it was ingested; "-" is standard input */
	const char *format;  /* "xprof": scope_is_xprof() */
	const char *dialect; /* NULL: not known */
	const char *host;    /* NULL: not recorded */
	int64_t rank;        /* when has_rank */
	int64_t base_ns;     /* absolute ns of the file clock's 0, when has_base */
	int64_t start_ns;    /* first event, in the file's clock */
	int64_t dur_ns;      /* first event to the end of the last */
	int64_t first_slice_id,
		slices;   /* ids first_slice_id .. first_slice_id + slices - 1 */
	int64_t mtime_ns; /* when the file was changed last, since 1970, when has_mtime */
	bool has_rank, has_base, has_mtime;
	bool has_memory, has_shapes, has_stacks, has_flops;
	bool has_slices; /* false: they were left out of the store */
	struct axes axes;
	/*
	 * Of collectives whose group is not recorded: what tells its ranks from others of
	 * the run, "pp 1, dp 0", and likewise of an all to all; NULL: nothing does.
	 */
	const char *group, *exchange_group;
	/*
	 * Where groups are recorded, but replicas are jobs of their own, whose groups have
	 * the same names and ranks: which one it is, "replica 1"; else NULL.
	 */
	const char *replica;
	int64_t job_ranks; /* of a rank by axes: how many its own job has, or NUMBER_NONE */
	int64_t op_details; /* rows of its own */
};

struct scope {
	struct scope_profile *profiles; /* by (run_id, id); at least one */
	size_t n;
	/*
	 * "[1,2,3]", for SQL: profile_id IN (SELECT value FROM json_each(:profiles))
	 */
	const char *ids;
	uint32_t *by_id; /* places in profiles in the order of their ids */
	/* Profiles that have a rank, and how many different ones they have. */
	size_t nranked, nranks;
	struct arena arena; /* owns all of it */
};

/* What the user asked for; zeroed: every profile of the newest run. */
struct scope_request {
	const char *run;     /* NULL: the newest */
	const char *profile; /* NULL, or an id, a path, or the last part of one */
	int64_t first_rank, last_rank; /* both inclusive, when has_rank */
	bool has_rank;
	bool all_runs; /* of every run; `run` is NULL */
};

/*
 * ERR_EMPTY: the store holds no profile, has no such run, or nothing in it is
 * of that rank or that profile.  scope_release() frees; on failure there is
 * nothing to free.  Where a profile's slices were left out, the store refuses from
 * then on to read slices: store_forbid_slices().
 */
int scope_load(struct store *store, const struct scope_request *request,
	       struct scope *out, struct err *err);
/* That profile alone; its texts stay borrowed.  scope_release() frees. */
void scope_of_profile(const struct scope_profile *profile, struct scope *out);
/* Accepts a zeroed one. */
void scope_release(struct scope *scope);

/* NULL when the profile is not in the scope. */
const struct scope_profile *scope_find(const struct scope *scope, int64_t profile_id);

/* Were the slices of any profile left out of the store? */
bool scope_lacks_slices(const struct scope *scope);
/* Did JAX or TensorFlow record it?  What to do about it is not what PyTorch's users do. */
bool scope_is_xprof(const struct scope_profile *profile);
/* Is it a worker of StragglerAnalysis's timeline (trace/pipeline_op.h)? */
bool scope_is_pipeline(const struct scope_profile *profile);
/* How PyTorch records it, as it is written; empty where others wrote the first profile. */
const char *scope_in_torch(const struct scope *scope, const char *how);
/*
 * Is some of it a call graph with self times?  Reports of Lightning's SimpleProfiler have
 * totals alone, of actions that lie within each other.
 */
bool scope_has_self(const struct scope *scope);
/* Is it a call graph that is a tree, as of imports: each is called in one place? */
bool scope_is_tree(const struct scope *scope);
/* Is it a printed table of operators, without a single slice? */
bool scope_is_printed(const struct scope *scope);
/* Are they records of a process's memory over time (mprof), and nothing else? */
bool scope_is_sampled_memory(const struct scope *scope);
/* Are there sampled stacks among them? */
bool scope_has_samples(const struct scope *scope);
/* Has any of them memory events; have all of them slices? */
bool scope_has_memory(const struct scope *scope);
bool scope_has_slices(const struct scope *scope);
/* Why a view that is of self times has no rows, as err; -1. */
int scope_lacks_self(const char *what, struct err *err);
/* What profiles hold: slices; functions and callers; sampled stacks; lines of functions. */
enum scope_kind {
	SCOPE_TRACES,
	SCOPE_CALL_GRAPHS,
	SCOPE_SAMPLES,
	SCOPE_LINES,
	NSCOPE_KINDS
};

/* Is the profile's kind SCOPE_LINES? */
bool scope_is_of_lines(const struct scope_profile *profile);
/* -1 with an ERR_EMPTY when they differ in that, as no table can add them up. */
int scope_kind(const struct scope *scope, enum scope_kind *out, struct err *err);
/* Is it SCOPE_CALL_GRAPHS?  -1 likewise. */
int scope_is_call_graph(const struct scope *scope, bool *is, struct err *err);

/* The names of all runs, newest first, NULL-terminated, in the arena. */
int scope_run_names(struct store *store, struct arena *arena, const char *const **out,
		    struct err *err);

/* -1 with an ERR_EMPTY: no profile tells its place in it. */
int scope_needs_axis(const struct scope *scope, enum axis axis, struct err *err);
/*
 * Is it the first profile of its rank at the place, which `seen`, at first empty, keeps?
 * One without a rank is a rank of its own.
 */
struct intern;
bool scope_is_new_rank(struct intern *seen, const struct scope_profile *profile,
		       int64_t place);
/* For rows: the rank, or null where it is not known. */
struct cell scope_rank_cell(const struct scope_profile *profile);

#endif
