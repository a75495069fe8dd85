/*
 * Which segments are of one kind, and what is left out of lines for which so many devices
 * wait, and which have so many kinds, that each kind of each gap cannot be looked at.
 */
#ifndef PTOOL_QUERY_GAP_KINDS_H
#define PTOOL_QUERY_GAP_KINDS_H

#include "query/gaps/gap_blame.h"

/* What tells segments apart besides their cause and what is charged. */
enum gap_key { GAP_KEY_NONE, GAP_KEY_OP, GAP_KEY_FRAME, GAP_KEY_ANNOTATION, GAP_NKEYS };

/* Bits of left_out are 1 << GAP_KEY_NONE for what is charged, those of keys, and this one. */
#define GAP_LEFT_WAITS GAP_NKEYS

/* As many segments may be walked through in the time that a kind is looked up in. */
#define GAP_LOOK_UP_WALKS 16

/* Below 0, 0 when they are of one kind, or above. */
int gap_kinds_compare(const struct gap_segment *x, const struct gap_segment *y,
		      enum gap_key key);

/*
 * Behind the last change to the segments, and before roots are found: keeps what is read of
 * a line in proportion to it.  Where that would be too much (ptool-formats(5), LIMITS), its
 * segments lose what is charged, or what they are grouped by, or their waits, and
 * b->left_out says so.  Causes stay.
 */
void gap_kinds_limit(struct gap_blame *b, const struct gap_range *range);

#endif
