/*
 * What a recording says of the devices of its machine, also of those that did nothing.
 */
#ifndef PTOOL_QUERY_DEVICE_PROPERTIES_H
#define PTOOL_QUERY_DEVICE_PROPERTIES_H

#include "base/arena.h"
#include "base/err.h"
#include "query/scope.h"

struct device_properties {
	int64_t device;
	const char *name; /* NULL: not recorded; as are those below at NUMBER_NONE */
	const char *capability; /* "7.0"; NULL */
	int64_t memory_bytes, sms;
};

struct device_properties_list {
	struct device_properties *items; /* owned; by number */
	size_t n, cap;
	struct arena arena; /* texts */
};

/* device_properties_release() in both cases. */
int device_properties_load(struct store *store, const struct scope_profile *profile,
			   struct device_properties_list *out, struct err *err);
void device_properties_release(struct device_properties_list *list);
/* NULL when nothing is recorded of it. */
const struct device_properties *device_properties_find(
	const struct device_properties_list *list, int64_t device);

#endif
