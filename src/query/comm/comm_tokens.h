/*
 * Tokens that exchanges between experts carry: the lengths of the parts that all_to_allv
 * sends to each rank and gets from it, where the recording has them.
 */
#ifndef PTOOL_QUERY_COMM_TOKENS_H
#define PTOOL_QUERY_COMM_TOKENS_H

#include "query/scope.h"

/* NUMBER_NONE: not told, or not of all ranks. */
struct exchange {
	int64_t slice_id;
	int64_t sent, received;
};

struct exchanges {
	struct exchange *items; /* owned; by slice_id */
	size_t n, cap;
};

/* -1 with err set; exchanges_release() in both cases. */
int exchanges_load(struct store *store, const struct scope_profile *profile,
		   struct exchanges *out, struct err *err);
void exchanges_release(struct exchanges *e);
/* NULL: it is none. */
const struct exchange *exchanges_find(const struct exchanges *e, int64_t slice_id);

#endif
