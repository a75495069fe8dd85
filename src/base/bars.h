/*
 * Numbers as block characters, one terminal cell each: curves in tables, and how much of
 * a cell of time is covered.  Where the locale is C, src/cli/output.c writes ASCII in
 * their place.
 */
#ifndef PTOOL_BASE_BARS_H
#define PTOOL_BASE_BARS_H

#include <stddef.h>

#include "base/buf.h"

#define BARS_BYTES   3 /* of one in UTF-8 */
#define BARS_HIGHEST 7

/* How high a number stands between 0 and 1: the lowest block for 0. */
void bars_add_level(struct buf *out, double share);
/* The same as a number, 0 to BARS_HIGHEST. */
int bars_level(double share);
/* How much of a cell is covered, 0 to 8: nothing alone is 0. */
int bars_cover(double share);
void bars_add_eighths(struct buf *out, int eighths);
/* How much of the cell is covered: a blank for 0, and a block for anything more. */
void bars_add_cover(struct buf *out, double share);
/* n numbers from the lowest block for `low` to the highest for `high`. */
void bars_add_curve(struct buf *out, const double *values, size_t n, double low,
		    double high);
/*
 * The largest of each stretch: n numbers as at most `most` of them, in place.  Returns
 * how many there are then.
 */
size_t bars_squeeze(double *values, size_t n, size_t most);

#endif
