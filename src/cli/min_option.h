/* --min PERCENT|TIME: below which share or time calls are summed up. */
#ifndef PTOOL_CLI_MIN_OPTION_H
#define PTOOL_CLI_MIN_OPTION_H

#include <stdint.h>

#include "base/err.h"

/* One of both is set: a time has a unit, a share none or a percent sign.  Or an ERR_USAGE. */
int min_option_parse(const char *text, int64_t *min_ns, double *min_pct, struct err *err);

#endif
