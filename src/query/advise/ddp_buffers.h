/*
 * When DistributedDataParallel broadcasts the buffers of a model (broadcast_buffers=True)
 * before its forward pass.
 */
#ifndef PTOOL_QUERY_DDP_BUFFERS_H
#define PTOOL_QUERY_DDP_BUFFERS_H

#include "base/intervals.h"
#include "query/scope.h"
#include "query/text_pool.h"

/*
 * A set of what torch's broadcast_coalesced() does on the host, from the first
 * aten::flatten_dense_tensors in DistributedDataParallel.forward to the last aten::copy_
 * of it, where a broadcast is between them; and how many there are.  The caller's to
 * release, on failure too.
 */
int ddp_buffers_find(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, struct intervals *out,
		     int64_t *n, struct err *err);

#endif
