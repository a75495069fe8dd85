/*
 * What kernels.c gathers groups with, while it goes over the work of one profile
 * after the other.  Inside query/ only.
 */
#ifndef PTOOL_QUERY_KERNELS_GATHER_H
#define PTOOL_QUERY_KERNELS_GATHER_H

#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/kernels/kernels.h"

struct duration {
	int64_t ns;
	uint32_t group;
};

/* By text: what is found once for each name. */
struct name_facts {
	uint8_t tensor_core; /* 0 not known, 1 no, 2 yes */
	uint32_t table_name; /* as the operator table spells it; TEXT_NONE: not known */
};

struct gathering {
	struct store *store;
	const struct kernels_query *query;
	struct kernels *out;
	const struct scope_profile *profile;
	struct device_work work;
	struct kernel_details details;
	uint32_t *ops; /* owned; by item, when they are asked for: kernels_find_ops() */
	struct name_facts *facts; /* owned; by text */
	size_t facts_cap;
	struct duration *durations; /* owned */
	size_t ndurations, durations_cap;
	struct work_filter wanted;
	int64_t *busy_until; /* owned; by stream */
	bool has_work;       /* that was asked for, whatever the filters say */
};

/* kernels_names.c */
bool kernels_is_tensor_core(struct gathering *g, uint32_t name);
/*
 * Sets `ops`, the names of the operators that work was launched for, as the operator
 * table spells them; TEXT_NONE: none is known.
 */
int kernels_find_ops(struct gathering *g, struct err *err);

/* kernels_finish.c: percentiles, and which operators are eligible. */
void kernels_finish(struct gathering *g);

#endif
