/*
 * What is found out of a profile for its tables, before they are written or meanwhile:
 * lists of rows, then health and summaries.
 */
#ifndef PTOOL_STORE_WRITE_FOUND_H
#define PTOOL_STORE_WRITE_FOUND_H

#include "store/bulk_team.h"
#include "store/summary.h"
#include "store/write_rows.h"

struct write_found {
	struct model *m; /* borrowed */
	struct write_lists lists;
	struct summary summary;
	bool is_all;      /* else the lists alone */
	unsigned threads; /* that may find out the rest */
	struct summing_up *summing_up;
};

/* The lists alone; write_found_free() frees. */
struct write_found *write_find_lists(struct model *m);
/* Finds out the rest, by up to so many threads.  `found` outlives it. */
struct bulk_job write_find_rest(struct write_found *found, unsigned threads);

#endif
