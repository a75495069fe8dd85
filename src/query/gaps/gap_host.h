/*
 * The gaps whose work was launched inside them: what the launching thread ran from the
 * start of each gap to the launch.  One pass over each thread that launched such work,
 * whatever the number of gaps.
 */
#ifndef PTOOL_QUERY_GAP_HOST_H
#define PTOOL_QUERY_GAP_HOST_H

#include "query/gaps/gap_blame.h"

int gap_host_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		   struct err *err);

#endif
