/*
 * ptool comm --ranks: what the ranks of a run did in the collectives they share.
 */
#ifndef PTOOL_QUERY_COMM_RANKS_H
#define PTOOL_QUERY_COMM_RANKS_H

#include "base/memtable.h"
#include "base/table.h"
#include "query/comm/comm.h"
#include "query/comm/comm_match.h"
#include "query/comm/comm_phases.h"

struct comm_ranks {
	const struct comm_matches *matches; /* aligned */
	const struct comm_phases *phases;
	const struct text_pool *texts;
	const struct scope
		*shown;     /* the ranks that have rows, of all that are compared */
	int64_t world_size; /* of the job, or NUMBER_NONE */
	enum comm_by by;
	const struct view_request *show; /* `asked`: comm_ranks_columns() of `by` */
};

/* Bits for struct view_request's `asked`. */
unsigned comm_ranks_columns(enum comm_by by);

/* A row for each kind of collective (and size), rank, or single collective. */
struct table *comm_ranks_table(const struct comm_ranks *r);

/* Notes of all tables of ranks: how far clocks may be off, and profiles left out. */
void comm_ranks_note_error(const struct comm_matches *m, struct memtable *to);
void comm_ranks_note_unranked(const struct comm_matches *m, struct memtable *to);

#endif
