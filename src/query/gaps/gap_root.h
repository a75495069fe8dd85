/*
 * --root: who emptied the queue is charged for the burst behind it.  A synchronisation,
 * a read, a blocking copy or an allocation makes the host wait until the device has nothing left to
 * do; the gaps that follow, while the host launches one piece of work after another,
 * are its doing.  They are until the host is ahead of the device again (a gap ends with
 * work that was launched before it), or something else with a name of its own, such as
 * the DataLoader, holds the host up.  They are for as long as the wait lasted, too:
 * without it the host would have been ahead by that much, and a host that was behind
 * before the wait stays behind without it.
 */
#ifndef PTOOL_QUERY_GAP_ROOT_H
#define PTOOL_QUERY_GAP_ROOT_H

#include "query/gaps/gap_blame.h"

/* What bursts are charged to: the spans of the blame have their place. */
struct gap_roots {
	struct gap_drain *items; /* owned */
	size_t n, cap;
};

/* Cuts the spans of the blame where roots change and where a wait is paid off. */
void gap_roots_find(struct gap_blame *b, struct gap_roots *out);
void gap_roots_release(struct gap_roots *r);

#endif
