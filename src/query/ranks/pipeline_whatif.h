/* ptool ranks --what-if of a pipeline's timeline: see pipeline_replay.h. */
#ifndef PTOOL_QUERY_PIPELINE_WHATIF_H
#define PTOOL_QUERY_PIPELINE_WHATIF_H

#include "query/view.h"

/* All profiles of the scope are workers: pipeline_ops_is(). */
int pipeline_whatif(struct store *store, const struct scope *scope,
		    const struct view_request *show, struct memtable **out,
		    struct err *err);

#endif
