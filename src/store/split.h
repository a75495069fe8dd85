/*
 * A file that holds several ranks as processes: which processes and threads are whose,
 * and a sink that gives each rank its own events.
 *
 * Tools that merge the traces of a job into one file tell ranks by the process id
 * ("[TP00-DP01] 4242": SGLang), by names of processes ("[rank 3] python", "DP rank [0]"
 * with threads "PP rank 1, TP rank 0"), by labels, by args (TraceLens: "rank" and
 * "pid_raw"), or by tids (split_workers.c).  Which one is known once all is read; then it
 * is read again.
 */
#ifndef PTOOL_STORE_SPLIT_H
#define PTOOL_STORE_SPLIT_H

#include "ingest/sink.h"
#include "store/load.h"

struct model;
struct split;

struct split_rank {
	struct axes axes;
	int64_t rank;     /* or NUMBER_NONE */
	const char *name; /* "rank3", "tp0-dp1"; the split's */
	bool has_events;
};

/*
 * Of what was read, before it is settled; *out is NULL where it is all of one rank.  0, or -1
 * with err set: there are more ranks than the model's limits allow.
 */
int split_find(const struct model *m, struct split **out, struct err *err);
void split_free(struct split *s);
size_t split_nranks(const struct split *s);
const struct split_rank *split_rank_at(const struct split *s, size_t i);

/*
 * A sink for the chrome reader, which tells the loader of each rank (by its place) what is its own: times, texts
 * and process ids are those of the rank's own file.  Borrows all, `texts` being the loaders'.
 * file_bytes: of the file; what it has once and all ranks have is in proportion to it.
 */
struct splitter;
struct splitter *splitter_new(struct split *s, struct loader *const *loaders,
			      struct intern *texts, uint64_t file_bytes);
void splitter_free(struct splitter *d);
struct sink *splitter_sink(struct splitter *d);

#endif
