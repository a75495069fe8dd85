/*
 * The tree of slices: all slices of a host track nest by time.  A child that
 * overruns its parent is kept whole and clipped for the parent's self time, so
 * that the self times of a track add up to its roots.  Work of a stream does
 * not nest: it calls nothing, and what of it runs while the piece before it does is
 * a finding.
 */
#ifndef PTOOL_STORE_NEST_H
#define PTOOL_STORE_NEST_H

#include "store/model.h"

/* Sets the parent and the self time of every row. */
void nest_rows(struct model *m);

#endif
