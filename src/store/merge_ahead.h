/*
 * Stores of a fleet, opened in order (merge_source.h): by threads, a few ahead of the one that
 * is copied, where the machine has several cores.
 */
#ifndef PTOOL_STORE_MERGE_AHEAD_H
#define PTOOL_STORE_MERGE_AHEAD_H

#include <stddef.h>

#include "store/fleet.h"
#include "store/merge_source.h"

struct merge_ahead;

/*
 * All are borrowed: they outlive it.  Of the fleet its paths and sizes are read, and which
 * stores were left out before.
 */
struct merge_ahead *merge_ahead_open(const struct merge_wish *wish,
				     const struct fleet *fleet);
/*
 * The next store that is not left out, its place in *place; NULL: that was the last one.
 * Borrowed until the next call.
 */
struct merge_source *merge_ahead_next(struct merge_ahead *a, size_t *place);
/* Accepts NULL. */
void merge_ahead_close(struct merge_ahead *a);

#endif
