/*
 * What the time of a profile's kernels is charged to that use Tensor Cores, or of which
 * it is not known: the operators that they were launched for, and without one the
 * innermost label around the launch, as the operator table charges all device work.
 */
#ifndef PTOOL_QUERY_TENSOR_CHARGES_H
#define PTOOL_QUERY_TENSOR_CHARGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/kernels/tensor_core.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "store/store.h"

struct tensor_charge {
	int64_t slice_id;
	struct tensor_core_times times;
	bool is_launch; /* the slice is the launch, and the label around it is charged */
};

struct tensor_charges {
	struct tensor_charge *items; /* owned; by slice_id, several for one slice too */
	size_t n, cap;
};

/*
 * `capability`: that of the devices, as tensor_core_kernel() has it.
 * tensor_charges_release() in both cases; it accepts a zeroed one.
 */
int tensor_charges_load(struct store *store, const struct scope_profile *profile,
			struct text_pool *texts, int capability,
			struct tensor_charges *out, struct err *err);
void tensor_charges_release(struct tensor_charges *c);

/* The place of the first one for that slice or a later one. */
size_t tensor_charges_from(const struct tensor_charges *c, int64_t slice_id);

#endif
