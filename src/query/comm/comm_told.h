/*
 * What is told of one collective: by its kernel's own arguments, by the operator
 * (record_param_comms) and the backend's range around its launch, by the kernel's name.
 * What stands nearer wins.
 */
#ifndef PTOOL_QUERY_COMM_TOLD_H
#define PTOOL_QUERY_COMM_TOLD_H

#include "query/comm/comm_calls.h"

struct comm_told {
	int64_t in_elements, out_elements, group_size, sequence;
	uint32_t name; /* of the collective, as it is spelled */
	uint32_t dtype, group, ranks;
};

void comm_told_init(struct comm_told *told);
/* What slice_id's own row says, and then the slices around `around_id` (0: none). */
int comm_told_of(const struct comm_from *from, int64_t slice_id, int64_t around_id,
		 struct comm_told *told, struct err *err);
/* When nothing is told of the group: this one. */
void comm_told_fill_group(struct comm_told *told, const struct comm_group *group);
/* Sets all of call that is not of its times and places; call->name is set. */
void comm_told_apply(const struct comm_from *from, const struct comm_told *told,
		     struct comm_call *call);

#endif
