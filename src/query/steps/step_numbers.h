/* The numbers of steps by their ids: what slice_row.step_id means to people. */
#ifndef PTOOL_QUERY_STEP_NUMBERS_H
#define PTOOL_QUERY_STEP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/scope.h"

struct step_numbers {
	struct step_number {
		int64_t id, number, profile_id;
		int64_t start_ns, end_ns; /* of its window and its host range */
		int64_t window_ns;        /* how long it takes */
	} * items;                        /* owned; by id */
	size_t n, cap;
};

/* Of the profiles of the scope; step_numbers_release() in both cases. */
int step_numbers_load(struct store *store, const struct scope *scope,
		      struct step_numbers *out, struct err *err);
/* Accepts a zeroed one. */
void step_numbers_release(struct step_numbers *s);

/* NULL when the id is none: 0, or of no step. */
const struct step_number *step_numbers_at(const struct step_numbers *s, int64_t id);
/* False when the id is none: 0, or of no step. */
bool step_numbers_find(const struct step_numbers *s, int64_t id, int64_t *number);

#endif
