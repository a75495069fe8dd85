/* What a profile's rows of comm_part say in place of its slices. */
#ifndef PTOOL_QUERY_COMM_STORED_H
#define PTOOL_QUERY_COMM_STORED_H

#include "query/comm/comm_load.h"

/*
 * All of a profile that summary_has(); with_compute: when its devices computed beside
 * them, and at no other time.  comm_profile_release() in both cases.
 */
int comm_load_stored(struct comm_sources *s, const struct scope_profile *profile,
		     bool with_compute, struct comm_profile *out, struct err *err);

#endif
