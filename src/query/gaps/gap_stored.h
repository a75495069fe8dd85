/*
 * Idle time as a summary (query/summary/summary.h): the rows of gap_part and
 * gap_wait_part, and what they say in place of the slices.  What other ranks are charged
 * with is found when the rows are read, as it depends on all of them.
 */
#ifndef PTOOL_QUERY_GAP_STORED_H
#define PTOOL_QUERY_GAP_STORED_H

#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_sums.h"

#define NGROUPINGS (GAPS_BY_STREAM + 1)
/* By enum gap_by, as gap_part.grouping spells them; NULL-terminated. */
extern const char *const gap_groupings[NGROUPINGS + 1];
/* In which order they stand: what is asked for most, and has the fewest rows, is first. */
extern const enum gap_by gap_grouping_order[NGROUPINGS];

/* A profile's idle time, read. */
struct gap_stored {
	/* Devices, streams, steps and totals alone: neither work nor blame. */
	struct gap_profile profile;
	/* private */
	enum gap_by by;
	struct part_rows rows, waits;
	struct gap_ranks *ranks; /* borrowed */
	struct gap_late *late;   /* owned */
	size_t nlate;
	uint32_t *devices; /* owned; by row: the place of its device */
};

/*
 * The sums of one device, as gap_sums_add() makes them, but of each cause what is charged
 * most alone.
 */
struct gap_device_sums {
	struct gap_sums *sums, *totals,
		*causes;           /* of the grouping: struct gap_row_sums */
	struct gap_sums *by_cause; /* for gap_notes_add() */
};

/* Can rows answer it? */
bool gap_stored_can(const struct gap_table_request *request);
/*
 * 1, 0 when the store has no rows of the profile, or -1 with err set.
 * gap_stored_release() in all cases.
 */
int gap_stored_load(struct summary_reader *reader, const struct scope_profile *profile,
		    enum gap_by by, struct gap_ranks *ranks, struct gap_stored *out,
		    struct err *err);
void gap_stored_release(struct gap_stored *s);
/* Adds to sums that are empty. */
void gap_stored_sums(struct gap_stored *s, uint32_t device,
		     const struct gap_device_sums *out);

#endif
