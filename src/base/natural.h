/*
 * The order in which people list names: numbers in them by their value, so that
 * step_10 follows step_9.
 */
#ifndef PTOOL_BASE_NATURAL_H
#define PTOOL_BASE_NATURAL_H

#include "base/str.h"

/*
 * Negative, 0 or positive.  A total order: names that differ only in leading
 * zeros are ordered by their bytes, and 0 means equal bytes.
 */
int natural_compare(struct str a, struct str b);

#endif
