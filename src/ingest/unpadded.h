/*
 * Times of the two weeks in March 2024 in which kineto printed nanoseconds as
 * "microseconds . rest" without zeros: 5.7 for 5.007 us, 5.45 for 5.045 us
 * (dfd563d; padded since #896).
 */
#ifndef PTOOL_INGEST_UNPADDED_H
#define PTOOL_INGEST_UNPADDED_H

#include <stdbool.h>

#include "base/decimal.h"

/*
 * Are the times of the trace that begins with these bytes so?  They are when it is
 * a PyTorch trace whose times count from 1970 and whose fractions tell: there are
 * ones of one or two digits, none of more than three, and none that begins with a
 * zero and goes on, which one in ten decimal fractions does.  A trace with few
 * numbers must also have the displayTimeUnit of that time.  `whole`: there is no
 * more of it.
 */
bool unpadded_has(struct bytes head, bool whole);
/* As decimal_us_to_ns, for such times. */
enum decimal_status unpadded_us_to_ns(struct str text, int64_t *ns);

#endif
