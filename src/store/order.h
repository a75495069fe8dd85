/*
 * From records in file order to rows: begins paired with ends (pair.h), then every track
 * by (ts, longest first, file order).
 */
#ifndef PTOOL_STORE_ORDER_H
#define PTOOL_STORE_ORDER_H

#include "store/model.h"

/*
 * Moves the slices into the order of rows; sets order, nrows, napart, tracks' rows;
 * what cannot be paired is a finding.  Behind the rows stand those set apart, by
 * (track, ts, file order), then the ends.
 */
void order_rows(struct model *m);

#endif
