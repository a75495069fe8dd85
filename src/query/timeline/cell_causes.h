/*
 * Why the devices of a timeline in cells were idle, all of them together: which digit each
 * cause has in the picture, and the table that says what the digits mean.
 */
#ifndef PTOOL_QUERY_CELL_CAUSES_H
#define PTOOL_QUERY_CELL_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/memtable.h"
#include "query/timeline/cell_rows.h"

#define CELL_CAUSES_MOST 6 /* that are told apart */

/* So many on a terminal of so many lines, or one more where no row stands for one cause. */
static inline size_t cell_causes_most(int64_t lines)
{
	return lines < 30 ? 3 : CELL_CAUSES_MOST - 1;
}

struct cell_ranking {
	struct cell_cause
		sums[NGAP_CAUSES];  /* the largest first; blamed: where it is most */
	size_t places[NGAP_CAUSES]; /* of each cause in sums */
	size_t n, nshown;           /* causes there are; those told apart */
};

void cell_causes_rank(const struct cell_rows *r, int64_t lines, struct cell_ranking *out);
/* From 0 on; CELL_CAUSES_MOST: it is one of the others. */
size_t cell_cause_place(const struct cell_ranking *ranking, uint8_t cause);
/* The table for people; the caller's to free. */
struct memtable *cell_causes_table(const struct cell_rows *r,
				   const struct cell_ranking *ranking);

#endif
