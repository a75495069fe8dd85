/*
 * Names of replayed kernels: the operators, modules and Python frames around the launches
 * that were captured into the graph, or around those of the same kernels one by one.
 *
 * They are a summary (query/summary/summary.h): rows of graph_name_part, which
 * `ptool ingest --names-from` makes of another recording.  Without such rows a
 * recording's own captures tell.  Rows are of sequences of kernels, not of replays: a
 * replay has the names of the sequence that it is.
 */
#ifndef PTOOL_QUERY_GRAPH_NAMES_H
#define PTOOL_QUERY_GRAPH_NAMES_H

#include "query/devices/device_work.h"
#include "query/graphs/call_paths.h"
#include "query/graphs/replays.h"
#include "query/summary/summary.h"

/* Of the work of a profile. */
struct graph_names {
	struct call_paths paths; /* names are numbers of the pool */
	uint32_t *
		of_item; /* owned; by item of the work: a path, or CALL_PATH_NONE; NULL: */
	size_t nnamed;   /*   there are none */
	int64_t named_ns, replayed_ns;
};

/*
 * What all profiles of a command are named from.  The store is asked which rows it has
 * with the first profile that may have names: once, however many there are.
 */
struct graph_namer {
	struct summary_reader reader;
	bool is_open;
};

/* Both borrowed; graph_namer_release() before the texts are closed, and of a zeroed one. */
void graph_namer_init(struct graph_namer *namer, struct store *store,
		      struct text_pool *texts);
void graph_namer_release(struct graph_namer *namer);

/*
 * Of work that was loaded with launches.  0 or -1 with err set; graph_names_release() in
 * both cases, and of a zeroed one.
 */
int graph_names_load(struct graph_namer *namer, const struct scope_profile *profile,
		     const struct device_work *work, struct graph_names *out,
		     struct err *err);
void graph_names_release(struct graph_names *n);

/* Has any profile of the store names that ingest wrote? */
int graph_names_are_stored(struct store *store, bool *are, struct err *err);

/* May the profile have some: those, or by captures of its own? */
int graph_names_may_be(struct store *store, const struct scope_profile *profile,
		       bool *may, struct err *err);

/*
 * The device time of replays in profiles that may have names, and how much of it has one;
 * 0 and 0 where none may.
 */
struct graph_names_share {
	int64_t named_ns, replayed_ns;
};
int graph_names_sum(struct store *store, const struct scope *scope,
		    struct graph_names_share *out, struct err *err);

static inline uint32_t graph_names_of(const struct graph_names *n, size_t item)
{
	return n->of_item ? n->of_item[item] : CALL_PATH_NONE;
}

/* Where the names of a run come from: another recording, which may be of several ranks. */
struct graph_names_from {
	struct store *store;
	struct scope scope;
	int64_t named_ns, replayed_ns; /* sums of what was named, and of all replays */
};

/*
 * Rows of the run's profiles, by the profile of the same rank, or the only one; of others
 * none; adds to the sums.  `from` is a struct graph_names_from.
 */
int graph_names_make_run(void *from, struct store *store, const char *run,
			 const struct part_sink *to, struct err *err);

#endif
