/*
 * Slices by start: the tracks of a profile, which are sorted each, merged;
 * profile after profile.  Nothing but a small block of rows waits for each
 * track, and the first slices are there at once.
 */
#ifndef PTOOL_QUERY_SLICE_MERGE_H
#define PTOOL_QUERY_SLICE_MERGE_H

#include "base/err.h"
#include "query/slices/slices.h"

struct slice_merge;

/* The slices are borrowed.  Never NULL. */
struct slice_merge *slice_merge_new(struct slices *slices);
/* Accepts NULL. */
void slice_merge_free(struct slice_merge *m);
/* 1: the next wanted slice, by (start, id), and its track; 0: end; -1: err is set. */
int slice_merge_next(struct slice_merge *m, struct slice_row *row,
		     const struct slices_track **track, struct err *err);

#endif
