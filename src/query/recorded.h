/*
 * What is rare in recordings, and worth a place of its own where it is there; and whether
 * a recording is a file.
 */
#ifndef PTOOL_QUERY_RECORDED_H
#define PTOOL_QUERY_RECORDED_H

#include <stdbool.h>

#include "base/err.h"
#include "query/scope.h"
#include "store/store.h"

struct recorded {
	bool phases;   /* of an inference engine's steps */
	bool graphs;   /* that were replayed */
	bool compiled; /* regions of torch.compile */
	bool shapes;   /* of operators' inputs */
};

/* 0, or -1 with err set; *out is false then. */
int recorded_load(struct store *store, const struct scope *scope, struct recorded *out,
		  struct err *err);
/*
 * Is the profile a file of its own?  Its time is that of a whole archive, or text, where it
 * is a part of one.  Of what is not there any more only the names of the folders can tell.
 */
bool recorded_as_file(const struct scope_profile *profile);

#endif
