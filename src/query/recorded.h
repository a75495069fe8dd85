/* What is rare in recordings, and worth a place of its own where it is there. */
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

#endif
