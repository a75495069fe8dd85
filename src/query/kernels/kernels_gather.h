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
	struct sqlite3_stmt *op_name;
	int64_t op_id;            /* the newest that was looked up, */
	uint32_t op;              /* and its name */
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
/* The name of the operator that work was launched for; TEXT_NONE: none is known. */
int kernels_find_op(struct gathering *g, int64_t op_id, uint32_t *op, struct err *err);

/* kernels_finish.c: percentiles, and which operators are eligible. */
void kernels_finish(struct gathering *g);

#endif
