/*
 * One pass over what a profile's host threads did: operators, labels, and calls of
 * the device's runtime and driver; Python frames are left out.  Times are nanoseconds
 * from the profile's first event.
 */
#ifndef PTOOL_QUERY_HOST_SCAN_H
#define PTOOL_QUERY_HOST_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "query/scope.h"
#include "query/text_pool.h"

struct host_slice {
	int64_t id, start_ns, end_ns;
	int64_t track_id;
	uint32_t name;     /* text; TEXT_NONE: none */
	uint8_t class;     /* CLASS_OP, _ANNOTATION, _RUNTIME or _DRIVER */
	bool has_sequence; /* an autograd sequence number was recorded */
	bool is_backward; /* an operator that runs for the backward pass, by its details */
};

typedef int host_slice_fn(void *context, const struct host_slice *slice, struct err *err);

/*
 * Calls the function for each slice, in the order (track, start, longest first), until
 * it fails.  In recordings that are not PyTorch's, where every slice counts as an
 * operator, those of no other class are CLASS_OP.  0, or -1 with err set.
 */
int host_scan(struct store *store, struct text_pool *texts,
	      const struct scope_profile *profile, host_slice_fn *each, void *context,
	      struct err *err);

#endif
