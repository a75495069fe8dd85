/*
 * Ranges of torch.distributed's backends on threads of the host: gloo's, which are the
 * communication, and NCCL's, which launch it.
 */
#ifndef PTOOL_QUERY_COMM_HOST_H
#define PTOOL_QUERY_COMM_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "base/intervals.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "trace/step_name.h"

struct comm_range {
	int64_t start_ns, end_ns, slice_id;
	int64_t step_id; /* 0: none */
	uint32_t name;
	uint8_t backend; /* enum comm_backend, not NONE */
};

struct comm_ranges {
	struct comm_range *items; /* owned; by slice_id */
	size_t n, cap;
};

/*
 * Those of one profile; only_host leaves out the ranges that launch.
 * comm_ranges_release() in both cases.
 */
int comm_ranges_load(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, bool only_host,
		     struct comm_ranges *out, struct err *err);
void comm_ranges_release(struct comm_ranges *r);

/*
 * When operators other than torch.distributed's ran on any thread: a set, the caller's
 * to release in both cases.
 */
int comm_host_compute(struct store *store, struct text_pool *texts,
		      const struct scope_profile *profile, struct intervals *out,
		      struct err *err);

#endif
