/*
 * Threads that only wait, as the monitor thread of tqdm does: what they do is in no
 * share of a tree.
 */
#ifndef PTOOL_QUERY_IDLE_THREAD_H
#define PTOOL_QUERY_IDLE_THREAD_H

#include "query/slices/slices.h"

/* Does the Python frame or function of C of this name wait for others, or sleep? */
bool idle_thread_waits(struct str name);

/*
 * Are more than 99 % of the self time of the track's slices in Python frames that
 * wait?  Reads no further than it must.  0, or -1 with err set.
 */
int idle_thread_is(struct slices *slices, const struct slices_track *track, bool *is_idle,
		   struct err *err);

#endif
