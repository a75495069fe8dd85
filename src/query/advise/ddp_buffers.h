/*
 * When DistributedDataParallel broadcasts the buffers of a model (broadcast_buffers=True)
 * before its forward pass.
 */
#ifndef PTOOL_QUERY_DDP_BUFFERS_H
#define PTOOL_QUERY_DDP_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intervals.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "store/store.h"

/*
 * A set of what torch's broadcast_coalesced() does on the host, from the first
 * aten::flatten_dense_tensors in DistributedDataParallel.forward to the last aten::copy_
 * of it, where a broadcast is between them; and how many there are.  The caller's to
 * release, on failure too.
 */
int ddp_buffers_find(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, struct intervals *out,
		     int64_t *n, struct err *err);

#define BUFFERS_PCT 2 /* of the window: below it, it is no matter of its own */

/* What advise_facts.h keeps of them. */
struct fact_buffers {
	struct intervals when; /* a set, of the host's time */
	int64_t n;
	int64_t *idle_ns;        /* owned; by device: idle in the window meanwhile */
	struct intervals others; /* a set: the window without that */
	bool is_apart; /* ddp-buffers reports it: facts_idles() and facts_share() do not */
};

struct advise_facts;
/* Of the facts' profile; NULL with err set.  Borrowed from the facts. */
const struct fact_buffers *facts_buffers(struct advise_facts *f, struct err *err);

#endif
