/*
 * Stretches of time as people read them in a column and paste them after --time: all in
 * one unit, with as many decimals as the shortest needs.  They are rounded outwards, so
 * that what is pasted holds all of the stretch.
 */
#ifndef PTOOL_QUERY_GAP_TIMES_H
#define PTOOL_QUERY_GAP_TIMES_H

#include <stdint.h>

#include "base/arena.h"

/* Zeroed it has seen nothing, and writes nanoseconds. */
struct gap_times {
	int64_t last_ns;     /* the latest end */
	int64_t shortest_ns; /* the length of the shortest; 0: none yet */
};

void gap_times_see(struct gap_times *t, int64_t start_ns, int64_t end_ns);
/* "138.320ms..155.103ms"; lives as long as the arena. */
const char *gap_times_text(const struct gap_times *t, struct arena *arena,
			   int64_t start_ns, int64_t end_ns);

#endif
