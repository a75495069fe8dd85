/*
 * Many slices of a profile by their ids: in the order of ids they meet the packed
 * slices of one track after the other, so that none is looked up.
 */
#ifndef PTOOL_QUERY_SLICE_PICK_H
#define PTOOL_QUERY_SLICE_PICK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/scope.h"
#include "query/slices/slice_pack.h"

/* `slice` is the one that ids[place] asks for. */
typedef int slice_pick_fn(void *context, size_t place, const struct packed_slice *slice,
			  int64_t track_id, struct err *err);

/* All borrowed. */
struct slice_picks {
	const int64_t *ids;
	size_t n;
	unsigned columns; /* slice_pack_open()'s */
	slice_pick_fn *each;
	void *context;
};

/*
 * Calls the function once for each id that is not 0, in the order of ids, until it fails.
 * 0; -1 with err set, an ERR_INPUT when an id names no slice of a track of the profile.
 */
int slice_pick(struct store *store, const struct scope_profile *profile,
	       const struct slice_picks *picks, struct err *err);

#endif
