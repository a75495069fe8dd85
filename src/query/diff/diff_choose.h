/* What is compared where the request leaves it open: rows, their metric, and their names. */
#ifndef PTOOL_QUERY_DIFF_CHOOSE_H
#define PTOOL_QUERY_DIFF_CHOOSE_H

#include "query/diff/diff.h"

/* d->by, metric and unit; ERR_USAGE or ERR_EMPTY for what does not go together. */
int diff_choose_rows(struct diff *d, struct err *err);
/*
 * Device time of operators instead of their self time, when the accounting says that most
 * of the change is device work and the user did not choose.  Steps and units are known.
 */
int diff_choose_metric(struct diff *d, struct err *err);
/* d->relaxings: those across vendors where one side called CUDA and the other HIP. */
int diff_choose_names(struct diff *d, struct err *err);

#endif
