/*
 * Slow calls: single calls of the runtime or the driver that take far longer than the
 * others of their name, because they load code or set something up for the first time.
 */
#ifndef PTOOL_QUERY_GAP_SLOW_H
#define PTOOL_QUERY_GAP_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/scope.h"
#include "query/text_pool.h"

/* Zeroed there are none. */
struct gap_slow {
	int64_t *ids; /* owned; slices, in order */
	size_t n, cap;
};

/*
 * Calls of the profile's threads that take more than 1 ms and more than ten times the
 * median of the other calls of their name; never those that wait for the device or copy.
 * gap_slow_release() in both cases.
 */
int gap_slow_find(struct store *store, const struct scope_profile *profile,
		  struct text_pool *texts, struct gap_slow *out, struct err *err);
void gap_slow_release(struct gap_slow *s);

bool gap_slow_has(const struct gap_slow *s, int64_t slice_id);

#endif
