/*
 * The part of each gap in which the work that ends it was already launched, or has no
 * launch in the recording: what the device waited for.  The rules are those of
 * ptool-gaps(1), "How a gap is charged", in that order.
 */
#ifndef PTOOL_QUERY_GAP_DEVICE_H
#define PTOOL_QUERY_GAP_DEVICE_H

#include "query/gaps/gap_blame.h"

/* Behind gap_host_blame(), which knows what each launching call was in. */
int gap_device_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		     struct err *err);

#endif
