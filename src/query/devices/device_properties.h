/*
 * What a recording says of the devices of its machine, also of those that did nothing.
 */
#ifndef PTOOL_QUERY_DEVICE_PROPERTIES_H
#define PTOOL_QUERY_DEVICE_PROPERTIES_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "query/scope.h"

struct device_properties {
	int64_t device;
	const char *name; /* NULL: not recorded; as are those below at NUMBER_NONE */
	const char *capability; /* "7.0"; NULL */
	int64_t memory_bytes, sms;
	bool is_known; /* that work of this number is its, and not another GPU's */
};

struct device_properties_list {
	struct device_properties *items; /* owned; by number */
	size_t n, cap;
	bool is_any_alike;  /* work may count otherwise, and all are alike */
	struct arena arena; /* texts */
};

/* device_properties_release() in both cases. */
int device_properties_load(struct store *store, const struct scope_profile *profile,
			   struct device_properties_list *out, struct err *err);
void device_properties_release(struct device_properties_list *list);
/* Of the GPU that torch counts as this one ("cuda:0"); NULL when nothing is recorded. */
const struct device_properties *device_properties_of_gpu(
	const struct device_properties_list *list, int64_t gpu);
/*
 * Of the device that work has this number for; where work may count otherwise (ROCm's agents), of any
 * when all are alike.  NULL when nothing is recorded, or it is not certain of which.
 */
const struct device_properties *device_properties_find(
	const struct device_properties_list *list, int64_t device);

#endif
