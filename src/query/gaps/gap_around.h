/*
 * What lies around a single gap and led to it, as a sentence for people: its row has no
 * room for that.
 */
#ifndef PTOOL_QUERY_GAP_AROUND_H
#define PTOOL_QUERY_GAP_AROUND_H

#include "base/memtable.h"
#include "base/str.h"

/* All borrowed; empty where there is none. */
struct gap_around {
	struct str time;          /* of the gap, as --time takes it */
	struct str before, after; /* work; one of them at least is there */
	struct str launch;        /* the call that launched `after` */
	struct str own_frame;     /* of the user */
	struct str chain;         /* gap_chain_text() of what is blamed */
	struct str root;          /* what emptied the queue */
};

/* Adds it to the table's notes. */
void gap_around_note(struct memtable *out, const struct gap_around *around);

#endif
