/*
 * What ran for each call of an operator of a profile, as the filter chooses: its device
 * work, or its time on the host where no device did work.
 */
#ifndef PTOOL_QUERY_OP_SPENT_H
#define PTOOL_QUERY_OP_SPENT_H

#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/roofline/op_owners.h"

/* Of one call, or of a piece of work that no operator is known for. */
struct op_spent {
	int64_t time_ns, launch_ns, step_id;
	int64_t device;            /* number, or NUMBER_NONE */
	const struct dtype *dtype; /* that the names of its kernels tell, or NULL */
	bool ran, tensor_cores, is_comm;
	bool has_dtypes; /* they tell several */
};

/* Called for pieces without an operator, and copies between host and device. */
typedef int op_spent_alone_fn(void *context, const struct work_item *item,
			      const struct op_spent *times, struct err *err);

struct op_spent_query {
	struct store *store;
	struct text_pool *texts;
	struct work_filter *wanted;
	int capability; /* of the devices: kernels/tensor_core.h */
	op_spent_alone_fn *alone;
	void *context;
	/* Zeroed; free(facts) when all profiles were asked for. */
	struct work_fact *facts; /* by text + 1 */
	size_t facts_cap;
};

/*
 * What ran for each operator of a profile, on its devices or, where none did work, on the
 * host.  times: zeroed, one for each operator; those whose work is another's get none.
 * 0, or -1 with err set.
 */
int op_spent_on_devices(struct op_spent_query *q, const struct scope_profile *profile,
			const struct op_owners *ops, struct op_spent *times,
			struct err *err);
int op_spent_on_host(struct op_spent_query *q, const struct op_owners *ops,
		     struct op_spent *times, struct err *err);

#endif
